"""The naive trainer: worked examples, and what must hold for any counts."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword.reference import merge_by_list
from subword.reference.naive import apply, count_pairs, learn, train_bpe
from subword.reference.training import BYTES, Pair, Ties, as_bytes

pieces = st.text("abc", min_size=1, max_size=9).map(str.encode)
piece_counts = st.dictionaries(pieces, st.integers(1, 20), max_size=12)
rules: st.SearchStrategy[Ties] = st.sampled_from(get_args(Ties))


@given(counts=piece_counts, num_merges=st.integers(0, 12), ties=rules)
def test_the_order_of_the_counts_does_not_matter(
    counts: dict[bytes, int], num_merges: int, ties: Ties
) -> None:
    turned = dict(reversed(counts.items()))
    assert train_bpe(counts, num_merges, ties=ties) == train_bpe(turned, num_merges, ties=ties)


@given(counts=piece_counts, num_merges=st.integers(0, 12), ties=rules)
def test_fewer_merges_are_the_first_ones(
    counts: dict[bytes, int], num_merges: int, ties: Ties
) -> None:
    assert train_bpe(counts, num_merges, ties=ties) == train_bpe(counts, 12, ties=ties)[:num_merges]


@given(counts=piece_counts, ties=rules)
def test_counts_never_rise_and_no_merge_comes_twice(counts: dict[bytes, int], ties: Ties) -> None:
    merges = list(learn(as_bytes(counts), 50, ids=BYTES, ties=ties))
    assert all(before.count >= after.count for before, after in pairwise(merges))
    assert len({merge.pair for merge in merges}) == len(merges)
    assert len({b"".join(merge.pair) for merge in merges}) == len(merges)


@given(counts=piece_counts, ties=rules)
def test_enough_merges_make_every_piece_one_token(counts: dict[bytes, int], ties: Ties) -> None:
    ranks = {pair: rank for rank, pair in enumerate(train_bpe(counts, 1000, ties=ties))}
    assert all(merge_by_list(piece, ranks) == [piece] for piece in counts)


@given(counts=piece_counts, num_merges=st.integers(0, 12), ties=rules)
def test_encoding_a_piece_gives_the_tokens_that_training_ended_with(
    counts: dict[bytes, int], num_merges: int, ties: Ties
) -> None:
    words = as_bytes(counts)
    merges = train_bpe(counts, num_merges, ties=ties)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for (tokens, _), piece in zip(words, counts, strict=True):
        for pair in merges:
            apply(pair, tokens)
        assert tokens == merge_by_list(piece, ranks)


@given(counts=piece_counts, limit=st.integers(1, 6))
def test_no_token_is_longer_than_asked_for(counts: dict[bytes, int], limit: int) -> None:
    merges = train_bpe(counts, 100, max_token_length=limit)
    assert all(len(left + right) <= limit for left, right in merges)
    words = as_bytes(counts)
    for pair in merges:
        for tokens, _ in words:
            apply(pair, tokens)
    assert all(len(left + right) > limit for left, right in count_pairs(words))


@pytest.mark.parametrize(
    ("counts", "merges", "greatest", "smallest"),
    [
        ({}, 5, [], []),
        ({b"a": 9}, 5, [], []),
        ({b"low": 5, b"lower": 2}, 1, [(b"o", b"w")], [(b"l", b"o")]),
        ({b"aaaaa": 1}, 2, [(b"a", b"a"), (b"aa", b"aa")], [(b"a", b"a"), (b"aa", b"a")]),
        # Three occurrences of n+a, two of a+n; afterwards na+na overlaps itself.
        ({b"bnanana": 1}, 2, [(b"n", b"a"), (b"na", b"na")], [(b"n", b"a"), (b"na", b"na")]),
        # The longer of two tokens that begin alike sorts last.
        (
            {b"abx": 1, b"ac": 1, b"ab": 1},
            2,
            [(b"a", b"b"), (b"ab", b"x")],
            [(b"a", b"b"), (b"a", b"c")],
        ),
        # Bytes are compared as numbers: 0xff sorts last, also beside text.
        ({b"z\xff": 1, b"zz": 1}, 1, [(b"z", b"\xff")], [(b"z", b"z")]),
    ],
)
def test_a_known_answer(
    counts: dict[bytes, int], merges: int, greatest: list[Pair], smallest: list[Pair]
) -> None:
    assert train_bpe(counts, merges) == greatest
    assert train_bpe(counts, merges, ties="smallest-ids") == smallest


def test_ids_are_those_of_the_order_given() -> None:
    counts = {b"ab": 1, b"yz": 1}
    assert train_bpe(counts, 1, ties="smallest-ids", ids=BYTES[::-1]) == [(b"y", b"z")]


def test_the_least_count_ends_it() -> None:
    counts = {b"ab": 3, b"cd": 2}
    assert train_bpe(counts, 9, min_count=3) == [(b"a", b"b")]
    assert train_bpe(counts, 9, min_count=4) == []
