"""The page of the newest result: `bench/results/README.md`, with charts, tables and targets.

A test compares it with the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from textwrap import fill

from libraries import OURS
from reports.charts import TEXTS, TRAINED
from reports.filed import Filed
from reports.tables import significant, table


def page(filed: Filed) -> str:
    """The whole page. It stands beside the result."""
    results = "."
    facts = filed.facts
    cores = facts["cores"].split()[0]
    parts = [
        "# The newest result",
        f"Measured on {filed.date} at commit {facts['commit'][:7]}, all in one run, on a shared "
        f"machine with {cores} cores. Processor: {facts['processor']}. SIMD level of the engine: "
        f"{facts['SIMD level']}. [The whole result]({results}/{filed.file.stem}.md) has every "
        "library, text and version.",
        "First one large text, with the vocabulary cl100k and one thread, ids as a numpy array. "
        f"Numbers are MB/s, and in parentheses the ratio to tiktoken {facts['tiktoken']}. *Warm* "
        "is text that was encoded before; *fresh* is text that was never seen, after other text of "
        "its kind; *lists* are warm, with ids as a Python list. A row that used more than one core "
        "says so.",
        f"![Encoding a text again, by library and text]({results}/charts/encode-warm.svg)\n"
        f"![Encoding text never seen, by library and text]({results}/charts/encode-fresh.svg)",
        encoding(filed),
        *batches(filed),
        "Training with one thread and GPT-2's pattern, from a file to 32,000 tokens (10,000 for "
        "`tinystories`), reading and counting included; every merge is compared before a time "
        "counts. Seconds, in parentheses the ratio to Hugging Face tokenizers "
        f"{facts['tokenizers']}, and peak memory ([chart]({results}/charts/training.svg)):",
        training(filed),
        "WordPiece with bert-base-uncased and one thread, from lines to ids and where each line "
        "ends among them. MB/s, in parentheses the ratio to Hugging Face tokenizers "
        f"{facts['tokenizers']}. *Fresh* is the first pass of a tokenizer that has just been "
        f"loaded ([chart]({results}/charts/wordpiece.svg)):",
        wordpiece(filed),
        *files(filed),
        targets(filed, f"{results}/{filed.file.stem}.md"),
    ]
    return "\n\n".join(part if part[0] in "|!#" else wrapped(part) for part in parts) + "\n"


def wrapped(prose: str) -> str:
    return fill(prose, 100, break_long_words=False, break_on_hyphens=False)


def encoding(filed: Filed) -> str:
    """Our own rates, and the best of the others; more than one core is told."""
    rows = []
    for kind in ("warm", "fresh", "lists"):
        paths = [f"encode/cl100k/{text}/{kind}" for text in TEXTS]
        if any(filed.speed(path, OURS) for path in paths):
            cores = max(filed.number(path, OURS, "cores") or 0.0 for path in paths)
            more = f", {cores:.1f} cores" if cores > 1.1 else ""
            rows.append([f"{kind}{more}", *(cell(filed, path, OURS) for path in paths)])
            rows.append([f"{kind}, best other", *(best(filed, path) for path in paths)])
    return table(["", *TEXTS], rows)


def batches(filed: Filed) -> list[str]:
    """Many documents, where they were measured."""
    columns = [f"{size}/{ids}" for size in ("500B", "2kB") for ids in ("arrays", "lists")]
    rows = []
    for threads, words in (("1-thread", "one thread"), ("2-threads", "two threads")):
        paths = [f"batch/cl100k/{column}/{threads}" for column in columns]
        if any(filed.speed(path, OURS) for path in paths):
            rows.append([words, *(cell(filed, path, OURS) for path in paths)])
            rows.append([f"{words}, best other", *(best(filed, path) for path in paths)])
    if not rows:
        return []
    words = "20,000 documents by one call, of about 500 bytes and of about 2 kB, warm. MB/s:"
    head = ["", *(column.replace("B/", " B, ").replace("k B", " kB") for column in columns)]
    return [words, table(head, rows)]


def training(filed: Filed) -> str:
    paths = [f"train/{text}/{size}" for text, size in TRAINED.items()]
    chosen = [OURS, *fastest(filed, paths, besides=(OURS, "tokenizers")), "tokenizers"]
    rows = []
    for library in chosen:
        cells = []
        for path in paths:
            seconds, ratio = filed.seconds(path, library), filed.ratio(path, library)
            peak = filed.peak(path, library)
            times = f" ({significant(ratio)}x)" if ratio and library != "tokenizers" else ""
            if seconds is None or peak is None:
                cells.append("—")
            else:
                cells.append(f"{significant(seconds)} s{times}, {significant(peak)} MB")
        rows.append([named(filed, library), *cells])
    return table(["", *TRAINED], rows)


def wordpiece(filed: Filed) -> str:
    texts = ("en", "ru", "zh", "multi")
    rows = []
    for kind in ("fresh", "warm"):
        paths = [f"wordpiece/{text}/{kind}" for text in texts]
        rows.append([kind, *(cell(filed, path, OURS) for path in paths)])
        rows.append([f"{kind}, best other", *(best(filed, path) for path in paths)])
    return table(["", *texts], rows)


def files(filed: Filed) -> list[str]:
    share = filed.against("files/enwiki/bin", OURS, "in memory")
    peak = filed.peak("files/enwiki/memory", OURS)
    if share is None or peak is None:
        return []
    return [
        f"A corpus to token files runs at {significant(share)} times the rate of encoding it in "
        f"memory, and takes {significant(peak)} MB beside the tokenizer for a gigabyte of text."
    ]


def targets(filed: Filed, page: str) -> str:
    """How many of the targets are met, and where to read which."""
    verdicts = [one["verdict"] for one in filed.targets]
    met, missed = verdicts.count("met"), verdicts.count("MISSED")
    return (
        f"The project sets itself a target for most rows of its benchmark. This run met {met} of "
        f"{met + missed}; [the result]({page}#targets) lists them all."
    )


def cell(filed: Filed, path: str, library: str) -> str:
    speed, ratio = filed.speed(path, library), filed.ratio(path, library)
    if speed is None:
        return "—"
    return f"{significant(speed)} ({significant(ratio)}x)" if ratio else significant(speed)


def best(filed: Filed, path: str) -> str:
    """The rate and the name of the fastest other library."""
    (library,) = fastest(filed, [path], besides=(OURS,)) or [""]
    return f"{cell(filed, path, library)} {library}" if library else "—"


def fastest(filed: Filed, paths: list[str], besides: Iterable[str]) -> list[str]:
    """The library that wins the most paths, in a list; an empty one where there is none."""

    def speed(path: str, library: str) -> float:
        return filed.speed(path, library) or 0.0

    others = [one for one in filed.libraries(paths) if one not in set(besides)]
    if not others:
        return []
    wins = [max(others, key=partial(speed, path)) for path in paths]
    return [max(others, key=wins.count)]


def named(filed: Filed, library: str) -> str:
    return library if library == OURS else f"{library} {filed.facts[library]}"


def write(filed: Filed) -> None:
    """The page beside the result."""
    (filed.file.parent / "README.md").write_text(page(filed), encoding="utf-8")
