"""`read_documents`: the documents of files, as training and `encode_files` read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from subword import _core
from subword._corpus.paths import expanded

if TYPE_CHECKING:
    from subword._types import StrPath


def read_documents(
    files: StrPath | Iterable[StrPath], *, field: str = "text"
) -> Iterator[str | bytes]:
    """Read the documents of files one by one, as every call of this package finds them.

    Args:
        files: A path, several paths, or globs. A file is one text; a ``.jsonl`` file has one text
            in each line, a ``.parquet`` file one in each row. Files that end in ``.gz`` or ``.zst``
            are decompressed while they are read.
        field: The field of JSON lines, or the column of Parquet files, that holds the text.

    Returns:
        An iterator of documents. They are ``bytes``, which need not be UTF-8 where the file is
        text; those of Parquet files may be ``str``. A text is held in memory whole.

    Raises:
        CorpusError: A line is no JSON or has no such field; a column is missing or holds no text.
        OSError: A file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from subword import read_documents
        >>> _ = Path("corpus.jsonl").write_text('{"text": "low"}\\n{"text": "lower"}\\n')
        >>> list(read_documents("corpus.jsonl"))
        [b'low', b'lower']
    """
    for path in expanded(files):
        if path.suffix != ".parquet":
            for block in _core.DocumentReader(path, field):
                yield from block
            continue
        from subword._corpus.parquet import texts_of

        yield from texts_of([path], field)
