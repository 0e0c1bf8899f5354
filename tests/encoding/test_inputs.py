"""Rows for a model: those of the real tokenizers, whatever the options; and the errors."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import Tokenizer, encode_inputs
from subword._types import ModelInputs

from tests.support.bert import small_pair

TEXTS = ["low", "lower slower, want", "", "don't run!", "new new new new new new new"]
PAIRS = ["slow", "low", "un", "the news don't run! low low low low", ""]
MOST = 8


def expected(
    texts: list[str], pairs: list[str] | None, **options: Any
) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """What the real tokenizers give; their options are state, so they are set and taken back."""
    theirs, _ = small_pair()
    if (length := options.get("max_length")) is not None:
        theirs.enable_truncation(
            length, strategy=options["truncation"], direction=options["truncation_side"]
        )
    theirs.enable_padding(
        direction=options["padding_side"],
        length=length if options["padding"] == "max_length" else None,
        pad_to_multiple_of=options["multiple"],
    )
    try:
        rows = texts if pairs is None else [*zip(texts, pairs, strict=True)]
        found = theirs.encode_batch(rows, add_special_tokens=options["special"])
    finally:
        theirs.no_truncation()
        theirs.no_padding()
    return (
        [row.ids for row in found],
        [row.attention_mask for row in found],
        [row.type_ids for row in found],
    )


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("max_length", [None, 3, 4, 5, 7, 12, 40])
def test_the_rows_are_those_of_the_real_tokenizers(
    with_pairs: bool, special: bool, max_length: int | None
) -> None:
    _, ours = small_pair()
    pairs = PAIRS if with_pairs else None
    paddings = ["longest"] if max_length is None else ["longest", "max_length"]
    sides = ["right", "left"]
    for padding, pad_side, cut_side, multiple in product(paddings, sides, sides, [None, 4]):
        options = {
            "max_length": max_length,
            "truncation": "longest_first",
            "truncation_side": cut_side,
            "padding": padding,
            "padding_side": pad_side,
            "multiple": multiple,
            "special": special,
        }
        found = encode_inputs(
            ours,
            TEXTS,
            pairs,
            max_length=max_length,
            truncation_side=cut_side,  # type: ignore[arg-type]
            padding=padding,  # type: ignore[arg-type]
            padding_side=pad_side,  # type: ignore[arg-type]
            pad_to_multiple_of=multiple,
            add_special_tokens=special,
        )
        ids, mask, types = expected(TEXTS, pairs, **options)
        assert found["input_ids"].tolist() == ids, options
        assert found["attention_mask"].tolist() == mask, options
        assert found["token_type_ids"].tolist() == types, options


lengths = st.lists(st.tuples(st.integers(0, MOST), st.integers(0, MOST)), min_size=1, max_size=4)


@given(lengths, st.integers(3, 2 * MOST + 4), st.sampled_from(["only_first", "only_second"]))
def test_one_of_two_is_cut_or_it_is_an_error(
    rows: list[tuple[int, int]], max_length: int, truncation: str
) -> None:
    _, ours = small_pair()
    texts = ["low " * first for first, _ in rows]
    pairs = ["new " * second for _, second in rows]
    options: dict[str, Any] = {
        "padding_side": "right",
        "padding": "longest",
        "multiple": None,
        "special": True,
    }
    options |= {"max_length": max_length, "truncation": truncation, "truncation_side": "right"}

    def found() -> ModelInputs:
        return encode_inputs(
            ours,
            texts,
            pairs,
            max_length=max_length,
            truncation=truncation,  # type: ignore[arg-type]
        )

    room = max_length - 3
    others = [second if truncation == "only_first" else first for first, second in rows]
    both = zip(rows, others, strict=True)
    too_short = any(a + b > room and other >= room > 0 for (a, b), other in both)
    if too_short:
        with pytest.raises(Exception, match="too short"):
            expected(texts, pairs, **options)
        with pytest.raises(ValueError, match="cannot be cut by truncation"):
            found()
        return
    ids, _, types = expected(texts, pairs, **options)
    assert found()["input_ids"].tolist() == ids
    assert found()["token_type_ids"].tolist() == types


@given(lengths, st.integers(3, 2 * MOST + 4))
def test_the_longest_is_cut_first(rows: list[tuple[int, int]], max_length: int) -> None:
    _, ours = small_pair()
    texts = ["low " * first for first, _ in rows]
    pairs = ["new " * second for _, second in rows]
    options: dict[str, Any] = {
        "padding_side": "right",
        "padding": "longest",
        "multiple": None,
        "special": True,
    }
    options |= {
        "max_length": max_length,
        "truncation": "longest_first",
        "truncation_side": "left",
    }
    ids, _, _ = expected(texts, pairs, **options)
    found = encode_inputs(ours, texts, pairs, max_length=max_length, truncation_side="left")
    assert found["input_ids"].tolist() == ids


def test_rows_of_other_models() -> None:
    vocab = {i: bytes([i]) for i in range(256)}
    tok = Tokenizer(vocab, [], ["<pad>"])
    rows = encode_inputs(tok, ["ab", "c"], ["d", ""])
    assert rows["input_ids"].tolist() == [[97, 98, 100], [99, 256, 256]]
    assert rows["token_type_ids"].tolist() == [[0, 0, 1], [0, 0, 0]]
    assert rows["input_ids"].dtype == np.int64
    none = encode_inputs(tok, [])
    assert none["input_ids"].shape == (0, 0)


def test_what_does_not_fit_is_an_error() -> None:
    _, tok = small_pair()
    bare = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    with pytest.raises(ValueError, match="max_length=1 is too small: the template alone has 2 ids"):
        encode_inputs(tok, ["low"], max_length=1)
    with pytest.raises(ValueError, match="every text needs its pair: 2 texts and 1 pairs"):
        encode_inputs(tok, ["low", "new"], ["un"])
    with pytest.raises(ValueError, match="the rows have 3 to 4 ids"):
        encode_inputs(tok, ["low", "lower"], padding=None)
    assert encode_inputs(tok, ["low", "new"], padding=None)["input_ids"].shape == (2, 3)
    with pytest.raises(ValueError, match='padding="max_length" needs max_length'):
        encode_inputs(tok, ["low"], padding="max_length")
    with pytest.raises(ValueError, match='truncation="only_second" needs pairs'):
        encode_inputs(tok, ["low"], truncation="only_second")
    with pytest.raises(ValueError, match='truncation must be "longest_first" or'):
        encode_inputs(tok, ["low"], truncation="middle")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pad_to_multiple_of must be at least 1, not 0"):
        encode_inputs(tok, ["low"], pad_to_multiple_of=0)
    with pytest.raises(ValueError, match="need a token to pad with"):
        encode_inputs(bare, ["a", "ab"])
    with pytest.raises(ValueError, match="pad_token '<p>' is not a special token"):
        encode_inputs(tok, ["low", "lower"], pad_token="<p>")
    padded = encode_inputs(tok, ["low", "lower"], pad_token="[MASK]")
    assert padded["input_ids"].tolist()[0][-1] == tok.special_tokens["[MASK]"]


def test_other_libraries_take_the_arrays_without_a_copy() -> None:
    """By DLPack or by the buffer protocol, as torch, jax and others take arrays."""
    _, ours = small_pair()
    for array in encode_inputs(ours, TEXTS, also=["offsets", "special_tokens_mask"]).values():
        assert isinstance(array, np.ndarray)
        assert array.dtype == np.int64
        assert array.flags.c_contiguous
        assert array.flags.writeable
        for taken in (np.from_dlpack(array), np.asarray(array.data)):
            assert np.shares_memory(taken, array)
