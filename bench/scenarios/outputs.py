"""What else a call on one large text gives: lists of ids, a count, and the bytes back.

    encode/cl100k/en/lists    ids as a list, the same text again
    count/cl100k/en           how many ids, by subword alone, beside its own arrays
    decode/cl100k/en          an array of ids back to bytes

Checked and timed as in `common`: the ids are compared first, with those of the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from libraries import OURS
from measure.results import Result
from measure.timing import Timed, timed_repeats
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

A = TypeVar("A")
R = TypeVar("R")


def lists(bench: Bench, path: str, name: str) -> Result:
    """The same text again, ids as a list, by one thread."""
    contenders = fast_enough(load_all(bench, bench.vocab("cl100k")))
    text = bench.text(name).decode()
    expected = contenders[0].ready().to_array(text)
    works = {}
    for contender in contenders:
        contender.row.size = len(text.encode())
        if contender.loaded is not None:
            works[contender.row.library] = partial(to_list(contender), text)

    def compare(contender: Contender, ids: list[int]) -> None:
        check(contender.row, np.fromiter(ids, np.uint32, len(ids)), expected)

    in_turns(bench, contenders, bench.settings.further_rounds, works, compare)
    return finished(path, contenders)


def to_list(contender: Contender) -> Callable[[str], list[int]]:
    """The call that makes a list of a large text by one thread; ours takes more if it may."""
    loaded = contender.ready()
    return partial(loaded.tokenizer.encode, threads=1) if is_ours(contender) else loaded.to_list


def is_ours(contender: Contender) -> bool:
    return contender.row.library == OURS


def count(bench: Bench, path: str, name: str) -> Result:
    """How many ids the text has, and the same as an array, in turn: by subword alone."""
    contenders = load_all(bench, bench.vocab("cl100k"), only=OURS)
    text = bench.text(name).decode()
    expected = contenders[0].ready().to_array(text)
    (ours,) = filter(is_ours, contenders)
    ours.row.size = len(text.encode())
    with reported(ours.row):
        check(ours.row, ours.ready().to_array(text), expected)
        for number in range(bench.settings.further_rounds if ours.row.status == "timed" else 0):
            counted = repeated(bench, lambda text: how_many(ours, text), text)
            array = repeated(bench, ours.ready().to_array, text)
            ours.row.add(number, counted, None, **{"as an array": array.wall})
            if counted.answer != len(expected):
                ours.row.fail("ids differ", f"{counted.answer} counted, {len(expected)} are right")
                break
    return finished(path, [ours])


def how_many(contender: Contender, text: str) -> int:
    found: int = contender.ready().tokenizer.count(text, threads=1)
    return found


def decode(bench: Bench, path: str, name: str) -> Result:
    """An array of ids back to the bytes of the text, or to text where a library knows no bytes."""
    contenders = fast_enough(load_all(bench, bench.vocab("cl100k")))
    content = bench.text(name)
    ids = contenders[0].ready().to_array(content.decode())
    works = {}
    for contender in contenders:
        contender.row.size = len(content)
        if contender.loaded is not None:
            works[contender.row.library] = partial(contender.loaded.to_bytes, ids)

    def compare(contender: Contender, found: bytes | str) -> None:
        decoded = found.encode() if isinstance(found, str) else found
        if decoded != content:
            contender.row.fail("ids differ", "decoded, they are not the text")

    in_turns(bench, contenders, bench.settings.further_rounds, works, compare)
    return finished(path, contenders)


def repeated(bench: Bench, call: Callable[[A], R], argument: A) -> Timed[R]:
    return timed_repeats(call, argument, seconds=bench.settings.repeat_seconds, limit=10)
