"""What subword promises, in one table, and whether a run kept it.

`TARGETS` is the only place where a target is written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal

from libraries import OURS, trainers, wordpiece
from libraries.encoders import REFERENCE
from measure.results import Result, Row

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
    "doubling",
    "turns",
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
    "doubling": "2n takes at most {:g} times n",
    "turns": "all turns take at most {:g} times one encoding of the whole",
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
        if self.path.startswith(
            ("wordpiece/", "sentencepiece/", "unigram/", "chain/", "sessions/")
        ):
            return wordpiece.REFERENCE
        if self.path.startswith("transformers/"):
            return "transformers"
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
HOSTILE_WORDPIECE: tuple[tuple[Kind, float], ...] = (("milliseconds", 15), ("doubling", 2.3))

#: What holds for every other hostile text.
HOSTILE: tuple[tuple[Kind, float], ...] = (("doubling", 2.3), ("speed", 5))

TEXTS = ("en", "code", "ru", "zh", "multi")
BATCHES = tuple((size, ids) for size in ("500B", "2kB") for ids in ("arrays", "lists"))

#: Path, times tokenizers, times the fastest other library.
TRAINING = (
    ("en/32k", 12, 1.3),
    ("enwiki/32k", 12, 1.3),
    ("code/32k", 12, 1.3),
    ("zh/32k", 6, 2),
    ("tinystories/10k", 8, 1.3),
)

#: Path and times tokenizers.
WORDPIECE = (
    ("en/fresh", 100),
    ("ru/fresh", 50),
    ("zh/fresh", 70),
    ("multi/fresh", 35),
    ("en/warm", 150),
    ("ru/warm", 70),
    ("zh/warm", 80),
    ("multi/warm", 50),
)

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
    *(
        Target(path, "fastest", 1)
        for path in (
            "fresh/cl100k/enwiki/1MB",
            "fresh/cl100k/enwiki/3MB",
            "fresh/cl100k/enwiki/10MB",
            "fresh/cl100k/code/1MB",
            "fresh/cl100k/code/3MB",
            "chunks/cl100k/en/4KiB",
            "chunks/cl100k/code/4KiB",
            "chunks/o200k/en/4KiB",
            "chunks/o200k/code/4KiB",
            "first-call/o200k/enwiki/4KiB",
            "first-call/o200k/enwiki/3MB",
            "cold/o200k/en/4KiB",
        )
    ),
    Target("short/cl100k/hello-world", "microseconds", 0.4),
    Target("short/cl100k/100-characters", "microseconds", 0.8),
    Target("count/cl100k/en", "counting", 1.2),
    Target("count/cl100k/zh", "counting", 1.2),
    Target("decode/cl100k/en", "fastest", 1.5),
    Target("decode/cl100k/zh", "fastest", 1.5),
    Target("simd/cl100k/en/avx2", "level", 0.6),
    Target("simd/cl100k/en/scalar", "ratio", 6),
    Target("load/o200k/new-process", "milliseconds", 120),
    Target("load/o200k/own-file", "milliseconds", 40),
    *(
        Target(f"hostile/cl100k/{text}", what, bound)
        for text in ("a", "spaces", "newlines", "han", "accents", "base64")
        for what, bound in HOSTILE
    ),
    *(
        target
        for path, ratio, fastest in TRAINING
        for target in (
            Target(f"train/{path}", "ratio", ratio),
            Target(f"train/{path}", "fastest", fastest),
            Target(f"train/{path}", "memory", 1),
        )
    ),
    Target("count/enwiki/threads", "threads", 1.7),
    Target("count/enwiki/64MB", "megabytes", 128),
    *(
        target
        for path, ratio in WORDPIECE
        for target in (
            Target(f"wordpiece/{path}", "ratio", ratio),
            Target(f"wordpiece/{path}", "fastest", 1.3),
        )
    ),
    Target("wordpiece/en/linear", "ratio", 8),
    Target("wordpiece/en/threads", "threads", 1.85),
    Target("wordpiece/hello-world", "microseconds", 0.6),
    Target("wordpiece/load", "milliseconds", 25),
    Target("wordpiece/load", "megabytes", 16),
    *(
        Target(f"wordpiece/hostile/{kind}", what, bound)
        for kind in ("word", "a", "han", "hangul", "hash", "accents", "brackets", "spaces")
        for what, bound in HOSTILE_WORDPIECE
    ),
    Target("sentencepiece/mistral/en/warm", "ratio", 60),
    Target("sentencepiece/mistral/en/warm", "fastest", 3),
    Target("sentencepiece/mistral/en/fresh", "fastest", 2),
    Target("sentencepiece/mistral/zh/warm", "fastest", 2),
    Target("sentencepiece/gemma_4/en/warm", "ratio", 60),
    *(
        Target(f"unigram/xlm-r/{name}/{kind}", "ratio", bound)
        for name, fresh, warm in (
            ("en", 60, 100),
            ("zh", 30, 50),
            ("ru", 30, 50),
            ("multi", 30, 50),
        )
        for kind, bound in (("fresh", fresh), ("warm", warm))
    ),
    Target("unigram/xlm-r/en/fresh", "fastest", 3),
    Target("unigram/xlm-r/en/warm", "fastest", 3),
    Target("chain/nfkc/en/warm", "ratio", 5),
    Target("chain/lowercase/en/warm", "ratio", 5),
    Target("wordpiece/train/count", "ratio", 15),
    Target("wordpiece/train/likelihood", "ratio", 15),
    *(
        Target(f"transformers/{vocab}/{kind}", "ratio", bound)
        for vocab in ("gpt2", "bert-base-uncased", "qwen2_5")
        for kind, bound in (("lists", 20), ("padded", 40))
    ),
    Target("transformers/gpt2/train", "ratio", 15),
    Target("transformers/qwen2_5/train", "ratio", 15),
    *(Target(f"sessions/{vocab}/turns", "turns", 3) for vocab in ("gpt2", "qwen2_5")),
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
    if target.kind == "turns":
        once = row.against("once")
        return 1 / once if once else None
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
    return median(row.wall) * (1e6 if target.kind == "microseconds" else 1e3)
