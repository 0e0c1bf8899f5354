"""Learn merges by an index of pieces and a heap: changes wait, and what is old stays where it is.

The idea. `incremental` still looks at every pair to find the highest count. A heap keeps the
highest at its top. But a heap gives up its top quickly and no other entry, and counts change all
over the place; so nothing in it is ever corrected. An entry says what the count was when it was put
in, and when it comes to the top that is compared with the count of today:

    equal     the pair is the best one there is
    too high  the pair occurs less often by now: back it goes, with the count of today

An entry is never too low, because a pair that rises gets a second entry at once.

The data structures.

* Every piece is a tuple of tokens, and is rewritten as a whole when something in it merges.
* `index`: for every pair the pieces that hold it, or once did. It only grows. A piece that no
  longer holds the pair is rewritten into itself, and nothing happens.
* `counts`: how often each pair stands in the text, today.
* `pending`: the changes of one round. A pair that changes in a thousand pieces is then put into the
  heap once, not a thousand times; and not at all if it only falls.
* `heap`: entries (count, key of the tie rule, pair). Python compares tuples from the left, so keys
  are only looked at where counts are equal.

What a rewrite changes is summed up place by place, from left to right:

    >>> def show(pair, text):
    ...     tokens, change = rewrite(pair, tuple(bytes([byte]) for byte in text))
    ...     print(b" ".join(tokens).decode(), end="  ")
    ...     print({(a + b"+" + b).decode(): by for (a, b), by in change.items() if by})
    >>> show((b"n", b"a"), b"bnanana")
    b na na na  {'n+a': -3, 'b+n': -1, 'b+na': 1, 'a+n': -2, 'na+na': 2}
    >>> show((b"a", b"a"), b"aaaaa")
    aa aa a  {'a+a': -4, 'aa+a': 1, 'aa+aa': 1}

The cost. The pieces that hold a pair, for each merge, and a few entries of the heap.

The traps.

* Correcting by the tokens that were there before: where places touch (`nana`), the a+n between them
  goes once and not twice. Here the token before a place is read from what has been rewritten.
* Taking all pairs of the highest count from the heap, choosing one, putting the others back. That
  looks cheap, and is quadratic: in the end most pairs occur once or twice, and all are equal.
* A heap that compares counts alone, with an insertion number to break ties: the answer then
  depends on the order of the pieces. Random tests find that, and hardly anybody else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any

from subword.reference.training import Merge, Pair, Rule, Ties, Word, Work


class Descending:
    """Compares the other way round: the smallest of these has the greatest key."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: Descending) -> bool:
        return bool(other.key < self.key)


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
        >>> work = Work()
        >>> for merge in learn(as_bytes({b"low": 5, b"lower": 2}), 3, ids=BYTES, work=work):
        ...     print(merge)
        o+w 7
        l+ow 7
        low+e 2
        >>> work.heap_operations, work.stale_entries
        (14, 3)
    """
    rule, work = Rule(ids, ties, max_token_length), work or Work()
    pieces: list[tuple[bytes, ...]] = []
    occurrences: list[int] = []
    index: dict[Pair, set[int]] = defaultdict(set)
    counts: Counter[Pair] = Counter()
    for number, (tokens, count) in enumerate(words):
        pieces.append(tuple(tokens))
        occurrences.append(count)
        for pair in pairwise(tokens):
            index[pair].add(number)
            counts[pair] += count

    def entry(pair: Pair) -> tuple[int, Descending, Pair]:
        work.heap_operations += 1
        return -counts[pair], Descending(rule.key(pair)), pair

    heap = [entry(pair) for pair in counts if rule.allows(pair)]
    heapify(heap)
    while heap and len(rule.merged) < num_merges:
        found, _, pair = heappop(heap)
        work.heap_operations += 1
        if -found != counts[pair]:
            work.stale_entries += 1
            if counts[pair]:
                heappush(heap, entry(pair))
            continue
        if -found < max(min_count, 1):
            return
        if rule.is_new(pair):
            yield Merge(pair, -found)
        work.rounds += 1

        pending: Counter[Pair] = Counter()
        for number in index.pop(pair):
            work.visits += 1
            pieces[number], change = rewrite(pair, pieces[number])
            work.stale_visits += not change
            for changed, by in change.items():
                pending[changed] += by * occurrences[number]
                if by > 0:
                    index[changed].add(number)
        for changed, by in pending.items():
            counts[changed] += by
            if by > 0 and rule.allows(changed):
                heappush(heap, entry(changed))


def rewrite(pair: Pair, tokens: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], Counter[Pair]]:
    """Merge a pair in a piece; the tokens after it, and which pairs are more or fewer."""
    left, right = pair
    merged = left + right
    made: list[bytes] = []
    change: Counter[Pair] = Counter()
    at = 0
    while at < len(tokens):
        if tokens[at : at + 2] != pair:
            made.append(tokens[at])
            at += 1
            continue
        change[pair] -= 1
        if made:
            change[made[-1], left] -= 1
            change[made[-1], merged] += 1
        if at + 2 < len(tokens):
            change[right, tokens[at + 2]] -= 1
            change[merged, tokens[at + 2]] += 1
        made.append(merged)
        at += 2
    return tuple(made), change
