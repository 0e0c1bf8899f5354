"""`subword train --fair` and its other wishes: the tokenizer of the trainer, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from subword import BpeTrainer, Counts, Tokenizer, count_pieces
from subword._cli import main

EN = "the lowest of the low were slower than the slowest\n"
FI = "hitaammat olivat matalammalla kuin hitaimmat\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory, with a corpus of two languages."""
    monkeypatch.chdir(tmp_path)
    Path("en.txt").write_text(EN * 9)
    Path("fi.txt").write_text(FI)


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["train", *args, "--out", "tok.json"])


def trained(*args: str) -> Tokenizer:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return Tokenizer.load("tok.json")


def test_every_file_is_a_source_whether_text_or_counts() -> None:
    count_pieces("fi.txt").save("fi.counts")
    sources: dict[str, Path | Counts] = {
        "en.txt": Path("en.txt"),
        "fi.counts": Counts.load("fi.counts"),
    }
    expected = BpeTrainer(290).train_fair(sources)
    found = trained("en.txt", "fi.counts", "--vocab-size", "290", "--fair", "--log", "log.jsonl")
    assert found == expected
    assert expected != BpeTrainer(290).train(["en.txt", "fi.txt"])
    helped = [json.loads(line).get("helped") for line in Path("log.jsonl").read_text().splitlines()]
    assert {*helped} == {None, "en.txt", "fi.counts"}


def test_sizes_are_given_file_by_file() -> None:
    files = {"en.txt": "en.txt", "fi.txt": "fi.txt"}
    expected = BpeTrainer(270).train_fair(files, sizes={"en.txt": 900, "fi.txt": 1})
    sizes = ["--size", "900", "--size", "1"]
    assert trained("en.txt", "fi.txt", "--vocab-size", "270", "--fair", *sizes) == expected


def test_tokens_are_ruled_out_and_required() -> None:
    found = trained(
        *["en.txt", "--vocab-size", "275", "--veto", "^ ?th", "--required", "zebra"],
        *["--required", "yes", "--whole-characters"],
    )
    trainer = BpeTrainer(275, veto="^ ?th", required=["zebra", "yes"], whole_characters=True)
    assert found == trainer.train("en.txt")
    assert {b"zebra", b"yes"} <= {*found.vocab.values()}
    assert not any(token.lstrip().startswith(b"th") for token in found.vocab.values())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--size", "3"], "--size goes with --fair"),
        (["--fair", "--size", "3"], "pass --size once for each file: 2, not 1"),
        (["--fair", "--watch"], "--watch shows plain training"),
        (["--veto", "(", "--watch"], "--watch shows plain training"),
    ],
)
def test_what_does_not_go_together_is_refused(args: list[str], message: str) -> None:
    result = run("en.txt", "fi.txt", "--vocab-size", "270", *args)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_wrong_pattern_is_told() -> None:
    result = run("en.txt", "--vocab-size", "270", "--veto", "(")
    assert result.exit_code == 2
    assert "veto is no regular expression" in result.stderr
