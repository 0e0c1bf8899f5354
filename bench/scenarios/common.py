"""What scenarios share: settings, libraries that take part, comparing before timing, turns.

Every scenario goes the same way:

    load every library; one that cannot is a row that says why
    compare each library's ids with those of the reference; one that differs is not timed
    for each round: for each library, starting one later each time: time it once

INVARIANT: a library is timed only on text for which its ids were compared with the reference's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from libraries import OURS
from libraries.encoders import ADAPTERS, REFERENCE, Adapter, Ids, Loaded, reference
from libraries.trainers import Trainer
from libraries.wordpiece import Peer
from measure import corpora
from measure.corpora import Vocab
from measure.results import Result, Row, first_difference
from measure.timing import rotated, timed_repeats

R = TypeVar("R")


@dataclass(frozen=True)
class Settings:
    """How much is measured. The quick ones show that the benchmark runs, not how fast we are."""

    warm_rounds: int = 11
    fresh_rounds: int = 9
    further_rounds: int = 7
    short_rounds: int = 101
    load_rounds: int = 7
    hostile_rounds: int = 5
    train_rounds: int = 5
    #: How much is drawn from the pool of a text, and read of a file: all of it, if none.
    sample_bytes: int = 6_000_000
    text_bytes: int | None = None
    seed: int = 0
    documents: int = 20_000
    hostile_bytes: int = 5_000_000
    repeat_seconds: float = 0.2
    short_seconds: float = 0.005


QUICK = Settings(
    warm_rounds=3,
    fresh_rounds=2,
    further_rounds=2,
    short_rounds=21,
    load_rounds=2,
    hostile_rounds=2,
    train_rounds=2,
    sample_bytes=1_000_000,
    text_bytes=1_000_000,
    documents=2_000,
    hostile_bytes=500_000,
    repeat_seconds=0.05,
)


@dataclass(frozen=True)
class Bench:
    """The data, the libraries and the settings of one run."""

    data: Path
    adapters: dict[str, Adapter]
    trainers: dict[str, Trainer]
    wordpiece: dict[str, Peer]
    settings: Settings

    def vocab(self, name: str) -> Vocab:
        return corpora.vocab(self.data, name)

    def text(self, name: str, size: int | None = None) -> bytes:
        """A text drawn by the seed of this run; one that the user has named is taken whole."""
        settings = self.settings
        if corpora.is_own(name):
            return corpora.text(self.data, name, settings.text_bytes)
        size = settings.sample_bytes if size is None else size
        return corpora.sample(corpora.text(self.data, name), size, settings.seed)


@dataclass
class Contender:
    """A library that takes part in a scenario, with its row."""

    adapter: Adapter
    row: Row
    loaded: Loaded | None = None

    def ready(self) -> Loaded:
        assert self.loaded is not None, f"{self.row.library} was not loaded"
        return self.loaded

    def takes_part(self, number: int) -> bool:
        """Whether this library is still timed in this round; the slow ones stop early."""
        limit = self.adapter.rounds
        return self.row.status == "timed" and (limit is None or number < limit)


@contextmanager
def reported(row: Row, *, absent: bool = False) -> Iterator[None]:
    """Turn whatever a library raises into its row. Rust panics are no `Exception`s."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        row.fail("absent" if absent else "failed", describe(error))


def describe(error: BaseException) -> str:
    """One line for a table."""
    words = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {words[0]}"[:120].replace("|", "\\|")


def load_all(bench: Bench, vocab: Vocab, only: str | None = None) -> list[Contender]:
    """Every library with the vocabulary in it, the reference first: its ids are the right ones."""
    first = reference(vocab)
    contenders = []
    for name in [first, *(name for name in bench.adapters if name != first)]:
        if only is not None and name not in (only, first):
            continue
        contender = Contender(ADAPTERS[name], Row(name))
        with reported(contender.row, absent=True):
            contender.loaded = contender.adapter.load(vocab)
        contenders.append(contender)
    return contenders


def finished(path: str, contenders: list[Contender], first: str = REFERENCE) -> Result:
    """The rows in the order of the adapters: ours first."""
    rows = sorted((contender.row for contender in contenders), key=lambda row: row.library != OURS)
    return Result(path, rows, first)


def check(row: Row, found: Ids, expected: Ids, first: str = REFERENCE) -> None:
    """Compare with the ids of the reference; a library that differs is not timed any more."""
    difference = first_difference(found, expected, first)
    if difference:
        row.fail("ids differ", difference)


def fast_enough(contenders: list[Contender]) -> list[Contender]:
    """All but the libraries that get less of a text, where these are not the reference.

    The further paths leave them out: what they reach is told by the first ones.
    """
    return [c for c in contenders if c is contenders[0] or c.adapter.at_most is None]


def in_turns(
    bench: Bench,
    contenders: list[Contender],
    rounds: int,
    works: Mapping[str, Callable[[], R]],
    check: Callable[[Contender, R], None],
) -> None:
    """Let each library do its work once and compare the answer; then time it, round by round.

    Every timed answer is compared, too.
    """
    for contender in contenders:
        if contender.row.status == "timed":
            with reported(contender.row):
                check(contender, works[contender.row.library]())
    for number in range(rounds):
        for contender in rotated(contenders, number):
            if contender.takes_part(number):
                with reported(contender.row):
                    run = timed_repeats(
                        called,
                        works[contender.row.library],
                        seconds=bench.settings.repeat_seconds,
                        limit=10,
                    )
                    contender.row.add(number, run)
                    check(contender, run.answer)


def called(work: Callable[[], R]) -> R:
    return work()
