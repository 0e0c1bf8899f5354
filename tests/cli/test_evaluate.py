"""`subword evaluate` and `subword prune`, from arguments to output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from subword import BpeTrainer, Tokenizer, count_pieces, evaluate, prune, truncate
from subword._cli import main

TEXT = "The lowest of the low were slower than the slowest!\nThey flow low, and they follow.\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory, with two tokenizers and three texts."""
    monkeypatch.chdir(tmp_path)
    tok = BpeTrainer(num_merges=30, special_tokens=["<|end|>"]).train_iter([TEXT])
    tok.save("tok.json")
    Path("bytes").mkdir()
    truncate(tok, 257).save("bytes/tokenizer.json")
    for name in ("en/one.txt", "en/two.txt", "de/one.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(TEXT + name)


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def done(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def failed(*args: str) -> tuple[int, str]:
    result = run(*args)
    assert result.stdout == ""
    return result.exit_code, result.stderr


def test_the_table_is_that_of_the_library() -> None:
    tok, small = Tokenizer.load("tok.json"), Tokenizer.load("bytes")
    found = evaluate({"tok": tok, "bytes": small}, ["en/one.txt", "de/one.txt"])
    shown = done("evaluate", "tok.json", "en/one.txt", "de/one.txt", "--against", "bytes")
    assert shown == f"{found}\n"


def test_json_has_a_row_for_each_tokenizer_and_folder() -> None:
    shown = done("evaluate", "tok.json", "*/*.txt", "--by", "folder", "--format", "json")
    rows = json.loads(shown)["rows"]
    assert [row["text"] for row in rows] == ["de", "en", "all"]
    assert [row["bytes"] for row in rows] == [94, 188, 282]


def test_sizes_are_numbers_or_auto() -> None:
    shown = done("evaluate", "tok.json", "en/one.txt", "--sizes", "260,280", "--format", "json")
    assert [row["vocab_size"] for row in json.loads(shown)["rows"]] == [260, 280]
    assert "  287  " in done("evaluate", "tok.json", "en/one.txt", "--sizes", "auto")
    code, error = failed("evaluate", "tok.json", "en/one.txt", "--sizes", "many")
    assert (code, "expected auto, or sizes like 1000,2000, found 'many'" in error) == (2, True)
    code, error = failed("evaluate", "tok.json", "en/one.txt", "--sizes", "5")
    assert (code, "vocab_size=5 is too small" in error) == (2, True)


def test_a_plot_is_drawn() -> None:
    done("evaluate", "tok.json", "en/one.txt", "--sizes", "260,280", "--plot", "sizes.svg")
    assert "tokens in the vocabulary" in Path("sizes.svg").read_text(encoding="utf-8")
    code, error = failed("evaluate", "tok.json", "en/one.txt", "--plot", "sizes.gif")
    assert (code, "expected a file that ends in .png or .svg" in error) == (2, True)


def test_tokenizers_are_named_by_their_files() -> None:
    Path("other").mkdir()
    Path("other/tok.json").write_bytes(Path("tok.json").read_bytes())
    args = ["evaluate", "tok.json", "en/one.txt", "--format", "json", "--against"]
    names = [row["tokenizer"] for row in json.loads(done(*args, "bytes/tokenizer.json"))["rows"]]
    assert names == ["tok", "bytes"]
    names = [row["tokenizer"] for row in json.loads(done(*args, "other/tok.json"))["rows"]]
    assert names == ["tok.json", str(Path("other/tok.json"))]
    code, error = failed(*args, "tok.json")
    assert (code, "a tokenizer is there twice" in error) == (2, True)


def test_prune_writes_a_smaller_tokenizer_and_the_new_ids() -> None:
    args = ["prune", "tok.json", "en/*.txt", "--out", "small.json", "--ids", "new.npy"]
    Path("en/one.txt").write_text("low flow<|end|>")
    Path("en/two.txt").write_text("slow")
    assert done(*args).splitlines() == [
        "vocabulary      261 of 287 tokens",
        "pieces          3, 3 different",
        "wrote           small.json, new.npy",
    ]
    tok, small, new_ids = (
        Tokenizer.load("tok.json"),
        Tokenizer.load("small.json"),
        np.load("new.npy"),
    )
    for text in ("low flow<|end|>", "slow"):
        ids = tok.encode(text, special="encode")
        assert small.encode(text, special="encode") == new_ids[ids].tolist()


def test_prune_takes_counts() -> None:
    count_pieces(texts=[TEXT]).save("text.counts")
    assert "of 287 tokens" in done("prune", "tok.json", "text.counts", "--out", "small.json")
    small, _ = prune(Tokenizer.load("tok.json"), count_pieces(texts=[TEXT]))
    assert Tokenizer.load("small.json") == small


def test_prune_refuses_what_makes_no_sense() -> None:
    Path("empty.txt").touch()
    out = ["--out", "small.json"]
    assert failed("prune", "tok.json", "empty.txt", *out) == (
        1,
        "error: there are no pieces, and all tokens would go\n",
    )
    count_pieces(texts=[TEXT], pattern="o200k").save("text.counts")
    code, error = failed("prune", "tok.json", "text.counts", *out)
    assert (code, error.splitlines()[0]) == (
        1,
        'error: the pieces were cut by the pattern "o200k", the tokenizer has "gpt2"',
    )
    code, error = failed("prune", "tok.json", "en/one.txt", *out, "--ids", "ids.txt")
    assert (code, "--ids ids.txt: expected a file that ends in .npy" in error) == (2, True)
    assert not Path("small.json").exists()
