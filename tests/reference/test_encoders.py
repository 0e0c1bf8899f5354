"""The reference encoders: known answers; they agree with each other and with the engine."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import Tokenizer
from subword.reference import (
    CachedEncoder,
    merge_by_list,
    merge_by_rank,
    merge_with_heap,
    steps,
)

Merges = list[tuple[bytes, bytes]]

LETTERS = (b"a", b"b", b"c")
BYTES = {i: bytes([i]) for i in range(256)}


@st.composite
def merge_lists(draw: st.DrawFn) -> Merges:
    """Pairs of letters and of made tokens, in an order that training would not give."""
    tokens, merges = list(LETTERS), []
    for _ in range(draw(st.integers(0, 10))):
        pair = (draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens)))
        if pair not in merges:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    return draw(st.permutations(merges))


pieces = st.lists(st.sampled_from(LETTERS), max_size=40).map(b"".join)


def by_pair(merges: Merges) -> dict[tuple[bytes, bytes], int]:
    return {pair: rank for rank, pair in enumerate(merges)}


@given(piece=pieces, merges=merge_lists())
def test_the_heap_gives_the_answer_of_the_loop(piece: bytes, merges: Merges) -> None:
    assert merge_with_heap(piece, by_pair(merges)) == merge_by_list(piece, by_pair(merges))


@settings(max_examples=500)
@given(piece=pieces | st.binary(max_size=90), merges=merge_lists())
def test_every_encoder_gives_the_answer_of_the_engine(piece: bytes, merges: Merges) -> None:
    made = sorted({left + right for left, right in merges})
    vocab = BYTES | dict(enumerate(made, start=256))
    tok = Tokenizer(vocab, merges, pattern="none")
    ids = tok.encode(piece)
    tokens = [vocab[id] for id in ids]
    assert tokens == merge_by_list(piece, by_pair(merges))
    assert tokens == merge_with_heap(piece, by_pair(merges))
    assert ids == CachedEncoder(vocab, merges).encode_piece(piece)


@settings(max_examples=500)
@given(
    piece=pieces | st.binary(max_size=90),
    made=st.lists(st.text("abc", min_size=2, max_size=6).map(str.encode), unique=True, max_size=12),
)
def test_ranks_mean_what_they_mean_to_the_engine(piece: bytes, made: list[bytes]) -> None:
    ranks = {token: id for id, token in BYTES.items()} | {t: 256 + i for i, t in enumerate(made)}
    tok = Tokenizer.from_ranks(ranks, pattern="none")
    expected = [piece] if piece in ranks else merge_by_rank(piece, ranks)
    assert [tok.token_bytes(id) for id in tok.encode(piece)] == expected


@given(piece=st.binary(max_size=40), merges=merge_lists())
def test_merging_never_loses_a_byte(piece: bytes, merges: Merges) -> None:
    by_token = {left + right: rank for rank, (left, right) in enumerate(merges)}
    assert b"".join(merge_by_list(piece, by_pair(merges))) == piece
    assert b"".join(merge_by_rank(piece, by_token)) == piece
    assert b"".join(merge_with_heap(piece, by_pair(merges))) == piece


@given(piece=pieces, merges=merge_lists())
def test_no_pair_that_could_merge_is_left(piece: bytes, merges: Merges) -> None:
    tokens = merge_by_list(piece, by_pair(merges))
    assert not set(pairwise(tokens)) & set(merges)


@given(piece=pieces, merges=merge_lists())
def test_the_last_step_shows_the_answer(piece: bytes, merges: Merges) -> None:
    shown = [step.tokens for step in steps(piece, by_pair(merges))]
    assert all(b"".join(tokens) == piece for tokens in shown)
    if shown:
        assert shown[-1] == merge_with_heap(piece, by_pair(merges))


@given(pieces=st.lists(pieces, max_size=30), merges=merge_lists(), max_pieces=st.integers(0, 5))
def test_the_size_of_the_cache_does_not_change_an_answer(
    pieces: list[bytes], merges: Merges, max_pieces: int
) -> None:
    made = sorted({left + right for left, right in merges})
    vocab = BYTES | dict(enumerate(made, start=256))
    encoder = CachedEncoder(vocab, merges, max_pieces)
    for piece in pieces:
        tokens = [vocab[id] for id in encoder.encode_piece(piece)]
        assert tokens == merge_by_list(piece, by_pair(merges))
        assert len(encoder.cache) <= max_pieces
    assert encoder.hits + encoder.misses == len(pieces)


def test_changing_a_result_does_not_change_the_cache() -> None:
    encoder = CachedEncoder(BYTES, [])
    encoder.encode_piece(b"ab").append(0)
    assert encoder.encode_piece(b"ab") == [97, 98]


NA = [(b"n", b"a"), (b"a", b"a"), (b"b", b"na"), (b"na", b"na")]


@pytest.mark.parametrize(
    ("piece", "merges", "tokens"),
    [
        (b"", NA, []),
        (b"n", NA, [b"n"]),
        (b"bnanana", NA, [b"bna", b"nana"]),
        (b"nanananana", NA, [b"nana", b"nana", b"na"]),
        (b"aaaaa", NA, [b"aa", b"aa", b"a"]),
        (b"aaaaaaa", [(b"a", b"a"), (b"aa", b"a")], [b"aa", b"aa", b"aaa"]),
        # A merge whose token has a lower rank than the merge that makes its left half.
        (b"abab", [(b"ab", b"ab"), (b"a", b"b")], [b"abab"]),
        (b"ababab", [(b"ab", b"ab"), (b"a", b"b")], [b"abab", b"ab"]),
        # The right neighbour grows before its pair has had its turn.
        (b"abc", [(b"b", b"c"), (b"a", b"b")], [b"a", b"bc"]),
        # Two merges make one token; the second never gets its turn.
        (b"abc", [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")], [b"abc"]),
        # A merge of bytes that are not text.
        (b"\xff\x00\xff", [(b"\xff", b"\x00")], [b"\xff\x00", b"\xff"]),
    ],
)
def test_a_known_answer(piece: bytes, merges: Merges, tokens: list[bytes]) -> None:
    assert merge_by_list(piece, by_pair(merges)) == tokens
    assert merge_with_heap(piece, by_pair(merges)) == tokens


def test_by_list_and_by_rank_differ_where_a_token_has_two_halves() -> None:
    listed = {(b"a", b"b"): 0, (b"b", b"c"): 1, (b"a", b"bc"): 2}
    assert merge_by_list(b"abc", listed) == [b"ab", b"c"]
    assert merge_by_rank(b"abc", {b"ab": 0, b"bc": 1, b"abc": 2}) == [b"abc"]


def test_a_rank_need_not_be_the_position_in_the_list() -> None:
    assert merge_by_rank(b"abc", {b"bc": 7, b"ab": 900}) == [b"a", b"bc"]


def test_a_long_piece_takes_no_time_to_speak_of() -> None:
    tokens = merge_with_heap(b"a" * 200_001, {(b"a", b"a"): 0, (b"aa", b"aa"): 1})
    assert tokens == [b"aaaa"] * 50_000 + [b"a"]
