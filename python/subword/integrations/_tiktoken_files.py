"""Finds a published vocabulary file, without the network.

`subword.integrations.tiktoken` says where it looks.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from subword import ModelFormatError
from subword.integrations._tiktoken_table import Published


def find(published: Published, directory: Path | None) -> tuple[Path, bytes] | None:
    """The first of the places that has the file, and its content, which has the published hash.

    The content is what the caller loads: the folder may be one where others write (tiktoken's cache
    is in the folder for temporary files), so a second look at the file might find another one.
    ModelFormatError if it is another file.
    """
    path = next((path for path in places(published, directory) if path.is_file()), None)
    if path is None:
        return None
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != published.sha256:
        raise ModelFormatError(
            str(path),
            f"expected the published file with sha256 {published.sha256}, found {found}",
            "the file is damaged or another one: delete it and download it again",
        )
    return path, content


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


def real_names() -> list[str]:
    """The encodings of the real tiktoken and of its plugins; none if it is not installed."""
    if importlib.util.find_spec("tiktoken") is None:
        return []
    import tiktoken

    return list(tiktoken.list_encoding_names())
