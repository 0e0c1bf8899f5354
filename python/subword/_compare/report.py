"""Runs compared: whether they agree, and a table of what they took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from subword._compare.run import Run
from subword._compare.task import Task
from subword._compare.trainers import ENGINE, TIMES, TOKENIZERS
from subword._explain.visible import visible
from subword.reference.training import Pair

#: Stands beside a number that was not measured.
ABOUT = "~"

HEAD = ["", "count", "build", "per round", "total", "heap operations", "stale", "peak memory"]


def difference(runs: Sequence[Run]) -> str | None:
    """The first place where runs have different merges; None if they agree.

    A run that was stopped has nothing to say about later merges.
    """
    if not runs:
        return None
    first = max(runs, key=lambda run: (run.done, len(run.merges)))
    found = [found for run in runs if (found := differ(first, run)) is not None]
    return None if not found else min(found)[1]


def differ(one: Run, other: Run) -> tuple[int, str] | None:
    """Where two runs differ first, and how."""
    for rank, (left, right) in enumerate(zip_longest(one.merges, other.merges)):
        if (left is None and not one.done) or (right is None and not other.done):
            return None
        if left != right:
            names = f"{one.name} has {shown(left)}, {other.name} has {shown(right)}"
            return rank, f"merge {rank} differs: {names}"
    return None


def shown(pair: Pair | None) -> str:
    return "no more" if pair is None else "+".join(map(visible, pair))


def table(task: Task, runs: Sequence[Run]) -> str:
    """What was learned from what, a row for every run, and how the numbers are meant."""
    rows = [HEAD, *map(row, runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *cells in rows:
        numbers = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append(f"{first:<{widths[0]}}   " + "   ".join(numbers))
    return "\n".join([*title(task, runs), "", *lines, "", *notes(task, runs)])


def title(task: Task, runs: Sequence[Run]) -> list[str]:
    """What went in, and that the same came out."""
    units = f"characters and {task.mark}" if task.mark else "bytes"
    merges = max((len(run.merges) for run in runs), default=0)
    agree = "" if len(runs) < 2 else ", the same from all"
    return [
        f"{len(task.pieces):,} different pieces of {task.total:,}, {task.tokens:,} {units}",
        f"{merges:,} merges{agree}; of equal counts {task.ties.replace('-', ' ')} first",
    ]


def row(run: Run) -> list[str]:
    """The cells of a run."""
    about = "" if run.done else ABOUT
    counted = run.counting or run.name == TOKENIZERS
    return [
        run.name,
        "-" if not counted else "in build" if not run.counting else duration(run.counting),
        duration(run.build),
        duration(run.per_round),
        about + duration(run.total),
        number(run.heap_operations),
        number(run.stale_entries),
        "-" if run.peak is None else f"{run.peak / 1e6:,.0f} MB",
    ]


def notes(task: Task, runs: Sequence[Run]) -> Iterator[str]:
    """How the numbers are meant, and what they say."""
    yield f"Processor time on one thread; what takes less than a second, the best of {TIMES}."
    for run in runs:
        if not run.done:
            yield (
                f"{ABOUT} {run.name} was stopped: its total is extrapolated from the first "
                f"{run.rounds:,} of {run.wanted:,} rounds"
            )
    names = {run.name for run in runs}
    if names & {ENGINE, TOKENIZERS}:
        yield "count: of a text with these counts; the others are given the counts."
    yield "peak memory: of the whole process, Python and the pieces included."
    yield from ratios(runs)


def ratios(runs: Sequence[Run]) -> Iterator[str]:
    """How much faster the rungs are than the first one, and the engine than tokenizers."""
    by_name = {run.name: run for run in runs}
    python = [run for run in runs if run.name not in (ENGINE, TOKENIZERS)]
    if len(python) > 1:
        slow, quick = python[0], min(python, key=lambda run: run.total)
        if slow is not quick:
            yield f"{quick.name} is {times(slow.total, quick.total)} as fast as {slow.name}."
    if ENGINE in by_name and TOKENIZERS in by_name:
        ours, theirs = by_name[ENGINE], by_name[TOKENIZERS]
        yield (
            f"{ENGINE} is {times(theirs.total, ours.total)} as fast as {TOKENIZERS}, "
            f"{times(theirs.merging, ours.merging)} in the rounds alone."
        )


def times(slow: float, quick: float) -> str:
    ratio = slow / quick if quick else float("inf")
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"


def duration(seconds: float) -> str:
    """A time in three digits and the unit that suits it.

    Example:
        >>> duration(508.2), duration(0.0564), duration(2.13e-6), duration(0)
        ('508 s', '56.4 ms', '2.13 µs', '0.00 µs')
    """
    unit, scale = next(
        (each for each in (("s", 1), ("ms", 1e-3)) if seconds >= each[1]), ("µs", 1e-6)
    )
    value = seconds / scale
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
