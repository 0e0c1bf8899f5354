"""What a request asks: values by name, from an address or from JSON, each checked.

The same names work in both: `GET /api/encode?text=low` and `POST /api/encode` with the body
`{"text": "low"}` are one question. What is wrong with it is told in one sentence, with the name of
the value.

    >>> question = Question({"offset": "20", "text": "low"})
    >>> question.integer("offset", default=0), question.text()
    (20, b'low')
    >>> question.integer("limit", default=100, most=1000)
    100
    >>> question.choice("text", ["high"], default="high")
    Traceback (most recent call last):
    ...
    subword.explorer.questions.RefusedError: text: expected "high", found "low"
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: The longest text, in bytes, and the longest body of a request, which may escape it.
MOST_TEXT = 1 << 20
MOST_BODY = 8_000_000

#: Half a character of UTF-16, which is no character: UTF-8 has no bytes for it.
SURROGATE = re.compile("[\ud800-\udfff]")


class RefusedError(Exception):
    """A request that is not answered: the status, and what to do instead."""

    def __init__(self, status: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint


class Question:
    """The values of one request."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def has(self, name: str) -> bool:
        """Whether a value is there."""
        return name in self.values

    def integer(self, name: str, *, default: int, least: int = 0, most: int = 1 << 31) -> int:
        """A whole number, as a number or as its digits."""
        found = self.values.get(name, default)
        if isinstance(found, str) and found.isascii() and found.isdecimal():
            found = int(found[:20])
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            raise RefusedError(
                400, f"{name}: expected a number from {least} to {most}, {told(found)}"
            )
        return found

    def choice(self, name: str, choices: Sequence[str], *, default: str) -> str:
        """One of these words."""
        found = self.values.get(name, default)
        if found not in choices:
            wanted = " or ".join(f'"{choice}"' for choice in choices)
            raise RefusedError(400, f"{name}: expected {wanted}, {told(found)}")
        return str(found)

    def string(self, name: str, *, most: int = 1000) -> str:
        """A short string, empty where there is none."""
        found = self.values.get(name, "")
        if not isinstance(found, str):
            raise RefusedError(400, f"{name}: expected a string, {told(found)}")
        if len(found) > most:
            message = f"{name}: expected at most {most} characters, found {len(found)}"
            raise RefusedError(413, message)
        return found

    def words(self, name: str, choices: Sequence[str]) -> list[str]:
        """Some of these words, as a list or with commas between them."""
        found = self.values.get(name, [])
        parts = [part for part in found.split(",") if part] if isinstance(found, str) else found
        if not isinstance(parts, list) or not all(part in choices for part in parts):
            raise RefusedError(400, f"{name}: expected some of {', '.join(choices)}, {told(found)}")
        return [choice for choice in choices if choice in parts]

    def integers(self, name: str, *, default: Sequence[int]) -> list[int]:
        """Whole numbers, as a list or with commas between them."""
        found = self.values.get(name, default)
        parts = found.split(",") if isinstance(found, str) else found
        if not isinstance(parts, (list, tuple, range)):
            raise RefusedError(400, f"{name}: expected a list of numbers, {told(found)}")
        return [Question({name: part}).integer(name, default=0) for part in parts]

    def text(self, most: int = MOST_TEXT) -> bytes:
        """The text: a string in ``text``, or in ``base64`` bytes that need not be UTF-8.

        A lone surrogate, which JSON can spell and UTF-8 cannot, becomes U+FFFD.

            >>> Question({"base64": "/w=="}).text(), Question({"text": "\\ud800"}).text()
            (b'\\xff', b'\\xef\\xbf\\xbd')
        """
        if "text" in self.values and "base64" in self.values:
            raise RefusedError(400, "text, base64: expected one of them, found both")
        if "base64" in self.values:
            try:
                raw = base64.b64decode(self.values["base64"], validate=True)
            except (binascii.Error, TypeError, ValueError):
                raise RefusedError(400, "base64: expected bytes in base64") from None
        else:
            found = self.values.get("text", "")
            if not isinstance(found, str):
                raise RefusedError(400, f"text: expected a string, {told(found)}")
            raw = SURROGATE.sub("\ufffd", found).encode()
        if len(raw) > most:
            message = f"text: expected at most {most:,} bytes, found {len(raw):,}"
            raise RefusedError(413, message, "subword encode takes files of any size")
        return raw


def told(found: object) -> str:
    """What was found instead, for an error."""
    shown = f'"{found}"' if isinstance(found, str) else str(found)
    return f"found {shown[:60]}{'...' if len(shown) > 60 else ''}"
