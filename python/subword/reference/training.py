"""What all trainers share: what goes in, what comes out, and which pair goes first.

Every trainer here is a function `learn` with the same arguments, and a generator of the same
merges. They differ in how they find them:

    naive            counts everything anew for every merge
    incremental      corrects the counts around each place; looks at all of them for the highest
    index_heap       knows the pieces that hold a pair; a heap with late corrections
    linked_multiset  knows the places; a heap whose entries move when counts change
    buckets          knows the pieces; pairs by their count, and no heap

In go pieces, cut into tokens, with how often each occurs. The tokens are bytes: single bytes
(`as_bytes`), or characters in UTF-8 (`as_characters`), or whatever else one likes to begin with.

    >>> as_bytes({b"low": 5})
    [([b'l', b'o', b'w'], 5)]
    >>> as_characters({"né": 2}, mark="</w>")
    [([b'n', b'\\xc3\\xa9', b'</w>'], 2)]

Out come merges, and in a `Work` what it took.

The rule. The pair with the highest count goes first. Of equal counts it is the pair with the
greatest key, and the two tie rules are two keys:

* "greatest": the key is the pair itself, so the pair whose bytes sort last wins;
* "smallest-ids": the key is both ids, negative, so the pair with the smallest ids wins.

    >>> rule = Rule([b"a", b"b", b"y", b"z"], ties="greatest")
    >>> max([(b"a", b"b"), (b"y", b"z")], key=rule.key)
    (b'y', b'z')
    >>> rule = Rule([b"a", b"b", b"y", b"z"], ties="smallest-ids")
    >>> max([(b"a", b"b"), (b"y", b"z")], key=rule.key)
    (b'a', b'b')

A pair never changes its key, so a key can be kept beside the pair.

The traps.

* Where first tokens are not single bytes, a merge can make a token that exists: the pieces
  `a b c` and `ab c` hold ab+c once, and twice when a+b has merged. "Counts only fall" is true for
  bytes, where the token that a merge makes is always new. A trainer that relies on it must say so.
* For the same reason a pair can come back after it was merged. It merges again, and is one merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Pair = tuple[bytes, bytes]
Ties = Literal["greatest", "smallest-ids"]

#: A piece as its tokens, and how often it occurs.
Word = tuple[list[bytes], int]

#: The tokens that byte-level training starts with; the place of each is its id.
BYTES = [bytes([byte]) for byte in range(256)]


@dataclass(frozen=True)
class Merge:
    """A pair that became a token, and how often it stood in the text when it was chosen."""

    pair: Pair
    count: int

    def __str__(self) -> str:
        left, right = (token.decode("ascii", errors="backslashreplace") for token in self.pair)
        return f"{left}+{right} {self.count}"


@dataclass
class Work:
    """What a trainer did, for those who compare them. Pass one in, read it at any time."""

    rounds: int = 0  # how often the best pair was looked for and merged
    visits: int = 0  # pieces or places that were looked at for a pair
    stale_visits: int = 0  # of them, those where the pair was no more
    heap_operations: int = 0  # entries put in, taken out or moved
    stale_entries: int = 0  # entries that were taken out and had the wrong count


class Learn(Protocol):
    """The call that every trainer answers."""

    def __call__(
        self,
        words: Iterable[Word],
        num_merges: int,
        *,
        ids: Sequence[bytes],
        ties: Ties = ...,
        min_count: int = ...,
        max_token_length: int | None = ...,
        work: Work | None = ...,
    ) -> Iterator[Merge]: ...


class Rule:
    """Which pair goes first of equals, which one never goes, and which have gone."""

    def __init__(
        self,
        ids: Sequence[bytes],
        ties: Ties = "greatest",
        max_token_length: int | None = None,
    ) -> None:
        self.ids = {token: id for id, token in enumerate(ids)}
        self.greatest = ties == "greatest"
        self.max_token_length = max_token_length
        self.merged: set[Pair] = set()

    def key(self, pair: Pair) -> Any:
        """What pairs of equal counts are compared by; the greatest goes first."""
        return pair if self.greatest else (-self.ids[pair[0]], -self.ids[pair[1]])

    def allows(self, pair: Pair) -> bool:
        """Whether the token that the pair makes is short enough."""
        return self.max_token_length is None or len(pair[0] + pair[1]) <= self.max_token_length

    def is_new(self, pair: Pair) -> bool:
        """Note that a pair merges, and number its token; False if the pair has merged before."""
        if pair in self.merged:
            return False
        self.merged.add(pair)
        self.ids.setdefault(pair[0] + pair[1], len(self.ids))
        return True


def as_bytes(counts: Mapping[bytes, int]) -> list[Word]:
    """Every piece as one token per byte.

    Example:
        >>> as_bytes({b"hi": 1})
        [([b'h', b'i'], 1)]
    """
    return [([BYTES[byte] for byte in piece], count) for piece, count in counts.items()]


def as_characters(counts: Mapping[str, int], mark: str = "") -> list[Word]:
    """Every piece as one token per character, with a mark at its end if there is one.

    `characters.as_words` is the version that minds unknown characters and text that spells the
    mark.
    """
    end = [mark.encode()] if mark else []
    return [([c.encode() for c in piece] + end, count) for piece, count in counts.items()]


def first_tokens(words: Iterable[Word]) -> list[bytes]:
    """The tokens that pieces are cut into, in order; the place of each is its id.

    Example:
        >>> first_tokens(as_characters({"low": 5}, mark="</w>"))
        [b'</w>', b'l', b'o', b'w']
    """
    return sorted({token for tokens, _ in words for token in tokens})
