"""A small corpus and its tokenizer, and what token files of it are expected to hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from subword import Tokenizer, encode_files
from subword._corpus.encode_files import EncodedFiles

Documents = list[str]

END = "<|endoftext|>"
MERGES = [
    (b"l", b"o"),
    (b"lo", b"w"),
    (b" ", b"low"),
    (b"t", b"h"),
    (b"\xd0", b"\xb8"),
    (b"x", b"x"),
]
SMALL = Tokenizer(
    dict(enumerate([*(bytes([i]) for i in range(256)), *(left + right for left, right in MERGES)])),
    MERGES,
    [END],
)
DOCUMENTS = [
    "low lower lowest",
    "",
    "Привет, мир! 你好世界",
    "new\r\n\nnewer ",
    "x" * 3000,
    "the widest 😀" * 90,
    "",
    "last",
]

#: One output of each format, and a folder of shards.
OUTS = ["ids.bin", "ids.npy", "ids.idx", "ids.parquet", "shards/"]

#: The bytes of a shard in the tests that end a run early.
SHARD = 60_000


def expected(documents: Documents) -> list[list[int]]:
    end = SMALL.special_tokens[END]
    return [[*SMALL.encode(document, special="encode"), end] for document in documents]


def joined(documents: list[list[int]]) -> list[int]:
    return [id for document in documents for id in document]


def encode(corpus: Any, out: Path | str, **options: Any) -> EncodedFiles:
    options = {"split": END, "append": END, "shard_size": 2000, **options}
    return encode_files(SMALL, corpus, out, **options)


def read_raw(path: Path) -> list[int]:
    ids: list[int] = np.fromfile(path, np.uint16).tolist()
    return ids


def interrupted(corpus: Path, out: Path) -> None:
    """A run that is stopped by the one who watches it."""

    def stop(_: dict[str, float]) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subword._progress.TELL_SECONDS", 0)
        with pytest.raises(KeyboardInterrupt):
            encode(corpus, out, shard_size=SHARD, progress=stop)
