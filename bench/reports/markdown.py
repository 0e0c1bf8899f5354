"""The report of a run in Markdown: what people read.

facts | targets | one table for each scenario | every row
"""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from libraries import OURS
from libraries.encoders import REFERENCE
from measure.results import Result, Row
from reports import encoding, files, sentencepiece, training, wordpiece
from reports.tables import (
    column,
    pivot,
    significant,
    status_or,
    table,
    times,
    with_ratio,
)
from reports.targets import Judged, Target


class Report(NamedTuple):
    """Everything that a run found out. It ended on ``date`` at ``time`` (UTC)."""

    date: str
    time: str
    settings: str
    facts: dict[str, str]
    results: list[Result]
    judged: list[Judged]


def markdown(report: Report) -> str:
    """The whole report."""
    parts = [
        f"# Benchmark of {report.date}, commit {report.facts.get('commit', 'unknown')}",
        f"Settings: {report.settings}. How a number is made: `bench/README.md`. Every number is "
        "the median of its rounds.",
        table(["fact", "value"], [list(fact) for fact in report.facts.items()], numbers=False),
        "## Targets",
        targets_table(report.judged),
        *(warnings(report.results)),
        *encoding.tables(report.results),
        *short_table(report.results),
        *load_tables(report.results),
        *hostile_table(report.results),
        *training.tables(report.results),
        *wordpiece.tables(report.results),
        *calls_tables(report.results),
        *sentencepiece.tables(report.results),
        *files.tables(report.results),
        "## Every row",
        f"The ratio is to the reference ({REFERENCE}; tokenizers for training, WordPiece and "
        "qwen2), the median of the ratios of all rounds. Cores is processor time divided by wall "
        "time.",
        rows_table(report.results),
    ]
    return "\n\n".join(parts) + "\n"


def calls_tables(results: list[Result]) -> list[str]:
    title = (
        "## Inside transformers\n\nA tokenizer as it is, and accelerated: seconds (times as it is)"
    )
    chosen = [result for result in results if result.path.startswith("transformers/")]
    parts: list[str] = []
    for vocab in dict.fromkeys(result.path.split("/")[1] for result in chosen):
        here = [result for result in chosen if result.path.split("/")[1] == vocab]
        seconds = lambda result, row: with_ratio(significant(median(row.wall)), result, row)  # noqa: E731
        parts += pivot(f"{title}\n\n{vocab}" if not parts else vocab, here, seconds)
    return parts


def targets_table(judged: list[Judged]) -> str:
    rows = [
        [f"`{one.target.path}`", str(one.target), measured(one.target, one.measured), one.verdict]
        for one in judged
    ]
    met = sum(one.verdict == "met" for one in judged)
    missed = sum(one.verdict == "MISSED" for one in judged)
    words = f"{met} met, {missed} missed, {len(judged) - met - missed} not measured."
    return f"{words}\n\n{table(['path', 'target', 'measured', ''], rows, numbers=False)}"


def measured(target: Target, value: float | None) -> str:
    if value is None:
        return "—"
    units = {
        "milliseconds": " ms",
        "microseconds": " µs",
        "speed": " MB/s",
        "megabytes": " MB",
        "shards": " shards",
    }
    return significant(value) + units.get(target.kind, "x")


def warnings(results: list[Result]) -> list[str]:
    """What a reader must know before believing the rest."""
    rows = [(result, row) for result in results for row in result.rows]
    lines = [
        f"- **{row.library}, `{result.path}`: {row.status}**: {row.note}"
        for result, row in rows
        if row.status in ("ids differ", "merges differ", "failed")
    ]
    many = [
        (result, row)
        for result, row in rows
        if row.measured and row.cores > 1.1 and not result.path.endswith("2-threads")
    ]
    lines += [
        f"- {row.library}, `{result.path}`: {row.cores:.1f} cores were used" for result, row in many
    ]
    busy = [row.cores for _, row in rows if row.measured and row.cores < 0.9]
    if busy:
        lines.append(
            f"- The machine was busy: {len(busy)} rows got less than 0.9 of a core "
            f"(least {min(busy):.2f}). Ratios suffer less than seconds; both are better measured "
            "again."
        )
    return ["## Take care", "\n".join(lines)] if lines else []


def short_table(results: list[Result]) -> list[str]:
    chosen = [result for result in results if result.path.startswith("short/")]
    title = "## Short strings\n\ncl100k, ids as a list: µs per call"
    return pivot(
        f"{title} (times {REFERENCE})",
        chosen,
        lambda result, row: with_ratio(significant(median(row.wall) * 1e6), result, row),
    )


def load_tables(results: list[Result]) -> list[str]:
    parts: list[str] = []
    for result in results:
        if not result.path.startswith("load/"):
            continue
        names = list(dict.fromkeys(name for row in result.rows for name in row.parts))
        rows = [
            [
                row.library,
                status_or(result, row, load_cell),
                *(part(row, name) for name in names),
                significant(median(row.peak) / 1e6) if row.peak else "—",
            ]
            for row in result.rows
        ]
        _, vocab, where = result.path.split("/")
        title = f"## Loading {vocab}, {where.replace('-', ' ')}\n\nMilliseconds"
        parts.append(f"{title} (times {REFERENCE}), and of what comes before and after")
        parts.append(table(["library", "load", *names, "MB of memory"], rows))
    return parts


def load_cell(result: Result, row: Row) -> str:
    return with_ratio(significant(median(row.wall) * 1e3), result, row)


def part(row: Row, name: str) -> str:
    return significant(median(row.parts[name]) * 1e3) if row.parts.get(name) else "—"


def hostile_table(results: list[Result]) -> list[str]:
    chosen = [result for result in results if result.path.startswith("hostile/")]
    if not chosen:
        return []
    rows = []
    for result in chosen:
        row = result.row(OURS)
        if row is None or not row.measured or row.doubling is None:
            rows.append([f"`{column(result)}`", row.status if row else "—", "", "", ""])
            continue
        seconds = median(row.wall)
        rows.append(
            [
                f"`{column(result)}`",
                significant(row.size / 1e6),
                significant(seconds * 1e3),
                part(row, "twice"),
                times(row.doubling),
            ]
        )
    title = (
        f"## Hostile text\n\ncl100k, one thread, {OURS} alone: the question is how its own time "
        f"grows. The ids of both texts are compared with {REFERENCE}'s, which is not timed here"
    )
    return [title, table(["text", "n, MB", "n, ms", "2n, ms", "2n / n"], rows)]


def rows_table(results: list[Result]) -> str:
    rows = []
    for result in results:
        for row in result.rows:
            path = f"`{result.path}`"
            if not row.measured:
                rows.append([path, row.library, f"{row.status}: {row.note}", "", "", ""])
                continue
            ratio = result.ratio(row)
            cells = [significant(median(row.wall) * 1e3), times(ratio) if ratio else "—"]
            rows.append([path, row.library, *cells, f"{row.cores:.2f}", str(len(row.rounds))])
    return table(["path", "library", "ms", "ratio", "cores", "rounds"], rows)
