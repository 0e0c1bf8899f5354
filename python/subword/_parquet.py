"""Parquet, by pyarrow: texts in a column, and counts as a table. Loaded only where it is needed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword._errors import CountsError

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise ImportError(
        "Parquet files need pyarrow\n  hint: pip install 'subword[parquet]'", name="pyarrow"
    ) from error

if TYPE_CHECKING:
    from subword._counts import Counts
    from subword._types import StrPath

#: The version of the table; the second one is of text that was normalised.
VERSION, NORMALIZED_VERSION = 1, 2
ROWS_PER_BATCH = 1 << 16
KEY = b"subword"


def texts_of(paths: Iterable[Path], field: str) -> Iterator[str | bytes]:
    """The texts in a column of Parquet files, a few rows in memory at a time."""
    for path in paths:
        with opened(path) as file:
            names = file.schema_arrow.names
            if field not in names:
                hint = f"pass field={names[0]!r}, or another one" if names else None
                raise CountsError(str(path), f'no column "{field}"', hint)
            row = 0
            for batch in file.iter_batches(batch_size=1024, columns=[field]):
                for text in batch.column(0).to_pylist():
                    if not isinstance(text, (str, bytes)):
                        found = type(text).__name__
                        message = f'row {row}: expected text in the column "{field}", found {found}'
                        raise CountsError(str(path), message)
                    yield text
                    row += 1


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
    path = Path(path).resolve()
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    entries = iter(counts)
    try:
        with partial.open("xb") as stream:
            with pq.ParquetWriter(stream, schema, compression="zstd") as file:
                while rows := list(islice(entries, ROWS_PER_BATCH)):
                    pieces, numbers = zip(*rows, strict=True)
                    if max(numbers) >= 1 << 63:
                        message = "a count is over 2^63 - 1, the limit of Parquet"
                        raise CountsError(str(path), message)
                    file.write_batch(pa.record_batch([pieces, numbers], schema=schema))
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except FileNotFoundError as error:
        error.filename = str(path)  # name the file that was asked for
        raise
    finally:
        partial.unlink(missing_ok=True)


def read(path: StrPath) -> tuple[Iterator[tuple[bytes, int]], dict[str, Any]]:
    """The entries of a table that `write` has written, and what `Counts` is made with."""
    file = opened(path)
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


def opened(path: StrPath) -> Any:
    """A Parquet file, open."""
    try:
        return pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise CountsError(str(path), f"not a Parquet file: {error}") from error
