"""Special tokens as a caller lists them, before they have ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from subword._errors import ArgumentError


def listed(special_tokens: Iterable[str], name: str = "special_tokens") -> list[str]:
    """The special tokens as a list; one string, or tokens with ids, are refused.

    >>> listed(("<|endoftext|>",))
    ['<|endoftext|>']
    """
    if isinstance(special_tokens, str):
        raise TypeError(f"{name} must be a list of strings, not one string")
    if isinstance(special_tokens, Mapping):
        raise TypeError(f"{name} must be a list of strings: they have no ids yet")
    return list(special_tokens)


def distinct(special_tokens: Iterable[str], name: str = "special_tokens") -> list[str]:
    """The same; a token that is there twice is refused, too: it would leave an id without a token.

    >>> distinct(["<a>", "<b>"])
    ['<a>', '<b>']
    """
    found = listed(special_tokens, name)
    seen: set[str] = set()
    for token in found:
        if token in seen:
            message = f"{name} has {token!r} twice, and a token has one id"
            raise ArgumentError(name, message)
        seen.add(token)
    return found
