"""A large string is converted by us, a small one by Python: the bytes are the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from subword import TextError, Tokenizer, _core

if TYPE_CHECKING:
    from subword._types import Special

LARGE = 20_000


class Subclass(str):
    """Not compact in memory, as any instance of a subclass."""


@pytest.mark.parametrize("kind", [str, Subclass])
@pytest.mark.parametrize("char", ["a", "é", "ÿ", "Ж", "中", "\uffff", "😀", "\U0010ffff"])
def test_a_large_string_of_any_kind_is_its_utf8(kind: type[str], char: str) -> None:
    for text in (char * LARGE, "x" * LARGE + char, (char + "y" * 40) * 500):
        expected = text.encode()
        assert _core.utf8(kind(text), "strict") == expected
        again = kind(text)
        assert [_core.utf8(again, "strict") for _ in range(2)] == [expected] * 2


def test_a_large_string_that_python_has_converted_already() -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    text = "né" * LARGE
    assert bytes(tok.encode(text)) == text.encode()
    assert bytes(tok.encode(text)) == text.encode()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("char", ["é", "Ж", "😀"])
def test_encoding_a_large_string_leaves_its_memory_as_it_was(char: str, threads: int) -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    text = f"{char} of {threads} " * LARGE
    expected, size = text.encode(), sys.getsizeof(text)
    for _ in range(3):
        assert bytes(tok.encode(text, threads=threads)) == expected
        assert tok.count(text, threads=threads) == len(expected)
        assert bytes(tok.encode_batch([text], threads=threads)[0]) == expected
        assert sys.getsizeof(text) == size


def test_a_large_batch_with_a_lone_surrogate_can_come_again() -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    texts = ["é" * LARGE, "lone \ud800"]
    expected = [list(text.encode()) for text in ("é" * LARGE, "lone \ufffd")]
    for _ in range(3):
        assert tok.encode_batch(texts, errors="replace") == expected
        with pytest.raises(TextError, match="a lone surrogate at position 5"):
            tok.encode_batch(texts)


def test_a_lone_surrogate_in_a_large_string_is_told_or_replaced() -> None:
    text = "é" * LARGE + "\ud800" + "b"
    with pytest.raises(TextError, match=f"a lone surrogate at position {LARGE}"):
        _core.utf8(text, "strict")
    assert _core.utf8(text, "replace") == text.replace("\ud800", "\ufffd").encode()


@pytest.mark.parametrize("special", ["text", "encode"])
def test_a_large_string_by_blocks_on_one_thread_encodes_as_a_whole(special: Special) -> None:
    vocab = {i: bytes([i]) for i in range(256)}
    merges = [(b" ", b"a"), ("é".encode()[:1], "é".encode()[1:])]
    vocab |= {256 + i: a + b for i, (a, b) in enumerate(merges)}
    tok = Tokenizer(vocab, merges, pattern="gpt2", special_tokens={"<|end|>": 300})
    for text in ("é a<|end|> aé\n" * LARGE, "é" * (4 * LARGE), "😀 a" * LARGE):
        ids = tok.encode(text.encode(), special=special)
        assert tok.encode(text, special=special, threads=1) == ids
        assert tok.encode_array(text, special=special, threads=1).tolist() == ids
        assert tok.count(text, special=special, threads=1) == len(ids)
        assert tok.count(text, limit=len(ids) - 1, special=special, threads=1) is None
        assert tok.encode_batch([text], special=special, threads=1) == [ids]
    with pytest.raises(TextError, match=f"a lone surrogate at position {LARGE}"):
        tok.encode("é" * LARGE + "\ud800", threads=1)
    assert tok.encode("é" * LARGE + "\ud800", threads=1, errors="replace")[-3:] == [239, 191, 189]
