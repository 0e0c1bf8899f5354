"""`open_tokens`: which files there are, and how each of them is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword._errors import CorpusError
from subword._manifest import Manifest
from subword._tokens import Shard, Tokens

if TYPE_CHECKING:
    from subword._types import StrPath

#: What the numbers of a Megatron index say that ids are.
MEGATRON_TYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 8: "uint16"}
MEGATRON_MAGIC = b"MMIDIDX\x00\x00"
MEGATRON_HEAD = 34


def open_tokens(path: StrPath, *, dtype: str | None = None) -> Tokens:
    """Open what `Tokenizer.encode_files` has written: ids, windows and documents as arrays.

    ``path`` is a ``.bin``, ``.npy``, ``.idx`` (or its ``.bin``) or ``.parquet`` file, or a folder
    of shards. Files are mapped into memory, not read; only Parquet is read, a group of rows at a
    time. A raw file from elsewhere does not say what it holds: pass its ``dtype``.

    >>> from subword import Tokenizer
    >>> _ = Path("corpus.txt").write_text("low\\nnew\\nlowest")
    >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    >>> _ = tok.encode_files("corpus.txt", "shards/", split="line")
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
    if not path.with_name(path.name + ".manifest.jsonl").exists() and dtype is None:
        if path.with_suffix(".idx").exists():
            return _megatron(path.with_suffix(".idx"))
        raise CorpusError(str(path), "a raw file does not say what it holds", 'pass dtype="uint16"')
    if dtype is None:
        dtype = Manifest.load(path.with_name(path.name + ".manifest.jsonl")).header["dtype"]
    return Tokens(path, dtype, [_raw(path, dtype)])


def _mapped(path: Path, dtype: str, start: int = 0, count: int | None = None) -> Any:
    """A part of a file as an array; numpy does not map what is empty."""
    import numpy as np

    size = np.dtype(dtype).itemsize
    if count is None:
        count = (path.stat().st_size - start) // size
    if count == 0:
        return np.empty(0, dtype)
    return np.memmap(path, np.dtype(dtype).newbyteorder("<"), "r", start, (count,))


def _raw(path: Path, dtype: str, index: Path | None = None) -> Shard:
    import numpy as np

    tokens = path.stat().st_size // np.dtype(dtype).itemsize
    if index is None:
        return Shard(tokens, None, lambda: (_mapped(path, dtype), None))
    documents = index.stat().st_size // 8
    return Shard(tokens, documents, lambda: (_mapped(path, dtype), _mapped(index, "uint64")))


def _npy(path: Path) -> Tokens:
    import numpy as np

    ids = np.load(path, mmap_mode="r")
    return Tokens(path, str(ids.dtype), [Shard(len(ids), None, lambda: (ids, None))])


def _shards(path: Path, dtype: str | None) -> Tokens:
    try:
        manifest = Manifest.load(path / "manifest.jsonl")
    except FileNotFoundError:
        if dtype is None:
            message = "there is no manifest that says what the files hold"
            raise CorpusError(str(path), message, 'pass dtype="uint16"') from None
        names = sorted(file.name for file in path.glob("*.bin"))
    else:
        if not manifest.is_complete:
            message = "the run that writes these files is not complete"
            raise CorpusError(str(path), message, "run the same command again")
        dtype = dtype or manifest.header["dtype"]
        names = [file["name"] for file in manifest.data_files()]
    return Tokens(path, dtype, [_raw(path / name, dtype, path / f"{name}.index") for name in names])


def _megatron(path: Path) -> Tokens:
    """One file of ids, and an index with the length of each document."""
    with path.open("rb") as file:
        head = file.read(MEGATRON_HEAD)
    if head[:9] != MEGATRON_MAGIC or len(head) < MEGATRON_HEAD or head[17] not in MEGATRON_TYPES:
        raise CorpusError(str(path), "not the index of a Megatron dataset of integers")
    dtype = MEGATRON_TYPES[head[17]]
    sequences = int.from_bytes(head[18:26], "little")
    data = path.with_suffix(".bin")
    raw = _raw(data, dtype)

    def load() -> tuple[Any, Any]:
        lengths = _mapped(path, "int32", MEGATRON_HEAD, sequences)
        return _mapped(data, dtype), lengths.cumsum(dtype="int64")

    return Tokens(path, dtype, [Shard(raw.tokens, sequences, load)])


def _parquet(path: Path) -> Tokens:
    """A list of ids per row; each group of rows is read when it is needed."""
    from subword._parquet import opened

    file = opened(path)
    try:
        numbers: list[int] = json.loads(file.metadata.metadata[b"subword.tokens"])
    except (KeyError, TypeError):
        raise CorpusError(str(path), "not a file of tokens that this package has written") from None

    def shard(group: int) -> Shard:
        about = file.metadata.row_group(group)

        def load() -> tuple[Any, Any]:
            column = file.read_row_group(group).column(0).combine_chunks()
            offsets = column.offsets.to_numpy()
            return column.values.to_numpy(), offsets[1:]

        return Shard(numbers[group], about.num_rows, load, mapped=False)

    return Tokens(path, "uint32", [shard(group) for group in range(file.num_row_groups)])
