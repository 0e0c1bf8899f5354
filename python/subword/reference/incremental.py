"""Learn merges without counting anew: linked tokens, and counts that are corrected.

The idea. `naive` counts all pairs before every merge, but a merge changes only the pairs around the
places where it happens. So count once, remember where every pair stands, and at each place of the
pair that merges correct five counts:

    before  X  Y  after        ->        before  XY  after

    X+Y             less                 before+XY       more
    before+X        less                 XY+after        more
    Y+after         less

each by the count of the piece. In `bnanana`, when n+a merges:

    >>> nodes, _, counts = build([(list(map(str.encode, "bnanana")), 1)])
    >>> show(nodes[0], counts)
    b n a n a n a      a+n 2  b+n 1  n+a 3
    >>> for node in (nodes[1], nodes[3], nodes[5]):
    ...     _ = merge_at(node, counts)
    ...     show(nodes[0], counts)
    b na n a n a       a+n 1  b+na 1  n+a 2  na+n 1
    b na na n a        b+na 1  n+a 1  na+n 1  na+na 1
    b na na na         b+na 1  na+na 2

The second place takes back the na+n that the first one had made: what is corrected are the tokens
as they are *now*, from left to right, and then places may touch.

The data structures.

* A node per token, linked to its neighbours. A merge puts both tokens into the left node and
  unlinks the right one. A list would move everything behind it.
* `places`: for every pair the nodes where it starts, or once did. Nothing is ever taken out: a node
  that has changed or died is found out when it is looked at.
* `counts`: how often every pair stands in the text. The highest is found by looking at all.

The cost. Counting and merging together cost as much as there are tokens in the pieces, over the
whole training, because every place that merges makes a token disappear. Looking for the highest
count is what remains: merges times the number of pairs.

The traps.

* A node keeps its token and its link when it dies, unless it is told. It looks as if it were alive,
  and would be merged once more.
* Order. In `aaa` the first a+a must be the one that merges. Places are found from left to right,
  so they mostly stand in `places` that way; but a token that exists before a merge makes it can
  have places further right already. Where both tokens of a pair are the same, sort.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from subword.reference.training import Merge, Pair, Rule, Ties, Word, Work

DEAD = b""


class Node:
    """A token in a piece, and its neighbours there."""

    __slots__ = ("after", "before", "count", "number", "token")

    def __init__(self, number: int, token: bytes, count: int) -> None:
        self.number = number  # nodes are numbered in the order of the text
        self.token = token
        self.count = count  # of the piece
        self.before: Node | None = None
        self.after: Node | None = None

    def pair(self) -> Pair | None:
        """The pair that starts here."""
        return None if self.after is None else (self.token, self.after.token)


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
        >>> for merge in learn(as_bytes({b"low": 5, b"lower": 2}), 2, ids=BYTES):
        ...     print(merge)
        o+w 7
        l+ow 7
    """
    rule, work = Rule(ids, ties, max_token_length), work or Work()
    _, places, counts = build(words)
    while len(rule.merged) < num_merges:
        allowed = [pair for pair in counts if rule.allows(pair)]
        most = max((counts[pair] for pair in allowed), default=0)
        if most < max(min_count, 1):
            return
        pair = max((pair for pair in allowed if counts[pair] == most), key=rule.key)
        if rule.is_new(pair):
            yield Merge(pair, most)
        work.rounds += 1
        nodes = places.pop(pair)
        if pair[0] == pair[1]:
            nodes.sort(key=lambda node: node.number)
        for node in nodes:
            work.visits += 1
            if node.pair() != pair:
                work.stale_visits += 1
                continue
            for start, made in merge_at(node, counts):
                places[made].append(start)


def build(words: Iterable[Word]) -> tuple[list[Node], dict[Pair, list[Node]], Counter[Pair]]:
    """Link the tokens of each piece, and note where every pair stands and how often."""
    nodes: list[Node] = []
    places: dict[Pair, list[Node]] = defaultdict(list)
    counts: Counter[Pair] = Counter()
    for tokens, count in words:
        piece = [Node(number, token, count) for number, token in enumerate(tokens, len(nodes))]
        for left, right in pairwise(piece):
            left.after, right.before = right, left
            places[left.token, right.token].append(left)
            counts[left.token, right.token] += count
        nodes += piece
    return nodes, places, counts


def merge_at(node: Node, counts: Counter[Pair]) -> list[tuple[Node, Pair]]:
    """Merge the pair that starts at a node; which pairs this makes, and where they start."""
    right, made = node.after, []
    assert right is not None
    before, after = node.before, right.after
    add(counts, (node.token, right.token), -node.count)
    merged = node.token + right.token
    if before is not None:
        add(counts, (before.token, node.token), -node.count)
        add(counts, (before.token, merged), node.count)
        made.append((before, (before.token, merged)))
    if after is not None:
        add(counts, (right.token, after.token), -node.count)
        add(counts, (merged, after.token), node.count)
        made.append((node, (merged, after.token)))
        after.before = node
    node.token, node.after = merged, after
    right.token, right.after = DEAD, None
    return made


def add(counts: Counter[Pair], pair: Pair, count: int) -> None:
    """Change a count, and forget the pair when nothing is left of it."""
    counts[pair] += count
    if not counts[pair]:
        del counts[pair]


def show(node: Node | None, counts: Mapping[Pair, int]) -> None:
    """Print the tokens of a piece and the pairs that there are."""
    tokens = []
    while node is not None:
        tokens.append(node.token.decode())
        node = node.after
    pairs = [f"{left.decode()}+{right.decode()} {counts[left, right]}" for left, right in counts]
    print(f"{' '.join(tokens):<18} {'  '.join(sorted(pairs))}")
