"""Encoding texts that arrive one by one, as if they were one text.

Text is gathered until a part of it is settled: up to a boundary after which nothing that follows
can change an id. That part is encoded, and the rest waits for more.
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
    tok: Tokenizer,
    texts: Iterable[Text],
    special: Special,
    errors: Errors,
    add_special_tokens: bool = False,
    prepend: str | int | None = None,
    append: str | int | None = None,
) -> Iterator[int]:
    """The ids of all the texts joined, lazily, with the ids around them that are asked for."""
    before, after = tok._named_id("prepend", prepend), tok._named_id("append", append)
    ids = encode_in_template(tok, texts, special, errors, add_special_tokens)
    return ids if before is after is None else surrounded(before, ids, after)


def surrounded(before: int | None, ids: Iterator[int], after: int | None) -> Iterator[int]:
    """The ids with one more on either side. A copy of an `itertools.chain` would share them."""
    if before is not None:
        yield before
    yield from ids
    if after is not None:
        yield after


def encode_in_template(
    tok: Tokenizer, texts: Iterable[Text], special: Special, errors: Errors, template: bool
) -> Iterator[int]:
    """The ids of all the texts joined, lazily, with the template around them if asked for."""
    if not template:
        yield from encode_parts(tok, texts, special, errors)
        return
    for content, _ in tok._template_slots(False):
        if isinstance(content, int):
            yield content
        else:
            yield from encode_parts(tok, texts, special, errors)


def encode_parts(
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
                ready = tok._settled(bytes(waiting), special)
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
