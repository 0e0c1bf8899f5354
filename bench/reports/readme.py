"""The numbers of README, from a filed result: one chart and one short table.

Between `<!-- bench: begin -->` and `<!-- bench: end -->` README holds what this file makes of the
newest result; the rest is on the page beside it (`summary`). A test compares them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from libraries import OURS
from measure.corpora import ROOT
from reports.filed import Filed
from reports.summary import fastest, named, wrapped
from reports.tables import significant, table

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
README = ROOT / "README.md"


class Row(NamedTuple):
    """A row of the table: what is done, its path in the benchmark, who is compared with."""

    words: str
    path: str
    reference: str


ROWS = [
    Row("encode English, text seen before", "encode/cl100k/en/warm", "tiktoken"),
    Row("encode English, text never seen", "encode/cl100k/en/fresh", "tiktoken"),
    Row("encode code, text never seen", "encode/cl100k/code/fresh", "tiktoken"),
    Row("encode Chinese, text never seen", "encode/cl100k/zh/fresh", "tiktoken"),
    Row("encode many short documents", "batch/cl100k/500B/arrays/1-thread", "tiktoken"),
    Row("BERT's WordPiece, English, first pass", "wordpiece/en/fresh", "tokenizers"),
    Row("train 32,000 tokens on Wikipedia", "train/enwiki/32k", "tokenizers"),
]


def region(filed: Filed, folder: Path) -> str:
    """What stands between the marks; links lead from the folder of the page."""
    results = filed.file.parent.relative_to(folder).as_posix()
    facts = filed.facts
    parts = [
        f"![Encoding text never seen, by library and text]({results}/charts/encode-fresh.svg)",
        "One thread. Rates are MB/s of text, times are seconds, and in parentheses is how many "
        "times as fast as the reference it is.",
        table(["", "subword", "best other", "reference"], [cells(filed, row) for row in ROWS]),
        f"Measured on {filed.date} at commit {facts['commit'][:7]}. Processor: "
        f"{facts['processor']}, {facts['cores'].split()[0]} cores, shared. SIMD level: "
        f"{facts['SIMD level']}. [All libraries, texts and threads]({results}/README.md), with "
        "the targets that were missed.",
    ]
    return "\n\n".join(part if part[0] in "|!" else wrapped(part) for part in parts)


def cells(filed: Filed, row: Row) -> list[str]:
    """A row: ours, the best of the others, the reference."""
    others = fastest(filed, [row.path], besides=(OURS, row.reference))
    best = f"{cell(filed, row.path, others[0])} {others[0]}" if others else "—"
    reference = cell(filed, row.path, row.reference).partition(" (")[0]
    ours = cell(filed, row.path, OURS)
    return [row.words, ours, best, f"{reference} {named(filed, row.reference)}"]


def cell(filed: Filed, path: str, library: str) -> str:
    """A rate, or a time for training, and how many times as fast as the reference it is."""
    training = path.startswith("train/")
    found = filed.seconds(path, library) if training else filed.speed(path, library)
    if found is None:
        return "—"
    number = significant(found) + (" s" if training else "")
    ratio = filed.ratio(path, library)
    return number if ratio is None else f"{number} ({significant(ratio)}x)"


def filled(page: str, text: str) -> str:
    """The page with the text between the marks.

    Example:
        >>> filled(f"a {BEGIN} old {END} z", "new") == f"a {BEGIN}\\n\\nnew\\n\\n{END} z"
        True
    """
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"README.md: expected the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def write(filed: Filed) -> None:
    page = README.read_text(encoding="utf-8")
    README.write_text(filled(page, region(filed, README.parent)), encoding="utf-8")
