"""Learn merges at their places: linked arrays, and a heap whose entries move with their counts.

The idea. `index_heap` rewrites whole pieces and leaves old entries in its heap. Here a merge
touches its place and nothing else, and the heap is always right: it is a multiset, every pair with
its count, that can be told "so many more" or "so many fewer" and hands out the highest.

The data structures.

* `tokens`, `after`, `before`: all pieces in three arrays, one slot per first token. A merged token
  stays in the slot of its first half, the other slot dies. `count` has the count of the piece.
* `places`: for every pair the slots where it starts, or once did. They are only appended to.
  Whether the pair is still there is seen when the slot is looked at.
* `Multiset`: a binary heap in a list. Its entries `[count, key, pair, position]` know where they
  are, and a dictionary has the entry of every pair. So when a count changes, the entry is at hand,
  and rises or sinks from where it is:

    >>> from subword.reference.training import Rule
    >>> pairs = Multiset(Rule([b"a", b"b", b"c"]).key)
    >>> pairs.change((b"a", b"b"), +5)
    >>> pairs.change((b"b", b"c"), +7)
    >>> pairs.change((b"b", b"c"), -3)
    >>> pairs.pop()
    ((b'a', b'b'), 5)

The changes of one round are summed up first: an entry then moves once for all places of a merge.

The trap: three times the same token. Popping a+a takes it out of the multiset. Now merge the first
two tokens of `aaa`:

    a  a  a        ->        aa  a             fewer: Y+after. But this is a+a itself!

In text with `aaa` (and in no other) a place tells the multiset "one a+a fewer", and a+a is not
there: a KeyError after an hour, on a corpus that has an ellipsis. All places of the pair go in this
round anyway, whatever their number, so what they say about the pair itself is to be ignored:

    >>> from subword.reference.training import BYTES, as_bytes
    >>> for merge in learn(as_bytes({b"aaa": 2, b"baaaaab": 1}), 4, ids=BYTES):
    ...     print(merge)
    a+a 8
    aa+a 3
    b+aa 1
    baa+aaa 1

The cost. Every place that merges, once: no more than there are tokens, over the whole training.
For every pair that a round changes O(log pairs) for its way through the heap.

Other traps.

* Order, as in `incremental`: the first a+a of `aaa` must merge first. Slots are numbers in the
  order of the text, so where both tokens are the same, sorting the slots is enough.
* A dead slot must not look alive: its token is emptied.
* Forgetting to tell an entry its new position when others move past it. Nothing breaks at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from subword.reference.training import Merge, Pair, Rule, Ties, Word, Work

DEAD = b""
END = -1

COUNT, PAIR, POSITION = 0, 2, 3


class Multiset:
    """Pairs and their counts; of the highest count the pair with the greatest key comes first."""

    def __init__(self, key: Callable[[Pair], Any], work: Work | None = None) -> None:
        self.key = key
        self.work = work or Work()
        self.heap: list[list[Any]] = []
        self.entries: dict[Pair, list[Any]] = {}

    def change(self, pair: Pair, by: int) -> None:
        """Raise or lower a count. A pair that is not there starts from 0, and must rise."""
        self.work.heap_operations += 1
        entry = self.entries.get(pair)
        if entry is None:
            if by < 0:
                raise KeyError(pair)
            entry = self.entries[pair] = [0, self.key(pair), pair, len(self.heap)]
            self.heap.append(entry)
        entry[COUNT] += by
        if by > 0:
            self._rise(entry)
        elif entry[COUNT]:
            self._sink(entry)
        else:
            self._remove(entry)

    def pop(self) -> tuple[Pair, int]:
        """Take out the pair that goes first."""
        self.work.heap_operations += 1
        entry = self.heap[0]
        self._remove(entry)
        return entry[PAIR], entry[COUNT]

    def _remove(self, entry: list[Any]) -> None:
        """The last entry takes its place, and goes where it belongs from there."""
        del self.entries[entry[PAIR]]
        last = self.heap.pop()
        if last is not entry:
            last[POSITION] = entry[POSITION]
            self.heap[last[POSITION]] = last
            self._rise(last)
            self._sink(last)

    def _rise(self, entry: list[Any]) -> None:
        heap, at = self.heap, entry[POSITION]
        while at and entry > (parent := heap[(at - 1) >> 1]):
            heap[at] = parent
            parent[POSITION], at = at, (at - 1) >> 1
        heap[at] = entry
        entry[POSITION] = at

    def _sink(self, entry: list[Any]) -> None:
        heap, at, size = self.heap, entry[POSITION], len(self.heap)
        while (below := 2 * at + 1) < size:
            if below + 1 < size and heap[below + 1] > heap[below]:
                below += 1
            child = heap[below]
            if entry > child:
                break
            heap[at] = child
            child[POSITION], at = at, below
        heap[at] = entry
        entry[POSITION] = at


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
    """Yield the merges of `naive.learn`; see the top of this file for an example."""
    rule, work = Rule(ids, ties, max_token_length), work or Work()
    tokens: list[bytes] = []
    after, before, count = list[int](), list[int](), list[int]()
    for piece, times in words:
        first, end = len(tokens), len(tokens) + len(piece)
        tokens += piece
        after += [*range(first + 1, end), END][: len(piece)]
        before += [END, *range(first, end - 1)][: len(piece)]
        count += [times] * len(piece)

    places: dict[Pair, list[int]] = defaultdict(list)
    change: dict[Pair, int] = defaultdict(int)
    for left, right in enumerate(after):
        if right != END:
            places[tokens[left], tokens[right]].append(left)
            change[tokens[left], tokens[right]] += count[left]
    pairs = Multiset(rule.key, work)

    while len(rule.merged) < num_merges:
        for pair, by in change.items():
            if by and rule.allows(pair):
                pairs.change(pair, by)
        if not pairs.heap or pairs.heap[0][COUNT] < max(min_count, 1):
            return
        pair, most = pairs.pop()
        if rule.is_new(pair):
            yield Merge(pair, most)
        work.rounds += 1

        x, y = pair
        merged = x + y
        change = defaultdict(int)
        slots = places.pop(pair)
        work.visits += len(slots)
        for left in sorted(slots) if x == y else slots:
            right = after[left]
            if right == END or tokens[left] != x or tokens[right] != y:
                work.stale_visits += 1
                continue
            times, start, end = count[left], before[left], after[right]
            if start != END:
                made = tokens[start], merged
                change[tokens[start], x] -= times
                change[made] += times
                places[made].append(start)
            if end != END:
                made = merged, tokens[end]
                change[y, tokens[end]] -= times
                change[made] += times
                places[made].append(left)
                before[end] = left
            tokens[left], after[left] = merged, end
            tokens[right], after[right] = DEAD, END
        change.pop(pair, None)  # the trap: the pair is not in the multiset any more
