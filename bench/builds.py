#!/usr/bin/env python3
"""Two builds of subword side by side: ``python bench/builds.py OLD NEW``.

OLD and NEW are directories that hold the package ``subword`` with its compiled module, such as
``python/`` of two checkouts after ``make build``. In every round each build gets a new process,
because a process is up to a tenth faster or slower than the next one of the same build for as long
as it lives. Both are asked for the same row, one after the other, in turns who begins. The report
shows the medians of the rounds, the ratio of these, and that of the best rounds: a row is called
slower only where both ratios say so, because a shared machine disturbs one or the other. Answers
are compared by a hash: a build that gives other ids is told as different, not as fast.

    python bench/builds.py ../before/python python --rounds 15
    python bench/builds.py ../before/python python --only 'encode/*'
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from measure import corpora
from measure.timing import timed_repeats

#: A row is slower if the new build takes this much longer.
SLOWER = 1.03

Row = Callable[[], Any]


def rows(data: Path) -> dict[str, Callable[[], Row]]:
    """Every row: what is made ready outside of the clock gives the call that is timed."""
    import subword

    def load(name: str) -> subword.Tokenizer:
        vocab = corpora.vocab(data, name)
        special = vocab.special_tokens if vocab.has_ranks else None
        pattern = name if vocab.has_ranks else None
        return subword.Tokenizer.load(vocab.ranks, pattern=pattern, special_tokens=special)

    def bert() -> subword.Tokenizer:
        return subword.Tokenizer.load(data / "vocabs" / "bert-base-uncased" / "tokenizer.json")

    def text(name: str) -> bytes:
        return corpora.text(data, name)

    def documents(name: str) -> list[str]:
        whole = text(name).decode()
        return [whole[at : at + 2000] for at in range(0, len(whole), 2000)]

    def new_strings(name: str) -> Row:
        """A string that Python has not converted to UTF-8 yet, as a program reads it."""
        tok, whole = load("cl100k"), text(name)
        tok.encode_array(whole, threads=1)
        strings = iter([whole.decode() for _ in range(5)])
        return lambda: tok.encode_array(next(strings), threads=1)

    def warm(make: Callable[[], subword.Tokenizer], name: str) -> Row:
        tok, whole = make(), text(name)
        return lambda: tok.encode_array(whole, threads=1)

    def fresh(make: Callable[[], subword.Tokenizer], name: str) -> Row:
        whole = text(name)
        makers = iter([make() for _ in range(4)])  # a new cache for each call
        return lambda: next(makers).encode_array(whole, threads=1)

    def batch(name: str, threads: int) -> Row:
        tok, texts = load("cl100k"), documents(name)
        return lambda: tok.encode_batch(texts, threads=threads)

    def decode(name: str) -> Row:
        tok = load("cl100k")
        ids = tok.encode_array(text(name))
        return lambda: tok.decode(ids)

    def count(name: str) -> Row:
        tok, whole = load("cl100k"), text(name)
        return lambda: tok.count(whole, threads=1)

    def short() -> Row:
        tok = load("cl100k")
        return lambda: [tok.encode("Hello, world!") for _ in range(20_000)]

    def words() -> Row:
        tok, texts = bert(), documents("en")
        return lambda: tok.encode_batch(texts, threads=1)

    def pieces(name: str) -> Row:
        path = data / "corpora" / corpora.FILES[name]
        return lambda: subword.count_pieces(path, pattern="gpt2", progress=False).total

    def train() -> Row:
        counts = subword.count_pieces(
            data / "corpora" / corpora.FILES["en"], pattern="gpt2", progress=False
        )
        trainer = subword.BpeTrainer(8000, progress=False)
        return lambda: trainer.train_counts(counts).fingerprint

    def to_files() -> Row:
        tok, source = load("cl100k"), data / "corpora" / corpora.FILES["en"]
        folder = Path(tempfile.mkdtemp())

        def written() -> bytes:
            out = folder / "ids.bin"
            with warnings.catch_warnings(action="ignore"):  # a build may lack the newer name
                tok.encode_files(source, out, threads=2, overwrite=True, progress=False)
            return out.read_bytes()

        return written

    found: dict[str, Callable[[], Row]] = {}
    for name in [*corpora.CORPORA, *corpora.SMALLER]:
        for vocab in ("cl100k", "o200k"):
            make = partial(load, vocab)
            found[f"encode/{vocab}/{name}/warm"] = partial(warm, make, name)
            found[f"encode/{vocab}/{name}/fresh"] = partial(fresh, make, name)
    for vocab in ("gpt2", "qwen2"):
        found[f"encode/{vocab}/en/warm"] = partial(warm, partial(load, vocab), "en")
    for name in ("en", "ru"):
        found[f"strings/cl100k/{name}/new"] = partial(new_strings, name)
    for threads in (1, 2):
        found[f"batch/cl100k/en/{threads}"] = partial(batch, "en", threads)
    for name in ("en", "zh"):
        found[f"decode/cl100k/{name}"] = partial(decode, name)
        found[f"count/cl100k/{name}"] = partial(count, name)
        found[f"pieces/{name}"] = partial(pieces, name)
    found["wordpiece/en/warm"] = partial(warm, bert, "en")
    found["wordpiece/multi/warm"] = partial(warm, bert, "multi")
    found["wordpiece/en/fresh"] = partial(fresh, bert, "en")
    found["wordpiece/en/batch"] = words
    found["short/cl100k/hello-world"] = short
    found["load/o200k"] = lambda: lambda: load("o200k").vocab_size
    found["load/bert"] = lambda: lambda: bert().vocab_size
    found["train/en/8000"] = train
    found["files/cl100k/en"] = to_files
    return found


def answer_for_ever(data: Path) -> None:
    """What a process does: read the name of a row, time it, write seconds and a hash."""
    known = rows(data)
    print(json.dumps([*known]), flush=True)
    ready: dict[str, Row] = {}
    for line in sys.stdin:
        name = line.strip()
        once = name.endswith(("/fresh", "/new"))  # what a call is given is used up by it
        if name not in ready or once:
            ready.clear()  # the memory of the row before
            ready[name] = known[name]()
            if not once:
                ready[name]()
        found = timed_repeats(called, ready[name], seconds=0.3, limit=4)
        print(json.dumps([found.wall, digest(found.answer)]), flush=True)


def called(call: Row) -> Any:
    return call()


def digest(answer: Any) -> str:
    """A hash of an answer, whatever it is made of."""
    raw = answer if isinstance(answer, bytes) else getattr(answer, "tobytes", None)
    raw = raw() if callable(raw) else raw
    return hashlib.sha256(raw if raw is not None else repr(answer).encode()).hexdigest()[:16]


class Build:
    """A build in a process of its own."""

    def __init__(self, package: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(package)}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--answer"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names: list[str] = self.read()

    def __enter__(self) -> Build:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"a build ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, name: str) -> tuple[float, str]:
        """Seconds and the hash of the answer."""
        assert self.process.stdin is not None
        print(name, file=self.process.stdin, flush=True)
        seconds, answer = self.read()
        return seconds, answer


def chosen(names: list[str], only: list[str] | None) -> list[str]:
    """The rows that fit one of the patterns; all where there is no pattern."""
    return [n for n in names if not only or any(fnmatchcase(n, pattern) for pattern in only)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=Path, nargs="?")
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", action="append", help="a path or a pattern of paths")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.answer:
        answer_for_ever(corpora.data_directory())
        return
    if args.old is None or args.new is None:
        parser.error("expected OLD and NEW, two directories that hold the package subword")
    found: dict[str, list[tuple[float, float]]] = {}
    different: set[str] = set()
    for number in range(args.rounds):
        with Build(args.old.resolve()) as old, Build(args.new.resolve()) as new:
            for name in chosen(new.names, args.only):
                first, second = (old, new) if number % 2 else (new, old)
                asked = {first: first.ask(name), second: second.ask(name)}
                (old_seconds, was), (new_seconds, now) = asked[old], asked[new]
                found.setdefault(name, []).append((old_seconds, new_seconds))
                if was != now:
                    different.add(name)
    worse = 0
    print(f"{'row':<28}{'old ms':>10}{'new ms':>10}{'old/new':>10}{'best':>8}")
    for name, times in found.items():
        before, after = ([*each] for each in zip(*times, strict=True))
        middle, best = median(before) / median(after), min(before) / min(after)
        slow = max(middle, best) < 1 / SLOWER
        worse += slow or name in different
        print(
            f"{name:<28}{median(before) * 1e3:>10.2f}{median(after) * 1e3:>10.2f}"
            f"{middle:>10.3f}{best:>8.3f}{' SLOWER' if slow else ''}"
            f"{' OTHER ANSWER' if name in different else ''}",
        )
    raise SystemExit(1 if worse else 0)


if __name__ == "__main__":
    main()
