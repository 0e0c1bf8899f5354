"""The ways to cut a text into tokens, by a Unigram model: the best ones, and random ones.

    text -> pieces and the tokens that may stand in each (the engine) -> a lattice -> paths -> ids

A lattice is a list of edges, from one place in the text to another. A path leads from its start to
its end, and its score is the sum of those of its edges. `n_best` finds the best paths from the end
backwards: a beginning that is still open costs what the best path to it costs, so the first path
that is complete is the best one (A*). `random_path` first adds up how likely all paths to each
place are, then goes back from the end and draws each edge by how likely it is.

INVARIANT: the best paths of a tokenizer.model are those of sentencepiece 0.2.2, with their scores
to the last bit, and in its order, equal scores as its heap leaves them.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, inf, log
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from subword._errors import ArgumentError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Text

#: One more than the largest seed.
SEEDS = 1 << 64

#: The most paths that sentencepiece finds.
MOST_PATHS = 512

#: When so many beginnings are open, only the best stay: this many for each path, at most so many.
MOST_OPEN, OPEN_FOR_EACH, MOST_KEPT = 10_000, 10, 512


class Edge(NamedTuple):
    """A token that may stand in the text."""

    start: int
    end: int
    id: int
    score: float


@dataclass(frozen=True)
class Lattice:
    """What a text may become; ``added`` are the places of added tokens."""

    text: bytes
    edges: list[Edge]
    added: set[int]
    pieces: set[int]
    kept: Callable[[float], float]
    unk: int | None
    byte_fallback: bool
    single: bool

    @staticmethod
    def of(tok: Tokenizer, text: Text, errors: Errors = "strict") -> Lattice:
        """The lattice of a text, all pieces one after the other."""
        single, byte_fallback, unk, pieces = tok._lattice(text, errors)
        edges: list[Edge] = []
        added, starts, at = set(), set(), 0
        for piece, id, found in pieces:
            starts.add(at)
            if id is not None:
                added.add(at)
                edges.append(Edge(at, at + len(piece), id, 0.0))
            edges += (Edge(at + start, at + end, id, score) for start, end, id, score in found)
            at += len(piece)
        whole = b"".join(piece for piece, _, _ in pieces)
        kept = in_32_bits if single else float
        return Lattice(whole, edges, added, starts, kept, unk, byte_fallback, single)

    def each_piece(self) -> Iterator[Lattice]:
        """The lattices of the pieces, one by one."""
        by_start = itemgetter(0)
        for start, end in pairwise([*sorted(self.pieces), len(self.text)]):
            first, last = (bisect_left(self.edges, place, key=by_start) for place in (start, end))
            inside = self.edges[first:last]
            edges = [Edge(e.start - start, e.end - start, e.id, e.score) for e in inside]
            added = {0} if start in self.added else set[int]()
            text = self.text[start:end]
            yield replace(self, text=text, edges=edges, added=added, pieces={0})

    def ids(self, tok: Tokenizer, path: Sequence[Edge]) -> list[int]:
        """The ids of a path: neighbours that are unk are one, or their bytes."""
        found: list[int] = []
        at = 0
        while at < len(path):
            edge = path[at]
            at += 1
            if edge.id != self.unk or edge.start in self.added:
                found.append(edge.id)
                continue
            end = edge.end
            while at < len(path) and path[at].id == self.unk and end not in self.pieces:
                end = path[at].end
                at += 1
            found += self._unknown(tok, edge.start, end, edge.id)
        return found

    def _unknown(self, tok: Tokenizer, start: int, end: int, unk: int) -> list[int]:
        text = self.text[start:end]
        at = bisect_left(self.edges, start, key=itemgetter(0))
        while not self.single and at < len(self.edges) and self.edges[at].start == start:
            if self.edges[at].end == end and self.edges[at].id != unk:
                return [self.edges[at].id]  # Hugging Face looks the whole stretch up again
            at += 1
        if self.byte_fallback:
            ids = [tok._find_token(b"<0x%02X>" % byte) for byte in text]
            if None not in ids:
                return [id for id in ids if id is not None]
        return [unk]


def has_lattice(tok: Tokenizer) -> bool:
    """Whether a tokenizer is Unigram."""
    try:
        tok._lattice("", "strict")
    except ValueError:
        return False
    return True


def in_32_bits(number: float) -> float:
    """The nearest number of 32 bits."""
    try:
        nearest: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return -inf if number < 0 else inf
    return nearest


def nbest(
    tok: Tokenizer, text: Text, n: int, *, errors: Errors = "strict"
) -> list[tuple[list[int], float]]:
    """The best ways to encode a text by a Unigram model, and their scores.

    Of a ``tokenizer.model`` they are those of sentencepiece's ``nbest_encode``. Different ways can
    have equal ids, since neighbours that are unknown become one.

    Args:
        tok: A Unigram tokenizer.
        text: The text. Special tokens in it are text, but those that always count.
        n: How many ways, from 1 to 512. There may be fewer.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.

    Returns:
        Ids and scores, the best first. With ``n=1`` the ids are those of `Tokenizer.encode`.

    Raises:
        ArgumentError: ``n`` is out of range. It is a `ValueError`.
        ValueError: The tokenizer is not Unigram.
        TextError: The text has a lone surrogate, or something that the model has no token for.

    Example:
        >>> from subword import UnigramTrainer, nbest
        >>> tok = UnigramTrainer(vocab_size=18).train_iter(["low lower newest wider"] * 9)
        >>> for ids, score in nbest(tok, "lower", 3):
        ...     print([tok.token_bytes(id).decode() for id in ids], round(score, 3))
        ['▁lower'] -1.653
        ['▁low', 'e', 'r'] -9.353
        ['▁', 'l', 'o', 'w', 'e', 'r'] -23.101
    """
    if not 1 <= n <= MOST_PATHS:
        raise ArgumentError("n", f"n must be from 1 to {MOST_PATHS}, not {n}")
    lattice = Lattice.of(tok, text, errors)
    found = [(lattice.ids(tok, path), score) for path, score in n_best(lattice, n)]
    if n == 1:
        return [(tok.encode(text, errors=errors), found[0][1])]
    return found


def sample(
    tok: Tokenizer,
    text: Text,
    *,
    seed: int,
    alpha: float = 1.0,
    errors: Errors = "strict",
) -> list[int]:
    """Encode a text by a Unigram model in one of all possible ways, drawn at random.

    A way is drawn with a probability in proportion to the exponential of ``alpha`` times its
    score, as by sentencepiece's ``enable_sampling``: subword regularisation, to train a model with.

    Args:
        tok: A Unigram tokenizer.
        text: The text. Special tokens in it are text, but those that always count.
        seed: Where the random numbers start, from 0 to 2**64 - 1: another one for each text.
        alpha: With 0 all ways are equally likely; the larger, the likelier the best one.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.

    Returns:
        The ids.

    Raises:
        ArgumentError: ``seed`` or ``alpha`` is out of range. It is a `ValueError`.
        ValueError: The tokenizer is not Unigram.
        TextError: The text has a lone surrogate, or something that the model has no token for.

    Example:
        >>> from subword import UnigramTrainer, sample
        >>> tok = UnigramTrainer(vocab_size=18).train_iter(["low lower newest wider"] * 9)
        >>> for seed in range(3):
        ...     ids = sample(tok, "lower", seed=seed, alpha=0.05)
        ...     print([tok.token_bytes(id).decode() for id in ids])
        ['▁low', 'e', 'r']
        ['▁lower']
        ['▁lower']
    """
    if not 0 <= seed < SEEDS:
        raise ArgumentError("seed", f"seed must be from 0 to 2**64 - 1, not {seed}")
    if not 0 <= alpha < inf:
        raise ArgumentError("alpha", f"alpha must be a number from 0 on, not {alpha}")
    # Here, because the reference implementation is half of what `import subword` would load.
    from subword.reference.dropout import Draws

    lattice = Lattice.of(tok, text, errors)
    draws = Draws(0, seed)
    path = random_path(lattice, alpha, lambda: (draws.number() >> 11) / 2**53)
    return lattice.ids(tok, path)


def n_best(lattice: Lattice, n: int) -> list[tuple[list[Edge], float]]:
    """The best paths and their scores, the best first."""
    edges, kept = lattice.edges, lattice.kept
    best, through, ending = [0.0], [], _ending(lattice)
    best += [-inf] * len(lattice.text)
    for edge in edges:
        through.append(kept(best[edge.start] + edge.score))
        best[edge.end] = max(best[edge.end], through[-1])
    found: list[tuple[list[Edge], float]] = []
    open_ends = Heap()
    open_ends.push(best[-1], Ending(len(lattice.text), 0.0, None, None))
    while open_ends.items:
        score, ending_here = open_ends.pop()
        if ending_here.complete:
            found.append((list(ending_here.edges()), score))
            if len(found) == n:
                break
            continue
        if ending_here.start == 0:
            open_ends.push(ending_here.score, ending_here._replace(complete=True))
        for at in ending[ending_here.start]:
            start, rest = edges[at].start, kept(edges[at].score + ending_here.score)
            longer = Ending(start, rest, edges[at], ending_here)
            open_ends.push(kept(through[at] + ending_here.score), longer)
        if len(open_ends.items) >= MOST_OPEN:
            open_ends = open_ends.best(min(MOST_KEPT, OPEN_FOR_EACH * n))
    return found


class Ending(NamedTuple):
    """The end of a path, from a place on: its first edge, and the rest."""

    start: int
    score: float
    edge: Edge | None
    rest: Ending | None
    complete: bool = False

    def edges(self) -> Iterator[Edge]:
        """The edges in order."""
        ending: Ending | None = self
        while ending is not None and ending.edge is not None:
            yield ending.edge
            ending = ending.rest


class Heap:
    """Items by falling score. Equal ones come out as from C++'s standard library of GNU."""

    def __init__(self) -> None:
        self.items: list[tuple[float, Ending]] = []

    def push(self, score: float, ending: Ending) -> None:
        """Add an item."""
        self.items.append((score, ending))
        self._raise(len(self.items) - 1, (score, ending))

    def pop(self) -> tuple[float, Ending]:
        """Take the item of the highest score."""
        items = self.items
        top, last = items[0], items.pop()
        if not items:
            return top
        hole = 0
        while (child := 2 * hole + 1) < len(items):  # down to a leaf, then up again
            if child + 1 < len(items) and not items[child + 1][0] < items[child][0]:
                child += 1
            items[hole] = items[child]
            hole = child
        self._raise(hole, last)
        return top

    def best(self, count: int) -> Heap:
        """Some of the best items, in a heap of their own."""
        kept = Heap()
        for _ in range(min(count, len(self.items))):
            kept.push(*self.pop())
        return kept

    def _raise(self, hole: int, item: tuple[float, Ending]) -> None:
        while hole and self.items[parent := (hole - 1) // 2][0] < item[0]:
            self.items[hole] = self.items[parent]
            hole = parent
        self.items[hole] = item


def random_path(lattice: Lattice, alpha: float, draw: Callable[[], float]) -> list[Edge]:
    """A path, drawn with a probability in proportion to ``exp(alpha * score)``."""
    edges, ending = lattice.edges, _ending(lattice)
    all_paths = [0.0] + [-inf] * len(lattice.text)
    weights: list[float] = []
    for edge in edges:  # every edge that ends where this one starts has come before it
        weights.append(all_paths[edge.start] + alpha * edge.score)
        high, low = max(all_paths[edge.end], weights[-1]), min(all_paths[edge.end], weights[-1])
        all_paths[edge.end] = high + log(1 + exp(low - high))
    path: list[Edge] = []
    place = len(lattice.text)
    while place:
        left = draw()
        for at in ending[place]:
            left -= exp(weights[at] - all_paths[place])
            if left < 0:
                break
        path.append(edges[at])
        place = edges[at].start
    return path[::-1]


def _ending(lattice: Lattice) -> list[list[int]]:
    """The numbers of the edges that end at each place."""
    ending: list[list[int]] = [[] for _ in range(len(lattice.text) + 1)]
    for at, edge in enumerate(lattice.edges):
        ending[edge.end].append(at)
    return ending
