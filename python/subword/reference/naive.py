"""Learn merges from piece counts. This is the definition; every trainer must agree with it.

The idea. Byte-pair encoding compresses: the two tokens that stand side by side most often become
one token, and so on. Training writes down which pairs these were, in order. What it looks at is not
the text but the table of its pieces and how often each occurs, because a pair that crosses the end
of a piece never merges:

    low 5   lower 2   newest 6   widest 3

    e+s 9   s+t 9   w+e 8   ...      two pairs occur nine times, and of equals the one that sorts
                                     last goes first: s+t
    e+st 9  w+e 8   l+o 7   ...      `st` is a token now; newest is n e w e st
    o+w 7   l+o 7   ...              `est` is a token: the w+e of newest is w+est now, and 6

    >>> counts = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
    >>> for merge in learn(as_bytes(counts), 4, ids=BYTES):
    ...     print(merge)
    s+t 9
    e+st 9
    o+w 7
    l+ow 7

The data structures. Each piece is a list of tokens with a count. For every merge all pairs of all
pieces are counted anew.

Ties. Two pairs with the same count need a rule, or the answer depends on the order of a dictionary:

* "greatest": the pair whose bytes sort last, compared as (left, right);
* "smallest-ids": the pair with the smallest (id, id). Ids number the tokens from 0: the first ones
  in the order given, then those that merges make, as they are made.

    >>> train_bpe({b"ab": 1, b"yz": 1}, 1)
    [(b'y', b'z')]
    >>> train_bpe({b"ab": 1, b"yz": 1}, 1, ties="smallest-ids")
    [(b'a', b'b')]

The cost. Merges times the size of the table: 32,000 merges over 200,000 pieces take hours. A merge
changes few pieces, so a fast trainer keeps an index from a pair to its places and adjusts the
counts around each place; the answer is the same.

The traps.

* Occurrences merge from left to right without overlap: `aaaaa` holds a+a four times, and two of
  them merge. The count of a+a is four all the same: it is what is counted that matters, not what
  could merge.
* The tie rule compares pairs, not the tokens that they make: (b"ab", b"c") and (b"a", b"bc") make
  the same bytes, and the first one is greater.
* The bytes of a token are compared as a whole: b"a" sorts before b"aa". Comparing ids instead is
  another rule, with another result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

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


def train_bpe(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    ties: Ties = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    ids: Sequence[bytes] = BYTES,
) -> list[Pair]:
    """Learn up to ``num_merges`` merges, the most frequent pair first.

    Example:
        >>> train_bpe({b"low": 5, b"lower": 2}, num_merges=2)
        [(b'o', b'w'), (b'l', b'ow')]
        >>> train_bpe({b"aaaaa": 1}, num_merges=9)
        [(b'a', b'a'), (b'aa', b'aa'), (b'aaaa', b'a')]
        >>> train_bpe({b"low": 5, b"lower": 2}, num_merges=9, min_count=3)
        [(b'o', b'w'), (b'l', b'ow')]
        >>> train_bpe({b"low": 5}, num_merges=9, max_token_length=2)
        [(b'o', b'w')]
    """
    merges = learn(
        as_bytes(counts),
        num_merges,
        ids=ids,
        ties=ties,
        min_count=min_count,
        max_token_length=max_token_length,
    )
    return [merge.pair for merge in merges]


def as_bytes(counts: Mapping[bytes, int]) -> list[Word]:
    """Every piece as one token per byte.

    Example:
        >>> as_bytes({b"low": 5})
        [([b'l', b'o', b'w'], 5)]
    """
    return [([BYTES[byte] for byte in piece], count) for piece, count in counts.items()]


def learn(
    words: Iterable[Word],
    num_merges: int,
    *,
    ids: Sequence[bytes],
    ties: Ties = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
) -> Iterator[Merge]:
    """Yield the merges one by one: from pieces that have been cut into tokens already.

    It ends before ``num_merges`` where no pair is left, or none that occurs ``min_count`` times and
    makes a token of at most ``max_token_length`` bytes.

    Pieces that are cut otherwise than into bytes can bring two pairs that make the same token. Both
    are merges; the token keeps the id that it got first. They can also bring a pair back after it
    was merged: it merges again, and is not a merge twice.

    Example:
        >>> words = [([b"a", b"b", b"c"], 3), ([b"ab", b"c"], 1)]
        >>> for merge in learn(words, 9, ids=[b"a", b"b", b"c", b"ab"]):
        ...     print(merge)
        b+c 3
        a+bc 3
        ab+c 1
    """
    words = [(list(tokens), count) for tokens, count in words]
    numbers = {token: id for id, token in enumerate(ids)}
    merged: set[Pair] = set()
    while len(merged) < num_merges:
        pairs = {
            pair: count
            for pair, count in count_pairs(words).items()
            if max_token_length is None or len(pair[0] + pair[1]) <= max_token_length
        }
        if not pairs:
            return
        most = max(pairs.values())
        if most < min_count:
            return
        best = [pair for pair, count in pairs.items() if count == most]
        if ties == "greatest":
            pair = max(best)
        else:
            pair = min(best, key=lambda pair: (numbers[pair[0]], numbers[pair[1]]))
        if pair not in merged:
            yield Merge(pair, most)
            merged.add(pair)
            numbers.setdefault(pair[0] + pair[1], len(numbers))
        for tokens, _ in words:
            apply(pair, tokens)


def count_pairs(words: Iterable[Word]) -> Counter[Pair]:
    """How often each pair stands in the text: in every piece, times the count of the piece.

    Example:
        >>> count_pairs(as_bytes({b"aaa": 2, b"ab": 1}))
        Counter({(b'a', b'a'): 4, (b'a', b'b'): 1})
    """
    pairs: Counter[Pair] = Counter()
    for tokens, count in words:
        for pair in pairwise(tokens):
            pairs[pair] += count
    return pairs


def apply(pair: Pair, tokens: list[bytes]) -> None:
    """Merge every occurrence of a pair in a list of tokens, from left to right.

    Example:
        >>> tokens = [b"a"] * 5
        >>> apply((b"a", b"a"), tokens)
        >>> tokens
        [b'aa', b'aa', b'a']
    """
    at = 0
    while at < len(tokens) - 1:
        if (tokens[at], tokens[at + 1]) == pair:
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        at += 1
