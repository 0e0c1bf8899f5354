"""The table of token files."""

from __future__ import annotations

from statistics import median

from libraries import OURS
from measure.results import Result
from reports.tables import significant, table


def tables(results: list[Result]) -> list[str]:
    """As far as there is something to show."""
    rows = []
    for result in results:
        if not result.path.startswith("files/"):
            continue
        row = result.row(OURS)
        if row is None or not row.measured:
            rows.append([f"`{result.path}`", row.status if row else "—", "", "", ""])
            continue
        speed = significant(row.size / median(row.wall) / 1e6)
        share = significant(row.share) if row.share else "—"
        repeated = row.parts.get("repeated")
        lost = significant(max(repeated)) if repeated else "—"
        peak = significant(median(row.peak) / 1e6)
        rows.append([f"`{result.path}`", speed, share, peak, lost])
    if not rows:
        return []
    words = "## Token files\n\ncl100k, text to one .bin on disk, two threads"
    head = ["path", "MB/s", "of the rate in memory", "MB above the tokenizer", "shards repeated"]
    return [words, table(head, rows)]
