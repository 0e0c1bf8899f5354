"""BPE-dropout: merging with some merges left out at random, to train a model with.

The idea. A model sees every frequent word as one token, and never learns what it is made of. So
while it is trained, merges are left out at random, and the word comes in other tokens each time:

    low er    lo w er    low e r    l o w er    l o w e r

Which merges are left out has to be said exactly, for the same seed to give the same tokens
everywhere. All pairs that could merge wait in a queue, the lowest rank first, of equals the
leftmost:

    queue   l+o  o+w  e+r
    l+o     the draw is below the rate: set aside
    o+w     the draw is above it: merged; its new neighbours enter the queue, and l+o comes back

and so on until the queue is empty. What is still aside then is not merged.

    >>> ranks = {(b"l", b"o"): 0, (b"lo", b"w"): 1, (b"e", b"r"): 2}
    >>> letters = [b"l", b"o", b"w", b"e", b"r"]
    >>> for text in range(4):
    ...     print(*merge_with_dropout(letters, ranks, Draws(0.3, seed=1, text=text)))
    b'low' b'e' b'r'
    b'lo' b'w' b'e' b'r'
    b'low' b'er'
    b'l' b'o' b'w' b'er'

The random numbers are those of SplitMix64: a counter with large steps, whose bits are mixed. Each
text of a call has numbers of its own, found without those of the texts before it, so texts can be
encoded in any order and on any thread.

The traps.

* A merge can make a pair in the queue stale: one half of it is gone. It takes a draw when it comes
  out, as any other, and if it is not left out, what is aside comes back: that is how Hugging Face's
  library does it. A pair is not stale if the two tokens that stand at its place now make the same
  token.
* Cached pieces are of no use: the same word has other tokens the next time.
* A whole piece that is a token has no privilege (``ignore_merges``): it is merged, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

WORD = 1 << 64

#: What the state of the generator grows by: 2**64 divided by the golden ratio.
STEP = 0x9E3779B97F4A7C15


class Draws:
    """Decides which merges are left out: for one text of a call, by its number.

    Example:
        >>> draws = Draws(0.5, seed=7)
        >>> [draws.leaves_out() for _ in range(8)]
        [False, False, False, False, True, True, False, False]
    """

    def __init__(self, rate: float, seed: int, text: int = 0) -> None:
        self.rate = rate
        self.state = (seed + text * STEP) % WORD
        self.state = self.number()

    def number(self) -> int:
        """The next number of 64 bits."""
        self.state = (self.state + STEP) % WORD
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % WORD
        return mixed ^ mixed >> 31

    def leaves_out(self) -> bool:
        """Whether the next merge is left out: a fraction of 53 bits is below the rate."""
        return (self.number() >> 11) / 2**53 < self.rate


def merge_with_dropout(
    tokens: Sequence[bytes], ranks: Mapping[tuple[bytes, bytes], int], draws: Draws
) -> list[bytes]:
    """Merge the tokens of a piece, but for the merges that are left out.

    Example:
        >>> ranks = {(b"a", b"b"): 0}
        >>> merge_with_dropout([b"a", b"b"], ranks, Draws(0, seed=7))
        [b'ab']
        >>> merge_with_dropout([b"a", b"b"], ranks, Draws(1, seed=7))
        [b'a', b'b']
    """
    # The token at each place; None once it was merged into the one before it.
    left: list[bytes | None] = list(tokens)

    def neighbour(at: int, step: int) -> int | None:
        """The next place that still has a token, to the right or to the left."""
        at += step
        while 0 <= at < len(left) and left[at] is None:
            at += step
        return at if 0 <= at < len(left) else None

    def candidate(at: int | None) -> list[tuple[int, int, bytes]]:
        """The pair at a place: its rank, the place, what it makes; nothing if it has no rank."""
        after = None if at is None or left[at] is None else neighbour(at, 1)
        if at is None or after is None:
            return []
        one, two = left[at], left[after]
        assert one is not None
        assert two is not None
        return [(ranks[one, two], at, one + two)] if (one, two) in ranks else []

    queue = [pair for at in range(len(left)) for pair in candidate(at)]
    heapify(queue)
    aside: list[tuple[int, int, bytes]] = []
    while queue:
        popped = heappop(queue)
        if draws.leaves_out():
            aside.append(popped)
            continue
        while aside:
            heappush(queue, aside.pop())
        _, at, made = popped
        if [now for _, _, now in candidate(at)] != [made]:
            continue
        after = neighbour(at, 1)
        assert after is not None
        left[at], left[after] = made, None
        for pair in candidate(neighbour(at, -1)) + candidate(at):
            heappush(queue, pair)
    return [token for token in left if token is not None]
