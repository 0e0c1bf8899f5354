"""What subword promises, in one table, and whether a run kept it.

`TARGETS` is the only place where a target is written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from peers import OURS, REFERENCE
from results import Result, Row, spread

Verdict = Literal["met", "MISSED", "not measured"]


@dataclass(frozen=True)
class Target:
    """``at least`` a ratio to tiktoken, or ``at most`` so many milliseconds or times."""

    path: str
    kind: Literal["ratio", "milliseconds", "doubling"]
    bound: float

    def __str__(self) -> str:
        if self.kind == "ratio":
            return f"at least {self.bound:g} times {REFERENCE}"
        if self.kind == "milliseconds":
            return f"under {self.bound:g} ms"
        return f"2n takes at most {self.bound:g} times n"


@dataclass(frozen=True)
class Judged:
    """A target and what a run says about it."""

    target: Target
    measured: float | None
    verdict: Verdict


TARGETS = (
    Target("encode/cl100k/en/warm", "ratio", 20),
    Target("encode/cl100k/code/warm", "ratio", 20),
    Target("encode/cl100k/ru/warm", "ratio", 8),
    Target("encode/cl100k/zh/warm", "ratio", 6),
    Target("encode/cl100k/en/fresh", "ratio", 12),
    Target("encode/cl100k/code/fresh", "ratio", 12),
    Target("encode/cl100k/ru/fresh", "ratio", 5),
    Target("encode/cl100k/zh/fresh", "ratio", 3),
    Target("short/cl100k/hello-world", "ratio", 1),
    Target("load/o200k/new-process", "milliseconds", 150),
    Target("load/o200k/same-process", "milliseconds", 150),
    Target("hostile/cl100k/a", "doubling", 2.3),
    Target("hostile/cl100k/spaces", "doubling", 2.3),
    Target("hostile/cl100k/newlines", "doubling", 2.3),
    Target("hostile/cl100k/han", "doubling", 2.3),
    Target("hostile/cl100k/accents", "doubling", 2.3),
    Target("hostile/cl100k/base64", "doubling", 2.3),
)


def judge(results: Iterable[Result]) -> list[Judged]:
    """Every target, also those that this run did not measure."""
    by_path = {result.path: result for result in results}
    return [judged(target, by_path.get(target.path)) for target in TARGETS]


def judged(target: Target, result: Result | None) -> Judged:
    row = result.row(OURS) if result else None
    value = measure(target, result, row) if result and row and row.measured else None
    if value is None:
        return Judged(target, None, "not measured")
    kept = value >= target.bound if target.kind == "ratio" else value <= target.bound
    return Judged(target, value, "met" if kept else "MISSED")


def measure(target: Target, result: Result, row: Row) -> float | None:
    """The one number that the target is about: always a median over the rounds."""
    if target.kind == "ratio":
        ratio = result.ratio(row)
        return ratio.middle if ratio else None
    if target.kind == "doubling":
        return row.doubling.middle if row.doubling else None
    return spread(row.wall).middle * 1000
