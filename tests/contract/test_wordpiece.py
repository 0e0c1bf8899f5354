"""What holds for every tokenizer holds for WordPiece: one answer, whatever the call and the cut."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product

import pytest
import subword
import subword._stream
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import Tokenizer
from subword._types import Special, WordEncoder

from tests.support.bert import SMALL
from tests.support.small import large_text
from tests.support.strategies import any_bytes

ENCODERS: list[WordEncoder] = ["fast", "linear"]
CHOICES: list[Special] = ["text", "encode", {"[MASK]"}]


@cache
def made(encoder: WordEncoder, name: str) -> Tokenizer:
    if name == "uncased":
        return Tokenizer.wordpiece(SMALL, linear_time=encoder == "linear")
    if name == "cased":
        return Tokenizer.wordpiece(SMALL, lowercase=False, linear_time=encoder == "linear")
    if name == "whitespace":
        return Tokenizer.wordpiece(SMALL, pattern="whitespace", linear_time=encoder == "linear")
    return Tokenizer.wordpiece(
        SMALL,
        pattern="none",
        lowercase=False,
        clean=False,
        cjk=False,
        max_word_chars=None,
        unknown="char",
        linear_time=encoder == "linear",
    )


NAMES = ["uncased", "cased", "whitespace", "raw"]
ALL = [made(encoder, name) for encoder, name in product(ENCODERS, NAMES)]


@given(data=any_bytes)
def test_the_two_encoders_give_the_same_ids(data: bytes) -> None:
    for name in NAMES:
        fast, linear = (made(encoder, name) for encoder in ENCODERS)
        assert fast.encode_offsets(data) == linear.encode_offsets(data)
        assert fast.encode(data) == linear.encode(data)


@given(data=any_bytes)
def test_all_calls_give_the_same_ids(data: bytes) -> None:
    for tok, special in product(ALL, CHOICES):
        ids = tok.encode(data, special=special)
        n = len(ids)
        assert tok.encode_array(data, special=special).tolist() == ids
        assert tok.encode_batch([data, b"", data], special=special) == [ids, [], ids]
        flat, ends = tok.encode_batch_arrays([data, b"", data], special=special)
        assert (flat.tolist(), ends.tolist()) == (ids + ids, [0, n, n, 2 * n])
        assert (tok.count(data, special=special), tok.count_batch([data])) == (
            n,
            [tok.count(data)],
        )
        found, places = tok.encode_offsets(data, unit="bytes", special=special)
        assert found == ids
        assert all(0 <= start <= end <= len(data) for start, end in places)
        assert places == sorted(places)


@given(data=any_bytes, places=st.lists(st.integers(0, 400)), held=st.integers(1, 60))
@settings(max_examples=60)
def test_a_stream_of_any_parts_gives_the_ids_of_the_whole(
    data: bytes, places: list[int], held: int
) -> None:
    cuts = sorted({0, len(data), *(place for place in places if place < len(data))})
    parts = [data[start:end] for start, end in pairwise(cuts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subword._stream, "STREAM_BYTES", held)
        for tok, special in product(ALL, CHOICES):
            found = list(tok.encode_iter(parts, special=special))
            assert found == tok.encode(data, special=special)


@pytest.mark.parametrize("tok", ALL)
def test_threads_and_the_cache_change_no_id(tok: Tokenizer) -> None:
    text = large_text()
    ids = tok.encode(text, threads=1)
    assert tok.encode(text, threads=3) == ids
    lines = text.split("\n")
    assert tok.encode_batch(lines, threads=3) == tok.encode_batch(lines, threads=1)
    assert tok.encode(text, threads=1) == ids
    assert tok.count(text, threads=3) == len(ids)
