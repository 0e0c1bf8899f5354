"""The tables of encoding and decoding.

libraries down, texts across: MB/s, a table for each vocabulary, warm, fresh and as lists
batches of documents, decoding
tokenizers that have seen little, a process from its start to its end
subword beside itself: counting, less SIMD
"""

from __future__ import annotations

from statistics import median

from libraries import OURS
from libraries.encoders import REFERENCE
from measure.results import Result, Row
from reports.tables import pivot, significant, table, times, with_ratio

KINDS = {
    "warm": "the same text again",
    "fresh": "the first encode of text never seen, after other text of the kind",
    "lists": "the same text again, ids as a list",
}

#: Paths of subword beside itself: the part of a row that stands beside, and what it is.
BESIDE = {"count": "as an array", "simd": "not forced"}


def tables(results: list[Result]) -> list[str]:
    """All of them, as far as there is something to show."""
    return [
        *encode_tables(results),
        *batch_tables(results),
        *decode_table(results),
        *young_tables(results),
        *cold_table(results),
        *beside_table(results),
    ]


def encode_tables(results: list[Result]) -> list[str]:
    parts: list[str] = []
    chosen = [result for result in results if result.path.startswith("encode/")]
    for kind, words in KINDS.items():
        of_kind = [result for result in chosen if result.path.endswith(f"/{kind}")]
        title = f"## One large text, {kind}: {words}"
        for vocab in dict.fromkeys(result.path.split("/")[1] for result in of_kind):
            here = [result for result in of_kind if result.path.split("/")[1] == vocab]
            ids = "a list" if kind == "lists" else "an array"
            words = f"{vocab}, one thread, ids as {ids}: MB/s (times {here[0].reference})"
            parts += pivot(f"{title}\n\n{words}" if title else words, here, speed)
            title = ""
    return parts


def batch_tables(results: list[Result]) -> list[str]:
    chosen = [result for result in results if result.path.startswith("batch/")]
    title = (
        "## Many documents\n\ncl100k, 20,000 documents (of a quick run, fewer) by one call, as "
        f"flat arrays or as lists: MB/s (times {REFERENCE}, which makes lists in any case)"
    )
    parts = []
    for threads in ("1-thread", "2-threads"):
        here = [result for result in chosen if result.path.endswith(threads)]
        words = threads.replace("-", " ")
        parts += pivot(f"{title}\n\n{words}" if title else words, here, speed)
        title = "" if here else title
    scaled = [
        f"{'/'.join(result.path.split('/')[2:4])} {times(row.scaling)}"
        for result in chosen
        if (row := result.row(OURS)) and row.measured and row.scaling
    ]
    return [*parts, f"{OURS}, two threads against one: {', '.join(scaled)}"] if scaled else parts


def decode_table(results: list[Result]) -> list[str]:
    chosen = [result for result in results if result.path.startswith("decode/")]
    title = f"## Decoding\n\ncl100k, an array of ids to bytes: MB/s (times {REFERENCE})"
    return pivot(title, chosen, speed)


#: The first part of a path, and what is timed.
YOUNG = {
    "fresh": "3 MB after 1, 3 or 10 MB of the same kind",
    "chunks": "4 KiB after two words",
    "first-call": "loading a file and encoding a first text",
}


def young_tables(results: list[Result]) -> list[str]:
    parts: list[str] = []
    for kind, words in YOUNG.items():
        chosen = [result for result in results if result.path.startswith(f"{kind}/")]
        title = "" if parts else "## Tokenizers that have seen little\n\n"
        parts += pivot(f"{title}{words}: ms (times {REFERENCE})", chosen, milliseconds)
    return parts


def milliseconds(result: Result, row: Row) -> str:
    return with_ratio(significant(median(row.wall) * 1e3), result, row)


def cold_table(results: list[Result]) -> list[str]:
    chosen = [result for result in results if result.path.startswith("cold/")]
    title = (
        "## A process from its start to its end\n\nStart Python, import, load, encode one "
        f"text: seconds (times {REFERENCE})"
    )
    return pivot(
        title,
        chosen,
        lambda result, row: with_ratio(significant(median(row.wall)), result, row),
    )


def beside_table(results: list[Result]) -> list[str]:
    rows = []
    for result in results:
        row, part = result.row(OURS), BESIDE.get(result.path.split("/")[0])
        if part is None or row is None or not result.path.split("/")[1].startswith("cl100k"):
            continue
        other = row.against(part) if row.measured else None
        speeds = f"{speed(result, row)} MB/s" if row.measured else row.status
        beside = f"{times(other)} the rate {part}" if other else "—"
        rows.append([f"`{result.path}`", speeds, beside])
    title = f"## {OURS} beside itself\n\ncl100k, one thread: counting, and SIMD that is forced"
    return [title, table(["path", f"(times {REFERENCE})", "beside it"], rows)] if rows else []


def speed(result: Result, row: Row) -> str:
    return with_ratio(significant(row.size / median(row.wall) / 1e6), result, row)
