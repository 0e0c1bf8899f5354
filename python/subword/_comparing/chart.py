"""Time against merges: in a terminal, or by matplotlib as a picture.

Both axes are logarithmic. A run that was stopped goes on as a dotted line, to where it would be if
all rounds took what those took that were timed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from subword._comparing.report import duration
from subword._comparing.run import Point, Run

WIDTH, HEIGHT = 64, 16

#: What a picture of each format is told; no date, so that the same runs give the same file.
METADATA: dict[str, dict[str, str | None]] = {".png": {}, ".svg": {"Date": None}}


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


def draw(runs: Sequence[Run], path: Path, *, bright: Sequence[str] | None = None) -> None:
    """Draw the runs into a .png or .svg file; with ``bright``, the others stay in the background.

    Needs matplotlib: an ImportError where it is not installed.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for at, run in enumerate(runs):
            seen = bright is None or run.name in bright
            colour, order = (f"C{at}", 3) if seen else ("0.8", 2)
            for points, line in ((measured_points(run), "-"), (extrapolated_points(run), ":")):
                label = run.name if line == "-" else None
                axes.plot(*columns(points), line, color=colour, zorder=order, label=label)
        axes.set(xscale="log", yscale="log", xlabel="merges", ylabel="seconds")
        axes.grid(color="0.92")
        axes.legend(frameon=False)
        figure.savefig(path, metadata=METADATA[path.suffix.lower()], dpi=150)


def columns(points: Sequence[Point]) -> tuple[list[int], list[float]]:
    return [merges for merges, _ in points], [seconds for _, seconds in points]
