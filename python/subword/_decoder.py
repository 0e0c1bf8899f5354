"""Decoding ids as they arrive.

A token may end inside a character, so a decoder holds bytes back until the character is whole.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subword._core import Engine


class Decoder:
    """Turns ids into text, one at a time.

    The parts of text that it returns, joined, are what `Tokenizer.decode` gives for all the ids at
    once. ``copy.copy`` gives a decoder that goes on from the same place by itself, for searches
    that branch.

    Args:
        tok: The tokenizer.
        errors: What to do with bytes that are not UTF-8, as for `bytes.decode`.
        skip_special_tokens: Whether to leave out special tokens.
        cleanup: Whether to remove the space before punctuation, which WordPiece puts there; None
            does what the model says.

    Example:
        >>> from subword import Decoder, Tokenizer
        >>> decoder = Decoder(Tokenizer({i: bytes([i]) for i in range(256)}, []))
        >>> [decoder.push(id) for id in "é!".encode()]
        ['', 'é', '!']
        >>> decoder.finish()
        ''
    """

    # Every attribute that changes holds an immutable value, so that a shallow copy shares nothing.

    def __init__(
        self,
        tok: Engine,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
    ) -> None:
        """Start with nothing held back."""
        self._tokenizer = tok
        self._skips_special_tokens = skip_special_tokens
        self._cleanup = cleanup
        self._errors = errors
        self._first: int | None = None
        self._held = b""  # the start of a character
        self._mark = (tok.end_of_word or "").encode()
        self._space = b""
        self._ids: tuple[int, ...] = ()  # of a chain: the last tokens
        self._shown = 0  # how many of them have become text

    def push(self, id: int) -> str:
        """Take the next id.

        Args:
            id: The id of a token.

        Returns:
            The text that is complete now: often some, sometimes none.

        Raises:
            UnknownIdError: No token has this id.
            UnicodeDecodeError: Bytes are not UTF-8, with ``errors="strict"``.

        Example:
            >>> from subword import Decoder, Tokenizer
            >>> decoder = Decoder(Tokenizer({i: bytes([i]) for i in range(256)}, []))
            >>> decoder.push(195), decoder.push(169)
            ('', 'é')
        """
        token = self._tokenizer.token_bytes(id)
        if self._tokenizer.kind == "chain":
            return self._chained(id)
        if self._skips_special_tokens and not self._stays(id):
            return ""
        if self._tokenizer.kind == "wordpiece" or self._tokenizer._spaced:
            token = self._after_others(id)
        elif self._mark:
            word = token.removesuffix(self._mark)
            # The mark is a space once something follows it.
            before, self._space = self._space, b" " if len(word) < len(token) else b""
            token = before + word
        return self._text(token)

    def finish(self) -> str:
        """End the text, and start afresh.

        Returns:
            What was held back: bytes that never became a character.

        Raises:
            UnicodeDecodeError: Bytes are not UTF-8, with ``errors="strict"``.

        Example:
            >>> from subword import Decoder, Tokenizer
            >>> decoder = Decoder(Tokenizer({i: bytes([i]) for i in range(256)}, []))
            >>> decoder.push(195), decoder.finish()
            ('', '\ufffd')
        """
        self._space, self._first = b"", None
        if self._tokenizer.kind == "chain":
            rest = self._after_shown()
            self._ids, self._shown = (), 0
            return rest
        return self._text(b"", final=True)

    def _chained(self, id: int) -> str:
        """The text of a chain's decoder: what the last tokens add to those before them.

        As many tokens are decoded as it takes to see what follows what: the last ones that became
        text, and those after them.
        """
        self._ids += (id,)
        more = self._after_shown()
        if not more or more.endswith("\ufffd"):
            return ""
        self._ids, self._shown = self._ids[self._shown :], len(self._ids) - self._shown
        return more

    def _after_shown(self) -> str:
        """What the ids that are not text yet add to the others."""
        before, whole = (
            self._tokenizer.decode(
                list(ids), errors=self._errors, skip_special_tokens=self._skips_special_tokens
            )
            for ids in (self._ids[: self._shown], self._ids)
        )
        return whole[len(before) :]

    def _text(self, more: bytes, *, final: bool = False) -> str:
        """The characters that are whole once these bytes are known."""
        data = self._held + more
        text, used = codecs.utf_8_decode(data, self._errors, final)
        self._held = data[used:]
        return text

    def _stays(self, id: int) -> bool:
        """Whether an id is text even where special tokens are skipped."""
        whole = self._tokenizer.decode_bytes([id])
        return self._tokenizer.decode_bytes([id], skip_special_tokens=True) == whole

    def _after_others(self, id: int) -> bytes:
        """The text of a token, which depends on whether anything is before it, not on what."""
        if self._first is None:
            self._first = id
            return self._tokenizer.decode_bytes([id], cleanup=self._cleanup)
        before, both = (
            self._tokenizer.decode_bytes(ids, cleanup=self._cleanup)
            for ids in ([self._first], [self._first, id])
        )
        return both[len(before) :]
