"""`subword.split` and `subword.normalize`: what happens to a text before anything is merged."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
import subword
from hypothesis import given
from hypothesis import strategies as st
from subword import ArgumentError, PatternError, TextError, Tokenizer

from tests.support.strategies import any_bytes

FORMS = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}
patterns = st.sampled_from([*subword.patterns, r"\w+|\W", [r"\d", "gpt2"]])
characters = st.text(st.characters(exclude_categories=["Cs"]))


@given(text=characters, pattern=patterns)
def test_pieces_joined_are_the_text(text: str, pattern: str | list[str]) -> None:
    assert "".join(subword.split(text, pattern)) == text


@given(data=any_bytes, pattern=patterns)
def test_pieces_of_bytes_are_bytes(data: bytes, pattern: str | list[str]) -> None:
    pieces = subword.split(data, pattern)
    assert b"".join(pieces) == data
    assert subword.split(bytearray(data), pattern) == pieces
    assert subword.split(memoryview(data), pattern) == pieces


def test_a_string_gives_strings_and_bytes_give_bytes() -> None:
    assert subword.split("low é!", "gpt2") == ["low", " é", "!"]
    assert subword.split("low é!".encode(), "gpt2") == [b"low", " é".encode(), b"!"]
    assert subword.split("", "gpt2") == []


@given(text=characters)
def test_pieces_are_those_that_are_counted(text: str) -> None:
    counted = subword.count_pieces(texts=[text], pattern="o200k")
    pieces = [piece.encode() for piece in subword.split(text, "o200k")]
    assert dict(counted) == {piece: pieces.count(piece) for piece in pieces}


def test_a_pattern_that_does_not_work_is_refused() -> None:
    with pytest.raises(PatternError):
        subword.split("low", "(")
    with pytest.raises(PatternError, match="no pattern has this name"):
        subword.split("low", "gpt3")
    with pytest.raises(TextError):
        subword.split("\ud800", "gpt2")


@pytest.mark.parametrize("name", FORMS)
def test_the_forms_of_unicode_are_those_of_python(name: str) -> None:
    text = "é e\u0301 ﬁ Å \u1e9b\u0323 ½ 한국"
    form: Any = FORMS[name]
    assert subword.normalize(text, name) == unicodedata.normalize(form, text)
    assert subword.normalize(text.encode(), name) == subword.normalize(text, name).encode()


def test_normalising_a_text_changes_no_id() -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "lowe", "low", ","])
    text = subword.normalize("Löwe, LOW", tok.normalizer)
    assert text == "lowe, low"
    assert tok.encode(text) == tok.encode("Löwe, LOW")
    assert subword.split(text, tok.pattern) == ["lowe", ",", " ", "low"]


def test_no_normalizer_changes_nothing() -> None:
    assert subword.normalize("Ré", None) == "Ré"
    assert subword.normalize(b"\xff", "nfc") == b"\xff"


def test_an_unknown_normalizer_is_an_error_that_names_its_argument() -> None:
    with pytest.raises(ArgumentError, match='no normalizer has the name "nfx"') as caught:
        subword.normalize("low", "nfx")
    assert caught.value.argument == "normalizer"


NANOCHAT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}|"
    r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)


def test_a_pattern_is_explained_by_its_meaning_and_not_by_its_spelling() -> None:
    explained = subword.explain_pattern(NANOCHAT)
    assert (explained.name, explained.runs, explained.reason) == (None, "blocks", None)
    assert explained.shared
    assert "up to 2 digits are a piece" in explained.rules
    three = subword.explain_pattern(NANOCHAT.replace("{1,2}", "{1,3}"))
    assert three == subword.explain_pattern("llama3")
    assert three.name == "llama3"


@pytest.mark.parametrize(
    ("pattern", "runs", "reason", "shared"),
    [
        ("none", "whole", None, False),
        ("whitespace", "scanner", None, True),
        ("bert", "blocks", None, True),
        (r"(?<=a)b", "backtracking", "a look-behind", False),
        (r"(a)\1", "backtracking", "a back reference", False),
        (r"a+b|a", "backtracking", "a repetition that is read again and again", False),
    ],
)
def test_what_does_not_run_on_blocks_has_a_reason(
    pattern: str, runs: str, reason: str | None, shared: bool
) -> None:
    explained = subword.explain_pattern(pattern)
    assert (explained.runs, explained.reason, explained.shared) == (runs, reason, shared)
    assert (reason is None) == ("because of this" not in str(explained))


def test_an_automaton_says_how_large_it_is() -> None:
    explained = subword.explain_pattern(r"\w+|\W+")
    assert (explained.runs, explained.shared) == ("automaton", True)
    assert explained.reason is not None
    assert "2 kinds of characters" in explained.reason


def test_a_pattern_that_cannot_be_read_is_not_explained() -> None:
    with pytest.raises(subword.PatternError):
        subword.explain_pattern("(")
