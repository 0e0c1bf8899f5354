r"""What a caller decides while merges are learned: which tokens are never made, what is enough.

    veto=[b" the"]                  these tokens
    veto=r"\d{4}"                   tokens in which the pattern is found
    veto=lambda token: b"," in token[1:]

A pattern of ``str`` looks at tokens that are text: one that is a part of a character is not. A
pattern of ``bytes`` looks at all. A token is asked about when it is about to be made, maybe more
than once, and the answer must depend on the token alone: then the merges are those of a training
that never sees the pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from subword._errors import ArgumentError
from subword._train.log import LoggedMerge

#: Says of a token that it must not be made.
Veto = Callable[[bytes], object] | Collection[bytes | str] | str | bytes | re.Pattern[Any]


def vetoed(veto: Veto | None) -> Callable[[bytes], object] | None:
    """The veto as a function of a token.

    Example:
        >>> [bool(vetoed(r"\\s\\w")(token)) for token in (b" a", b"a ", b"\\xc3")]
        [True, False, False]
        >>> vetoed([" the"])(b" the")
        True
    """
    if veto is None:
        return None
    if isinstance(veto, str | bytes):
        try:
            veto = re.compile(veto)
        except re.error as error:
            raise ArgumentError("veto", f"veto is no regular expression: {error}") from error
    if isinstance(veto, re.Pattern):
        return _of_text(veto) if isinstance(veto.pattern, str) else veto.search
    if callable(veto):
        return veto
    return frozenset(tokens_of("veto", veto)).__contains__


def tokens_of(name: str, given: Iterable[bytes | str]) -> list[bytes]:
    """Tokens that a caller gave, as bytes.

    Example:
        >>> tokens_of("required", ["a", b"b"])
        [b'a', b'b']
    """
    tokens = [given] if isinstance(given, str | bytes) else list(given)
    wrong = [token for token in tokens if not isinstance(token, str | bytes)]
    if wrong or isinstance(given, str | bytes):
        found = type(wrong[0] if wrong else given).__name__
        raise TypeError(f"{name} must have tokens, str or bytes, not {found}")
    return [token.encode() if isinstance(token, str) else token for token in tokens]


def _of_text(pattern: re.Pattern[str]) -> Callable[[bytes], object]:
    def search(token: bytes) -> object:
        try:
            return pattern.search(token.decode())
        except UnicodeDecodeError:
            return None

    return search


def merged(
    on_merge: Callable[[LoggedMerge], object] | None,
) -> Callable[[bytes, bytes, int, int], bool] | None:
    """The caller's function as the engine calls it: true if it is enough."""
    if on_merge is None:
        return None

    def call(left: bytes, right: bytes, count: int, saved: int) -> bool:
        return on_merge(LoggedMerge((left, right), count, saved)) is False

    return call
