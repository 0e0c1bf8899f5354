"""One text by every library: a large one again or for the first time, a short one, a hostile one.

encode/cl100k/en/warm       one large text again, ids as an array
encode/cl100k/en/fresh      one large text for the first time
fresh/cl100k/en/3MB         the same after 3 MB of its kind, by a tokenizer that is young
chunks/cl100k/en/4KiB       a chunk of 4 KiB, by a tokenizer that has seen no text of its kind
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
    content = bench.text(name)
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
    """Text never seen: a new tokenizer that has encoded the other half, then this half once."""
    contenders = load_all(bench, bench.vocab(vocab_name))
    if rounds is None:
        rounds = bench.settings.fresh_rounds
    else:
        contenders, rounds = fast_enough(contenders), min(rounds, bench.settings.further_rounds)
    before, after = corpora.halves(bench.text(name))
    return first_time(bench, path, contenders, before, [after], rounds)


#: How much text is encoded by a young tokenizer.
YOUNG_BYTES = 3_000_000


def young(bench: Bench, path: str, name: str, seen: int) -> Result:
    """The next 3 MB for a new tokenizer that has encoded ``seen`` bytes of the same kind."""
    content = bench.text(name, seen + YOUNG_BYTES)
    before = corpora.head(content, seen * len(content) // (seen + YOUNG_BYTES))
    contenders = fast_enough(load_all(bench, bench.vocab("cl100k")))
    rounds, after = bench.settings.fresh_rounds, content[len(before) :]
    return first_time(bench, path, contenders, before, [after], rounds)


CHUNK_BYTES = 4096


def chunk(bench: Bench, path: str, name: str, vocab_name: str) -> Result:
    """4 KiB for a new tokenizer that has encoded two words, so that what waits for a call is made.

    Every round has another chunk, which each library gets.
    """
    content = bench.text(name)
    rounds = bench.settings.fresh_rounds
    starts = [corpora.line_start(content, n * len(content) // rounds) for n in range(rounds)]
    chunks = [corpora.head(content[start:], CHUNK_BYTES) for start in starts]
    contenders = fast_enough(load_all(bench, bench.vocab(vocab_name)))
    return first_time(bench, path, contenders, b"hello world", chunks, rounds)


def first_time(
    bench: Bench,
    path: str,
    contenders: list[Contender],
    before: bytes,
    texts: list[bytes],
    rounds: int,
) -> Result:
    """A text for the first time, by a new tokenizer that has encoded the text ``before``.

    Each call gets a `str` of its own, because the first library to ask a `str` for its UTF-8 pays
    for making it, and the next would find it there.
    """
    answers = [Answers(contenders[0], text) for text in texts]
    for contender in contenders:
        contender.row.size = len(answers[0].given(contender))
        if contender.row.status == "timed":
            with reported(contender.row):
                found = contender.ready().to_array(answers[0].given(contender).decode())
                answers[0].check(contender, found)
        contender.loaded = None
    vocab = bench.vocab(path.split("/")[1])
    for number in range(rounds):
        answer = answers[number % len(answers)]
        for contender in rotated(contenders, number):
            if not contender.takes_part(number):
                continue
            with reported(contender.row):
                loaded = contender.adapter.load(vocab)
                loaded.to_array(corpora.head(before, contender.adapter.at_most).decode())
                run = timed(loaded.to_array, answer.given(contender).decode())
                contender.row.add(number, run)
                answer.check(contender, run.answer)
                del loaded
    return finished(path, contenders, answers[0].name)


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
    return short(bench, path, corpora.lines_of_100_characters(bench.text("en"), 1000))


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
