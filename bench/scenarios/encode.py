"""One text by every library: a large one again or for the first time, a short one, a hostile one.

encode/cl100k/en/warm       one large text again, ids as an array
encode/cl100k/en/fresh      one large text for the first time
short/cl100k/hello-world    many calls on short text, ids as a list
hostile/cl100k/a            text without a place to cut, n and 2n bytes, by subword alone
"""

from __future__ import annotations

from functools import partial

from libraries import OURS
from libraries.encoders import Ids
from measure import corpora
from measure.corpora import Vocab
from measure.results import Result, first_difference
from measure.timing import Timed, rotated, timed, timed_loop
from scenarios.common import (
    Bench,
    Contender,
    check,
    fast_enough,
    finished,
    in_turns,
    load_all,
    reported,
)


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


def warm(
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
    works = {}
    for contender in contenders:
        given = answers.given(contender)
        contender.row.size = len(given)
        if contender.loaded is not None:
            works[contender.row.library] = partial(contender.loaded.to_array, given.decode())
    in_turns(bench, contenders, rounds, works, answers.check)
    return finished(path, contenders, answers.name)


def fresh(
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


def hostile(bench: Bench, path: str, kind: str) -> Result:
    """Seconds for n and for 2n bytes of text without a place to cut, by subword alone.

    The question is how our own time grows, so the others are not timed; tiktoken gives the ids of
    both texts. Every time is that of a new tokenizer, which has encoded "hello world" before.
    """
    vocab = bench.vocab("cl100k")
    size = bench.settings.hostile_bytes
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
