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

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

from subword import SubwordError
from subword.explorer.explored import Explored, Pair, chosen
from subword.explorer.questions import Question, RefusedError
from subword.explorer.samples import TEXT

#: A token that is made of more first tokens is too wide to be looked at.
MOST_FIRST = 1000

#: How many of the tokens are named that a token is a part of, and that a text consists of.
MOST_LARGER = 200

#: The longest text whose tokens are looked for, and the part of a text that has a good token.
MOST_FOUND_TEXT = 1000
MOST_GOOD_TEXT = 20_000

#: What the tokens of WordPiece start with that are not the start of a word.
INSIDE = b"##"


@dataclass(order=True)
class Node:
    """A merge of the tree: its rank, its first leaf, the merge above it, and its parts to come."""

    rank: int
    leaf: int
    pair: Pair = field(compare=False)
    above: Node | None = field(compare=False)
    missing: int = field(default=0, compare=False)


class Building:
    """How the tokens of a tokenizer were merged."""

    def __init__(self, explored: Explored) -> None:
        self.explored = explored
        self.merges = explored.merges
        self.counts = explored.counts

    def of(self, id: int) -> dict[str, Any]:
        """How the token with this id was merged."""
        token = self._token(id)
        special = id in self.explored.special
        first, steps = ([token], []) if special else self._steps(token)
        return {
            "id": id,
            "token": token.hex(),
            "how": self._how(id, token, steps),
            "rank": steps[-1]["rank"] if steps else None,
            "count": steps[-1]["count"] if steps else None,
            "first": [one.hex() for one in first],
            "steps": steps,
            "shorter": [] if special else self._shorter(token),
        }

    def larger(self, id: int) -> dict[str, Any]:
        """The tokens that a token is a part of, or that start with it where nothing merges."""
        token = self._token(id)
        if id in self.explored.special:
            found: list[bytes] = []
        elif self.explored.merging:
            found = self.merges.larger.get(token, [])
        else:
            found = [one for one in self.explored.ids if one != token and is_start(token, one)]
        return {"total": len(found), "larger": self._named(found[:MOST_LARGER])}

    def find(self, raw: bytes) -> dict[str, Any]:
        """A text as tokens, and the tokens that are this text: alone, after a space, in a word."""
        spelled = dict.fromkeys([raw, b" " + raw, INSIDE + raw]) if raw else {}
        exact = [token for token in spelled if self.explored.id_of(token) is not None]
        ids = self.explored.tok.encode(raw, special="encode")[:MOST_LARGER]
        tokens = [{"id": id, "token": self.explored.tokens[id].hex()} for id in ids]
        return {"exact": self._named(exact), "tokens": tokens}

    def good(self, raw: bytes) -> int:
        """A token that is worth a look: the longest word among the tokens of a text.

        Where the text has none, it is one of the built-in text, or the longest of all words.
        """
        special = self.explored.special
        for text in (raw[:MOST_GOOD_TEXT], TEXT.encode()):
            with suppress(SubwordError):
                found = dict.fromkeys(self.explored.tok.encode(text))
                words = [id for id in found if is_word(self.explored.tokens[id])]
                if words := [id for id in words if id not in special]:
                    return max(words, key=lambda id: len(self.explored.tokens[id]))
        everything = self.explored.ids.values() or self.explored.tokens
        words = [id for id in everything if is_word(self.explored.tokens[id])]
        return max(words or everything, key=lambda id: len(self.explored.tokens[id]), default=0)

    def _token(self, id: int) -> bytes:
        if id not in self.explored.tokens:
            hint = f"the largest id is {self.explored.tok.max_id}"
            raise RefusedError(404, f"id: no token has id {id}", hint)
        return self.explored.tokens[id]

    def _named(self, tokens: Iterable[bytes]) -> list[dict[str, Any]]:
        return [{"id": self.explored.id_of(token), "token": token.hex()} for token in tokens]

    def _how(self, id: int, token: bytes, steps: Sequence[object]) -> str:
        if id in self.explored.special:
            return "special"
        if self.explored.listing:
            return "listed"
        if not self.explored.merging:
            return "untold"
        if self.merges.is_unreachable(token):
            return "unreachable"
        return "merged" if steps else "first"

    def _shorter(self, token: bytes) -> list[dict[str, Any]]:
        """Where the longest is taken: the tokens that a token starts with, and goes before."""
        if not self.explored.listing:
            return []
        ids = self.explored.ids
        starts = [token[:end] for end in range(1, min(len(token), MOST_FIRST))]
        return self._named(one for one in starts if one in ids and is_start(one, token))

    def _steps(self, token: bytes) -> tuple[list[bytes], list[dict[str, Any]]]:
        """The tokens that it starts from, and its merges in their order."""
        first: list[bytes] = []
        nodes: list[Node] = []
        waiting: list[tuple[bytes, Node | None]] = [(token, None)]
        while waiting:  # and no recursion: a token may be as deep as it is long
            one, above = waiting.pop()
            made = self.merges.made(one)
            if made is None:
                first.append(one)
                continue
            rank, pair = made
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
            "id": self.explored.id_of(token),
            "left": node.pair[0].hex(),
            "right": node.pair[1].hex(),
            "at": at,
            "count": self.counts.get(node.pair),
        }


def is_start(start: bytes, token: bytes) -> bool:
    """Whether a token starts with another, both at the start of a word or both inside of one.

    >>> is_start(b"in", b"inter"), is_start(b"##in", b"##inter"), is_start(b"#", b"##inter")
    (True, True, False)
    """
    return token.startswith(start) and token.startswith(INSIDE) == start.startswith(INSIDE)


def is_word(token: bytes) -> bool:
    """Whether a token is a word, or a part of one, that fits a picture.

    >>> [is_word(token) for token in (b" low", b"##er", b"->", b"\\xe4", b"a" * 30)]
    [True, True, False, False, False]
    """
    text = token.decode(errors="replace").removeprefix("##").strip(" ")
    return len(token) <= 24 and text.isalpha()


def token(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """How one token was merged: that with an id or, without one, a good one of a text."""
    building = chosen(explored, question.integer("tokenizer", default=0)).building
    if question.has("id"):
        return building.of(question.integer("id", default=0))
    return building.of(building.good(question.text()))


def larger(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """The tokens that one token is a part of."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    return one.building.larger(question.integer("id", default=0))


def find(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """The tokens that a short text is."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    return one.building.find(question.text(MOST_FOUND_TEXT))
