"""Cells and tables in Markdown: numbers in, text out."""

from __future__ import annotations

from collections.abc import Callable

from measure.results import Result, Row


def table(head: list[str], rows: list[list[str]], *, numbers: bool = True) -> str:
    """A Markdown table; all columns but the first to the right where they hold numbers.

    Example:
        >>> print(table(["library", "ms"], [["subword", "90"]]))
        | library | ms |
        |---|--:|
        | subword | 90 |
    """
    rule = ["---", *(["--:" if numbers else "---"] * (len(head) - 1))]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def pivot(title: str, results: list[Result], cell: Callable[[Result, Row], str]) -> list[str]:
    """Libraries down, paths across."""
    if not results:
        return []
    names = list(dict.fromkeys(row.library for result in results for row in result.rows))
    rows = []
    for name in names:
        found = [(result, result.row(name)) for result in results]
        rows.append([name, *(status_or(result, row, cell) for result, row in found)])
    return [title, table(["library", *(f"`{column(result)}`" for result in results)], rows)]


def column(result: Result) -> str:
    """The part of a path that tells it from its neighbours: the text, or the last name."""
    parts = result.path.split("/")
    if parts[0] in ("train", "wordpiece"):
        return parts[1]
    if parts[0] in ("sentencepiece", "unigram", "chain"):
        return "/".join(parts[1:3])
    if parts[0] in ("fresh", "chunks", "first-call", "cold"):
        return "/".join(parts[1:])
    if parts[0] in ("batch", "hostile"):
        return "/".join(parts[2:4])
    return parts[2]


def status_or(result: Result, row: Row | None, cell: Callable[[Result, Row], str]) -> str:
    if row is None:
        return "—"
    return cell(result, row) if row.measured else row.status


def with_ratio(value: str, result: Result, row: Row) -> str:
    ratio = result.ratio(row)
    return f"{value} ({significant(ratio)}x)" if ratio else value


def times(value: float) -> str:
    return f"{significant(value)}x"


def significant(value: float) -> str:
    """Three digits, and no more than the number has.

    Example:
        >>> significant(1234.5), significant(31.26), significant(0.4567)
        ('1,234', '31.3', '0.457')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3g}"
