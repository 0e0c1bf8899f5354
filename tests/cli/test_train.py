"""`subword train`: what it writes, what it prints, and how it fails."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from subword import BpeTrainer, Tokenizer, count_pieces
from subword._cli import main

from tests.support.interrupting import press_while_reading

TEXT = "the lowest of the low were slower than the slowest<|end|>they flow low and they follow\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a corpus."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text(TEXT * 3)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["train", *args])


def output(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def failure(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr


def test_it_writes_the_tokenizer_that_the_trainer_gives() -> None:
    output("corpus.txt", "--vocab-size", "270", "--special-token", "<|end|>", "--out", "tok.json")
    trainer = BpeTrainer(vocab_size=270, special_tokens=["<|end|>"])
    assert Tokenizer.load("tok.json") == trainer.train("corpus.txt")


def test_it_tells_what_it_did() -> None:
    printed = output("corpus.txt", "--num-merges", "3", "--out", "tok.json", "--threads", "1")
    rows = [(line[:16].strip(), line[16:]) for line in printed.splitlines()]
    assert [name for name, _ in rows] == [
        "pieces",
        "vocabulary",
        "first merges",
        "",
        "",
        "last merge",
        "seconds",
        "peak memory",
        "wrote",
    ]
    told = dict(rows)
    assert told["vocabulary"] == "259 tokens: 256 to start with, 3 merges, 0 special"
    assert told["first merges"].split() == ["21", "'o'", "+", "'w'"]
    assert told["wrote"] == "tok.json"


SETTINGS: list[tuple[list[str], dict[str, object]]] = [
    (["--ties", "smallest-ids"], {"ties": "smallest-ids"}),
    (["--min-count", "20"], {"min_count": 20}),
    (["--max-token-length", "2"], {"max_token_length": 2}),
    (["--pattern", "cl100k"], {"pattern": "cl100k"}),
    (["--pattern", r"\w+|\W"], {"pattern": r"\w+|\W"}),
    (["--end-of-word", "</w>"], {"end_of_word": "</w>"}),
    (
        ["--initial-vocab", "chars", "--unk-token", "<unk>", "--limit-alphabet", "9"],
        {"initial_vocab": "chars", "unk_token": "<unk>", "limit_alphabet": 9},
    ),
    (
        ["--initial-vocab", "chars", "--byte-fallback", "--split-digits"],
        {"initial_vocab": "chars", "byte_fallback": True, "split_digits": True},
    ),
    (
        ["--initial-vocab", "chars", "--byte-fallback", "--character-coverage", "0.9"],
        {"initial_vocab": "chars", "byte_fallback": True, "character_coverage": 0.9},
    ),
]


@pytest.mark.parametrize(("options", "settings"), SETTINGS, ids=lambda value: str(value)[:30])
def test_options_are_the_settings_of_a_trainer(
    options: list[str], settings: dict[str, object]
) -> None:
    output("corpus.txt", "--num-merges", "12", "--out", "tok.json", *options)
    trainer = BpeTrainer(num_merges=12, **settings)  # type: ignore[arg-type]
    assert Tokenizer.load("tok.json") == trainer.train("corpus.txt")


def test_counts_are_added_up() -> None:
    lines = Path("corpus.txt").read_text().splitlines(keepends=True)
    for number, line in enumerate(lines):
        counts = count_pieces(texts=[line], pattern="o200k", special_tokens=["<|end|>"])
        counts.save(f"{number}.counts")
    output("0.counts", "1.counts", "2.counts", "--vocab-size", "270", "--out", "tok.json")
    trainer = BpeTrainer(vocab_size=270, pattern="o200k", special_tokens=["<|end|>"])
    assert Tokenizer.load("tok.json") == trainer.train_iter(lines)


def test_counts_and_text_do_not_mix() -> None:
    count_pieces(texts=[TEXT], pattern="gpt2").save("some.counts")
    said = failure("some.counts", "corpus.txt", "--vocab-size", "270", "--out", "tok.json")
    assert said == (
        "error: some.counts holds counts and corpus.txt does not\n"
        "  hint: count the text first: subword count-pieces corpus.txt -o corpus.counts\n"
    )
    assert not Path("tok.json").exists()


def test_a_base_is_continued() -> None:
    output("corpus.txt", "--num-merges", "4", "--out", "base.json")
    output("corpus.txt", "--num-merges", "4", "--base", "base.json", "--out", "grown.json")
    output("corpus.txt", "--num-merges", "8", "--out", "whole.json")
    assert Tokenizer.load("grown.json") == Tokenizer.load("whole.json")


def test_the_log_is_written_as_json_lines() -> None:
    output("corpus.txt", "--num-merges", "4", "--out", "tok.json", "--log", "log.jsonl")
    lines = [json.loads(line) for line in Path("log.jsonl").read_text().splitlines()]
    assert [line["rank"] for line in lines if "rank" in line] == [0, 1, 2, 3]


def test_the_format_is_that_of_the_name_or_of_the_option() -> None:
    output("corpus.txt", "--num-merges", "4", "--out", "mine.tiktoken")
    assert Path("mine.tiktoken").read_bytes().startswith(b"AA== 0\n")
    output("corpus.txt", "--num-merges", "4", "--out", "files", "--format", "gpt2")
    assert sorted(path.name for path in Path("files").iterdir()) == ["merges.txt", "vocab.json"]


def test_too_few_pairs_are_a_note() -> None:
    Path("small.txt").write_text("low lower")
    result = run("small.txt", "--vocab-size", "1000", "--out", "tok.json")
    assert result.exit_code == 0
    assert result.stderr == (
        "note: vocab_size=1000 is more than the corpus has: no pair is left after 5 merges "
        "(261 tokens in all)\n"
    )
    assert "261 tokens" in result.stdout


@pytest.mark.parametrize("options", [[], ["--vocab-size", "300", "--num-merges", "4"]])
def test_how_much_to_learn_is_said_once(options: list[str]) -> None:
    result = run("corpus.txt", "--out", "tok.json", *options)
    assert result.exit_code == 2
    assert "pass --vocab-size or --num-merges: how much to learn" in result.stderr


def test_a_missing_file_is_named() -> None:
    said = failure("nowhere.txt", "--vocab-size", "300", "--out", "tok.json")
    assert said == "error: nowhere.txt: No such file or directory\n"


def test_a_vocabulary_that_is_too_small_is_refused() -> None:
    said = failure("corpus.txt", "--vocab-size", "200", "--out", "tok.json")
    assert said == (
        "error: vocab_size=200 is too small: 256 base tokens and 0 special tokens need at least "
        "256\n  hint: pass --vocab-size 256 for no merges at all, or more to learn some\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupted_training_leaves_the_old_file(folder: Path) -> None:
    """Ctrl-C while it counts a corpus that never ends: nothing is new in the folder."""
    Path("tok.json").write_text("old")
    os.mkfifo("endless.txt")
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from subword._cli import main; main()"
    )
    args = ["train", "endless.txt", "--vocab-size", "500", "--out", "tok.json"]
    block = random.Random(0).randbytes(1 << 15).hex().encode()
    with subprocess.Popen(
        [sys.executable, "-c", program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        press_while_reading(process, Path("endless.txt"), itertools.repeat(block))
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert Path("tok.json").read_text() == "old"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["corpus.txt", "endless.txt", "tok.json"]
