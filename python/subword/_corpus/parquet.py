"""Parquet, by pyarrow: texts in a column, and counts as a table. Loaded only where it is needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword._errors import CorpusError, CountsError, MissingPackageError
from subword._whole_file import whole_file

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError as error:
    raise MissingPackageError("Parquet files need pyarrow", "pyarrow", "parquet") from error

if TYPE_CHECKING:
    from subword._counts import Counts
    from subword._types import StrPath

#: About how many bytes of text are taken at a time.
BLOCK_BYTES = 1 << 18
#: How many bytes of text a dictionary may make of a few rows.
MOST_BYTES = 1 << 24

TEXTS = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())

#: The version of the table; the second one is of text that was normalised.
VERSION, NORMALIZED_VERSION = 1, 2
ROWS_PER_BATCH = 1 << 16
KEY = b"subword"


def texts_of(paths: Iterable[Path], field: str) -> Iterator[str | bytes]:
    """The texts in a column of Parquet files, a few rows in memory at a time."""
    for path in paths:
        with opened(path, CorpusError) as file:
            names = file.schema_arrow.names
            if field not in names:
                hint = f"pass field={names[0]!r}, or another one" if names else None
                raise CorpusError(str(path), f'no column "{field}"', hint)
            row = 0
            for column in batches(file, path, field):
                for text in column.to_pylist():
                    if not isinstance(text, (str, bytes)):
                        found = type(text).__name__
                        message = f'row {row}: expected text in the column "{field}", found {found}'
                        raise CorpusError(str(path), message)
                    yield text
                    row += 1


def batches(file: Any, path: Path, field: str, first: int = 0) -> Iterator[Any]:
    """The rows of a column from ``first`` on, as arrays of about `BLOCK_BYTES` of text each.

    What the file says about its size is the size after equal texts were made one: a column of the
    same boilerplate is small there, and large in memory. So few rows are read at a time where the
    file has long texts to repeat.
    """
    # With a buffer, only the start of a group is read for its dictionary, not all of it.
    repeated: Any = pq.ParquetFile(
        path, metadata=file.metadata, read_dictionary=[field], buffer_size=1 << 16
    )
    end = 0
    with repeated:
        for group in range(file.metadata.num_row_groups):
            about = file.metadata.row_group(group)
            row, end = end, end + about.num_rows
            if end <= first:
                continue
            together = BLOCK_BYTES * about.num_rows // max(1, _column_bytes(about, field))
            together = min(together, MOST_BYTES // _longest_repeated(repeated, group, field))
            for batch in file.iter_batches(
                batch_size=min(max(1, together), ROWS_PER_BATCH),
                row_groups=[group],
                columns=[field],
            ):
                passed = max(0, first - row)
                row += len(batch)
                if row > first:
                    yield batch.column(0).slice(passed)


def _column_bytes(about: Any, field: str) -> int:
    """How large the column is in a group of rows, before compression."""
    columns = (about.column(at) for at in range(about.num_columns))
    return sum(
        column.total_uncompressed_size
        for column in columns
        if column.path_in_schema.split(".")[0] == field
    )


def _longest_repeated(file: Any, group: int, field: str) -> int:
    """How long the longest text is that a group of rows names by its number; at least 1.

    A group has one dictionary, before its first row, and any row may name any text in it.
    """
    for batch in file.iter_batches(batch_size=1, row_groups=[group], columns=[field]):
        column = batch.column(0)
        if isinstance(column, pa.DictionaryArray) and column.type.value_type in TEXTS:
            return max(1, pc.max(pc.binary_length(column.dictionary)).as_py() or 0)
        break
    return 1


def write(counts: Counts, path: StrPath) -> None:
    """Counts as a table, sorted by piece, written under another name until it is complete."""
    about: dict[str, object] = {
        "version": VERSION,
        "pattern": counts.pattern,
        "special_tokens": counts.special_tokens,
        "fingerprint": counts.fingerprint,
    }
    if counts.normalizer is not None:
        about |= {"version": NORMALIZED_VERSION, "normalizer": counts.normalizer}
    schema = pa.schema(
        [pa.field("piece", pa.binary(), nullable=False), pa.field("count", pa.int64(), False)],
        metadata={KEY: json.dumps(about)},
    )
    entries = iter(counts)
    with whole_file(path) as stream, pq.ParquetWriter(stream, schema, compression="zstd") as file:
        while rows := list(islice(entries, ROWS_PER_BATCH)):
            pieces, numbers = zip(*rows, strict=True)
            if max(numbers) >= 1 << 63:
                message = "a count is over 2^63 - 1, the limit of Parquet"
                raise CountsError(str(path), message)
            file.write_batch(pa.record_batch([pieces, numbers], schema=schema))


def read(path: StrPath) -> tuple[Iterator[tuple[bytes, int]], dict[str, Any]]:
    """The entries of a table that `write` has written, and what `Counts` is made with."""
    file = opened(path, CountsError)
    try:
        about: dict[str, Any] = json.loads((file.schema_arrow.metadata or {})[KEY])
        version = about["version"]
        made_by = {name: about[name] for name in ("pattern", "special_tokens")}
        if version == NORMALIZED_VERSION:
            made_by["normalizer"] = about["normalizer"]
    except (KeyError, ValueError, TypeError):
        file.close()
        raise CountsError(str(path), "expected counts, found a file of another kind") from None
    if version not in (VERSION, NORMALIZED_VERSION):
        file.close()
        message = f"expected version {NORMALIZED_VERSION} of counts, found version {version}"
        raise CountsError(str(path), message, "a newer version of subword wrote it")

    def entries() -> Iterator[tuple[bytes, int]]:
        with file:
            for batch in file.iter_batches(batch_size=ROWS_PER_BATCH, columns=["piece", "count"]):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    return entries(), made_by


def opened(path: StrPath, refused: type[CorpusError] | type[CountsError]) -> Any:
    """A Parquet file, open; ``refused`` is raised if it is none."""
    try:
        return pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise refused(str(path), f"not a Parquet file: {error}") from error
