"""tiktoken's registry: the published encodings by their names, each loaded once."""

from __future__ import annotations

import importlib.util
import os
import threading
from pathlib import Path

from subword import ModelFormatError, Tokenizer
from subword._names.encodings import ENCODINGS
from subword._names.published import find
from subword.integrations.tiktoken.core import Encoding, rebuilt

#: The encodings that are loaded, by their names.
registered: dict[str, Encoding] = {}
_lock = threading.RLock()


def get_encoding(
    encoding_name: str, *, directory: str | os.PathLike[str] | None = None
) -> Encoding:
    """The published encoding of that name; see the top of this module for where it is looked for.

    An encoding is loaded once and then shared, and pickled by its name. One from a ``directory``
    is loaded anew and pickled whole.
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"expected the name of an encoding, found {encoding_name!r}")
    if directory is not None:
        return _load(encoding_name, Path(directory))
    with _lock:
        if encoding_name not in registered:
            registered[encoding_name] = _load(encoding_name, None)
        return registered[encoding_name]


def list_encoding_names() -> list[str]:
    """The names that `get_encoding` knows, those of tiktoken's plugins included."""
    return list(dict.fromkeys([*ENCODINGS, *real_names()]))


def _load(name: str, directory: Path | None) -> Encoding:
    published = ENCODINGS.get(name)
    if published is not None and (found := find(published, directory)) is not None:
        enc = Encoding.__new__(Encoding)
        special_tokens = dict(published.special_tokens)
        _, content = found
        tokenizer = Tokenizer.load(
            content, pattern=published.pattern, special_tokens=special_tokens
        )
        enc._set(name, published.pattern, special_tokens, tokenizer)
        return enc
    if directory is None and name in real_names():
        import tiktoken

        real = tiktoken.get_encoding(name)
        return rebuilt(name, real._pat_str, real._mergeable_ranks, real._special_tokens)
    if published is None:
        names = ", ".join(list_encoding_names())
        raise ValueError(f"unknown encoding {name!r}\n  hint: the encodings are {names}")
    where = "SUBWORD_VOCABS and tiktoken's cache" if directory is None else str(directory)
    raise ModelFormatError(
        name,
        f"the vocabulary file {published.file} is not in {where}",
        f"download {published.url} and name its folder in SUBWORD_VOCABS or directory=, "
        "or install tiktoken, which downloads it",
    )


def real_names() -> list[str]:
    """The encodings of the real tiktoken and of its plugins; none if it is not installed."""
    if importlib.util.find_spec("tiktoken") is None:
        return []
    import tiktoken

    return list(tiktoken.list_encoding_names())
