"""Texts that grow: their ids, at the cost of what is new.

The engine knows the places of a text where both sides encode alone (`cut_points`). So a text that
grows at its end is encoded again from the last of these places on, not from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from subword import _core

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Special, Text

#: How many ids at the end are looked at first, to find a place where their text may be cut.
TAIL = 64


class Session:
    """The ids of a text that grows at its end, like a chat, at the cost of what is new.

    After every call they are the ids of the whole text. ``copy.copy`` gives a session that goes on
    from the same text by itself.

    Args:
        tok: The tokenizer.
        special: What to do where the text spells a special token, as for `Tokenizer.encode`.
        errors: What to do with a ``str`` that has lone surrogates, as for `Tokenizer.encode`; each
            text that is appended is looked at by itself.

    Example:
        >>> from subword import Session, Tokenizer
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> session = Session(tok)
        >>> session.append("hel")
        (0, [104, 101, 108])
        >>> session.append("low")
        (0, [256, 119])
        >>> session.ids == tok.encode("hellow")
        True
    """

    def __init__(
        self, tok: Tokenizer, *, special: Special = "text", errors: Errors = "strict"
    ) -> None:
        """Start with an empty text."""
        self._growing = _core.GrowingText(tok, special, errors)

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return self._growing.ids

    @property
    def text(self) -> str:
        """The whole text; bytes that are not UTF-8 are U+FFFD."""
        return self._growing.text.decode(errors="replace")

    def append(self, text: Text) -> tuple[int, list[int]]:
        """Put more text at the end.

        Args:
            text: A ``str``, or ``bytes`` that need not be UTF-8.

        Returns:
            How many ids at the end no longer hold, and the ids that come after those that do.

        Raises:
            SpecialTokenError: The text spells a special token, with ``special="error"``. The
                session is as it was before.
            TextError: A text has a lone surrogate, or a byte or character that the model has no
                token for. The session is as it was before.

        Example:
            >>> from subword import Session, Tokenizer
            >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
            >>> session = Session(tok)
            >>> session.append("l"), session.append("o")
            ((0, [108]), (1, [256]))
        """
        return self._growing.append(text)

    def rewind(self, characters: int) -> tuple[int, list[int]]:
        """Take characters away from the end.

        Args:
            characters: How many. A byte that is not UTF-8 counts as one.

        Returns:
            How many ids at the end no longer hold, and the ids that come after those that do.

        Raises:
            ArgumentError: The text has fewer characters.

        Example:
            >>> from subword import Session, Tokenizer
            >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
            >>> session = Session(tok)
            >>> session.append("hello"), session.rewind(1)
            ((0, [104, 101, 108, 256]), (1, [108]))
        """
        return self._growing.rewind(characters)

    def __len__(self) -> int:
        """How many ids there are."""
        return len(self._growing)

    def __copy__(self) -> Session:
        """A session that goes on from the same text by itself."""
        other = object.__new__(type(self))
        other._growing = self._growing.copy()
        return other

    def __deepcopy__(self, memo: object) -> Session:
        """The same: a tokenizer never changes."""
        return self.__copy__()

    def __repr__(self) -> str:
        """How much text and how many ids there are."""
        return f"<Session: {len(self._growing.text):,} bytes, {len(self):,} ids>"


def cut_points(
    tok: Tokenizer, text: Text, *, special: Special = "text", errors: Errors = "strict"
) -> list[int]:
    """The places where a text may be cut so that all parts encode alone.

    Cut at any of them, the ids of the parts, joined, are those of the whole text. There may be
    other such places; these are the ones that a few characters prove. A model whose pattern is an
    arbitrary regular expression has none but those after special tokens.

    Args:
        tok: The tokenizer.
        text: A ``str``, or ``bytes`` that need not be UTF-8.
        special: What to do where the text spells a special token, as for `Tokenizer.encode`.
        errors: What to do with a ``str`` that has lone surrogates, as for `Tokenizer.encode`.

    Returns:
        The places, in characters of a ``str`` or in bytes; rising, without the start and the end.

    Raises:
        TextError: The text has a lone surrogate.

    Example:
        >>> from subword import Tokenizer, cut_points
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], pattern="gpt2")
        >>> cut_points(tok, "low, lower")
        [3, 4]
    """
    return tok._cut_points(text, special, errors)


def extend(
    tok: Tokenizer,
    ids: Sequence[int],
    text: Text,
    *,
    special: Special = "encode",
    errors: Errors = "strict",
) -> tuple[int, list[int]]:
    """What happens to ids when text is put behind them, where only the ids are known.

    With the change made they are the ids of ``tok.decode(ids)`` with the text behind it. Where the
    tokens of the model spell its text, only the last ids are looked at.

    Args:
        tok: The tokenizer.
        ids: The ids of a text, as `Tokenizer.encode` gives them.
        text: What follows that text.
        special: What to do where a text spells a special token, as for `Tokenizer.encode`.
        errors: What to do with a ``str`` that has lone surrogates, as for `Tokenizer.encode`.

    Returns:
        How many ids at the end no longer hold, and the ids that come after those that do.

    Raises:
        UnknownIdError: No token has one of the ids.
        TextError: A text has a lone surrogate, or a byte or character that the model has no token
            for.
        SpecialTokenError: The text spells a special token, with ``special="error"``.

    Example:
        >>> from subword import Tokenizer, extend
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> extend(tok, tok.encode("hel"), "o")
        (1, [256])
    """
    more = _core.utf8(text, errors)
    size = TAIL
    while tok._spells and size < len(ids):
        tail = list(ids[-size:])
        before = tok.decode_bytes(tail)
        place = tok._settled(before, special)
        kept = _tokens_before(tok, tail, place)
        if kept:
            return _change(tail[kept:], tok.encode(before[place:] + more, special=special))
        size *= 4
    old = list(ids)
    whole = tok.decode_bytes(old) if tok._spells else tok.decode(old).encode()
    return _change(old, tok.encode(whole + more, special=special))


def _tokens_before(tok: Tokenizer, ids: list[int], place: int) -> int:
    """How many tokens spell the first bytes; 0 if the place is inside of a token."""
    for number, id in enumerate(ids):
        if place <= 0:
            return number if place == 0 else 0
        place -= len(tok.token_bytes(id))
    return 0


def _change(old: list[int], new: list[int]) -> tuple[int, list[int]]:
    """How many of the old ids to drop, and which to append, to get the new ones."""
    same = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        same += 1
    return len(old) - same, new[same:]


def noncanonical_at(
    tok: Tokenizer, ids: Sequence[int], *, special: Special = "encode"
) -> int | None:
    """Where ids first differ from those that their own text is encoded to.

    A model that samples ids, or a program that joins them, may spell a text by other tokens than
    `Tokenizer.encode` does.

    Args:
        tok: The tokenizer.
        ids: Any ids.
        special: What to do where the text spells a special token, as for `Tokenizer.encode`.

    Returns:
        The place of the first id that differs, the number of ids if their text has more, or None if
        the ids are canonical.

    Raises:
        UnknownIdError: No token has one of the ids.

    Example:
        >>> from subword import Tokenizer, noncanonical_at
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> noncanonical_at(tok, [104, 108, 111]), noncanonical_at(tok, [104, 256])
        (1, None)
    """
    old = list(ids)
    text = tok.decode_bytes(old) if tok._spells else tok.decode(old).encode()
    dropped, more = _change(old, tok.encode(text, special=special))
    return len(old) - dropped if dropped or more else None


def is_canonical(tok: Tokenizer, ids: Sequence[int], *, special: Special = "encode") -> bool:
    """Whether ids are those that their own text is encoded to.

    Args:
        tok: The tokenizer.
        ids: Any ids.
        special: What to do where the text spells a special token, as for `Tokenizer.encode`.

    Returns:
        Whether ``tok.encode(tok.decode(ids))`` gives them again.

    Raises:
        UnknownIdError: No token has one of the ids.

    Example:
        >>> from subword import Tokenizer, is_canonical
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> is_canonical(tok, [108, 111]), is_canonical(tok, [256])
        (False, True)
    """
    return noncanonical_at(tok, ids, special=special) is None
