"""Encode one long piece without rescanning it: a heap, linked arrays, lazy deletion.

The idea. `merge_loop` looks at every pair again before every merge, but a merge changes only the
two pairs around it. So keep all ranked pairs in a heap, take the best one from its top, and put in
the one or two pairs that the merge has created.

The data structures. Three arrays, one slot per byte of the piece. A merged token stays in the slot
of its first byte, and the slot of its right half dies:

    slot      0   1   2   3   4            slot      0   1   2   3   4
    tokens    a   a   a   a   a            tokens    aa  .   a   a   a
    next      1   2   3   4  -1    ->      next      2   .   3   4  -1
    prev     -1   0   1   2   3            prev     -1   .   0   2   3

`next` and `prev` make the tokens a linked list: a merge moves two links, where deleting from a
Python list would move everything behind it. The heap holds `(rank, slot)`. Slots are in the order
of the text, so among equal ranks the heap gives the leftmost pair first, which is what the
definition wants.

Lazy deletion. A heap gives up its smallest entry quickly and no other, so when a merge destroys a
neighbouring pair, that pair's entry stays where it is. It is found out when it comes to the top:

    gone      the left token was swallowed by a merge; its slot is dead
    changed   the left token is there, but the pair that starts there now is another one

In `aaaaa` every pair overlaps the next one, so every other entry is too late:

    >>> for step in steps(b"aaaaa", {(b"a", b"a"): 2, (b"aa", b"aa"): 4}):
    ...     print(step)
    (2, 0)  merged     a+a      aa a a a
    (2, 1)  gone                aa a a a
    (2, 2)  merged     a+a      aa aa a
    (2, 3)  gone                aa aa a
    (4, 0)  merged     aa+aa    aaaa a

In `bnanana` the merge b+na takes away the left half of the first na+na:

    >>> ranks = {(b"n", b"a"): 1, (b"a", b"a"): 2, (b"b", b"na"): 3, (b"na", b"na"): 4}
    >>> for step in steps(b"bnanana", ranks):
    ...     print(step)
    (1, 1)  merged     n+a      b na n a n a
    (1, 3)  merged     n+a      b na na n a
    (1, 5)  merged     n+a      b na na na
    (3, 0)  merged     b+na     bna na na
    (4, 1)  gone                bna na na
    (4, 3)  merged     na+na    bna nana

And here the merge b+c changes what follows `a` before a+b has had its turn:

    >>> for step in steps(b"abc", {(b"b", b"c"): 0, (b"a", b"b"): 1}):
    ...     print(step)
    (0, 1)  merged     b+c      a bc
    (1, 0)  changed    a+bc     a bc

The cost. At most 3n entries ever enter the heap (n - 1 pairs at the start, two per merge), each for
O(log n): O(n log n) for a piece of n bytes, whatever the piece is.

The traps.

* Checking only that the left slot is alive. Its right neighbour may have grown since, as in `abc`
  above: compare the rank of the pair that is there *now* with the rank that was popped.
* Appending the merged token as a new slot at the end of the arrays, as one often sees it. Slot
  numbers are then in the order of creation, and "leftmost first" needs a proof (equal tokens are
  made by the same merges, so the left one is never made later). With slots in the order of the
  text it needs none.
* Following a link of -1: `tokens[-1]` is no error in Python, it is the last token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

Ranks = Mapping[tuple[bytes, bytes], int]

DEAD = b""
END = -1


@dataclass(frozen=True)
class Step:
    """One entry taken from the heap, what became of it, and the tokens after it."""

    rank: int
    slot: int
    outcome: str  # "merged", "gone" or "changed"
    pair: tuple[bytes, ...]  # the pair that starts in the slot now; empty if the slot is dead
    tokens: list[bytes]

    def __str__(self) -> str:
        pair, tokens = ("+".join(_show(token) for token in self.pair), map(_show, self.tokens))
        return f"({self.rank}, {self.slot})  {self.outcome:<9}  {pair:<7}  {' '.join(tokens)}"


def merge_with_heap(piece: bytes, ranks: Ranks) -> list[bytes]:
    """Encode a piece; always equal to `merge_loop.merge_by_list`, and quick on long pieces.

    Example:
        >>> merge_with_heap(b"lower", {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2})
        [b'low', b'er']
        >>> [len(token) for token in merge_with_heap(b"a" * 100_001, {(b"a", b"a"): 0})][-2:]
        [2, 1]
    """
    linked = _Linked(piece, ranks)
    while linked.heap:
        linked.pop()
    return linked.alive()


def steps(piece: bytes, ranks: Ranks) -> Iterator[Step]:
    """Encode a piece and show every entry that leaves the heap: see the top of this file."""
    linked = _Linked(piece, ranks)
    while linked.heap:
        rank, slot, outcome, pair = linked.pop()
        yield Step(rank, slot, outcome, pair, linked.alive())


class _Linked:
    """The three arrays and the heap, and the one operation on them."""

    def __init__(self, piece: bytes, ranks: Ranks) -> None:
        size = len(piece)
        self.ranks = ranks
        self.tokens = [piece[i : i + 1] for i in range(size)]
        self.next = [*range(1, size), END] if size else []
        self.prev = [*range(-1, size - 1)]
        self.heap: list[tuple[int, int]] = []
        for slot in range(size - 1):
            rank = ranks.get((self.tokens[slot], self.tokens[slot + 1]))
            if rank is not None:
                self.heap.append((rank, slot))
        heapify(self.heap)

    def pop(self) -> tuple[int, int, str, tuple[bytes, ...]]:
        """Take the best entry; merge its pair if it is still there."""
        rank, left = heappop(self.heap)
        if self.tokens[left] == DEAD:
            return rank, left, "gone", ()
        right = self.next[left]
        if right == END:  # the old right neighbour was merged into this token
            return rank, left, "changed", (self.tokens[left],)
        pair = (self.tokens[left], self.tokens[right])
        if self.ranks.get(pair) != rank:
            return rank, left, "changed", pair

        self.tokens[left] += self.tokens[right]
        self.tokens[right] = DEAD
        after = self.next[left] = self.next[right]
        if after != END:
            self.prev[after] = left
        self._push(self.prev[left])
        self._push(left)
        return rank, left, "merged", pair

    def _push(self, left: int) -> None:
        """Enter the pair that starts in this slot, if there is one and it has a rank."""
        if left == END or self.next[left] == END:
            return
        rank = self.ranks.get((self.tokens[left], self.tokens[self.next[left]]))
        if rank is not None:
            heappush(self.heap, (rank, left))

    def alive(self) -> list[bytes]:
        """The tokens in the order of the text. The first never leaves slot 0."""
        return [token for token in self.tokens if token != DEAD]


def _show(token: bytes) -> str:
    return token.decode("ascii", errors="backslashreplace")
