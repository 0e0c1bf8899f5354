"""tiktoken's `load`: the vocabulary files of published encodings, as ranks.

Nothing is downloaded here: an address is looked for in the folder SUBWORD_VOCABS and in tiktoken's
cache, and the real tiktoken, if it is installed, is asked for what is not there.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import importlib.util
import os
from pathlib import Path

from subword import ModelFormatError
from subword._names.published import folders


def load_tiktoken_bpe(
    tiktoken_bpe_file: str | os.PathLike[str], expected_hash: str | None = None
) -> dict[bytes, int]:
    """The ranks of a file: a token in base64 and its rank in each line.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("tiny.tiktoken").write_text("bG8= 0\\nbG93 1\\n")
        >>> load_tiktoken_bpe("tiny.tiktoken")
        {b'lo': 0, b'low': 1}
    """
    ranks: dict[bytes, int] = {}
    for line in read_file_cached(tiktoken_bpe_file, expected_hash).splitlines():
        if not line:
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise ValueError(
                f"{tiktoken_bpe_file}: expected a token and a rank, found {line!r}"
            ) from error
    return ranks


def dump_tiktoken_bpe(
    bpe_ranks: dict[bytes, int], tiktoken_bpe_file: str | os.PathLike[str]
) -> None:
    """Write ranks to a file on this machine, in their order."""
    lines = (
        base64.b64encode(token) + b" " + str(rank).encode() + b"\n"
        for token, rank in sorted(bpe_ranks.items(), key=lambda entry: entry[1])
    )
    Path(tiktoken_bpe_file).write_bytes(b"".join(lines))


def read_file(blobpath: str | os.PathLike[str]) -> bytes:
    """The content of a file, or of an address that tiktoken has read before."""
    return read_file_cached(blobpath)


def read_file_cached(blobpath: str | os.PathLike[str], expected_hash: str | None = None) -> bytes:
    """The content of a file, which must have the hash if one is expected."""
    name = os.fspath(blobpath)
    content = _downloaded(name) if "://" in name else Path(name).read_bytes()
    if expected_hash is not None and not check_hash(content, expected_hash):
        found = hashlib.sha256(content).hexdigest()
        raise ValueError(f"{name}: expected the sha256 {expected_hash}, found {found}")
    return content


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether this is the sha256 of the content."""
    return hashlib.sha256(data).hexdigest() == expected_hash


def _downloaded(address: str) -> bytes:
    # tiktoken's cache names a file by the hash of its address; this is not about security.
    cached = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    for folder in folders():
        for path in (folder / address.rpartition("/")[2], folder / cached):
            if path.is_file():
                return path.read_bytes()
    if importlib.util.find_spec("tiktoken") is None:
        hint = "download it and pass its path, or install tiktoken, which downloads it"
        message = "it is neither in SUBWORD_VOCABS nor in tiktoken's cache"
        raise ModelFormatError(address, message, hint)
    from tiktoken.load import read_file_cached

    content: bytes = read_file_cached(address)
    return content
