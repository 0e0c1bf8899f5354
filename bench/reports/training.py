"""The tables of training and counting.

libraries down, corpora across: seconds (times tokenizers), then peak memory
subword's own phases
counting
"""

from __future__ import annotations

from statistics import median

from libraries import OURS
from libraries.trainers import REFERENCE, TRAINERS
from measure.results import Result, Row
from reports.tables import column, pivot, significant, table, with_ratio


def tables(results: list[Result]) -> list[str]:
    """All of them, as far as there is something to show."""
    training = [result for result in results if result.path.startswith("train/")]
    counting = [result for result in results if result.path.startswith("count/enwiki")]
    return [*training_tables(training), *phases_table(training), *counting_table(counting)]


def training_tables(results: list[Result]) -> list[str]:
    if not results:
        return []
    others = [name for name, trainer in TRAINERS.items() if trainer.rule is None and name != OURS]
    words = (
        "## Training\n\nGPT-2's pattern, one thread, reading and counting included, each run in a "
        "process of its own. The merges of every run are compared with subword's by the rule of "
        f"the library; {' and '.join(others)} learn by rules of their own."
    )
    seconds = pivot(
        f"{words}\n\nSeconds (times {REFERENCE})",
        results,
        lambda result, row: with_ratio(significant(median(row.wall)), result, row),
    )
    memory = pivot(
        "Peak memory of the process, in MB",
        results,
        lambda _, row: significant(median(row.peak) / 1e6),
    )
    return [*seconds, *memory]


def phases_table(results: list[Result]) -> list[str]:
    """Where our own time goes."""
    found = [(result, row) for result in results if (row := result.row(OURS)) and row.measured]
    names = list(dict.fromkeys(name for _, row in found for name in row.parts))
    if not names:
        return []
    rows = [
        [f"`{column(result)}`", *(milliseconds(row, name) for name in names)]
        for result, row in found
    ]
    return [f"{OURS} by phase, in ms", table(["corpus", *names], rows)]


def milliseconds(row: Row, name: str) -> str:
    return significant(median(row.parts[name]) * 1e3) if row.parts.get(name) else "—"


def counting_table(results: list[Result]) -> list[str]:
    rows = []
    for result in results:
        row = result.row(OURS)
        if row is None or not row.measured:
            rows.append([f"`{result.path}`", row.status if row else "—", "", ""])
            continue
        ((name, seconds),) = row.parts.items()
        peak = median(row.peak) / 1e6
        other = f"{significant(median(seconds) * 1e3)} {name}"
        cells = [significant(median(row.wall) * 1e3), other, significant(peak)]
        rows.append([f"`{result.path}`", *cells])
    title = f"## Counting pieces\n\nGPT-2's pattern, {OURS} alone"
    return [title, table(["path", "ms", "beside it, ms", "peak MB"], rows)] if rows else []
