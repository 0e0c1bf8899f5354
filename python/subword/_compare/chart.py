"""Time against merges: in a terminal, or by matplotlib as a picture.

Both axes are logarithmic. A run that was stopped goes on as a dotted line, to where it would be if
all rounds took what those took that were timed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from subword._compare.report import duration
from subword._compare.run import Point, Run
from subword._picture import picture

WIDTH, HEIGHT = 64, 16


def measured_points(run: Run) -> list[Point]:
    """After how many merges how much time had passed, from the first merge on."""
    return [(merges, run.counting + seconds) for merges, seconds in run.points if merges]


def extrapolated_points(run: Run) -> list[Point]:
    """The same for the rounds that did not happen."""
    if run.done:
        return []
    steps = [run.wanted ** (at / 8) * run.rounds ** (1 - at / 8) for at in range(9)]
    begun = run.counting + run.build
    return [(round(merges), begun + run.per_round * round(merges)) for merges in steps]


def text_chart(runs: Sequence[Run]) -> str:
    """The runs as letters; what is extrapolated as small ones.

    Example:
        >>> slow = Run("slow", [], 100, False, [(0, 1.0), (1, 2.0), (10, 11.0)])
        >>> quick = Run("quick", [], 100, True, [(0, 0.1), (1, 0.2), (10, 0.3), (100, 0.5)])
        >>> print("\\n".join(text_chart([slow, quick]).splitlines()[-3:]))
        ... # doctest: +NORMALIZE_WHITESPACE
                  +----------------------------------------------------------------
                   1                                                     100 merges
                   A slow   B quick
        >>> text_chart([])
        ''
    """
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    marks = [
        (merges, seconds, letter if measured else letter.lower())
        for letter, run in zip(letters, runs, strict=False)
        for measured, points in ((False, extrapolated_points(run)), (True, measured_points(run)))
        for merges, seconds in points
        if seconds > 0
    ]
    if not marks:
        return ""
    low, high = (end(seconds for _, seconds, _ in marks) for end in (min, max))
    most = max(merges for merges, _, _ in marks)
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for merges, seconds, mark in marks:
        column = place(merges, 1, most, WIDTH)
        grid[HEIGHT - 1 - place(seconds, low, high, HEIGHT)][column] = mark
    labels = {0: duration(high), HEIGHT - 1: duration(low)}
    lines = [f"{labels.get(at, ''):>9} |{''.join(cells).rstrip()}" for at, cells in enumerate(grid)]
    lines.append(f"{'':>9} +{'-' * WIDTH}")
    lines.append(f"{'':>11}1{f'{most:,} merges':>{WIDTH - 1}}")
    named = [f"{letter} {run.name}" for letter, run in zip(letters, runs, strict=False)]
    lines.append(f"{'':>11}{'   '.join(named)}")
    return "\n".join(lines)


def place(value: float, low: float, high: float, size: int) -> int:
    """Which of so many cells a value belongs to, on a logarithmic scale."""
    if high <= low:
        return 0
    return round((size - 1) * math.log(value / low) / math.log(high / low))


@dataclass(frozen=True)
class Line:
    """A line of a picture; without a name it is not in the legend."""

    points: Sequence[tuple[float, float]]
    colour: str
    name: str | None = None
    style: str = "-"


def draw(runs: Sequence[Run], path: Path, *, bright: Sequence[str] | None = None) -> None:
    """Draw runs into a .png or .svg file; with ``bright``, the others stay in the background.

    Needs matplotlib: an ImportError where it is not installed.
    """
    lines = []
    for at, run in enumerate(runs):
        colour = f"C{at}" if bright is None or run.name in bright else "0.85"
        lines.append(Line(measured_points(run), colour, run.name))
        lines.append(Line(extrapolated_points(run), colour, style=":"))
    lines.sort(key=lambda line: line.colour != "0.85")  # what is bright is drawn last
    draw_lines(lines, path, x="merges", y="seconds")


def draw_lines(lines: Sequence[Line], path: Path, *, x: str, y: str, scale: str = "log") -> None:
    """Draw lines into a .png or .svg file; the same file for the same lines."""
    with picture(path) as axes:
        for line in lines:
            across, up = ([point[axis] for point in line.points] for axis in (0, 1))
            axes.plot(across, up, line.style, color=line.colour, label=line.name)
        axes.set(xscale=scale, yscale=scale, xlabel=x, ylabel=y)
        axes.minorticks_off()
        axes.grid(color="0.92")
        if any(line.name for line in lines):
            axes.legend(frameon=False)
