"""Ids as columns of Arrow: what pyarrow, polars, pandas and DuckDB read where it lies."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import BpeTrainer, SpecialTokenError, Tokenizer, encode_arrow

from tests.encoding.test_arrow import TEXTS, TYPES, Offered

NULLS: list[str | None] = [None, *TEXTS, None, None, "low", *TEXTS * 3, None]


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return BpeTrainer(num_merges=20).train_iter(TEXTS)


def expected(tok: Tokenizer, texts: list[str | None], **how: Any) -> list[list[int] | None]:
    return [None if text is None else tok.encode(text, **how) for text in texts]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_a_column_with_nulls_has_its_ids_and_nulls(tok: Tokenizer, type_: Any) -> None:
    whole = pa.array(NULLS, type_)
    chunks = pa.chunked_array([whole[:1], whole[1:2], whole[2:2], whole[2:9], whole[9:]])
    sliced = pa.array(["before", None, *NULLS, "after", None], type_)[2:-2]
    for column in (whole, Offered(whole), chunks, sliced):
        for threads in (1, 2):
            made = encode_arrow(tok, column, threads=threads)
            read = pa.array(made)
            read.validate(full=True)
            assert read.type == pa.large_list(pa.uint32())
            assert read.to_pylist() == expected(tok, NULLS)
            assert (len(made), read.null_count) == (len(NULLS), NULLS.count(None))


def test_there_is_no_mask_without_nulls_and_no_copy(tok: Tokenizer) -> None:
    made = encode_arrow(tok, TEXTS)
    read, again = pa.array(made), pa.array(made)
    valid, bounds, _, ids = read.buffers()
    assert valid is None
    assert ids.address == again.buffers()[3].address
    assert bounds.address == again.buffers()[1].address
    assert repr(made) == f"<IdColumn: {len(TEXTS)} lists, 0 of them null, {len(read.values)} ids>"


def test_columns_of_nothing(tok: Tokenizer) -> None:
    for nothing, found in ((pa.array([], pa.string()), []), (pa.nulls(3), [None] * 3), ([], [])):
        read = pa.array(encode_arrow(tok, nothing))
        read.validate(full=True)
        assert read.to_pylist() == found


@given(
    texts=st.lists(st.none() | st.text(), max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    view=st.booleans(),
)
def test_any_column_in_any_chunks(
    tok: Tokenizer, texts: list[str | None], cuts: list[int], view: bool
) -> None:
    whole = pa.array(texts, pa.string_view() if view else pa.large_string())
    places = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    chunks = [whole[start:end] for start, end in pairwise(places)]
    read = pa.array(encode_arrow(tok, pa.chunked_array(chunks, whole.type)))
    read.validate(full=True)
    assert read.to_pylist() == expected(tok, texts)


def test_the_ids_live_as_long_as_anybody_reads_them(tok: Tokenizer) -> None:
    texts = [f"low {i}" for i in range(2000)]
    column = encode_arrow(tok, texts)
    read = pa.array(column)
    values = pa.array(encode_arrow(tok, texts)).values  # the array of ids without its lists
    rest = pa.array(encode_arrow(tok, texts))[1990:]
    del column
    encode_arrow(tok, ["x" * 100_000])  # memory that was freed is used again
    gc.collect()
    ids = tok.encode_batch(texts)
    assert read.to_pylist() == ids
    assert values.to_pylist() == [id for row in ids for id in row]
    assert rest.to_pylist() == ids[1990:]


def test_a_capsule_that_nobody_reads_is_released(tok: Tokenizer) -> None:
    column = encode_arrow(tok, pa.array(NULLS))
    for _ in range(100):
        column.__arrow_c_array__()
        column.__arrow_c_schema__()
    _, capsule = column.__arrow_c_array__()

    class Again:
        """Offers one array twice, each time with a new schema."""

        def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
            return column.__arrow_c_schema__(), capsule

    assert pa.array(Again()).to_pylist() == expected(tok, NULLS)
    with pytest.raises(pa.ArrowInvalid, match="released"):
        pa.array(Again())


def test_other_libraries_take_it(tok: Tokenizer) -> None:
    column, ids = encode_arrow(tok, pa.array(NULLS)), expected(tok, NULLS)
    pl = pytest.importorskip("polars")
    series = pl.Series("ids", column)
    assert series.dtype == pl.List(pl.UInt32)
    assert series.to_list() == ids
    assert pl.DataFrame({"ids": column})["ids"].to_list() == ids
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"ids": pa.array(column)})
    read = duckdb.connect().from_arrow(table)
    assert read.fetchall() == [(row,) for row in ids]
    datasets = pytest.importorskip("datasets")
    assert datasets.Dataset(table)["ids"][:] == ids


def test_polars_columns_go_in_and_out_without_pyarrow_between(tok: Tokenizer) -> None:
    pl = pytest.importorskip("polars")
    series = pl.Series(NULLS)
    assert pl.Series(encode_arrow(tok, series)).to_list() == expected(tok, NULLS)
    parts = pl.concat([series[:3], series[3:]], rechunk=False)
    assert pl.Series(encode_arrow(tok, parts[1:9])).to_list() == expected(tok, NULLS[1:9])


def test_errors_are_those_of_other_calls(tok: Tokenizer) -> None:
    special = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<s>"])
    with pytest.raises(SpecialTokenError):
        encode_arrow(special, pa.array([None, "a <s>"]), special="error")
    with pytest.raises(TypeError, match="not a table"):
        encode_arrow(tok, pa.table({"text": ["low"]}))
    with pytest.raises(TypeError, match="dictionary-encoded"):
        encode_arrow(tok, pa.array(["low"]).dictionary_encode())
    with pytest.raises(TypeError, match=r"texts\[1\] must be str or bytes, not NoneType"):
        encode_arrow(tok, ["low", None])  # type: ignore[list-item]
