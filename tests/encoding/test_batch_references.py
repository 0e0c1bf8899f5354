"""A batch holds its texts for as long as it reads them, and no longer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from subword import TextError, Tokenizer

TOK = Tokenizer({i: bytes([i]) for i in range(256)}, [])


def lines() -> list[str]:
    """New strings, enough of them that several threads are worth it."""
    return [f"{number} of many lines, " * 12 for number in range(4000)]


CALLS: list[Callable[..., object]] = [TOK.encode_batch, TOK.encode_batch_arrays, TOK.count_batch]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("last", "error"), [("x", None), (b"x", None), ("\ud800", TextError), (7, TypeError)]
)
def test_no_text_is_held_after_a_call(
    last: Any, error: type[Exception] | None, threads: int
) -> None:
    texts: list[Any] = [*lines(), last]
    before = [sys.getrefcount(text) for text in texts[:-1]]
    for call in CALLS:
        if error is None:
            call(texts, threads=threads)
        else:
            with pytest.raises(error):
                call(texts, threads=threads)
        assert [sys.getrefcount(text) for text in texts[:-1]] == before


@pytest.mark.parametrize("threads", [1, 2])
def test_a_list_that_another_thread_empties_is_encoded_whole_or_not_at_all(threads: int) -> None:
    expected = [list(line.encode()) for line in lines()]
    for _ in range(5):
        texts, together = lines(), Barrier(2)

        def empty(texts: list[str] = texts, together: Barrier = together) -> None:
            together.wait()
            texts.clear()
            texts.extend("#" * 250 for _ in range(100))  # takes the memory of what is gone

        other = Thread(target=empty)
        other.start()
        together.wait()
        found = TOK.encode_batch(texts, threads=threads)
        other.join()
        assert found in (expected, [list(b"#" * 250)] * len(found))
