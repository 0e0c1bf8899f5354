"""Rows with offsets, words and windows: those of the real tokenizers."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from subword import Tokenizer, encode_inputs

from tests.support.bert import small_pair

WORDS = ["low", "lower", "slower,", "want", "don't", "run!", "new", "é", "", "  ", "unwanted", "中"]
ALSO = ["offsets", "word_ids", "sequence_ids", "special_tokens_mask"]


def rows_of(found: Any, name: str) -> list[Any]:
    """The rows of a ragged array, as lists."""
    bounds = found["bounds"].tolist()
    flat = found[name].tolist()
    return [flat[start:end] for start, end in pairwise(bounds)]


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("side", ["right", "left"])
def test_windows_are_those_of_the_real_tokenizers(words: bool, pairs: bool, side: Any) -> None:
    theirs, ours = small_pair()
    chance = random.Random(f"{words}{pairs}{side}")

    def text() -> Any:
        some = chance.choices(WORDS, k=chance.choice([0, 2, 6, 15]))
        return some if words else " ".join(some)

    checked = 0
    for _ in range(60):
        texts = [(text(), text()) if pairs else text() for _ in range(3)]
        max_length, stride = chance.choice([7, 9, 12, 40]), chance.choice([0, 1])
        special = chance.random() < 0.7
        theirs.enable_truncation(max_length, stride=stride, direction=side)
        try:
            firsts = theirs.encode_batch(texts, is_pretokenized=words, add_special_tokens=special)
        finally:
            theirs.no_truncation()
        expected = [
            (sample, row)
            for sample, first in enumerate(firsts)
            for row in (first, *first.overflowing)
        ]
        found = encode_inputs(
            ours,
            texts,
            max_length=max_length,
            stride=stride,
            overflow=True,
            truncation_side=side,
            padding="ragged",
            add_special_tokens=special,
            words=words,
            also=ALSO,  # type: ignore[arg-type]
        )
        rows = [row for _, row in expected]
        assert found["overflow_to_sample"].tolist() == [sample for sample, _ in expected]
        assert rows_of(found, "input_ids") == [row.ids for row in rows]
        assert rows_of(found, "token_type_ids") == [row.type_ids for row in rows]
        assert rows_of(found, "attention_mask") == [row.attention_mask for row in rows]
        assert rows_of(found, "special_tokens_mask") == [row.special_tokens_mask for row in rows]
        assert rows_of(found, "offsets") == [[list(o) for o in row.offsets] for row in rows]
        for name, theirs_name in (("word_ids", "word_ids"), ("sequence_ids", "sequence_ids")):
            real = [[-1 if n is None else n for n in getattr(row, theirs_name)] for row in rows]
            assert rows_of(found, name) == real
        checked += len(rows)
    assert checked > 200


def test_padded_rows_say_which_text_they_are_of() -> None:
    _, ours = small_pair()
    found = encode_inputs(ours, [("low", "new new"), ("low low low", "")], also=["sequence_ids"])
    assert found["sequence_ids"].tolist() == [[-1, 0, -1, 1, 1, -1], [-1, 0, 0, 0, -1, -1]]
    assert found["input_ids"].shape == (2, 6)


def test_offsets_of_many_texts_are_those_of_each() -> None:
    ours = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")], ["<s>"])
    texts = ["low é<s>", "", "lo 中 lo" * 50] * 300
    for unit in ("chars", "bytes"):
        ids, bounds, offsets, pieces = ours._encode_batch_offsets(
            texts, unit=unit, special="encode", threads=2
        )
        assert len(ids) == len(offsets) == len(pieces) == bounds[-1]
        for row in (0, 1, 2, 899):
            here = slice(int(bounds[row]), int(bounds[row + 1]))
            one = ours.encode_offsets(texts[row], unit=unit, special="encode")
            assert ids[here].tolist() == one[0]
            assert [tuple(place) for place in offsets[here].tolist()] == one[1]
    assert pieces[: int(bounds[1])].tolist() == [0, 0, 1, 1, 1, 2]
    assert np.array_equal(pieces[: int(bounds[1])], pieces[int(bounds[3]) : int(bounds[4])])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stride": -1}, "stride must not be negative, but is -1"),
        ({"stride": 5, "overflow": True, "max_length": 5}, "stride=5 is too large"),
        ({"also": ["places"]}, 'also must be "offsets" or "word_ids"'),
    ],
)
def test_what_makes_no_sense_is_an_error(options: Any, message: str) -> None:
    _, ours = small_pair()
    with pytest.raises(ValueError, match=message):
        encode_inputs(ours, ["low low low low low low low low"], **options)


def test_rows_that_are_tuples_are_all_tuples_of_two() -> None:
    _, ours = small_pair()
    with pytest.raises(ValueError, match=r"every row must be a tuple of two texts, not 'low'"):
        encode_inputs(ours, [("low", "new"), "low"])
