"""What is measured: a table of paths, each with the function that measures it.

    encode/cl100k/en/warm       one large text again, ids as an array
    encode/cl100k/en/fresh      one large text for the first time
    encode/*/en/lists           ids as a list, and counts and decoding: in `outputs`
    batch/*, simd/*             many documents, and less of the processor: in `batches`
    short/cl100k/hello-world    many calls on short text, ids as a list
    load/o200k/new-process      a vocabulary file into a tokenizer
    hostile/cl100k/a            text without a place to cut, n and 2n
    train/*, count/*            in `training`
    wordpiece/*                 in `wordpiece`

Every scenario goes the same way:

    load every library; one that cannot is a row that says why
    compare each library's ids with tiktoken's; one that differs is not timed
    for each round: for each library, starting one later each time: time it once

INVARIANT: a library is timed only on text for which its ids were compared with tiktoken's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import corpora
from corpora import Vocab
from library import OURS
from peers import ADAPTERS, REFERENCE, Adapter, Ids, Loaded, reference
from results import Result, Row, first_difference
from timing import Timed, rotated, timed, timed_loop, timed_repeats
from trainers import Trainer
from wordpiece_peers import Peer


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
    text_bytes: int | None = None
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


class Answers:
    """The right ids for a text and for the shorter head of it that a slow library is given."""

    def __init__(self, reference: Contender, content: bytes) -> None:
        self.name = reference.row.library
        self.reference = reference.ready()
        self.content = content
        self.kept: dict[int, Ids] = {}

    def given(self, contender: Contender) -> bytes:
        return corpora.head(self.content, contender.adapter.at_most)

    def check(self, contender: Contender, found: Ids) -> None:
        content = self.given(contender)
        if len(content) not in self.kept:
            self.kept[len(content)] = self.reference.to_array(content.decode())
        check(contender.row, found, self.kept[len(content)], self.name)


def encode_warm(
    bench: Bench, path: str, name: str, vocab_name: str = "cl100k", rounds: int | None = None
) -> Result:
    """The same text again: the second and later encodes of a `str` that every library has seen.

    With ``rounds`` it is one of the further paths, which are measured less.
    """
    contenders = load_all(bench, bench.vocab(vocab_name))
    if rounds is None:
        rounds = bench.settings.warm_rounds
    else:
        contenders, rounds = fast_enough(contenders), min(rounds, bench.settings.further_rounds)
    content = corpora.text(bench.data, name, bench.settings.text_bytes)
    answers = Answers(contenders[0], content)
    texts: dict[str, str] = {}
    for contender in contenders:
        given = answers.given(contender)
        texts[contender.row.library] = given.decode()
        contender.row.size = len(given)
        if contender.row.status == "timed":
            with reported(contender.row):
                answers.check(contender, contender.ready().to_array(given.decode()))
    for number in range(rounds):
        for contender in rotated(contenders, number):
            if not contender.takes_part(number):
                continue
            with reported(contender.row):
                run = timed_repeats(
                    contender.ready().to_array,
                    texts[contender.row.library],
                    seconds=bench.settings.repeat_seconds,
                    limit=10,
                )
                contender.row.add(number, run)
                answers.check(contender, run.answer)
    return finished(path, contenders, answers.name)


def encode_fresh(
    bench: Bench, path: str, name: str, vocab_name: str = "cl100k", rounds: int | None = None
) -> Result:
    """Text never seen: a new tokenizer that has encoded the other half, then this half once.

    Each call gets a `str` of its own, because the first library to ask a `str` for its UTF-8 pays
    for making it, and the next would find it there.
    """
    vocab = bench.vocab(vocab_name)
    contenders = load_all(bench, vocab)
    if rounds is None:
        rounds = bench.settings.fresh_rounds
    else:
        contenders, rounds = fast_enough(contenders), min(rounds, bench.settings.further_rounds)
    content = corpora.text(bench.data, name, bench.settings.text_bytes)
    before, after = corpora.halves(content)
    answers = Answers(contenders[0], after)
    for contender in contenders:
        contender.row.size = len(answers.given(contender))
        if contender.row.status == "timed":
            with reported(contender.row):
                found = contender.ready().to_array(answers.given(contender).decode())
                answers.check(contender, found)
        contender.loaded = None
    for number in range(rounds):
        for contender in rotated(contenders, number):
            if not contender.takes_part(number):
                continue
            with reported(contender.row):
                loaded = contender.adapter.load(vocab)
                loaded.to_array(corpora.head(before, contender.adapter.at_most).decode())
                run = timed(loaded.to_array, answers.given(contender).decode())
                contender.row.add(number, run)
                answers.check(contender, run.answer)
                del loaded
    return finished(path, contenders, answers.name)


def short(bench: Bench, path: str, texts: list[str]) -> Result:
    """Seconds per call, ids as a list: the same texts again, in loops of a few milliseconds."""
    contenders = load_all(bench, bench.vocab("cl100k"))
    expected = [contenders[0].ready().to_list(text) for text in texts]
    loops: dict[str, list[str]] = {}
    for contender in contenders:
        if contender.row.status != "timed":
            continue
        with reported(contender.row):
            to_list = contender.ready().to_list
            found = [to_list(text) for text in texts]
            wrong = next((i for i, ids in enumerate(found) if ids != expected[i]), None)
            if wrong is not None:
                difference = first_difference(found[wrong], expected[wrong])
                contender.row.fail("ids differ", f"{texts[wrong]!r:.40}: {difference}")
                continue
            once = timed_loop(to_list, texts).wall * len(texts)
            repeats = max(1, min(10_000, int(bench.settings.short_seconds / once)))
            loops[contender.row.library] = texts * repeats
    for number in range(bench.settings.short_rounds):
        for contender in rotated(contenders, number):
            if contender.row.status == "timed":
                with reported(contender.row):
                    loop = loops[contender.row.library]
                    contender.row.add(number, timed_loop(contender.ready().to_list, loop))
    return finished(path, contenders)


def hello_world(bench: Bench, path: str) -> Result:
    return short(bench, path, ["hello world"])


def hundred_characters(bench: Bench, path: str) -> Result:
    return short(bench, path, [corpora.SENTENCE])


def thousand_lines(bench: Bench, path: str) -> Result:
    """1,000 different strings in turn: nothing to gain from remembering a whole text."""
    return short(bench, path, corpora.lines_of_100_characters(corpora.text(bench.data, "en"), 1000))


def hostile(bench: Bench, path: str, kind: str, at_most: int | None = None) -> Result:
    """Seconds for n and for 2n bytes of text without a place to cut, by subword alone.

    The question is how our own time grows, so the others are not timed; tiktoken gives the ids of
    both texts. Every time is that of a new tokenizer, which has encoded "hello world" before.
    """
    vocab = bench.vocab("cl100k")
    size = min(bench.settings.hostile_bytes, at_most or bench.settings.hostile_bytes)
    once, twice = (corpora.hostile(kind, n) for n in (size, 2 * size))
    contenders = load_all(bench, vocab, only=OURS)
    reference = contenders[0].ready()
    ours = [contender for contender in contenders if contender.row.library == OURS]
    for contender in ours:
        row = contender.row
        row.size = len(once.encode())
        if row.status != "timed":
            continue
        expected = reference.to_array(once), reference.to_array(twice)
        with reported(row):
            for text, ids in zip((once, twice), expected, strict=True):
                check(row, contender.ready().to_array(text), ids)
        for number in range(bench.settings.hostile_rounds):
            if row.status == "timed":
                with reported(row):
                    run = first_encode(contender, vocab, once)
                    double = first_encode(contender, vocab, twice)
                    row.add(number, run, twice=double.wall)
                    check(row, run.answer, expected[0])
                    check(row, double.answer, expected[1])
    return finished(path, ours)


def first_encode(contender: Contender, vocab: Vocab, text: str) -> Timed[Ids]:
    """A new tokenizer's first encode of the text."""
    loaded = contender.adapter.load(vocab)
    loaded.to_array("hello world")
    return timed(loaded.to_array, text)
