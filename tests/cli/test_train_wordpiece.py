"""`subword train-wordpiece`, and `subword count` for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from subword import Counts, Tokenizer, WordPieceTrainer
from subword._cli import main

TEXT = "The lowest of the LOW were slower than the slow\u00e9st. They flow low, and they follow!\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a corpus."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text(TEXT * 30, encoding="utf-8")
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, [*args])


def output(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


SETTINGS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--score", "count"], {"score": "count"}),
    (["--cased"], {"lowercase": False}),
    (["--keep-accents"], {"strip_accents": False}),
    (
        ["--special-token", "<s>", "--unk-token", "<u>"],
        {"special_tokens": ["<s>"], "unk_token": "<u>"},
    ),
    (["--prefix", "@", "--max-word-chars", "6"], {"prefix": "@", "max_word_chars": 6}),
    (["--limit-alphabet", "15", "--min-count", "4"], {"limit_alphabet": 15, "min_count": 4}),
    (["--max-token-length", "2"], {"max_token_length": 2}),
]


@pytest.mark.parametrize(("options", "settings"), SETTINGS, ids=lambda value: str(value)[:30])
def test_options_are_the_settings_of_a_trainer(
    options: list[str], settings: dict[str, Any]
) -> None:
    output("train-wordpiece", "corpus.txt", "--vocab-size", "45", "--out", "tok.json", *options)
    trained = WordPieceTrainer(45, **settings).train("corpus.txt")
    assert Tokenizer.load("tok.json") == trained


def test_counts_are_made_and_added_up() -> None:
    words = ["--pattern", "bert", "--normalizer", "bert-uncased"]
    printed = output("count-pieces", "corpus.txt", "--out", "a.counts", *words)
    assert "normalizer      bert-uncased" in printed
    assert Counts.load("a.counts").normalizer == "bert-uncased"
    output("train-wordpiece", "a.counts", "a.counts", "--vocab-size", "45", "--out", "tok.json")
    assert Tokenizer.load("tok.json") == WordPieceTrainer(45).train(["corpus.txt"] * 2)


def test_it_tells_what_it_did() -> None:
    args = ["--vocab-size", "45", "--score", "count", "--log", "log.jsonl"]
    printed = output("train-wordpiece", "corpus.txt", "--out", "tok.json", *args)
    told = {line[:16].strip(): line[16:] for line in printed.splitlines()}
    assert told["vocabulary"] == "45 tokens: 29 to start with, 11 merges, 5 special"
    assert told["first merges"].split() == ["210", "'##o'", "+", "'##w'"]
    assert len(Path("log.jsonl").read_text().splitlines()) == 1 + 3 + 11


def test_what_makes_no_sense_is_refused() -> None:
    result = run("train-wordpiece", "corpus.txt", "--vocab-size", "20", "--out", "tok.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: vocab_size=20 is too small: 29 characters")
    result = run("count-pieces", "corpus.txt", "--out", "a.counts", "--normalizer", "bort")
    assert result.exit_code == 2
    assert 'no normalizer has the name "bort"' in result.stderr


@pytest.mark.filterwarnings("default::subword.ModelFormatWarning")
def test_what_is_not_used_of_a_file_is_told_in_a_line() -> None:
    file = {
        "version": "1.0",
        "model": {"type": "BPE", "dropout": 0.1, "vocab": {c: i for i, c in enumerate("low")}},
    }
    file["model"]["merges"] = []  # type: ignore[index]
    Path("tokenizer.json").write_text(json.dumps(file))
    result = run("encode", "tokenizer.json", "corpus.txt")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: tokenizer.json:1: dropout 0.1 is kept, and not used to encode\n"
        "  hint: encode_dropout leaves out merges at random; other calls take all\n"
    )
