"""The rows of a Parquet file as documents, some at a time. Loaded only where it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from subword._errors import CorpusError, CountsError
from subword._parquet import opened

if TYPE_CHECKING:
    import numpy.typing as npt

    Block = tuple[memoryview, npt.NDArray[np.int64], list[int], int]

#: About how many bytes of text are read at a time.
BLOCK_BYTES = 1 << 18


class ParquetRows:
    """Reads a column of text, from any row on; the same rows come together every time."""

    def __init__(self, path: Path, field: str) -> None:
        self.path = path
        self.field = field
        self.blocks: Iterator[Block] | None = None

    def next(self, row: int) -> Block | None:
        """Some rows from ``row`` on, which is where the block before ended; None after the last."""
        if self.blocks is None:
            self.blocks = self.from_row(row)
        return next(self.blocks, None)

    def from_row(self, first: int) -> Iterator[Block]:
        """All blocks from a row on."""
        import pyarrow as pa

        try:
            file = opened(self.path)
        except CountsError as error:
            raise CorpusError(*error.args) from None
        with file:
            names = file.schema_arrow.names
            if self.field not in names:
                hint = f"pass field={names[0]!r}, or another one" if names else None
                raise CorpusError(str(self.path), f'no column "{self.field}"', hint)
            size, all_rows = self.path.stat().st_size, max(1, file.metadata.num_rows)
            start = passed = 0
            for group in range(file.metadata.num_row_groups):
                about = file.metadata.row_group(group)
                start += about.num_rows
                if start <= first:
                    continue
                row = start - about.num_rows
                text_bytes = max(1, self.column_bytes(about))
                together = max(1, BLOCK_BYTES * about.num_rows // text_bytes)
                batches = file.iter_batches(
                    batch_size=together, row_groups=[group], columns=[self.field]
                )
                for batch in batches:
                    row += len(batch)
                    if row > first:
                        read = size * row // all_rows
                        yield self.block(pa, batch.column(0), read - passed)
                        passed = read

    def column_bytes(self, about: Any) -> int:
        """How large the column is in a group of rows, before compression."""
        columns = (about.column(at) for at in range(about.num_columns))
        return sum(
            column.total_uncompressed_size
            for column in columns
            if column.path_in_schema.split(".")[0] == self.field
        )

    def block(self, pa: Any, column: Any, read: int) -> Block:
        """The texts of some rows, one after the other, and where each ends."""
        try:
            column = column.cast(pa.large_binary())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            message = f'expected text in the column "{self.field}", found {column.type}'
            raise CorpusError(str(self.path), message) from None
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
        text = memoryview(b"" if data is None else data).cast("B")[ends[0] : ends[-1]]
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False)).tolist()
        return text, ends[1:] - ends[0], missing, read
