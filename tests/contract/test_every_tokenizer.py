"""What every tokenizer promises, whatever it is made of: one battery for all kinds."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import pytest
import subword._identity
import subword._stream
from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from subword import Tokenizer
from subword._core import split
from subword._types import Special
from subword.reference import merge_by_list, merge_by_rank

from tests.support.small import MAKERS, NORMALISED, large_text, tokenizer_named
from tests.support.strategies import any_bytes, texts

ALL = list(MAKERS)
EXACT = [name for name in MAKERS if name not in NORMALISED]


def each(names: list[str]) -> Iterator[Tokenizer]:
    """Each of the tokenizers; the last name that a failure notes is the one that failed."""
    for name in names:
        note(name)
        yield tokenizer_named(name)


@pytest.fixture(scope="module", params=ALL)
def tok(request: pytest.FixtureRequest) -> Tokenizer:
    return tokenizer_named(request.param)


def choices(tok: Tokenizer) -> list[Special]:
    """All meanings of special tokens that give ids for any text."""
    return ["text", "encode", set(list(tok.special_tokens)[:1])]


# text


@given(data=any_bytes)
def test_any_bytes_come_back(data: bytes) -> None:
    for tok in each(EXACT):
        assert tok.decode_bytes(tok.encode(data)) == data


@given(text=texts)
def test_any_text_comes_back(text: str) -> None:
    for tok in each(EXACT):
        assert tok.decode(tok.encode(text)) == text
        assert tok.encode(text) == tok.encode(text.encode())


@pytest.mark.parametrize("name", NORMALISED)
@given(data=any_bytes)
def test_normalised_text_comes_back(name: str, data: bytes) -> None:
    tok = tokenizer_named(name)
    ids = tok.encode(data)
    assert tok.encode(tok.decode_bytes(ids)) == ids


@given(data=any_bytes)
def test_merging_is_what_the_reference_says(data: bytes) -> None:
    for name in ["ranks, cl100k", "ranks, regex", "ranks, sequence", "ranks, none", "ranks, holes"]:
        tok = tokenizer_named(name)
        special = tok.special_tokens.values()
        ranks = {token: id for id, token in tok.vocab.items() if id not in special}
        pieces = split(data, tok.pattern)
        assert b"".join(pieces) == data
        tokens = [token for piece in pieces for token in merge_by_rank(piece, ranks)]
        assert tok.encode(data) == [ranks[token] for token in tokens]
    for name in ["merges", "merges, other ids", "merges, several for one token"]:
        tok = tokenizer_named(name)
        pairs = {pair: rank for rank, pair in enumerate(tok.merges)}
        pieces = split(data, tok.pattern)
        tokens = [token for piece in pieces for token in merge_by_list(piece, pairs)]
        assert [tok.token_bytes(id) for id in tok.encode(data)] == tokens


# one answer, many calls


@given(data=any_bytes)
def test_all_calls_give_the_same_ids(data: bytes) -> None:
    for tok in each(ALL):
        for special in choices(tok):
            ids = tok.encode(data, special=special)
            array = tok.encode_array(data, special=special)
            assert (array.tolist(), array.dtype.name, array.ndim) == (ids, "uint32", 1)
            assert tok.encode_batch([data, b"", data], special=special) == [ids, [], ids]
            flat, ends = tok.encode_batch_arrays([data, b"", data], special=special)
            assert (flat.tolist(), flat.dtype.name) == (ids + ids, "uint32")
            n = len(ids)
            assert (ends.tolist(), ends.dtype.name) == ([0, n, n, 2 * n], "uint64")
            assert tok.encode_offsets(data, special=special)[0] == ids
            assert tok.count(data, special=special) == n
            assert tok.count_batch([data, b"", data], special=special) == [n, 0, n]


@given(data=any_bytes, places=st.lists(st.integers(0, 400)), held=st.integers(1, 60))
@example(data="'sa각각".encode(), places=[4, 5, 7, 8], held=1)
@example(data="zo\u0301w".encode(), places=[2], held=1)
@example(data=("-" + "e\u0301" * 4).encode(), places=[11], held=1)
@settings(max_examples=300)
def test_a_stream_of_any_parts_gives_the_ids_of_the_whole(
    data: bytes, places: list[int], held: int
) -> None:
    for tok in each(ALL):
        cuts = sorted({0, len(data), *(place for place in places if place < len(data))})
        parts = [data[start:end] for start, end in pairwise(cuts)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(subword._stream, "STREAM_BYTES", held)
            for special in choices(tok):
                assert list(tok.encode_iter(parts, special=special)) == tok.encode(
                    data, special=special
                )


def test_a_long_stream_gives_the_ids_of_the_whole(tok: Tokenizer) -> None:
    text = large_text()[:200_000]
    lines = text.splitlines(keepends=True)
    assert list(tok.encode_iter(lines, special="encode")) == tok.encode(text, special="encode")
    assert list(tok.encode_iter(iter(text))) == tok.encode(text)
    assert list(tok.encode_iter([])) == []


@given(data=any_bytes)
def test_counts_stop_at_a_limit(data: bytes) -> None:
    for tok in each(ALL):
        n = len(tok.encode(data))
        for limit in [0, 1, n - 1, n, n + 1, 2**40, 2**70]:
            if limit >= 0:
                assert tok.count(data, limit=limit) == (n if n <= limit else None)


# offsets


@given(data=any_bytes)
def test_byte_offsets_are_the_bytes_of_the_tokens(data: bytes) -> None:
    for tok in each(EXACT):
        ids, places = tok.encode_offsets(data, unit="bytes")
        assert [data[start:end] for start, end in places] == [tok.token_bytes(id) for id in ids]
        assert [start for start, _ in places] == [0, *(end for _, end in places)][: len(ids)]
        assert sum(end - start for start, end in places) == len(data)


@given(text=texts)
def test_character_offsets_are_the_characters_that_a_token_touches(text: str) -> None:
    for tok in each(EXACT):
        character_of = [i for i, c in enumerate(text) for _ in c.encode()]
        _, in_bytes = tok.encode_offsets(text, unit="bytes", special="encode")
        _, in_chars = tok.encode_offsets(text, special="encode")
        assert in_chars == [
            (character_of[start], character_of[end - 1] + 1) for start, end in in_bytes
        ]


@given(text=texts)
def test_offsets_cover_the_text_without_a_gap(text: str) -> None:
    """Also where a special token takes white space with it."""
    for tok in each(EXACT):
        for special in choices(tok):
            _, places = tok.encode_offsets(text, special=special)
            reached = 0
            for start, end in places:
                assert start <= reached
                reached = max(reached, end)
            assert reached == len(text)
            assert [start for start, _ in places] == sorted(start for start, _ in places)


@given(text=texts)
def test_offsets_of_normalised_text_leave_out_what_was_composed(text: str) -> None:
    """A token comes from the first of the characters that became one; places never go back."""
    for tok in each(NORMALISED):
        for special in choices(tok):
            _, places = tok.encode_offsets(text, special=special)
            assert places == sorted(places)
            inside = {at for start, end in places for at in range(start, end)}
            gaps = "".join(c for at, c in enumerate(text) if at not in inside)
            korean = range(0x1161, 0x1200)  # the second and third letter of a syllable
            assert all(unicodedata.category(c)[0] == "M" or ord(c) in korean for c in gaps)


def test_offsets_of_bytes_that_are_no_text_count_each_byte() -> None:
    tok = tokenizer_named("ranks, bytes only")
    assert tok.encode_offsets("é".encode() + b"\xff\xe4\xbd!")[1] == [
        *[(0, 1), (0, 1)],
        *[(1, 2), (2, 3), (3, 4), (4, 5)],
    ]


# threads and caches


@pytest.mark.parametrize("special", ["text", "encode"])
def test_the_number_of_threads_changes_nothing(tok: Tokenizer, special: Special) -> None:
    text = large_text()
    assert len(text.encode()) > 600_000
    ids = tok.encode(text, special=special, threads=1)
    batch = [text[i : i + 50_000] for i in range(0, len(text), 50_000)]
    lists = tok.encode_batch(batch, special=special, threads=1)
    for threads in [2, 3, 4, None]:
        assert tok.encode(text, special=special, threads=threads) == ids
        assert tok.encode_array(text, special=special, threads=threads).tolist() == ids
        assert tok.count(text, special=special, threads=threads) == len(ids)
        for limit in [len(ids) - 1, len(ids), 10]:
            wanted = len(ids) if len(ids) <= limit else None
            assert tok.count(text, special=special, threads=threads, limit=limit) == wanted
        assert tok.encode_batch(batch, special=special, threads=threads) == lists
        counts = [len(ids) for ids in lists]
        assert tok.count_batch(batch, special=special, threads=threads) == counts


@pytest.mark.parametrize("cache_bytes", [0, 1, 1000, 100_000])
@pytest.mark.parametrize("name", ["ranks, cl100k", "merges", "merges, whole pieces", "nfc"])
def test_the_size_of_the_cache_changes_nothing(name: str, cache_bytes: int) -> None:
    tok = tokenizer_named(name)
    small = subword._identity._restore(Tokenizer, tok.to_bytes(), cache_bytes)
    assert small._cache_bytes == cache_bytes
    text = large_text()[:300_000]
    ids = tok.encode(text)
    for _ in range(2):
        assert small.encode(text) == ids


def test_threads_start_at_one() -> None:
    tok = tokenizer_named("merges")
    for threads in [0, -1]:
        with pytest.raises(ValueError, match="threads") as caught:
            tok.encode("low", threads=threads)
        assert str(caught.value) == f"threads must be at least 1, not {threads}"
    assert tok.encode("low", threads=10**6) == tok.encode("low")
