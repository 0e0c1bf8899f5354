"""The text of native files, into which other formats are converted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from subword._pieces import patterns

#: What every native file begins with.
HEAD = {"format": "subword", "version": 1}


def _alphabet() -> list[str]:
    """GPT-2's way to write a byte as a character."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = iter(range(256, 512))
    return [chr(byte if byte in shown else next(hidden)) for byte in range(256)]


ALPHABET = _alphabet()

_SPELLING = str.maketrans({chr(byte): letter for byte, letter in enumerate(ALPHABET)})


def spelled(token: bytes) -> str:
    """A token as native files write it.

    >>> spelled(b" low")
    'Ġlow'
    """
    return token.decode("latin-1").translate(_SPELLING)


def special_tokens(ids: Mapping[str, int], always: Iterable[int] = ()) -> list[dict[str, Any]]:
    """Special tokens; those with an id in ``always`` are matched in every text."""
    everywhere = frozenset(always)
    return [
        {"content": text, "id": id, **({"always": True} if id in everywhere else {})}
        for text, id in ids.items()
    ]


def template(before: Sequence[int], after: Sequence[int]) -> dict[str, Sequence[int]]:
    """What stands around a text."""
    return {"prefix": before, "suffix": after}


def written(fields: Mapping[str, Any]) -> bytes:
    """A file of these fields."""
    return json.dumps({**HEAD, **fields}, ensure_ascii=False).encode()


def bpe(
    cuts: Sequence[str],
    vocab: Mapping[str, int],
    merges: Sequence[str] | str,
    special: Sequence[Mapping[str, Any]],
    *,
    whole: bool,
    around: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> bytes:
    """Byte-level BPE; with ``whole``, a piece that is a token is that token."""
    return written(
        {
            "type": "bpe",
            "pattern": [cut if cut in patterns else {"regex": cut} for cut in cuts],
            "ignore_merges": whole,
            "special_tokens": special,
            "template": template(*around),
            "vocab": vocab,
            "merges": merges,
        }
    )
