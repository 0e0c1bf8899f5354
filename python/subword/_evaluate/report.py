"""The measures of several tokenizers on several texts: as a table, as data, as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subword._evaluate.measures import Measures
    from subword._types import StrPath

HEAD = [
    "tokenizer",
    "size",
    "bytes",
    "tokens",
    "bytes/token",
    "tokens/word",
    "whole",
    "Rényi",
    "unused",
    "residue",
]

#: The name of all texts together.
ALL = "all"


@dataclass(frozen=True)
class Evaluation:
    """What tokenizers make of texts: a row for each of both, printed as a table."""

    rows: Sequence[Measures]

    def __str__(self) -> str:
        return table(self.rows)

    def as_dict(self) -> dict[str, Any]:
        """All numbers, in a form that JSON takes."""
        return {"rows": [row.as_dict() for row in self.rows]}

    def plot(self, path: StrPath) -> None:
        """Draw bytes per token into a .png or .svg file: bars, or against sizes if there are some.

        Needs matplotlib: ``pip install 'subword[plot]'``.
        """
        from subword._evaluate.chart import draw

        draw(self.rows, path)

    @property
    def texts(self) -> list[str]:
        """The names of the texts."""
        return [*dict.fromkeys(row.text for row in self.rows)]

    @property
    def tokenizers(self) -> list[str]:
        """The names of the tokenizers."""
        return [*dict.fromkeys(row.tokenizer for row in self.rows)]


def table(rows: Sequence[Measures]) -> str:
    """A block for every text, a row for every tokenizer."""
    shown = [True] * len(HEAD)
    shown += [any(row.fewest is not None for row in rows), any(row.unknown for row in rows)]
    head = [*compress([*HEAD, "over fewest", "unknown"], shown)]
    cells = [[*compress(cells_of(row), shown)] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    lines = [line(head, widths)]
    for text in dict.fromkeys(row.text for row in rows):
        lines += ["", text]
        lines += [
            line(one, widths) for one, row in zip(cells, rows, strict=True) if row.text == text
        ]
    return "\n".join(lines)


def line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        f"{cell:{'>' if at else '<'}{width}}"
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


def cells_of(row: Measures) -> list[str]:
    return [
        row.tokenizer,
        f"{row.vocab_size:,}",
        f"{row.bytes:,}",
        f"{row.tokens:,}",
        number(row.bytes_per_token),
        number(row.fertility),
        share(row.whole),
        number(row.renyi_efficiency),
        f"{row.unused:,}",
        "-" if row.residue is None else f"{row.residue:,}",
        share(row.over_fewest),
        f"{row.unknown:,}",
    ]


def number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f}%"


def curves(rows: Sequence[Measures]) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Bytes per token by size, for every tokenizer and text that has several sizes."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in rows:
        points = found.setdefault((row.tokenizer, row.text), [])
        points.append((row.vocab_size, row.bytes_per_token))
    one_text = len({text for _, text in found}) == 1
    one_tokenizer = len({tokenizer for tokenizer, _ in found}) == 1
    for (tokenizer, text), points in found.items():
        name = tokenizer if one_text else text if one_tokenizer else f"{tokenizer}, {text}"
        if len(points) > 1:
            yield name, sorted(points)
