"""Encoding texts that arrive one by one, as if they were one text.

Text is gathered until some of it is settled: up to a place where whatever follows can change no id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import SpecialTokenError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Special, Text

#: How much text is gathered before it is encoded.
STREAM_BYTES = 1 << 16


def encode_stream(
    tok: Tokenizer, texts: Iterable[Text], special: Special, errors: Errors
) -> Iterator[int]:
    """The ids of all the texts joined, lazily."""
    waiting = bytearray()
    wanted = STREAM_BYTES
    done = 0
    try:
        for text in whole_characters(texts):
            waiting += _core.utf8(text, errors)
            if len(waiting) >= wanted:
                ready = tok.settled(bytes(waiting), special)
                yield from tok.encode(bytes(waiting[:ready]), special=special)
                del waiting[:ready]
                done += ready
                wanted = max(STREAM_BYTES, 2 * len(waiting))
        yield from tok.encode(bytes(waiting), special=special)
    except SpecialTokenError as error:
        raise SpecialTokenError(error.token, done + error.position) from None


def whole_characters(texts: Iterable[Text]) -> Iterator[Text]:
    """The same texts, where the two halves of a surrogate pair never come apart.

    >>> [ascii(text) for text in whole_characters(["a\\ud83d", "\\ude00b"])]
    ["'a'", "'\\\\ud83d\\\\ude00b'"]
    """
    half = ""
    for text in texts:
        if not isinstance(text, str):
            if half:
                yield half
                half = ""
            yield text
            continue
        text = half + text
        half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        yield text.removesuffix(half)
    if half:
        yield half
