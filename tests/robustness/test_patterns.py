"""Patterns in files are bounded: how many there are, and what they take once they are compiled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from subword import Counts, CountsError, ModelFormatError, PatternError, Tokenizer

from tests.support.cutting import split, tokenizer_json

RANKS = {bytes([i]): i for i in range(256)}
MANY = "more than 64 patterns, one after the other"
LARGE = "too large: the patterns of a sequence may take 8 MB once they are compiled"


def native(path: Path, patterns: list[str]) -> None:
    Tokenizer.from_ranks(RANKS, pattern=["a+", "b+"]).save(path)
    model = json.loads(path.read_text(encoding="utf-8"))
    model["pattern"] = [{"regex": regex} for regex in patterns]
    path.write_text(json.dumps(model, indent=1), encoding="utf-8")


@pytest.mark.parametrize(
    ("patterns", "message"),
    [(["a+|b"] * 65, MANY), ([r"\p{L}{60}|a"] * 60, LARGE), (["(a)" * 60_000], LARGE)],
)
def test_files_cannot_ask_for_more_patterns_than_the_limits_allow(
    tmp_path: Path, patterns: list[str], message: str
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer_json([split(regex) for regex in patterns]), encoding="utf-8")
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json:1: pattern ") as caught:
        Tokenizer.load(path)
    assert message in str(caught.value)
    path = tmp_path / "native.json"
    native(path, patterns)
    with pytest.raises(ModelFormatError, match=r"native\.json:\d+: pattern ") as caught:
        Tokenizer.load(path)
    assert message in str(caught.value)
    with pytest.raises(PatternError) as refused:
        Tokenizer.from_ranks(RANKS, pattern=patterns)
    assert refused.value.message == message


def test_as_many_as_the_limits_allow_are_read(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer_json([split("a+|b")] * 64), encoding="utf-8")
    assert len(Tokenizer.load(path).pattern) == 64
    path = tmp_path / "native.json"
    native(path, ["a+|b"] * 64)
    assert len(Tokenizer.load(path).pattern) == 64


@pytest.mark.parametrize(
    ("patterns", "place", "message"),
    [(["a+|b"] * 65, 65, MANY), ([r"\p{L}{60}|a"] * 60, 3, LARGE)],
)
def test_counts_files_have_the_same_limits(
    tmp_path: Path, patterns: list[str], place: int, message: str
) -> None:
    path = tmp_path / "corpus.counts"
    Counts({b"a": 1}, pattern=["a+|b", "b+|c"]).save(path)
    written = path.read_bytes()
    parts = b"".join(b"r" + bytes([len(regex)]) + regex.encode() for regex in patterns)
    old = b"\x02r\x04a+|br\x04b+|c"
    assert written.count(old) == 1
    path.write_bytes(written.replace(old, bytes([len(patterns)]) + parts))
    with pytest.raises(CountsError) as caught:
        Counts.load(path)
    assert f"corpus.counts: pattern number {place}: pattern " in str(caught.value)
    assert message in str(caught.value)
