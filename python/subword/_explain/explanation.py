"""How one piece became its tokens, as data: printed as a table, as a tree, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from subword._explain import html
from subword._explain.visible import spaced, visible

#: Where the tokens come from: merges; the longest tokens of the vocabulary; the whole piece is a
#: token, whatever the merges say; it is a special token; there are none, because it is white space,
#: for which an end-of-word mark stands; it is a word that WordPiece has no tokens for; their scores
#: have the highest sum (Unigram).
How = Literal["merged", "longest", "fewest", "whole", "special", "skipped", "unknown", "best"]


@dataclass(frozen=True)
class Step:
    """One merge: its rank and its pair, where the pair stood, and the tokens after it.

    ``at`` is the place of the left token among the tokens before the merge, and that of the new
    token among ``tokens``.
    """

    rank: int
    pair: tuple[bytes, bytes]
    at: int
    tokens: tuple[bytes, ...]


@dataclass(frozen=True)
class Node:
    """A token, and the two that it was merged from; a first token has no ``rank`` and no parts."""

    token: bytes
    rank: int | None = None
    parts: tuple[Node, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Way:
    """A way to cut a piece: the tokens, their ids and the sum of their scores."""

    tokens: tuple[bytes, ...]
    ids: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class Explanation:
    """How one piece became its tokens. Printed, it is a table; ``tree()`` is another picture.

    ``piece`` is what was merged, after normalisation; ``first`` the tokens that merging starts
    from, ``steps`` the merges in their order, ``ids`` the ids of the tokens at the end. Of a
    Unigram model, ``ways`` are the best way to cut the piece and the next.
    """

    piece: bytes
    how: How
    first: tuple[bytes, ...]
    steps: tuple[Step, ...]
    ids: tuple[int, ...]
    ways: tuple[Way, ...] = ()

    @property
    def tokens(self) -> tuple[bytes, ...]:
        """The tokens at the end."""
        return self.steps[-1].tokens if self.steps else self.first

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The tokens at the end, each with the two that it was merged from, and so on."""
        nodes = [Node(token) for token in self.first]
        for step in self.steps:
            parts = tuple(nodes[step.at : step.at + 2])
            nodes[step.at : step.at + 2] = [Node(b"".join(step.pair), step.rank, parts)]
        return tuple(nodes)

    def text(self, *, colour: bool = False) -> str:
        """A table with a row for every merge; ``colour`` paints the token that it made."""
        rows = []
        if self.how in ("merged", "whole"):
            rows = [("rank", "pair", "tokens"), ("", "", spaced(self.first))]
        elif self.how in ("longest", "fewest", "unknown"):
            rows = [("", "", spaced(self.first))]
        for way in self.ways:
            rows.append((f"{way.score:.3f}", "", spaced(way.tokens)))
        for step in self.steps:
            tokens = spaced(step.tokens, made=[step.at] if colour else [])
            rows.append((str(step.rank), "+".join(map(visible, step.pair)), tokens))
        if self.how != "skipped":
            rows.append(("ids", "", " ".join(map(str, self.ids))))
        ranks, pairs = (max([4, *(len(row[column]) for row in rows)]) for column in (0, 1))
        table = (f"  {rank:>{ranks}}  {pair:<{pairs}}  {rest}" for rank, pair, rest in rows)
        return "\n".join([self._title(), *map(str.rstrip, table)])

    __str__ = text

    def tree(self) -> str:
        """The tokens at the end, and under each what it was merged from."""
        lines = [self._title()]
        waiting: list[tuple[Node, str, bool, int | None]] = []

        def wait_for(nodes: Sequence[Node], indent: str, ids: Sequence[int | None]) -> None:
            last = len(nodes) - 1
            for at in range(last, -1, -1):
                waiting.append((nodes[at], indent, at == last, ids[at]))

        wait_for(self.nodes, "", self.ids)
        while waiting:  # and no recursion: a token may be as deep as it is long
            node, indent, is_last, id = waiting.pop()
            facts = [] if node.rank is None else [f"rank {node.rank}"]
            facts += [] if id is None else [f"id {id}"]
            branch = f"{indent}{'└' if is_last else '├'}── {visible(node.token)}"
            lines.append(f"{branch}  {', '.join(facts)}".rstrip())
            wait_for(node.parts, f"{indent}{' ' if is_last else '│'}   ", [None, None])
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The same for JSON: bytes in hexadecimal, because a token need not be text.

        ``text`` and ``tokens`` are the piece and its tokens for the eye, as `visible` shows them; a
        Unigram model has ``ways``, too.
        """
        ways = [
            {"ids": list(way.ids), "tokens": [*map(visible, way.tokens)], "score": way.score}
            for way in self.ways
        ]
        return {
            "piece": self.piece.hex(),
            "text": visible(self.piece),
            "tokens": [visible(token) for token in self.tokens],
            "how": self.how,
            "first": [token.hex() for token in self.first],
            "steps": [
                {
                    "rank": step.rank,
                    "pair": [token.hex() for token in step.pair],
                    "at": step.at,
                    "tokens": [token.hex() for token in step.tokens],
                }
                for step in self.steps
            ],
            "ids": list(self.ids),
        } | ({"ways": ways} if ways else {})

    def _repr_html_(self) -> str:
        """What a notebook shows: the piece as its tokens, and the table of its merges."""
        return html.chips(zip(self.tokens, self.ids, strict=False)) + html.table(self.text())

    def _title(self) -> str:
        note = {
            "merged": "",
            "longest": "  is cut into the longest tokens",
            "fewest": "  is cut into the fewest tokens",
            "whole": "  is a token, though no merges make it",
            "special": "  is a special token",
            "unknown": "  has no tokens",
            "best": "  is cut into the tokens whose scores have the highest sum",
            "skipped": "  is white space, which has no tokens: a mark stands for it",
        }
        return visible(self.piece) + note[self.how]


class Explanations(list[Explanation]):
    """The pieces of a text: a list, which a notebook shows as the coloured tokens of the text."""

    def _repr_html_(self) -> str:
        tokens = [token for one in self for token in zip(one.tokens, one.ids, strict=False)]
        return html.chips(tokens) + f"<p>{len(tokens):,} tokens</p>"
