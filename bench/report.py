"""Writes what was measured: a Markdown text for people, a JSON file for programs.

facts | targets | one table per scenario | every row with its spread
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import report_encoding
import report_files
import report_training
import report_wordpiece
from library import OURS
from peers import REFERENCE
from results import Result, Row, spread
from tables import (
    column,
    milliseconds,
    pivot,
    ranged,
    significant,
    status_or,
    table,
    times,
    with_ratio,
)
from targets import Judged, Target


class Report(NamedTuple):
    """Everything that a run found out."""

    date: str
    settings: str
    facts: dict[str, str]
    results: list[Result]
    judged: list[Judged]


def markdown(report: Report) -> str:
    """The whole report."""
    parts = [
        f"# Benchmark of {report.date}",
        f"Settings: {report.settings}. How a number is made: `bench/README.md`.",
        table(["fact", "value"], [list(fact) for fact in report.facts.items()], numbers=False),
        "## Targets",
        targets_table(report.judged),
        *(warnings(report.results)),
        *report_encoding.tables(report.results),
        *short_table(report.results),
        *load_tables(report.results),
        *hostile_table(report.results),
        *report_training.tables(report.results),
        *report_wordpiece.tables(report.results),
        *report_files.tables(report.results),
        "## Every row",
        "The median, then the least and the greatest of all rounds. x is against the reference "
        f"({REFERENCE}; tokenizers for training, WordPiece and qwen2), round by round. Cores is "
        "processor time by wall time.",
        rows_table(report.results),
    ]
    return "\n\n".join(parts) + "\n"


def as_json(report: Report) -> str:
    """The same, with the seconds of every round."""
    content = {
        "date": report.date,
        "settings": report.settings,
        "facts": report.facts,
        "targets": [
            {**asdict(one.target), "measured": one.measured, "verdict": one.verdict}
            for one in report.judged
        ],
        "results": [
            {
                "path": result.path,
                "rows": [row_fields(result, row) for row in result.rows],
            }
            for result in report.results
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def row_fields(result: Result, row: Row) -> dict[str, object]:
    ratio = result.ratio(row)
    return {**asdict(row), "ratio": ratio._asdict() if ratio else None}


def write(report: Report, folder: Path, stem: str) -> Path:
    """Write both files; the path of the Markdown one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.json").write_text(as_json(report), encoding="utf-8")
    path = folder / f"{stem}.md"
    path.write_text(markdown(report), encoding="utf-8")
    return path


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
        "nanoseconds": " ns",
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
        lambda result, row: with_ratio(significant(spread(row.wall).middle * 1e6), result, row),
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
                significant(spread(row.peak).middle / 1e6) if row.peak else "—",
            ]
            for row in result.rows
        ]
        _, vocab, where = result.path.split("/")
        title = f"## Loading {vocab}, {where.replace('-', ' ')}\n\nMilliseconds"
        parts.append(f"{title} (times {REFERENCE}), and of what comes before and after")
        parts.append(table(["library", "load", *names, "MB of memory"], rows))
    return parts


def load_cell(result: Result, row: Row) -> str:
    return with_ratio(significant(spread(row.wall).middle * 1e3), result, row)


def part(row: Row, name: str) -> str:
    return significant(spread(row.parts[name]).middle * 1e3) if row.parts.get(name) else "—"


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
        seconds = spread(row.wall).middle
        rows.append(
            [
                f"`{column(result)}`",
                significant(row.size / 1e6),
                significant(seconds * 1e3),
                part(row, "twice"),
                times(row.doubling.middle),
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
            cells = [milliseconds(spread(row.wall)), ranged(ratio, "x") if ratio else "—"]
            rows.append([path, row.library, *cells, f"{row.cores:.2f}", str(len(row.rounds))])
    return table(["path", "library", "ms", "x", "cores", "rounds"], rows)
