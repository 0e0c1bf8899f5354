"""How a token was merged: the tree of its merges, and the same as steps.

The merges of a tokenizer say of each token which two it was made of; of these the same is known,
down to the tokens that merging starts from.

    >>> from subword import BpeTrainer
    >>> tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
    >>> built = Explored("tok", tok).building.of(257)
    >>> [bytes.fromhex(leaf).decode() for leaf in built["first"]]
    ['l', 'o', 'w']
    >>> for step in built["steps"]:
    ...     print(step["rank"], step["count"], bytes.fromhex(step["token"]).decode(), step["at"])
    0 4 ow 1
    1 4 low 0

The steps stand in the order in which an encoder makes them: of the merges whose two parts are there
the lowest rank, of equals the leftmost. Where several merges make a token, it is the first of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

from subword import ModelFormatError, Tokenizer
from subword.explorer.explored import Explored, Pair, chosen
from subword.explorer.questions import Question, RefusedError

#: A token that is made of more first tokens is too wide to be looked at.
MOST_FIRST = 1000

#: How many of the tokens are named that a token is a part of.
MOST_LARGER = 200


@dataclass(order=True)
class Node:
    """A merge of the tree: its rank, its first leaf, the merge above it, and its parts to come."""

    rank: int
    leaf: int
    pair: Pair = field(compare=False)
    above: Node | None = field(compare=False)
    missing: int = field(default=0, compare=False)


class Building:
    """The merges of a tokenizer, by the token that they make."""

    def __init__(self, explored: Explored) -> None:
        self.tok = explored.tok
        self.counts = explored.counts
        self.special = {id: token for token, id in self.tok.special_tokens.items()}
        self.tokens = self.tok.vocab
        ordinary = {b: id for id, b in self.tokens.items() if id not in self.special}
        self.ids = {token.encode(): id for id, token in self.special.items()} | ordinary
        self.merging = self.tok.kind in ("merges", "ranks")
        self.made: dict[bytes, tuple[int, Pair]] = {}
        self.larger: dict[bytes, list[bytes]] = defaultdict(list)
        for place, pair in enumerate(self.tok.merges if self.merging else []):
            token = b"".join(pair)
            rank = self.ids.get(token, place) if self.tok.kind == "ranks" else place
            self.made.setdefault(token, (rank, pair))
            for part in dict.fromkeys(pair):
                self.larger[part].append(token)
        self.unreachable = self._unreachable() if self.merging else set()

    def _unreachable(self) -> set[int]:
        """The ids of tokens that no merge makes, or that merging their own bytes does not give."""
        ordinary = {id: token for id, token in self.tokens.items() if id not in self.special}
        missing = {id for id, b in ordinary.items() if not self._is_first(b) and b not in self.made}
        if self.tok.units == "chars" or self.tok.end_of_word is not None:
            return missing
        try:
            plain = Tokenizer(ordinary, self.tok.merges, pattern="none")
        except ModelFormatError:  # a byte is a special token: then the list is all that is known
            return missing
        found = plain.encode_batch([*ordinary.values()])
        return {id for id, ids in zip(ordinary, found, strict=True) if ids != [id]}

    def _is_first(self, token: bytes) -> bool:
        """Whether merging starts from it: a byte or a character, the mark, or both in one."""
        unit = token.removesuffix((self.tok.end_of_word or "").encode())
        return len(unit if self.tok.units == "bytes" else unit.decode(errors="replace")) <= 1

    def of(self, id: int) -> dict[str, Any]:
        """How the token with this id was merged."""
        if id not in self.tokens:
            hint = "GET /api/vocabulary lists them"
            raise RefusedError(404, f"id: no token has id {id}", hint)
        token = self.tokens[id]
        first, steps = ([token], []) if id in self.special else self._steps(token)
        larger = self.larger.get(token, []) if id not in self.special else []
        return {
            "id": id,
            "token": token.hex(),
            "how": self._how(id, steps),
            "rank": steps[-1]["rank"] if steps else None,
            "count": steps[-1]["count"] if steps else None,
            "first": [one.hex() for one in first],
            "steps": steps,
            "larger_total": len(larger),
            "larger": [
                {"id": self.ids.get(one), "token": one.hex(), "rank": self.made[one][0]}
                for one in larger[:MOST_LARGER]
            ],
        }

    def _how(self, id: int, steps: Sequence[object]) -> str:
        if id in self.special:
            return "special"
        if not self.merging:
            return "listed"
        if id in self.unreachable:
            return "unreachable"
        return "merged" if steps else "first"

    def _steps(self, token: bytes) -> tuple[list[bytes], list[dict[str, Any]]]:
        """The tokens that it starts from, and its merges in their order."""
        first: list[bytes] = []
        nodes: list[Node] = []
        waiting: list[tuple[bytes, Node | None]] = [(token, None)]
        while waiting:  # and no recursion: a token may be as deep as it is long
            one, above = waiting.pop()
            if one not in self.made:
                first.append(one)
                continue
            rank, pair = self.made[one]
            node = Node(rank, len(first), pair, above)
            nodes.append(node)
            waiting += [(pair[1], node), (pair[0], node)]
            if above is not None:
                above.missing += 1
            if len(first) > MOST_FIRST:
                message = f"id: the token is made of more than {MOST_FIRST} first tokens"
                raise RefusedError(413, message)
        starts = list(range(len(first)))  # of the tokens that there are, where each starts
        ready = [node for node in nodes if not node.missing]
        heapify(ready)
        steps = []
        while ready:
            node = heappop(ready)
            at = starts.index(node.leaf)
            del starts[at + 1]
            steps.append(self._step(node, at))
            if node.above is not None:
                node.above.missing -= 1
                if not node.above.missing:
                    heappush(ready, node.above)
        return first, steps

    def _step(self, node: Node, at: int) -> dict[str, Any]:
        token = b"".join(node.pair)
        return {
            "rank": node.rank,
            "token": token.hex(),
            "id": self.ids.get(token),
            "left": node.pair[0].hex(),
            "right": node.pair[1].hex(),
            "at": at,
            "count": self.counts.get(node.pair),
        }


def token(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """How one token was merged."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    return one.building.of(question.integer("id", default=0))
