"""What a caller decides: vetoes, whole characters, required tokens, when it is enough, going on."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from subword import (
    ArgumentError,
    BpeTrainer,
    Counts,
    Tokenizer,
    TrainingError,
    TrainingWarning,
    training_log,
)
from subword.reference import control, merge_by_rank, naive
from subword.reference.training import BYTES, Ties, as_bytes

ties_rules: st.SearchStrategy[Ties] = st.sampled_from(["greatest", "smallest-ids"])
texts = st.text("abcé中国😀 ", min_size=1, max_size=9).map(str.encode)
broken = st.binary(min_size=1, max_size=6)
pieces = st.dictionaries(texts | broken, st.integers(1, 50), max_size=9)


def trained(counts: dict[bytes, int], num_merges: int, **settings: Any) -> Tokenizer:
    """Train where running out of pairs is no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trainer = BpeTrainer(num_merges=num_merges, **settings)
        return trainer.train_counts(Counts(counts, pattern=".+|\n"))


@given(
    counts=pieces,
    num_merges=st.integers(0, 20),
    vetoes=st.sets(texts, max_size=4) | st.none(),
    whole=st.booleans(),
    ties=ties_rules,
    min_count=st.integers(1, 5),
)
def test_merges_are_those_of_the_plain_version(
    counts: dict[bytes, int],
    num_merges: int,
    vetoes: set[bytes] | None,
    whole: bool,
    ties: Ties,
    min_count: int,
) -> None:
    counts = counts | {"ab é".encode(): 7}
    rules: dict[str, Any] = {"ties": ties, "min_count": min_count, "whole_characters": whole}
    vetoed = vetoes or set()
    plain = control.learn(
        as_bytes(counts), num_merges, ids=BYTES, vetoes=vetoed.__contains__, **rules
    )
    expected = list(plain)
    tok = trained(counts, num_merges, veto=None if vetoes is None else list(vetoes), **rules)
    assert tok.merges == [merge.pair for merge in expected]
    log = training_log(tok)
    assert log is not None
    assert [merge.count for merge in log.merges] == [merge.count for merge in expected]


@given(counts=pieces)
def test_no_token_mixes_characters(counts: dict[bytes, int]) -> None:
    tok = trained(counts | {"中国 中国é".encode(): 9}, 30, whole_characters=True)
    tokens = [left + right for left, right in tok.merges]
    assert all(control.is_text(token) or control.is_start(token) for token in tokens)
    assert "中".encode() in tokens


def test_a_veto_is_a_function_a_pattern_or_tokens() -> None:
    counts = {b"low": 5, b"lower": 2}
    expected = [(b"l", b"o"), (b"lo", b"w")]
    for veto in (
        ["ow"],
        {b"ow"},
        "^ow$",
        b"^ow$",
        re.compile("^o"),
        lambda token: token == b"ow",
    ):
        assert trained(counts, 2, veto=veto).merges == expected


def test_a_pattern_of_text_does_not_look_at_parts_of_characters() -> None:
    counts = {"néé".encode(): 3}
    parts = {left + right for left, right in trained(counts, 9, veto="é.").merges}
    assert "éé".encode() not in parts
    assert "né".encode() in parts or "é".encode() in parts
    assert not trained(counts, 9, veto=rb"[\x80-\xff]").merges


def test_a_veto_of_everything_leaves_no_pair() -> None:
    tok = trained({b"low": 5}, 3, veto=lambda _: True)
    log = training_log(tok)
    assert log is not None
    assert (tok.merges, log.stop) == ([], "no pair left")


def test_what_a_veto_raises_ends_the_training() -> None:
    def veto(token: bytes) -> bool:
        raise LookupError(token)

    with pytest.raises(LookupError):
        trained({b"low": 5}, 3, veto=veto)
    with pytest.raises(ArgumentError, match="veto is no regular expression"):
        trained({b"low": 5}, 3, veto="(")
    with pytest.raises(TypeError, match="veto must have tokens, str or bytes, not int"):
        trained({b"low": 5}, 3, veto=[3])


@given(
    counts=pieces,
    num_merges=st.integers(0, 20),
    required=st.lists(st.text("abcé ", min_size=1, max_size=5).map(str.encode), max_size=4),
    ties=ties_rules,
)
def test_required_tokens_take_the_place_of_the_last_merges(
    counts: dict[bytes, int], num_merges: int, required: list[bytes], ties: Ties
) -> None:
    counts = counts | {b"abab": 2}
    plain = trained(counts, num_merges, ties=ties)
    assume(len(plain.merges) == num_merges)
    try:
        expected = control.with_required(plain.merges, required, ties)
    except ValueError:
        with pytest.raises(TrainingError, match="the required tokens need"):
            trained(counts, num_merges, required=required, ties=ties)
        return
    tok = trained(counts, num_merges, required=required, ties=ties)
    assert tok.merges == expected
    assert set(required) <= set(tok.vocab.values())
    assert all(len(tok.encode(token)) == 1 for token in required)
    assert sorted(tok.vocab) == list(range(256 + len(expected)))


def test_required_tokens_leave_room_for_special_tokens() -> None:
    counts = Counts({b"low": 5, b"lower": 2, b"newest": 6}, special_tokens=["<|end|>"])
    tok = BpeTrainer(262, required=["wow", b"low"]).train_counts(counts)
    assert tok.vocab_size == 262
    assert {b"wow", b"low"} <= {*tok.vocab.values()}
    assert tok.special_tokens == {"<|end|>": 261}


def test_a_required_token_must_be_one_piece() -> None:
    with pytest.raises(TrainingError) as caught:
        BpeTrainer(300, required=["a b"]).train_iter(["a b"])
    assert str(caught.value) == (
        'required token "a b" is 2 pieces, not one\n  hint: the pattern cuts it, so no text has it'
    )
    with pytest.raises(ValueError, match="required tokens go with bytes"):
        BpeTrainer(300, required=["a"], initial_vocab="chars").train_iter(["a b"])


def test_on_merge_hears_every_merge_and_may_stop() -> None:
    heard: list[Any] = []
    tok = trained({b"low": 5, b"lower": 2}, 3, on_merge=heard.append)
    log = training_log(tok)
    assert log is not None
    assert heard == list(log.merges)
    tok = trained({b"low": 5, b"lower": 2}, 9, on_merge=lambda merge: merge.count > 6)
    log = training_log(tok)
    assert log is not None
    assert (len(tok.merges), log.stop) == (3, "on_merge")


@given(counts=pieces, first=st.integers(0, 9), more=st.integers(0, 9), ties=ties_rules)
def test_a_training_that_goes_on_is_one_that_never_stopped(
    counts: dict[bytes, int], first: int, more: int, ties: Ties
) -> None:
    counts = counts | {b"abab": 2}
    whole = trained(counts, first + more, ties=ties)
    half = trained(counts, first, ties=ties)
    assert trained(counts, more, ties=ties, base=pickle.loads(pickle.dumps(half))) == whole


@given(counts=pieces, other=pieces, first=st.integers(0, 9), more=st.integers(0, 9))
def test_a_ranked_vocabulary_goes_on_from_its_own_pieces(
    counts: dict[bytes, int], other: dict[bytes, int], first: int, more: int
) -> None:
    tokens = list(trained(counts | {b"abab": 2}, first).vocab.values())
    base = Tokenizer.from_ranks({t: rank for rank, t in enumerate(tokens)}, pattern=".+|\n")
    other = other | {b"baba": 2}
    ranks = {token: rank for rank, token in enumerate(tokens)}
    words = [(merge_by_rank(piece, ranks), count) for piece, count in other.items()]
    expected = [
        left + right for left, right in (m.pair for m in naive.learn(words, more, ids=tokens))
    ]
    tok = trained(other, more, base=base)
    assert list(tok.vocab.values()) == list(dict.fromkeys([*tokens, *expected]))
