"""Bytes per token as a picture: lines over sizes, or bars for every text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from subword._evaluate.measures import Measures
from subword._evaluate.report import curves
from subword._picture import picture

if TYPE_CHECKING:
    from subword._types import StrPath


def draw(rows: Sequence[Measures], path: StrPath) -> None:
    """Draw rows into a .png or .svg file; the same file for the same rows."""
    with picture(path) as axes:
        lines = [*curves(rows)]
        if lines:
            draw_curves(axes, lines)
        else:
            draw_bars(axes, rows)
        axes.set_ylabel("bytes per token")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def draw_curves(axes: Any, lines: Sequence[tuple[str, list[tuple[int, float]]]]) -> None:
    for name, points in lines:
        axes.plot(*zip(*points, strict=True), "o-", markersize=3, label=name)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda size, _: f"{size:,.0f}")
    axes.set_xlabel("tokens in the vocabulary")
    if len(lines) > 1:
        axes.legend(frameon=False)


def draw_bars(axes: Any, rows: Sequence[Measures]) -> None:
    texts = [*dict.fromkeys(row.text for row in rows)]
    tokenizers = [*dict.fromkeys(row.tokenizer for row in rows)]
    width = 0.8 / len(tokenizers)
    for at, name in enumerate(tokenizers):
        own = [row for row in rows if row.tokenizer == name]
        places = [texts.index(row.text) + (at - (len(tokenizers) - 1) / 2) * width for row in own]
        axes.bar(places, [row.bytes_per_token for row in own], width, label=name)
    axes.set_xticks(range(len(texts)), texts)
    if len(tokenizers) > 1:
        axes.legend(frameon=False)
