"""Learn merges without a heap: pairs lie in buckets by their count, and the highest only falls.

The idea. A trainer asks one question, which pair has the highest count, and between two questions
thousands of counts change. A heap makes every change pay for the answer. Counts are whole numbers,
so a pair can lie in the bucket of its count instead, and change it by one step out and one step in:

    9: {e+s, s+t}   8: {w+e}   7: {l+o, o+w}   6: {e+w, n+e}   ...
    ^ highest

The highest bucket is found without looking, because it never rises: a merge makes pairs of its new
token alone, and none of them is more frequent than the merge. So one number points at the highest
bucket, and falls when that bucket is empty.

    >>> from subword.reference.training import BYTES
    >>> pairs = Buckets(Rule(BYTES))
    >>> for pair, count in {(b"e", b"s"): 9, (b"s", b"t"): 9, (b"w", b"e"): 8}.items():
    ...     pairs.change(pair, count)
    >>> pairs.best(), pairs.highest
    ((b's', b't'), 9)
    >>> pairs.change((b"s", b"t"), -9)
    >>> pairs.change((b"e", b"s"), -9)
    >>> sorted(pairs.buckets), pairs.highest
    ([8, 9], 9)
    >>> pairs.best(), pairs.highest, sorted(pairs.buckets)
    ((b'w', b'e'), 8, [8])

The data structures.

* `Piece`: tokens and a count, in an object with `__slots__`: half the memory of a dictionary.
* `index`: for every pair the pieces that hold it, or once did. It only grows. To take a piece out
  costs a look-up in a set, for every pair that a merge destroys, and only after making sure that
  the piece has no second one. To find out that a piece no longer holds a pair costs one look over
  a few tokens, and only for those pairs that ever get to merge.
* `counts`: the count of every pair, which says in which bucket it lies.
* `buckets`: for every count its pairs. An empty bucket is thrown away when the pointer comes to it,
  not when it becomes empty: counts change far more often than the best pair is asked for.

The cost. The pieces that hold a pair, for each merge; a constant for every change; and for each
merge a look at all pairs of the highest bucket, by the tie rule. This is the weak side: in the end
thousands of pairs occur twice, and each of the last merges looks at all of them.

The traps.

* Falling by one. It is quick where counts are small and dense; but from a count of a billion to
  the next one it is a long way. Where the next bucket does not exist, ask for the highest one.
* The pointer can rise after all, where first tokens are more than single bytes: see `training`.
* Python's sets have no order. That is no danger here: what a bucket gives is its greatest key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from subword.reference.training import Merge, Pair, Rule, Ties, Word, Work


class Piece:
    """A piece as its tokens, and how often it occurs."""

    __slots__ = ("count", "tokens")

    def __init__(self, tokens: list[bytes], count: int) -> None:
        self.tokens = tokens
        self.count = count

    def merge(self, pair: Pair) -> Counter[Pair]:
        """Merge a pair, place by place; which pairs there are more of now, and which fewer."""
        change: Counter[Pair] = Counter()
        tokens, (left, right) = self.tokens, pair
        at = 0
        while at < len(tokens) - 1:
            if tokens[at] == left and tokens[at + 1] == right:
                change[pair] -= self.count
                tokens[at : at + 2] = [left + right]
                if at > 0:
                    change[tokens[at - 1], left] -= self.count
                    change[tokens[at - 1], tokens[at]] += self.count
                if at + 1 < len(tokens):
                    change[right, tokens[at + 1]] -= self.count
                    change[tokens[at], tokens[at + 1]] += self.count
            at += 1
        return change


class Buckets:
    """Pairs by their count."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.counts: dict[Pair, int] = {}
        self.buckets: dict[int, set[Pair]] = defaultdict(set)
        self.highest = 0

    def change(self, pair: Pair, by: int) -> None:
        """Move a pair to another bucket."""
        old = self.counts.pop(pair, 0)
        if old:
            self.buckets[old].discard(pair)
        new = old + by
        if new:
            self.counts[pair] = new
            self.buckets[new].add(pair)
            self.highest = max(self.highest, new)

    def best(self) -> Pair | None:
        """The pair that goes first; the pointer falls to its bucket."""
        while self.buckets:
            if bucket := self.buckets.get(self.highest):
                return max(bucket, key=self.rule.key)
            self.buckets.pop(self.highest, None)
            below = self.highest - 1
            self.highest = below if below in self.buckets else max(self.buckets, default=0)
        return None


def learn(
    words: Iterable[Word],
    num_merges: int,
    *,
    ids: Sequence[bytes],
    ties: Ties = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    work: Work | None = None,
) -> Iterator[Merge]:
    """Yield the merges of `naive.learn`.

    Example:
        >>> from subword.reference.training import BYTES, as_bytes
        >>> counts = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
        >>> for merge in learn(as_bytes(counts), 4, ids=BYTES):
        ...     print(merge)
        s+t 9
        e+st 9
        o+w 7
        l+ow 7
    """
    rule, work = Rule(ids, ties, max_token_length), work or Work()
    pairs = Buckets(rule)
    index: dict[Pair, set[Piece]] = defaultdict(set)
    counts: Counter[Pair] = Counter()
    for tokens, count in words:
        piece = Piece(list(tokens), count)
        for pair in pairwise(tokens):
            index[pair].add(piece)
            counts[pair] += count
    while len(rule.merged) < num_merges:
        for changed, by in counts.items():
            if by and rule.allows(changed):
                pairs.change(changed, by)
        best = pairs.best()
        if best is None or pairs.highest < max(min_count, 1):
            return
        if rule.is_new(best):
            yield Merge(best, pairs.highest)
        work.rounds += 1
        counts = Counter()  # from here on: what changes in this round
        for piece in index.pop(best):
            work.visits += 1
            change = piece.merge(best)
            work.stale_visits += not change
            for changed, by in change.items():
                counts[changed] += by
                if by > 0:
                    index[changed].add(piece)
