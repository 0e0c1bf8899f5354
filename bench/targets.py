"""What subword promises, in one table, and whether a run kept it.

`TARGETS` is the only place where a target is written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal

import trainers
import wordpiece_peers
from library import OURS
from peers import REFERENCE
from results import Result, Row

Verdict = Literal["met", "MISSED", "not measured"]
Kind = Literal[
    "ratio",
    "fastest",
    "threads",
    "share",
    "counting",
    "level",
    "speed",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "doubling",
    "memory",
    "megabytes",
    "shards",
]

WORDS: dict[Kind, str] = {
    "ratio": "at least {:g} times {}",
    "fastest": "at least {:g} times the fastest other library",
    "threads": "two threads at least {:g} times one",
    "share": "at least {:g} times the rate in memory",
    "counting": "at least {:g} times the rate of its own arrays",
    "level": "at least {:g} of the rate of the level that is chosen",
    "speed": "at least {:g} MB/s",
    "milliseconds": "at most {:g} ms",
    "microseconds": "at most {:g} µs",
    "nanoseconds": "at most {:g} ns for each word",
    "doubling": "2n takes at most {:g} times n",
    "memory": "at most {:g} times the memory of {}",
    "megabytes": "at most {:g} MB of memory",
    "shards": "a kill repeats at most {:g} shards, and the bytes are the same",
}


MORE_IS_BETTER: tuple[Kind, ...] = (
    "ratio",
    "fastest",
    "threads",
    "share",
    "counting",
    "level",
    "speed",
)


@dataclass(frozen=True)
class Target:
    """A number that subword must reach, or must not exceed."""

    path: str
    kind: Kind
    bound: float

    def __str__(self) -> str:
        return WORDS[self.kind].format(self.bound, self.reference)

    @property
    def reference(self) -> str:
        if self.path.startswith("wordpiece/"):
            return wordpiece_peers.REFERENCE
        return trainers.REFERENCE if self.path.startswith("train/") else REFERENCE

    def kept(self, value: float) -> bool:
        """Whether this value is good enough."""
        return value >= self.bound if self.kind in MORE_IS_BETTER else value <= self.bound


@dataclass(frozen=True)
class Judged:
    """A target and what a run says about it."""

    target: Target
    measured: float | None
    verdict: Verdict


#: What holds for every hostile text of WordPiece.
HOSTILE: tuple[tuple[Kind, float], ...] = (("milliseconds", 15), ("doubling", 2.3))

#: What holds for every hostile text of one megabyte, and of two.
HOSTILE_MEGABYTE: tuple[tuple[Kind, float], ...] = (("doubling", 2.2), ("speed", 5))

TEXTS = ("en", "code", "ru", "zh", "multi")
BATCHES = tuple((size, ids) for size in ("500B", "2kB") for ids in ("arrays", "lists"))

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
    *(
        Target(f"encode/{vocab}/{text}/warm", "fastest", 1.3)
        for vocab in ("cl100k", "o200k")
        for text in TEXTS
    ),
    *(
        Target(f"encode/{vocab}/{text}/fresh", "fastest", 3 if text in ("zh", "multi") else 1.8)
        for vocab in ("cl100k", "o200k")
        for text in TEXTS
    ),
    *(Target(f"encode/cl100k/{text}/lists", "fastest", 1.3) for text in TEXTS),
    *(
        Target(f"batch/cl100k/{size}/{ids}/{threads}", "fastest", 1.3)
        for threads in ("1-thread", "2-threads")
        for size, ids in BATCHES
    ),
    *(Target(f"batch/cl100k/{size}/{ids}/2-threads", "threads", 1.85) for size, ids in BATCHES),
    Target("short/cl100k/hello-world", "microseconds", 0.4),
    Target("short/cl100k/100-characters", "microseconds", 0.8),
    Target("count/cl100k/en", "counting", 1.2),
    Target("count/cl100k/zh", "counting", 1.2),
    Target("decode/cl100k/en", "fastest", 1.5),
    Target("decode/cl100k/zh", "fastest", 1.5),
    Target("simd/cl100k/en/avx2", "level", 0.6),
    Target("simd/cl100k/en/scalar", "ratio", 6),
    Target("load/o200k/new-process", "milliseconds", 120),
    Target("load/o200k/same-process", "milliseconds", 120),
    Target("load/o200k/own-file", "milliseconds", 40),
    Target("hostile/cl100k/a", "doubling", 2.3),
    Target("hostile/cl100k/spaces", "doubling", 2.3),
    Target("hostile/cl100k/newlines", "doubling", 2.3),
    Target("hostile/cl100k/han", "doubling", 2.3),
    Target("hostile/cl100k/accents", "doubling", 2.3),
    Target("hostile/cl100k/base64", "doubling", 2.3),
    *(
        Target(f"hostile/cl100k/{text}/1MB", what, bound)
        for text in ("a", "spaces", "newlines", "han", "accents", "base64")
        for what, bound in HOSTILE_MEGABYTE
    ),
    Target("train/en/32k", "ratio", 12),
    Target("train/en/32k", "fastest", 1.3),
    Target("train/en/32k", "memory", 1),
    Target("train/enwiki/32k", "ratio", 12),
    Target("train/enwiki/32k", "fastest", 1.3),
    Target("train/enwiki/32k", "memory", 1),
    Target("train/code/32k", "ratio", 12),
    Target("train/code/32k", "fastest", 1.3),
    Target("train/code/32k", "memory", 1),
    Target("train/zh/32k", "ratio", 6),
    Target("train/zh/32k", "fastest", 2),
    Target("train/zh/32k", "memory", 1),
    Target("train/tinystories/10k", "ratio", 8),
    Target("train/tinystories/10k", "fastest", 1.3),
    Target("train/tinystories/10k", "memory", 1),
    Target("count/enwiki/threads", "threads", 1.7),
    Target("count/enwiki/64MB", "megabytes", 128),
    Target("wordpiece/en/fresh", "ratio", 100),
    Target("wordpiece/en/fresh", "fastest", 1.3),
    Target("wordpiece/ru/fresh", "ratio", 50),
    Target("wordpiece/ru/fresh", "fastest", 1.3),
    Target("wordpiece/zh/fresh", "ratio", 70),
    Target("wordpiece/zh/fresh", "fastest", 1.3),
    Target("wordpiece/multi/fresh", "ratio", 35),
    Target("wordpiece/multi/fresh", "fastest", 1.3),
    Target("wordpiece/en/warm", "ratio", 150),
    Target("wordpiece/en/warm", "fastest", 1.3),
    Target("wordpiece/ru/warm", "ratio", 70),
    Target("wordpiece/ru/warm", "fastest", 1.3),
    Target("wordpiece/zh/warm", "ratio", 80),
    Target("wordpiece/zh/warm", "fastest", 1.3),
    Target("wordpiece/multi/warm", "ratio", 50),
    Target("wordpiece/multi/warm", "fastest", 1.3),
    Target("wordpiece/en/linear", "ratio", 8),
    Target("wordpiece/en/threads", "threads", 1.85),
    Target("wordpiece/en/words", "nanoseconds", 10),
    Target("wordpiece/hello-world", "microseconds", 0.6),
    Target("wordpiece/load", "milliseconds", 25),
    Target("wordpiece/load", "megabytes", 16),
    *(
        Target(f"wordpiece/hostile/{kind}", what, bound)
        for kind in ("word", "a", "han", "hangul", "hash", "accents", "brackets", "spaces")
        for what, bound in HOSTILE
    ),
    Target("wordpiece/train/count", "ratio", 15),
    Target("wordpiece/train/likelihood", "ratio", 15),
    Target("files/enwiki/bin", "share", 0.7),
    Target("files/enwiki/memory", "megabytes", 300),
    Target("files/enwiki/killed", "shards", 1),
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
    return Judged(target, value, "met" if target.kept(value) else "MISSED")


def measure(target: Target, result: Result, row: Row) -> float | None:
    """The one number that the target is about: always a median over the rounds."""
    if target.kind == "ratio":
        ratio = result.ratio(row)
        return ratio if ratio else None
    if target.kind == "fastest":
        others = [other for other in result.rows if other.library != OURS and other.measured]
        ratios = [ratio for other in others if (ratio := row.ratio_to(other))]
        return min(ratios) if ratios else None
    if target.kind == "memory":
        other = result.row(result.reference)
        return median(row.peak) / median(other.peak) if other and other.peak else None
    if target.kind == "megabytes":
        return median(row.peak) / 1e6 if row.peak else None
    if target.kind == "shards":
        return max(row.parts.get("repeated", []), default=None)
    of = {
        "doubling": row.doubling,
        "threads": row.scaling,
        "share": row.share,
        "counting": row.against("as an array"),
        "level": row.against("not forced"),
    }
    if target.kind in of:
        found = of[target.kind]
        return found if found else None
    if target.kind == "speed":  # of n and of 2n, the slower
        rates = [row.size / median(row.wall)]
        if twice := row.parts.get("twice"):
            rates.append(2 * row.size / median(twice))
        return min(rates) / 1e6
    if target.kind == "nanoseconds":
        return median(row.wall) / row.size * 1e9
    return median(row.wall) * (1e6 if target.kind == "microseconds" else 1e3)
