"""The rows of a Parquet file as documents, some at a time. Loaded only where it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from subword._corpus.parquet import BLOCK_BYTES, batches, opened
from subword._errors import CorpusError

if TYPE_CHECKING:
    import numpy.typing as npt

    Block = tuple[bytes, npt.NDArray[np.int64], list[int], int]

#: What a row costs besides its text, so that a block of empty ones ends too.
ROW_BYTES = 8


class ParquetRows:
    """Reads a column of text, from any row on, in blocks of about `BLOCK_BYTES`.

    Where a block ends depends on the texts from its first row on alone, not on how the file is cut
    into groups and pages: a run that is taken up reads the same blocks.
    """

    def __init__(self, path: Path, field: str, max_document: int) -> None:
        self.path = path
        self.field = field
        self.max_document = max_document
        self.blocks: Iterator[Block] | None = None

    def next(self, row: int) -> Block | None:
        """Some rows from ``row`` on, which is where the block before ended; None after the last."""
        if self.blocks is None:
            self.blocks = self.from_row(row)
        return next(self.blocks, None)

    def from_row(self, first: int) -> Iterator[Block]:
        """All blocks from a row on."""
        with opened(self.path, CorpusError) as file:
            names = file.schema_arrow.names
            if self.field not in names:
                hint = f"pass field={names[0]!r}, or another one" if names else None
                raise CorpusError(str(self.path), f'no column "{self.field}"', hint)
            size, all_rows = self.path.stat().st_size, max(1, file.metadata.num_rows)
            passed, row, block = 0, first, Gathered()
            for column in batches(file, self.path, self.field, first):
                texts = self.texts(column, row + len(block))
                for start, stop in texts.cuts(block):
                    block.add(texts, start, stop)
                    if block.cost >= BLOCK_BYTES:
                        row += len(block)
                        read = size * row // all_rows
                        yield block.taken(read - passed)
                        passed, block = read, Gathered()
            if len(block):
                yield block.taken(size - passed)

    def texts(self, column: Any, row: int) -> Texts:
        """The texts of some rows; ``row`` is the first."""
        import pyarrow as pa

        try:
            if isinstance(column, pa.DictionaryArray):
                column = column.dictionary_decode()
            column = column.cast(pa.large_binary())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            message = f'expected text in the column "{self.field}", found {column.type}'
            raise CorpusError(str(self.path), message) from None
        texts = Texts(column)
        if texts.lengths.max(initial=0) > self.max_document:
            at = int(np.argmax(texts.lengths > self.max_document))
            message = f"the text has more than {self.max_document} bytes"
            hint = "pass a larger max_document if this much memory may be used"
            raise CorpusError(f"{self.path}: row {row + at}", message, hint)
        return texts


class Texts:
    """The texts of an array of bytes."""

    def __init__(self, column: Any) -> None:
        _, offsets, data = column.buffers()
        self.data = memoryview(b"" if data is None else data).cast("B")
        self.ends = np.frombuffer(offsets, np.int64)[column.offset :][: len(column) + 1]
        self.lengths = np.diff(self.ends)
        self.missing = column.is_null().to_numpy(zero_copy_only=False)

    def cuts(self, block: Gathered) -> Iterator[tuple[int, int]]:
        """From which row to which one the next block takes; ``block`` has some rows already."""
        costs = np.cumsum(self.lengths + ROW_BYTES)
        start, done, room = 0, 0, BLOCK_BYTES - block.cost
        while start < len(costs):
            stop = min(len(costs), int(np.searchsorted(costs, done + room)) + 1)
            yield start, stop
            start, done, room = stop, int(costs[stop - 1]), BLOCK_BYTES


class Gathered:
    """The rows of a block."""

    def __init__(self) -> None:
        self.parts: list[memoryview] = []
        self.lengths: list[npt.NDArray[np.int64]] = []
        self.missing: list[npt.NDArray[np.bool_]] = []
        #: How much it has: a block is full when this is `BLOCK_BYTES`.
        self.cost = 0

    def __len__(self) -> int:
        return sum(map(len, self.lengths))

    def add(self, texts: Texts, start: int, stop: int) -> None:
        """Take some rows."""
        first, last = texts.ends[start], texts.ends[stop]
        self.parts.append(texts.data[first:last])
        self.lengths.append(texts.lengths[start:stop])
        self.missing.append(texts.missing[start:stop])
        self.cost += int(last - first) + ROW_BYTES * (stop - start)

    def taken(self, read: int) -> Block:
        """The texts, where each ends, which are null, and how much of the file was read."""
        missing = np.flatnonzero(np.concatenate(self.missing)).tolist()
        return b"".join(self.parts), np.cumsum(np.concatenate(self.lengths)), missing, read
