"""A column of texts in Arrow tables: to counts of pieces, and to ids.

    tables -> texts -> Counts -> tables of (piece, count)
    table  -> texts -> ids    -> the table and a column of ids

Spark, Ray and datasets all hand out rows as Arrow tables. This is the work that is the same for all
of them. It runs in one thread, because they start as many processes as there are cores.

Invariants
* A null is no document: it is not counted, and its ids are null.
* What comes back depends on the texts alone, not on how they were cut into tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from subword import CorpusError, Counts, Tokenizer, count_pieces, encode_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from subword._types import Pattern

ROWS_PER_TABLE = 1 << 16

#: The Arrow types of texts; that of a column of nulls may be unknown.
TEXT_TYPES = {
    *("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "null")
}


@dataclass(frozen=True)
class Encode:
    """Adds the ids of a column: a table in, the same with one more column out.

    ``settings`` are those of `Tokenizer.encode_batch_arrays`.

    Example:
        >>> import pyarrow as pa
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> encode = Encode(tok, "text", "ids", {})
        >>> encode(pa.table({"text": ["low", None]}))["ids"].to_pylist()
        [[108, 111, 119], None]
    """

    tok: Tokenizer
    column: str
    to: str
    settings: dict[str, Any]

    def __call__(self, table: pa.Table) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        check_new(self.to, table.column_names)
        texts = texts_of(table, self.column)
        ids, bounds = self.tok.encode_batch_arrays(
            ["" if text is None else text for text in texts], threads=1, **self.settings
        )
        starts = pa.array(bounds).cast(pa.int32())
        values = pa.array(ids.view(np.int32))  # an id has 21 bits at most
        missing = pa.array([text is None for text in texts], pa.bool_())
        return table.append_column(self.to, pa.ListArray.from_arrays(starts, values, mask=missing))


@dataclass(frozen=True)
class Count:
    """Counts the pieces of a column: tables of texts in, tables of (piece, count) out.

    ``made_by`` is what counts remember (pattern, special tokens, normalizer), ``settings`` are the
    other ones of `count_pieces`.

    Example:
        >>> import pyarrow as pa
        >>> count = Count("text", {"pattern": "gpt2"}, {})
        >>> [found] = count([pa.table({"text": ["low lower"]}), pa.table({"text": ["low", None]})])
        >>> found.to_pylist()
        [{'piece': b' lower', 'count': 1}, {'piece': b'low', 'count': 2}]
        >>> Counts(pattern="gpt2") + added_up([found, found], count.made_by)
        <Counts: 2 pieces, 6 in all, pattern 'gpt2'>
    """

    column: str
    made_by: dict[str, Any]
    settings: dict[str, Any]

    def __post_init__(self) -> None:
        self._count(())  # what is wrong with the settings is found before a job starts

    def __call__(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        texts = (text for table in tables for text in texts_of(table, self.column))
        yield from _tables(self._count(text for text in texts if text is not None))

    def _count(self, texts: Iterable[Any]) -> Counts:
        how = self.made_by | self.settings
        return count_pieces(texts=texts, threads=1, progress=False, **how)


def remembered(
    pattern: Pattern, special_tokens: Iterable[str], normalizer: str | None
) -> dict[str, Any]:
    """What counts remember of how they were made, as arguments of `Counts`."""
    counts = Counts(pattern=pattern, special_tokens=special_tokens, normalizer=normalizer)
    names = ("pattern", "special_tokens", "normalizer")
    return {name: getattr(counts, name) for name in names}


def added_up(tables: Iterable[pa.Table], made_by: dict[str, Any]) -> Counts:
    """The counts in tables of (piece, count); a piece may be there more than once."""
    counts = Counts(**made_by)
    for table in tables:
        for batch in table.to_batches(max_chunksize=ROWS_PER_TABLE):
            pieces, numbers = (batch.column(name).to_pylist() for name in ("piece", "count"))
            counts += Counts(dict(zip(pieces, numbers, strict=True)), **made_by)
    return counts


@dataclass(frozen=True)
class Pack:
    """Makes tables of (piece, count) one row: a few bytes per piece, for the way to the driver.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"piece": [b"low", b"er"], "count": [2, 1]})
        >>> [packed] = Pack({"pattern": "gpt2"})([table])
        >>> list(unpacked(packed["counts"].to_pylist(), {"pattern": "gpt2"}))
        [(b'er', 1), (b'low', 2)]
    """

    made_by: dict[str, Any]

    def __call__(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        import pyarrow as pa

        yield pa.table({"counts": [added_up(tables, self.made_by).to_bytes()]})


def unpacked(rows: Iterable[bytes], made_by: dict[str, Any]) -> Counts:
    """All the counts that were packed, as one."""
    counts = Counts(**made_by)
    for row in rows:
        counts += Counts.load(row)
    return counts


def ids_of(column: Any, tok: Tokenizer, settings: dict[str, Any]) -> pa.LargeListArray:
    """The ids of a column of strings of Arrow, a list for each; a null for a null.

    Example:
        >>> import pyarrow as pa
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> ids_of(pa.chunked_array([["lo"], [None, ""]]), tok, {}).to_pylist()
        [[108, 111], None, []]
    """
    import pyarrow as pa

    return pa.array(encode_arrow(tok, column, **settings))


def counts_of(column: Any, tok: Tokenizer, settings: dict[str, Any]) -> pa.UInt32Array:
    """How many ids the texts of a column have; a null for a null.

    Example:
        >>> import pyarrow as pa
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> counts_of(pa.array(["lo", None]), tok, {}).to_pylist()
        [2, None]
    """
    import numpy as np
    import pyarrow as pa

    column, missing = _filled(column)
    counts = np.array(tok.count_batch(column, **settings), np.uint32)
    return pa.array(counts, mask=None if missing is None else np.asarray(missing))


def _filled(column: Any) -> tuple[Any, pa.BooleanArray | None]:
    """The column with an empty text for each null, and where these are, if there are any."""
    import pyarrow as pa

    if not column.null_count:
        return column, None
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    missing = column.is_null()
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    return column.fill_null(""), missing


def texts_of(table: pa.Table, column: str) -> list[Any]:
    """The texts in a column: `str` or `bytes`, None for a null."""
    check_text(column, dict(zip(table.schema.names, table.schema.types, strict=True)))
    found: list[Any] = table.column(column).to_pylist()
    return found


def check_text(column: str, types: dict[str, Any]) -> None:
    """Refuse a column that is not there, or whose Arrow type is not one of texts."""
    import pyarrow as pa

    check_there(column, [*types])
    kind = types[column]
    if isinstance(kind, pa.DictionaryType):
        kind = kind.value_type
    if str(kind) not in TEXT_TYPES:
        raise no_text(column, kind)


def check_there(column: str, names: list[str]) -> None:
    """Refuse a column that is not among those that there are."""
    if column not in names:
        hint = f"pass column={names[0]!r}, or another one" if names else None
        raise CorpusError("", f'no column "{column}"', hint)


def check_new(column: str, names: list[str]) -> None:
    """Refuse a name for the ids that another column has."""
    if column in names:
        raise CorpusError("", f'there is a column "{column}" already', "pass to=, another name")


def no_text(column: str, kind: object) -> CorpusError:
    """What to raise where a column has something else than text."""
    return CorpusError("", f'column "{column}": expected strings or bytes, found {kind}')


def _tables(counts: Counts) -> Iterator[pa.Table]:
    import pyarrow as pa

    schema = pa.schema({"piece": pa.binary(), "count": pa.int64()})
    entries = iter(counts)
    while rows := list(islice(entries, ROWS_PER_TABLE)):
        yield pa.table([list(column) for column in zip(*rows, strict=True)], schema=schema)
