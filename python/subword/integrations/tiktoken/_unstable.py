"""Which of a text's ids stay when the text goes on, and how the others may change.

`encode_with_unstable("hello fanta")` gives the ids that no continuation can change (`hello`), and
sequences of ids that the rest (` fanta`) may become: ` fantastic`, ` fanta` + `sy`, and so on. Each
of them spells at least the rest.

    the last piece of the text is unstable, all pieces before it are stable
    for each place where a token could start in the unstable bytes:
        for each token that goes on from there to the end or beyond:
            encode the bytes before it and the token; keep the ids that cover the unstable bytes

Two things make pieces less stable than that, and get the same treatment as in tiktoken: white space
before the last piece may join it (a new line after blanks), so it counts as unstable too; and white
space at the end may split off when a letter follows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

from subword import Tokenizer

BLANKS = frozenset(b" \n\t")
# str.isspace() says yes to these four separators, Unicode's White_Space says no.
NOT_SPACE = "\x1c\x1d\x1e\x1f"


class Unstable:
    """Finds completions with one tokenizer; keeps the tokens sorted for it."""

    def __init__(self, tok: Tokenizer, pattern: str, ranks: Mapping[bytes, int]) -> None:
        self.tok = tok
        self.pattern = pattern
        self.ranks = ranks
        self.tokens = sorted(ranks)
        self.special_ids = frozenset(tok.special_tokens.values())

    @cached_property
    def whole(self) -> Tokenizer:
        """The same merges without a split: for bytes that are not text."""
        return Tokenizer.from_ranks(self.ranks, pattern="none")

    def encode(
        self, text: str, special: Literal["text"] | set[str]
    ) -> tuple[list[int], list[list[int]]]:
        """The stable ids, and the completions of the rest in sorted order."""
        ids = self.tok.encode(text, special=special)
        after = max((at + 1 for at, id in enumerate(ids) if id in self.special_ids), default=0)
        if after == len(ids):  # nothing, or a special token at the end
            return ids, []
        parts = [self.tok.token_bytes(id) for id in ids]
        stable = after + self._ids_before_last_piece(parts[after:])
        if BLANKS.issuperset(parts[stable]):
            while stable > 0 and BLANKS.issuperset(parts[stable - 1]):
                stable -= 1
        rest = b"".join(parts[stable:])
        completions = {tuple(found) for found in self._completions(rest)}
        return ids[:stable], sorted(map(list, completions))

    def _ids_before_last_piece(self, parts: list[bytes]) -> int:
        import regex  # type: ignore[import-untyped]

        text = b"".join(parts).decode()
        start = 0
        for match in regex.finditer(self.pattern, text):
            start = match.start()
        size, count = len(text[:start].encode()), 0
        while size > 0:
            size -= len(parts[count])
            count += 1
        return count

    def _completions(self, rest: bytes) -> Iterator[list[int]]:
        for token in self._starting_with(rest):
            yield [self.ranks[token]]
        for at in range(1, len(rest)):
            for token in self._starting_with(rest[at:]):
                yield self._covering(self._ids_of(rest[:at] + token), len(rest))
        last = _last_character(rest)
        if len(last.encode()) < len(rest) and last.isspace() and last not in NOT_SPACE:
            before = rest[: -len(last.encode())]
            yield self.whole.encode(before) + self.whole.encode(last)

    def _starting_with(self, start: bytes) -> Iterator[bytes]:
        at = bisect_left(self.tokens, start)
        while at < len(self.tokens) and self.tokens[at].startswith(start):
            yield self.tokens[at]
            at += 1

    def _ids_of(self, data: bytes) -> list[int]:
        try:
            return self.tok.encode(data.decode())
        except UnicodeDecodeError:
            return self.whole.encode(data)

    def _covering(self, ids: list[int], size: int) -> list[int]:
        """The first ids that together have at least so many bytes."""
        for at, id in enumerate(ids):
            size -= len(self.tok.token_bytes(id))
            if size <= 0:
                return ids[: at + 1]
        return ids


def _last_character(data: bytes) -> str:
    """The last character, or nothing where the last bytes are not UTF-8."""
    for size in range(1, 5):
        try:
            return data[-size:].decode()
        except UnicodeDecodeError:
            continue
    return ""
