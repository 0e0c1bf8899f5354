"""Special tokens as a caller lists them, before they have ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def listed(special_tokens: Iterable[str]) -> list[str]:
    """The special tokens as a list; one string, or tokens with ids, are refused.

    >>> listed(("<|endoftext|>",))
    ['<|endoftext|>']
    """
    if isinstance(special_tokens, str):
        raise TypeError("special_tokens must be a list of strings, not one string")
    if isinstance(special_tokens, Mapping):
        raise TypeError("special_tokens must be a list of strings: they have no ids yet")
    return list(special_tokens)
