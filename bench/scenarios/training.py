"""Times training and counting, each run in a process of its own.

    train/en/32k            file in, merges out, one thread: beside the other libraries that train
    count/enwiki/threads    file in, piece counts out: one thread, then two
    count/enwiki/64MB       the same file four times over, in bounded memory

A time enters the table only after the merges of its own run were compared: each library's with
those that subword learns by that library's rule (`trainers.Rule`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from libraries import OURS
from libraries.trainers import REFERENCE, TRAINERS, Job, Merge, Rule, Trainer
from measure import corpora
from measure.results import Result, Row
from measure.timing import Timed, rotated
from scenarios.common import Bench, reported
from scenarios.training_process import counted, in_new_process

#: Corpus and vocabulary size of each training path.
TRAINING = {
    "train/en/32k": ("en", 32_000),
    "train/enwiki/32k": ("enwiki", 32_000),
    "train/code/32k": ("code", 32_000),
    "train/zh/32k": ("zh", 32_000),
    "train/tinystories/10k": ("tinystories", 10_000),
}
MEMORY_LIMIT = 64_000_000
TIMES_OVER = 4

WHOLE = Rule("whole", "gpt2")


def train(bench: Bench, path: str) -> Result:
    """Train every library on the same file, several times."""
    name, vocab_size = TRAINING[path]
    rows = {trainer: Row(trainer) for trainer in bench.trainers}
    with corpus_file(bench, name) as file:
        content = file.read_bytes()
        job = Job(file, vocab_size - 256, len(set(content)))
        answers = Answers(job)
        for row in rows.values():
            row.size = len(content)
            if bench.trainers[row.library].version() is None:
                row.fail("absent", "not installed")
        for number in range(bench.settings.train_rounds):
            for library in rotated(list(rows), number):
                row, trainer = rows[library], bench.trainers[library]
                rounds = bench.settings.train_rounds if trainer.rounds is None else trainer.rounds
                if row.status == "timed" and number < rounds:
                    with reported(row):
                        answer = in_new_process(trainer, job)
                        difference = answers.difference(trainer, answer.merges)
                        if difference:
                            row.fail("merges differ", difference)
                            continue
                        run = Timed(None, answer.wall, answer.cpu)
                        row.add(number, run, answer.peak, **answer.phases)
    return Result(path, list(rows.values()), REFERENCE)


class Answers:
    """The merges that subword learns from a file, by each rule that was asked for."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.kept: dict[Rule, list[Merge]] = {}

    def difference(self, trainer: Trainer, found: list[Merge] | None) -> str | None:
        """Where a library's merges part from ours, in words; None where they do not, or may."""
        rule = WHOLE if trainer.name == OURS else trainer.rule
        if rule is None or found is None:
            return None
        if rule not in self.kept:
            ours = in_new_process(TRAINERS[OURS], replace(self.job, rule=rule))
            self.kept[rule] = ours.merges or []
        return first_difference(found, self.kept[rule])


def first_difference(found: list[Merge], ours: list[Merge]) -> str | None:
    """Where two lists of merges part; a merge that is told as its token is compared as that.

    Example:
        >>> first_difference([(b"a", b"b"), (b"ab", b"c")], [(b"a", b"b"), (b"a", b"bc")])
        'merge 1 is ab+c, subword has a+bc'
        >>> first_difference([(b"ab",)], [(b"a", b"b")])
    """
    for rank, (theirs, mine) in enumerate(zip(found, ours, strict=False)):
        if theirs != (mine if len(theirs) == 2 else (b"".join(mine),)):
            left, right = ("+".join(map(shown, merge)) for merge in (theirs, mine))
            return f"merge {rank} is {left}, {OURS} has {right}"
    if len(found) != len(ours):
        return f"{len(found)} merges, {OURS} has {len(ours)}"
    return None


def shown(token: bytes) -> str:
    return token.decode("utf-8", errors="backslashreplace").replace("|", "\\|")


def count_threads(bench: Bench, path: str) -> Result:
    """Count the pieces of a file with one thread and with two."""
    row = Row(OURS)
    with corpus_file(bench, "enwiki") as file, reported(row):
        row.size = file.stat().st_size
        # A count takes a fifth of a second: more of them cost little, and a median of few is noise.
        for number in range(3 * bench.settings.train_rounds):
            answers = {
                threads: counted(file, threads=threads) for threads in rotated([1, 2], number)
            }
            one, two = answers[1], answers[2]
            if one.fingerprint != two.fingerprint:
                row.fail("failed", "two threads counted something else")
                break
            run = Timed(None, one.wall, one.cpu)
            row.add(number, run, two.peak, **{"two threads": two.wall})
    return Result(path, [row], REFERENCE)


def count_bounded(bench: Bench, path: str) -> Result:
    """Count a file four times over with a limit on memory; the counts must not change."""
    row = Row(OURS)
    with corpus_file(bench, "enwiki") as file, reported(row):
        row.size = TIMES_OVER * file.stat().st_size
        free = counted(file, threads=1, times=TIMES_OVER)
        for number in range(min(3, bench.settings.train_rounds)):
            bound = counted(file, threads=1, times=TIMES_OVER, memory_limit=MEMORY_LIMIT)
            if bound.fingerprint != free.fingerprint:
                row.fail("failed", "with a limit on memory it counted something else")
                break
            run = Timed(None, bound.wall, bound.cpu)
            row.add(number, run, bound.peak, **{"without limit": free.wall})
    return Result(path, [row], REFERENCE)


@contextmanager
def corpus_file(bench: Bench, name: str) -> Iterator[Path]:
    """The file of a corpus; of a quick run, a file with the head of it."""
    whole = corpora.existing(bench.data / "corpora" / corpora.FILES[name])
    if bench.settings.text_bytes is None:
        yield whole
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, whole.name)
        file.write_bytes(corpora.text(bench.data, name, bench.settings.text_bytes))
        yield file
