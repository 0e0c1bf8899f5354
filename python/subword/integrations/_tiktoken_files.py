"""Finds and reads a published vocabulary file, without the network.

`subword.integrations.tiktoken` says where it looks.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from subword import ModelFormatError
from subword.integrations._tiktoken_table import Published


def find(published: Published, directory: Path | None) -> Path | None:
    """The first of the places that has the file."""
    return next((path for path in places(published, directory) if path.is_file()), None)


def places(published: Published, directory: Path | None) -> Iterator[Path]:
    """Where the file may be, the first one first."""
    # tiktoken's cache names a file by the hash of its address; this is not about security.
    cached = hashlib.sha1(published.url.encode(), usedforsecurity=False).hexdigest()
    ours = directory or os.environ.get("SUBWORD_VOCABS")
    if ours:
        yield Path(ours, published.file)
        yield Path(ours, cached)
    if directory is None:
        default = str(Path(tempfile.gettempdir(), "data-gym-cache"))
        cache = os.environ.get("DATA_GYM_CACHE_DIR", default)
        if cache := os.environ.get("TIKTOKEN_CACHE_DIR", cache):
            yield Path(cache, cached)


def read_ranks(path: Path, sha256: str) -> dict[bytes, int]:
    """The tokens of a file and their ranks; ModelFormatError if it has another hash."""
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ModelFormatError(
            str(path),
            f"expected the published file with sha256 {sha256}, found {found}",
            "the file is damaged or another one: delete it and download it again",
        )
    lines = (line.split() for line in data.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}
