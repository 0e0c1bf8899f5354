"""The tables of cases in ``testdata/cases``, against every implementation."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
import subword
from subword import Tokenizer
from subword._core import split
from subword.reference import CachedEncoder, merge_by_list, merge_by_rank, merge_with_heap

from tests.support.published import huggingface_pair, tiktoken_pair
from tests.support.repository import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = ROOT / "testdata" / "cases"


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / name).read_text(encoding="utf-8"))


def as_bytes(text: str) -> bytes:
    r"""The bytes of a string, where ``\xE4`` is the byte."""
    parts = re.split(r"\\x([0-9A-F]{2})", text)
    return b"".join(
        bytes.fromhex(part) if at % 2 else part.encode() for at, part in enumerate(parts)
    )


MERGING = table("merging.toml")["case"]
SPLITTING = table("splitting.toml")["case"]
GOLDEN = table("golden.toml")


# merging


def merges_of(case: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    return [(as_bytes(left), as_bytes(right)) for left, right in case["merges"]]


def ranks_of(case: dict[str, Any]) -> dict[bytes, int]:
    tokens = [bytes([byte]) for byte in range(256)] + [as_bytes(token) for token in case["ranks"]]
    return {token: id for id, token in enumerate(tokens)}


def tokenizer_of(case: dict[str, Any]) -> Tokenizer:
    if "ranks" in case:
        return Tokenizer.from_ranks(ranks_of(case), pattern="none")
    made = dict.fromkeys(left + right for left, right in merges_of(case))
    vocab = {i: bytes([i]) for i in range(256)} | dict(enumerate(made, 256))
    return Tokenizer(vocab, merges_of(case), pattern="none")


@pytest.mark.parametrize("case", MERGING, ids=lambda case: case["name"])
def test_the_engine_merges(case: dict[str, Any]) -> None:
    tok = tokenizer_of(case)
    text = as_bytes(case["text"])
    tokens = [as_bytes(token) for token in case["tokens"]]
    assert b"".join(tokens) == text
    for _ in range(2):  # by merging, then by the cache
        assert [tok.token_bytes(id) for id in tok.encode(text)] == tokens


@pytest.mark.parametrize("case", MERGING, ids=lambda case: case["name"])
def test_the_reference_merges(case: dict[str, Any]) -> None:
    text = as_bytes(case["text"])
    tokens = [as_bytes(token) for token in case["tokens"]]
    if "ranks" in case:
        ranks = ranks_of(case)
        # A piece that is a token is not merged at all.
        assert ([text] if text in ranks else merge_by_rank(text, ranks)) == tokens
        return
    pairs = {pair: rank for rank, pair in enumerate(merges_of(case))}
    assert merge_by_list(text, pairs) == tokens
    assert merge_with_heap(text, pairs) == tokens
    encoder = CachedEncoder(tokenizer_of(case).vocab, merges_of(case))
    assert [encoder.encode_piece(text)] * 2 == [
        encoder.encode_piece(text),
        tokenizer_of(case).encode(text),
    ]


# splitting


def split_cases() -> list[Any]:
    return [
        pytest.param(name, case["text"], pieces, id=f"{name} {case['text']!r}")
        for case in SPLITTING
        for name, pieces in case["pieces"].items()
    ]


@pytest.mark.parametrize(("name", "text", "pieces"), split_cases())
def test_patterns_split(name: str, text: str, pieces: list[str]) -> None:
    wanted = [as_bytes(piece) for piece in pieces]
    assert split(as_bytes(text), name) == wanted
    assert b"".join(wanted) == as_bytes(text)
    # In brackets it has no name, and the engine for any regular expression runs it.
    regexes = [f"(?:{regex})" for regex in subword.patterns[name]]
    if regexes:
        assert split(as_bytes(text), regexes) == wanted


# golden ids


def golden_tokenizer(vocabulary: str) -> Tokenizer:
    if vocabulary == "tiny":
        tokens = [as_bytes(token) for token in GOLDEN["tiny"]["tokens"]]
        ranks = {bytes([byte]): byte for byte in range(256)}
        ranks |= {token: id for id, token in enumerate(tokens, 256)}
        return Tokenizer.from_ranks(
            ranks, pattern="cl100k", special_tokens=GOLDEN["tiny"]["special_tokens"]
        )
    kind, _, name = vocabulary.partition(":")
    return tiktoken_pair(name)[1] if kind == "tiktoken" else huggingface_pair(name)[1]


@pytest.mark.parametrize("vocabulary", list(GOLDEN["ids"]))
def test_golden_ids(vocabulary: str) -> None:
    assert (GOLDEN["tiktoken"], GOLDEN["tokenizers"]) == ("0.14.0", "0.23.3")
    tok = golden_tokenizer(vocabulary)
    for text, ids in zip(GOLDEN["texts"], GOLDEN["ids"][vocabulary], strict=True):
        assert tok.encode(text, special="encode") == ids
