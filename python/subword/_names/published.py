"""Finds the vocabulary file of a published encoding, and recognises one by its hash.

The places, the first one first:

1. the folder in the environment variable SUBWORD_VOCABS;
2. tiktoken's cache: TIKTOKEN_CACHE_DIR, DATA_GYM_CACHE_DIR, or `data-gym-cache` among the temporary
   files;
3. for Whisper's files, the package openai-whisper, where it is installed.

In each the file has its own name (`cl100k_base.tiktoken`), or the one that tiktoken's cache gives
it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from subword._errors import ModelFormatError
from subword._names.encodings import ENCODINGS, Published
from subword._names.models import LLAMA, WHISPER

#: What a file can be recognised as; of several with the same file the first.
RECOGNISED = [*ENCODINGS.values(), *WHISPER.values(), *LLAMA]

#: How the file of such a vocabulary begins: a token in base64, and its rank.
FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]+=* \d+\r?\n")

#: No published file is larger, and none begins with a longer line.
MOST_BYTES, MOST_LINE = 1 << 23, 1 << 10


def find(published: Published, directory: Path | None = None) -> tuple[Path, bytes] | None:
    """The first of the places that has the file, and its content, which has the published hash.

    With a ``directory`` that is the only place. The content is what the caller loads: the folder
    may be one where others write (tiktoken's cache is in the folder for temporary files), so a
    second look at the file might find another one. ModelFormatError if it is another file.
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


def recognised(content: bytes) -> Published | None:
    """The encoding whose file this is, by its hash; of several the first of the table.

    >>> recognised(b"IQ== 0\\n") is None
    True
    """
    if FIRST_LINE.match(content) is None:
        return None
    found = hashlib.sha256(content).hexdigest()
    return next((one for one in RECOGNISED if one.sha256 == found), None)


def recognised_file(path: Path) -> tuple[Published, bytes] | None:
    """The encoding whose file this is, and its content."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return None
    with path.open("rb") as file:
        if FIRST_LINE.match(file.readline(MOST_LINE)) is None:
            return None  # a file of another kind, as a rule
        file.seek(0)
        content = file.read(MOST_BYTES)
    found = recognised(content)
    return None if found is None else (found, content)


def folders() -> list[Path]:
    """Where files are looked for."""
    default = str(Path(tempfile.gettempdir(), "data-gym-cache"))
    cache = os.environ.get("DATA_GYM_CACHE_DIR", default)
    cache = os.environ.get("TIKTOKEN_CACHE_DIR", cache)
    return [Path(folder) for folder in (os.environ.get("SUBWORD_VOCABS"), cache) if folder]


def packages() -> list[Path]:
    """Folders of installed packages that have such files; no package is loaded for that."""
    found = importlib.util.find_spec("whisper")
    inside = (found.submodule_search_locations if found else None) or []
    return [Path(folder, "assets") for folder in inside]


def places(published: Published, directory: Path | None) -> Iterator[Path]:
    """Where the file may be, the first one first."""
    # tiktoken's cache names a file by the hash of its address; this is not about security.
    cached = hashlib.sha1(published.url.encode(), usedforsecurity=False).hexdigest()
    for folder in folders() if directory is None else [directory]:
        yield folder / published.file
        yield folder / cached
    if directory is None and published in WHISPER.values():
        yield from (folder / published.file for folder in packages())
