"""`subword train-unigram`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from subword import Tokenizer, UnigramTrainer
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


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ([], {}),
        (["--normalizer", "nfd"], {"normalizer": "nfd"}),
        (
            ["--special-token", "<s>", "--unk-token", "<u>"],
            {"special_tokens": ["<s>"], "unk_token": "<u>"},
        ),
        (["--character-coverage", "0.97"], {"character_coverage": 0.97}),
        (["--max-piece-length", "3"], {"max_piece_length": 3}),
        (
            ["--byte-fallback", "--split-digits", "--vocab-size", "296"],
            {"byte_fallback": True, "split_digits": True, "vocab_size": 296},
        ),
        (
            ["--user-defined-symbol", "slow", "--user-defined-symbol", "!"],
            {"user_defined_symbols": ["slow", "!"]},
        ),
        (
            ["--seed-size", "20", "--shrinking-factor", "0.5"],
            {"seed_size": 20, "shrinking_factor": 0.5},
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_options_are_the_settings_of_a_trainer(
    options: list[str], settings: dict[str, Any]
) -> None:
    result = run("train-unigram", "corpus.txt", "--vocab-size", "34", "-o", "tok.json", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    trained = UnigramTrainer(**({"vocab_size": 34} | settings)).train("corpus.txt")
    assert Tokenizer.load("tok.json") == trained


def test_counts_are_learned_from() -> None:
    made = ["--pattern", "whitespace", "--normalizer", "nfkc", "--special-token", "<unk>"]
    tokens = ["--special-token", "<s>", "--special-token", "</s>"]
    assert run("count-pieces", "corpus.txt", "-o", "a.counts", *made, *tokens).exit_code == 0
    result = run("train-unigram", "a.counts", "--vocab-size", "34", "-o", "tok.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Tokenizer.load("tok.json") == UnigramTrainer(34).train("corpus.txt")


def test_a_vocabulary_that_is_too_small_is_refused_by_name() -> None:
    result = run("train-unigram", "corpus.txt", "--vocab-size", "3", "-o", "tok.json")
    assert result.exit_code == 1
    assert "vocab_size=3 is too small" in result.stderr
    assert not Path("tok.json").exists()
