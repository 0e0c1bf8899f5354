"""A large string is converted by us, a small one by Python: the bytes are the same."""

from __future__ import annotations

import pytest
from subword import TextError, Tokenizer, _core

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


def test_a_lone_surrogate_in_a_large_string_is_told_or_replaced() -> None:
    text = "é" * LARGE + "\ud800" + "b"
    with pytest.raises(TextError, match=f"a lone surrogate at position {LARGE}"):
        _core.utf8(text, "strict")
    assert _core.utf8(text, "replace") == text.replace("\ud800", "\ufffd").encode()
