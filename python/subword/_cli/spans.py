"""Which tokens stand for which part of a text: for pictures of a text as its tokens.

A token need not end where a character ends: tokens that share a character are one span.

    "Zoë"  by bytes  ->  "Z" [90]   "o" [111]   "ë" [195, 171]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from subword import Tokenizer
    from subword._types import Special


class Span(NamedTuple):
    """A part of a text, and the ids of its tokens; none for what no token stands for."""

    start: int
    text: str
    ids: tuple[int, ...]


def spans(tok: Tokenizer, text: str | bytes, special: Special = "text") -> Iterator[Span]:
    """The parts of a text in order: joined, they are the text. ``start`` is in bytes of UTF-8."""
    raw = text.encode() if isinstance(text, str) else text
    ids, places = tok.encode_offsets(raw, unit="bytes", special=special)
    done, start, end = 0, 0, 0
    gathered: list[int] = []
    for id, (first, last) in zip(ids, places, strict=True):
        if gathered and first >= end and at_character(raw, end) and end > start:
            yield Span(start, shown(raw[start:end]), tuple(gathered))
            done, gathered = end, []
        if not gathered:
            if first > done:
                yield Span(done, shown(raw[done:first]), ())
            start = max(first, done)
        gathered.append(id)
        end = max(last, start)
    if gathered:
        yield Span(start, shown(raw[start:end]), tuple(gathered))
        done = end
    if done < len(raw):
        yield Span(done, shown(raw[done:]), ())


def at_character(raw: bytes, at: int) -> bool:
    """Whether a character starts at a place, or the text ends there."""
    return at >= len(raw) or raw[at] & 0xC0 != 0x80


def shown(raw: bytes) -> str:
    """Bytes as text; what is no text is escaped."""
    return raw.decode(errors="backslashreplace")
