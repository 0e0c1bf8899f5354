"""The ids are those of the real tiktoken, on every published vocabulary and corpus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from subword import Tokenizer

from tests.support.published import (
    CORPORA,
    SPECIAL_TOKENS,
    by_lines,
    corpus,
    recorded,
    sample,
    tiktoken_pair,
)
from tests.support.strategies import code_points, in_context, texts

Pair = tuple[tiktoken.Encoding, Tokenizer]

#: More than this of one corpus is for the slow run.
WHOLE_BYTES = 12_000_000


@pytest.fixture(scope="module", params=list(SPECIAL_TOKENS))
def pair(request: pytest.FixtureRequest) -> Pair:
    return tiktoken_pair(request.param)


def assert_equal_ids(pair: Pair, blocks: list[str], *, threads: int | None = None) -> None:
    """The first difference with the text around it: ids by the million say nothing."""
    real, ours = pair
    got, ends = ours.encode_batch_arrays(blocks, threads=threads)
    for block, (start, end) in zip(blocks, pairwise(ends.tolist()), strict=True):
        wanted = real.encode_to_numpy(block, disallowed_special=())
        if not np.array_equal(wanted, got[start:end]):
            ids = got[start:end].tolist()
            at = next((i for i, (a, b) in enumerate(zip(wanted, ids, strict=False)) if a != b), 0)
            around = real.decode_bytes(wanted[max(at - 5, 0) : at + 5].tolist())
            pytest.fail(f"id {at}: {wanted[at : at + 5]} != {ids[at : at + 5]} near {around!r}")


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_a_whole_corpus_has_the_same_ids(name: str) -> None:
    whole = corpus(name)[:WHOLE_BYTES].decode(errors="ignore")
    assert_equal_ids(tiktoken_pair("cl100k"), [whole])


@pytest.mark.parametrize("name", CORPORA)
def test_parts_of_a_corpus_have_the_same_ids(pair: Pair, name: str) -> None:
    assert_equal_ids(pair, sample(name, parts=8, size=60_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_has_the_same_ids_with_every_vocabulary(pair: Pair, name: str) -> None:
    assert_equal_ids(pair, by_lines(corpus(name), 1_000_000))


@pytest.mark.parametrize("name", ["en_10mb.txt", "zh_10mb.txt", "code_clean_10mb.txt"])
def test_one_text_on_several_threads_has_the_same_ids(pair: Pair, name: str) -> None:
    real, ours = pair
    text = sample(name, parts=1, size=2_000_000)[0]
    wanted = real.encode_to_numpy(text, disallowed_special=())
    assert np.array_equal(ours.encode_array(text, threads=3), wanted)


def test_special_tokens_are_found_in_the_same_places(pair: Pair) -> None:
    real, ours = pair
    text = sample("tinystories_2.4mb.txt", parts=1, size=600_000)[0] + "<|endofprompt|><|endof"
    wanted = real.encode_to_numpy(text, allowed_special="all")
    assert np.array_equal(ours.encode_array(text, special="encode"), wanted)
    some = {"<|endoftext|>"}
    wanted = real.encode_to_numpy(text, allowed_special=some, disallowed_special=())
    assert np.array_equal(ours.encode_array(text, special=some), wanted)


@given(text=texts)
def test_random_text_has_the_same_ids(pair: Pair, text: str) -> None:
    real, ours = pair
    assert ours.encode(text) == real.encode(text, disallowed_special=())
    assert ours.encode(text, special="encode") == real.encode(text, allowed_special="all")


def test_every_character_in_context_has_the_same_ids(pair: Pair) -> None:
    assert_equal_ids(pair, in_context(code_points(every=97)))


@pytest.mark.slow
def test_really_every_character_in_context_has_the_same_ids(pair: Pair) -> None:
    assert_equal_ids(pair, in_context(code_points(every=1)))


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("text", ["small", "mixed", "utf8"])
def test_recorded_ids_come_out_again(name: str, text: str) -> None:
    _, ours = tiktoken_pair(name)
    for line, ids in recorded(text, name):
        assert ours.encode(line, special="encode") == ids
