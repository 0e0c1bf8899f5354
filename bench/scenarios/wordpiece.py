"""WordPiece: bert-base-uncased's whole pipeline, from lines of text to flat ids.

    wordpiece/en/warm         the lines of a text again
    wordpiece/en/fresh        the same lines, by a tokenizer that has just been loaded
    wordpiece/en/linear       warm, by the encoder that is linear whatever the vocabulary
    wordpiece/en/threads      warm, one thread and two
    wordpiece/hello-world     "Hello, world!" as a list
    wordpiece/load            tokenizer.json into a tokenizer, and the memory that it takes
    wordpiece/hostile/a       1 MB and 2 MB of text that gives nothing to cut at
    wordpiece/train/count     a file in, 30,522 tokens out, by either score

A library is timed only on lines for which its ids and its offsets were compared with those of
tokenizers; what was timed is compared too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from libraries import OURS
from libraries.wordpiece import PEERS, REFERENCE, Flat, Loaded, Subword
from measure import corpora
from measure.results import Result, Row
from measure.timing import Timed, rotated, timed, timed_loop, timed_repeats
from scenarios.common import Bench, reported
from scenarios.training import corpus_file
from scenarios.wordpiece_process import ask

TEXTS = ("en", "ru", "zh", "multi")
HELLO = "Hello, world!"

#: Text without a place to cut: a function from a number of bytes to the text, by name.
HOSTILE: dict[str, Callable[[int], str]] = {
    "word": lambda size: "".join(random.Random(0).choices("etaoinshrdlu", k=size)),
    "a": lambda size: "a" * size,
    "han": lambda size: "你" * (size // 3),
    "hangul": lambda size: "한" * (size // 3),
    "hash": lambda size: "#" * size,
    "accents": lambda size: "\u0301" * (size // 2),
    "brackets": lambda size: "(ab)" * (size // 4),
    "spaces": lambda size: " " * size,
}
HOSTILE_BYTES = 1_000_000

VOCAB_SIZE = 30_522


def vocab(bench: Bench) -> Path:
    return corpora.existing(bench.data / "vocabs" / "bert-base-uncased" / "tokenizer.json")


def lines(bench: Bench, name: str, at_most: int | None = None) -> list[str]:
    """The lines of a text, or the first of them. Every call makes new strings."""
    content = corpora.head(bench.text(name), at_most)
    return content.decode().removesuffix("\n").split("\n")


@cache
def expected(path: Path, name: str, content: tuple[str, ...]) -> Flat:
    """The ids of the reference, which takes some seconds for a text. ``name`` tells it apart."""
    loaded = PEERS[REFERENCE].load(path)
    return loaded.flat(loaded.encode([*content]))


class Answers:
    """What the reference says about a text, and about the head of it that a slow library gets."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench, self.name = bench, name
        self.flat = expected(vocab(bench), name, tuple(lines(bench, name)))

    def check(self, row: Row, found: Flat) -> None:
        """Compare; a library that differs is not timed any more."""
        (ids, ends), (right, right_ends) = found, self.flat
        documents = len(ends) - 1
        if not np.array_equal(ids, right[: right_ends[documents]]):
            row.fail("ids differ", f"from those of {REFERENCE}")
        elif not np.array_equal(ends, right_ends[: documents + 1]):
            row.fail("ids differ", f"lines end elsewhere than in {REFERENCE}")


def contenders(bench: Bench) -> dict[str, Row]:
    """A row for each library that is wanted; one that is not installed says so."""
    rows = {}
    for name, peer in PEERS.items():
        if name in bench.wordpiece:
            rows[name] = Row(name)
            if peer.version() is None:
                rows[name].fail("absent", "not installed")
    return rows


def batch_warm(bench: Bench, path: str, name: str) -> Result:
    """The same lines again, by every library."""
    rows, answers = contenders(bench), Answers(bench, name)
    loaded: dict[str, Loaded] = {}
    texts: dict[str, list[str]] = {}
    for row in timed_rows(rows):
        with reported(row):
            texts[row.library] = given(row, bench, name)
            loaded[row.library] = PEERS[row.library].load(vocab(bench))
            encode, flat = loaded[row.library].encode, loaded[row.library].flat
            answers.check(row, flat(encode(texts[row.library])))
    for number in range(bench.settings.warm_rounds):
        for row in rotated(timed_rows(rows), number):
            if takes_part(row, number):
                with reported(row):
                    one = loaded[row.library]
                    seconds = bench.settings.repeat_seconds
                    run = timed_repeats(one.encode, texts[row.library], seconds=seconds, limit=10)
                    row.add(number, run)
                    answers.check(row, one.flat(run.answer))
    return Result(path, [*rows.values()], REFERENCE)


def batch_fresh(bench: Bench, path: str, name: str) -> Result:
    """Lines never seen, by a tokenizer that has just been loaded."""
    rows, answers = contenders(bench), Answers(bench, name)
    for number in range(bench.settings.fresh_rounds):
        for row in rotated(timed_rows(rows), number):
            if takes_part(row, number):
                with reported(row):
                    texts = given(row, bench, name)
                    loaded = PEERS[row.library].load(vocab(bench))
                    run = timed(loaded.encode, texts)
                    row.add(number, run)
                    answers.check(row, loaded.flat(run.answer))
                    del loaded
    return Result(path, [*rows.values()], REFERENCE)


def linear(bench: Bench, path: str) -> Result:
    """The encoder that is linear whatever the vocabulary, beside the reference."""
    rows = {name: row for name, row in contenders(bench).items() if name in (OURS, REFERENCE)}
    answers = Answers(bench, "en")
    loaded = {REFERENCE: PEERS[REFERENCE].load(vocab(bench))}
    with reported(rows[OURS]):
        loaded[OURS] = Subword().load(vocab(bench), linear_time=True)
    for number in range(PEERS[REFERENCE].rounds or 1):
        for row in rotated(timed_rows(rows), number):
            with reported(row):
                run = timed(loaded[row.library].encode, given(row, bench, "en"))
                row.add(number, run)
                answers.check(row, loaded[row.library].flat(run.answer))
    return Result(path, [*rows.values()], REFERENCE)


def threads(bench: Bench, path: str) -> Result:
    """Warm, by subword alone: one thread, then two."""
    row, answers = Row(OURS), Answers(bench, "en")
    texts = given(row, bench, "en")
    with reported(row):
        one, two = (Subword().load(vocab(bench), threads=number) for number in (1, 2))
        for loaded in (one, two):
            answers.check(row, loaded.flat(loaded.encode(texts)))
        for number in range(bench.settings.warm_rounds if row.status == "timed" else 0):
            runs = [
                timed_repeats(loaded.encode, texts, seconds=bench.settings.repeat_seconds, limit=10)
                for loaded in (one, two)
            ]
            row.add(number, runs[0], None, **{"two threads": runs[1].wall})
    return Result(path, [row], REFERENCE)


def hello_world(bench: Bench, path: str) -> Result:
    """Seconds per call, ids as a list."""
    rows = contenders(bench)
    loaded: dict[str, Loaded] = {}
    loops: dict[str, list[str]] = {}
    right = PEERS[REFERENCE].load(vocab(bench)).to_list(HELLO)
    for row in timed_rows(rows):
        with reported(row):
            loaded[row.library] = PEERS[row.library].load(vocab(bench))
            if loaded[row.library].to_list(HELLO) != right:
                row.fail("ids differ", f"from those of {REFERENCE}")
            once = timed_loop(loaded[row.library].to_list, [HELLO] * 100).wall
            loops[row.library] = [HELLO] * max(1, int(bench.settings.short_seconds / once))
    for number in range(bench.settings.short_rounds):
        for row in rotated(timed_rows(rows), number):
            with reported(row):
                row.add(number, timed_loop(loaded[row.library].to_list, loops[row.library]))
    return Result(path, [*rows.values()], REFERENCE)


def load(bench: Bench, path: str) -> Result:
    """Load once in each of several new processes, and by how much they grow."""
    rows = contenders(bench)
    right = PEERS[REFERENCE].load(vocab(bench)).to_list(HELLO)
    for number in range(bench.settings.load_rounds):
        for row in rotated(timed_rows(rows), number):
            with reported(row):
                answer = ask(what="load", library=row.library, path=vocab(bench))
                if answer["ids"] != right:
                    row.fail("ids differ", f"from those of {REFERENCE}")
                    continue
                run = Timed(None, answer["wall"], answer["cpu"])
                row.add(number, run, answer["bytes"], first=answer["first"])
    return Result(path, [*rows.values()], REFERENCE)


def train(bench: Bench, path: str, score: str) -> Result:
    """Train in new processes, on one core: subword by a score, tokenizers by count.

    The vocabulary of tokenizers is another one in every run, so what is compared is its size; that
    both learn the same where no tie decides is a test.
    """
    rows = {name: row for name, row in contenders(bench).items() if name in (OURS, REFERENCE)}
    with corpus_file(bench, "en") as file:
        for number in range(bench.settings.train_rounds):
            for row in rotated(timed_rows(rows), number):
                with reported(row):
                    settings = {"score": score, "vocab_size": VOCAB_SIZE}
                    answer = ask(what="train", library=row.library, path=file, **settings)
                    if bench.settings.text_bytes is None and answer["tokens"] != VOCAB_SIZE:
                        row.fail("failed", f"{answer['tokens']} tokens, not {VOCAB_SIZE}")
                        continue
                    row.size = file.stat().st_size
                    run = Timed(None, answer["wall"], answer["cpu"])
                    row.add(number, run, answer["bytes"], **answer["phases"])
    return Result(path, [*rows.values()], REFERENCE)


def hostile(bench: Bench, path: str, kind: str) -> Result:
    """Seconds for n and for 2n bytes, of subword alone: the best of three new tokenizers."""
    row = Row(OURS, size=HOSTILE_BYTES)
    texts = [[HOSTILE[kind](n * HOSTILE_BYTES)] for n in (1, 2)]
    right = PEERS[REFERENCE].load(vocab(bench))
    answers = [right.flat(right.encode(text))[0] for text in texts]
    for number in range(bench.settings.hostile_rounds):
        with reported(row):
            runs = []
            for text, ids in zip(texts, answers, strict=True):
                found = [first_encode(vocab(bench), text) for _ in range(3)]
                runs.append(min(found, key=lambda run: run.wall))
                if not all(np.array_equal(run.answer[0], ids) for run in found):
                    row.fail("ids differ", f"from those of {REFERENCE}")
            if row.status == "timed":
                row.add(number, runs[0], twice=runs[1].wall)
    return Result(path, [row], REFERENCE)


def first_encode(path: Path, text: list[str]) -> Timed[Flat]:
    """A new tokenizer's first encode of a long text."""
    loaded = Subword().load(path)
    loaded.to_list(HELLO)
    run = timed(loaded.encode, text)
    return Timed(loaded.flat(run.answer), run.wall, run.cpu)


def given(row: Row, bench: Bench, name: str) -> list[str]:
    """The lines that a library gets; notes their size."""
    texts = lines(bench, name, PEERS[row.library].at_most)
    row.size = sum(len(text.encode()) + 1 for text in texts) - 1
    return texts


def timed_rows(rows: dict[str, Row]) -> list[Row]:
    return [row for row in rows.values() if row.status == "timed"]


def takes_part(row: Row, number: int) -> bool:
    """Whether a library is still timed in this round; the slow ones stop early."""
    limit = PEERS[row.library].rounds
    return row.status == "timed" and (limit is None or number < limit)
