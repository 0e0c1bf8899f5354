"""The tables of WordPiece.

libraries down, texts across: MB/s, fresh and warm
what else is measured, a row for each path
"""

from __future__ import annotations

from statistics import median

from libraries import OURS
from libraries.wordpiece import REFERENCE
from measure.results import Result, Row
from reports.tables import pivot, significant, table, times, with_ratio


def tables(results: list[Result]) -> list[str]:
    """All of them, as far as there is something to show."""
    chosen = [result for result in results if result.path.startswith("wordpiece/")]
    parts: list[str] = []
    for kind, words in (
        ("fresh", "lines never seen, by a tokenizer that has just been loaded"),
        ("warm", "the same lines again"),
    ):
        title = (
            f"## WordPiece, {kind}: {words}\n\nbert-base-uncased, one thread, a list of lines in, "
            f"flat ids and offsets out: MB/s (times {REFERENCE})"
        )
        parts += pivot(title, [r for r in chosen if r.path.endswith(f"/{kind}")], speed)
    others = [r for r in chosen if not r.path.endswith(("/fresh", "/warm"))]
    rows = [[f"`{r.path}`", row.library, *cells(r, row)] for r in others for row in r.rows]
    if rows:
        title = "## WordPiece: short text, loading, threads, hostile text, training"
        parts += [title, table(["path", "library", "", "beside it"], rows)]
    return parts


def speed(result: Result, row: Row) -> str:
    return with_ratio(significant(row.size / median(row.wall) / 1e6), result, row)


def cells(result: Result, row: Row) -> list[str]:
    """The number that a path is about, and what is worth knowing beside it."""
    if not row.measured:
        return [row.status, row.note]
    _, *names = result.path.split("/")
    seconds = median(row.wall)
    ratio = result.ratio(row) if row.library != REFERENCE else None
    beside = [f"{significant(ratio)} times {REFERENCE}"] if ratio else []
    if names[-1] == "hello-world":
        return [f"{significant(seconds * 1e6)} µs", ", ".join(beside)]
    if names[-1] == "linear":
        return [f"{significant(row.size / seconds / 1e6)} MB/s", ", ".join(beside)]
    if row.scaling is not None:
        rate = f"{significant(row.size / seconds / 1e6)} MB/s"
        return [rate, f"two threads {times(row.scaling)}"]
    if row.doubling is not None:
        return [f"{significant(seconds * 1e3)} ms", f"2n takes {times(row.doubling)}"]
    if row.peak:
        beside.append(f"{significant(median(row.peak) / 1e6)} MB")
    if row.library == OURS and names[0] == "train":
        parts = {name: median(found) * 1e3 for name, found in row.parts.items()}
        beside.append(", ".join(f"{name} {significant(ms)} ms" for name, ms in parts.items()))
    return [f"{significant(seconds * 1e3)} ms", ", ".join(beside)]
