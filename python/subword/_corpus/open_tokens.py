"""`open_tokens`: which files there are, and how each of them is read.

Token files come from anywhere, so nothing that they say is believed: ids are integers, sizes are
those of the files, and a manifest is checked field by field (`manifest_fields`).
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword._corpus.manifest import Manifest, check_size
from subword._corpus.manifest_fields import END_BYTES, is_natural
from subword._corpus.tokens import Shard, Tokens
from subword._errors import CorpusError

if TYPE_CHECKING:
    from subword._types import StrPath

#: What the numbers of a Megatron index say that ids are.
MEGATRON_TYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 8: "uint16"}
MEGATRON_MAGIC = b"MMIDIDX\x00\x00"
MEGATRON_HEAD = 34


def open_tokens(path: StrPath, *, dtype: str | None = None) -> Tokens:
    """Open what `encode_files` has written: ids, windows and documents as arrays.

    Files are mapped into memory, not read; only Parquet is read, a group of rows at a time.

    Args:
        path: A ``.bin``, ``.npy``, ``.idx`` (or its ``.bin``) or ``.parquet`` file, or a directory
            of shards.
        dtype: What the ids are, for a raw file from elsewhere, which does not say.

    Returns:
        The tokens: a sequence of ids whose slices are arrays, with ``documents`` and ``windows``.

    Raises:
        CorpusError: The files are damaged, incomplete, or hold something else.
        OSError: A file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from subword import Tokenizer, encode_files, open_tokens
        >>> _ = Path("corpus.txt").write_text("low\\nnew\\nlowest")
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> _ = encode_files(tok, "corpus.txt", "shards/", split="line")
        >>> tokens = open_tokens("shards/")
        >>> tokens
        <Tokens: 12 of uint16 in 3 documents, 'shards'>
        >>> tok.decode(tokens.documents[2]), tokens[3:6].tolist()
        ('lowest', [110, 101, 119])
        >>> [tok.decode(window) for window in tokens.windows(5)]
        ['lowne', 'wlowe']
    """
    path = Path(path)
    if path.is_dir():
        return _shards(path, dtype)
    if path.suffix == ".npy":
        return _npy(path)
    if path.suffix == ".parquet":
        return _parquet(path)
    if path.suffix == ".idx":
        return _megatron(path)
    if not path.exists() and not path.with_suffix(".idx").exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.with_name(path.name + ".manifest.jsonl").exists() and dtype is None:
        if path.with_suffix(".idx").exists():
            return _megatron(path.with_suffix(".idx"))
        raise CorpusError(str(path), "a raw file does not say what it holds", 'pass dtype="uint16"')
    if dtype is None:
        manifest = _complete(path, path.with_name(path.name + ".manifest.jsonl"), "bin")
        dtype = str(manifest.header["dtype"])
        check_size(path, sum(file["bytes"] for file in manifest.data_files()))
    kind = _integers(path, dtype)
    return Tokens(path, kind, [_raw(path, kind)])


def _complete(path: Path, manifest_path: Path, format: str) -> Manifest:
    """The manifest of files that are complete, in this format."""
    manifest = Manifest.load(manifest_path)
    if manifest.header["format"] != format:
        message = f"expected files in the format {format!r}, found {manifest.header['format']!r}"
        raise CorpusError(str(manifest_path), message)
    if not manifest.is_complete:
        message = "the run that writes these files is not complete"
        raise CorpusError(str(path), message, "run the same command again")
    return manifest


def _integers(path: Path, dtype: Any) -> str:
    """The name of a type of integers. Any other would make numbers, dates or objects of the ids."""
    import numpy as np

    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        kind = None
    if kind is None or kind.kind not in "iu":
        message = f"dtype must be a type of integers, not {dtype!r}"
        raise CorpusError(str(path), message, 'pass dtype="uint16" or "uint32"')
    return str(kind)


def _mapped(path: Path, dtype: str, start: int = 0, count: int | None = None) -> Any:
    """A part of a file as an array; numpy does not map what is empty."""
    import numpy as np

    kind = np.dtype(dtype)
    if kind.byteorder == "=":
        kind = kind.newbyteorder("<")
    if count is None:
        count = (path.stat().st_size - start) // kind.itemsize
    if count == 0:
        return np.empty(0, dtype)
    return np.memmap(path, kind, "r", start, (count,))


def _raw(path: Path, dtype: str, index: Path | None = None) -> Shard:
    import numpy as np

    tokens = path.stat().st_size // np.dtype(dtype).itemsize
    if index is None:
        return Shard(tokens, None, lambda: (_mapped(path, dtype), None))
    documents = index.stat().st_size // 8
    return Shard(tokens, documents, lambda: (_mapped(path, dtype), _mapped(index, "uint64")))


def _npy(path: Path) -> Tokens:
    import numpy as np

    try:
        ids = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise CorpusError(str(path), f"not an array of ids: {error}") from None
    if not isinstance(ids, np.ndarray) or ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise CorpusError(str(path), "expected one row of integers, found something else")
    return Tokens(path, str(ids.dtype), [Shard(len(ids), None, lambda: (ids, None))])


def _shards(path: Path, dtype: str | None) -> Tokens:
    try:
        manifest = _complete(path, path / "manifest.jsonl", "shards")
    except FileNotFoundError:
        if dtype is None:
            message = "there is no manifest that says what the files hold"
            raise CorpusError(str(path), message, 'pass dtype="uint16"') from None
        names = sorted(file.name for file in path.glob("*.bin"))
    else:
        dtype = dtype or str(manifest.header["dtype"])
        files = manifest.data_files()
        names = [file["name"] for file in files]
        for file in files:
            check_size(path / file["name"], file["bytes"])
            check_size(path / f"{file['name']}.index", END_BYTES * file["documents"])
    kind = _integers(path, dtype)
    return Tokens(path, kind, [_raw(path / name, kind, path / f"{name}.index") for name in names])


def _megatron(path: Path) -> Tokens:
    """One file of ids, and an index with the length of each document."""
    with path.open("rb") as file:
        head = file.read(MEGATRON_HEAD)
    if head[:9] != MEGATRON_MAGIC or len(head) < MEGATRON_HEAD or head[17] not in MEGATRON_TYPES:
        raise CorpusError(str(path), "not the index of a Megatron dataset of integers")
    dtype = MEGATRON_TYPES[head[17]]
    sequences = int.from_bytes(head[18:26], "little")
    data = path.with_suffix(".bin")
    least, found = MEGATRON_HEAD + 12 * sequences, path.stat().st_size
    if found < least:
        message = f"expected at least {least} bytes for {sequences} sequences, found {found}"
        raise CorpusError(str(path), message)
    raw = _raw(data, dtype)

    def load() -> tuple[Any, Any]:
        lengths = _mapped(path, "int32", MEGATRON_HEAD, sequences)
        ends = lengths.cumsum(dtype="int64")
        if sequences and (lengths.min() < 0 or ends[-1] > raw.tokens):
            message = f"the lengths of its documents do not fit {data.name}"
            raise CorpusError(str(path), message)
        return _mapped(data, dtype), ends

    return Tokens(path, dtype, [Shard(raw.tokens, sequences, load)])


def _parquet(path: Path) -> Tokens:
    """A list of ids per row; each group of rows is read when it is needed."""
    from subword._corpus.parquet import opened

    file = opened(path, CorpusError)
    try:
        numbers: Any = json.loads(file.metadata.metadata[b"subword.tokens"])
    except (KeyError, TypeError, ValueError, RecursionError):
        numbers = None
    right = isinstance(numbers, list) and len(numbers) == file.num_row_groups
    if not right or not all(map(is_natural, numbers)) or not _holds_ids(file):
        raise CorpusError(str(path), "not a file of tokens that this package has written")

    def shard(group: int) -> Shard:
        about = file.metadata.row_group(group)

        def load() -> tuple[Any, Any]:
            column = file.read_row_group(group).column(0).combine_chunks()
            ids, offsets = column.values.to_numpy(), column.offsets.to_numpy()
            if len(ids) != numbers[group]:
                message = f"expected {numbers[group]} tokens in group {group}, found {len(ids)}"
                raise CorpusError(str(path), message)
            return ids, offsets[1:]

        return Shard(numbers[group], about.num_rows, load, mapped=False)

    return Tokens(path, "uint32", [shard(group) for group in range(file.num_row_groups)])


def _holds_ids(file: Any) -> bool:
    """Whether the only column of a Parquet file is lists of ids."""
    import pyarrow as pa

    kinds = file.schema_arrow.types
    return len(kinds) == 1 and pa.types.is_list(kinds[0]) and kinds[0].value_type == pa.uint32()
