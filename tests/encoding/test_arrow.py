"""Columns of Arrow as texts; tables, mappings and nulls, which are no texts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import BpeTrainer, Tokenizer, count_pieces, encode_inputs

pd: Any = pytest.importorskip("pandas")

TEXTS = ["low", "", "lower than the lowest of all", "é 日本語 🏳️", "x" * 5000, "twelve bytes"]
TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return BpeTrainer(num_merges=20).train_iter(TEXTS)


class Offered:
    """A column that offers nothing but Arrow's interface."""

    def __init__(self, array: Any) -> None:
        self.__array = array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        return self.__array.__arrow_c_array__(requested_schema)


def columns(type_: Any) -> Iterator[Any]:
    """The texts as a column, in several ways."""
    whole = pa.array(TEXTS, type_)
    yield whole
    yield Offered(whole)
    yield pa.array(["before", *TEXTS, "after"], type_)[1:-1]
    yield pa.chunked_array([whole[:2], whole[2:2], whole[2:]])


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_a_column_has_the_ids_of_its_texts(tok: Tokenizer, type_: Any) -> None:
    expected = tok.encode_batch(TEXTS)
    for column in columns(type_):
        for threads in (1, 2):
            assert tok.encode_batch(column, threads=threads) == expected
        ids, bounds = tok.encode_batch_arrays(column)
        assert ids.tolist() == [id for ids in expected for id in ids]
        assert bounds.tolist()[-1] == len(ids)
        assert tok.count_batch(column) == [*map(len, expected)]
        assert tok.encode_batch(column, special="error") == expected


@given(texts=st.lists(st.text(), max_size=20), start=st.integers(0, 20), view=st.booleans())
def test_any_part_of_a_column_has_the_ids_of_its_texts(
    tok: Tokenizer, texts: list[str], start: int, view: bool
) -> None:
    column = pa.array(texts, pa.string_view() if view else pa.string())[start:]
    assert tok.encode_batch(column) == tok.encode_batch(texts[start:])


def test_the_column_may_go_once_the_call_began(tok: Tokenizer) -> None:
    ids = tok.encode_batch_arrays(pa.array(TEXTS * 500))[0]
    gc.collect()
    assert ids.tolist() == tok.encode_batch_arrays(TEXTS * 500)[0].tolist()


def test_a_series_is_a_column(tok: Tokenizer) -> None:
    for dtype in ["object", "str", "string[python]", "string[pyarrow]"]:
        assert tok.encode_batch(pd.Series(TEXTS, dtype=dtype)) == tok.encode_batch(TEXTS)


def test_the_rows_of_a_model_take_columns(tok: Tokenizer) -> None:
    made = encode_inputs(tok, pa.array(["low", "low"]), padding=None)
    assert made["input_ids"].tolist() == tok.encode_batch(["low", "low"])


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (
            {"text": "low"},
            "texts must be a sequence of texts, not a mapping (dict)\n"
            '  hint: pass what it holds, such as texts.values() or texts["text"]',
        ),
        (
            pd.DataFrame({"text": ["low"]}),
            "texts must be a sequence of texts, not a table (DataFrame)\n"
            '  hint: pass one column of it, such as texts["text"]',
        ),
        (
            pa.table({"text": ["low"]}),
            "texts must be a sequence of texts, not a table (Table)\n"
            '  hint: pass one column of it, such as texts["text"]',
        ),
        (
            pa.array([{"text": "low"}]),
            "texts must be texts, not a table (StructArray)\n"
            '  hint: pass one column of it, such as table["text"]',
        ),
        (
            pa.array([1, 2]),
            'texts must be texts, not a column of Arrow\'s type "l" (Int64Array)\n'
            '  hint: pass a column of strings, such as column.cast("string")',
        ),
        (
            pa.array(["low"]).dictionary_encode(),
            "texts must be texts, not a dictionary-encoded column (DictionaryArray)\n"
            "  hint: pass plain strings: column.dictionary_decode(), or astype(str) of pandas",
        ),
        (
            pa.chunked_array([["low", "low"], ["low", None]]),
            'text 3 is null\n  hint: drop nulls first, or put "" in their place',
        ),
    ],
    ids=["dict", "DataFrame", "Table", "structs", "numbers", "dictionary", "null"],
)
def test_what_is_no_column_of_texts_is_refused(tok: Tokenizer, texts: Any, words: str) -> None:
    calls: list[Any] = [tok.encode_batch, tok.encode_batch_arrays, tok.count_batch]
    calls += [lambda texts: count_pieces(texts=texts), BpeTrainer(num_merges=1).train_iter]
    for call in calls:
        with pytest.raises(TypeError) as caught:
            call(texts)
        assert str(caught.value) == words


# training


def test_training_takes_batches() -> None:
    trainer = BpeTrainer(num_merges=20)
    expected = trainer.train_iter(TEXTS)
    table = pa.table({"text": TEXTS})
    batches: list[Any] = [
        [TEXTS[:2], TEXTS[2:]],
        [tuple(TEXTS)],
        (batch["text"] for batch in table.to_batches(max_chunksize=2)),
        table["text"],
        [TEXTS[:2], Offered(pa.array(TEXTS[2:4])), TEXTS[4], TEXTS[5].encode()],
        iter([pd.Series(TEXTS)]),
    ]
    for texts in batches:
        assert trainer.train_iter(texts) == expected


def test_a_table_among_the_batches_is_refused() -> None:
    for batch in [{"text": ["low"]}, pa.record_batch({"text": ["low"]})]:
        with pytest.raises(TypeError, match="texts must be a sequence of texts, not a"):
            BpeTrainer(num_merges=1).train_iter([["low"], batch])
    with pytest.raises(TypeError, match="text must be str or bytes, not int"):
        BpeTrainer(num_merges=1).train_iter(["low", 5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"texts\[0\] must be str or bytes, not list"):
        BpeTrainer(num_merges=1).train_iter([[["low"]]])  # type: ignore[list-item]
