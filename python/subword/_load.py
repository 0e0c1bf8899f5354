"""What `Tokenizer.load` reads: bytes, a file or folder, or a name.

    source is bytes                 -> these bytes
    source is a file or a folder    -> that one; a published .tiktoken file is known by its hash
    source is a published encoding  -> its file, with its pattern and special tokens
    source is a name of the Hub     -> its folder in the local cache
    else                            -> an error that says where was looked

A file goes before a name, so that a name never hides a file. Nothing is downloaded.
"""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import UnknownNameError

if TYPE_CHECKING:
    from subword._names.encodings import Published
    from subword._types import Pattern, SpecialTokens, StrPath

#: What ends in one of these was meant to be a file.
FILES = {".json", ".txt", ".tiktoken", ".model", ".gguf", ".vocab", ".bpe", ".gz", ".zst", ".xz"}


def load_model(
    source: StrPath | bytes,
    pattern: Pattern | None,
    special_tokens: SpecialTokens | None,
    merges: StrPath | None,
    lowercase: bool | None,
) -> tuple[_core.Model, list[str]]:
    """The model, and what is to be said about its file."""
    from subword._formats.convert import converted, file_of
    from subword._names.published import recognised, recognised_file

    if isinstance(source, bytes):
        if merges is not None or lowercase is not None:
            raise TypeError("merges and lowercase go with a path, not with bytes")
        known = recognised(source) if pattern is None else None
        if known is not None:
            return _published(known, source, "<bytes>", pattern, special_tokens), []
        made = converted(BytesIO(source), None, pattern, special_tokens)
        if made is not None:
            return made
        return _core.Model.load_bytes(source, "<bytes>", pattern, special_tokens), []
    path = Path(source)
    if not os.path.lexists(path) and path.suffix not in FILES and merges is None:
        name = path.as_posix()
        if (published := _named(name)) is not None:
            content = _find(name, published)
            return _published(published, content, name, pattern, special_tokens), []
        path = _hub_folder(name)
    path = file_of(path)
    if pattern is None and (found := recognised_file(path)) is not None:
        return _published(*found, path, pattern, special_tokens), []
    if merges is None and lowercase is None and path.is_file():
        with path.open("rb") as file:
            made = converted(file, path, pattern, special_tokens)
        if made is not None:
            return made
    return _core.Model.load(path, pattern, special_tokens, merges, lowercase)


def _named(name: str) -> Published | None:
    """The published vocabulary of this name."""
    from subword._names.encodings import ENCODINGS
    from subword._names.models import WHISPER

    return ENCODINGS.get(name) or WHISPER.get(name)


def _published(
    published: Published,
    content: bytes,
    place: StrPath,
    pattern: Pattern | None,
    special_tokens: SpecialTokens | None,
) -> _core.Model:
    """A published vocabulary. A caller who passes a pattern says all there is to say about it."""
    if pattern is None:
        pattern = published.pattern
        if special_tokens is None:
            special_tokens = published.special_tokens
    return _core.Model.load_bytes(content, place, pattern, special_tokens)


def _find(name: str, published: Published) -> bytes:
    from subword._names.published import find, folders

    found = find(published)
    if found is None:
        raise UnknownNameError(
            name,
            f"the file {published.file} is not on this machine; looked in "
            + ", ".join(map(str, folders())),
            f"download it by: curl -fLO {published.url}, and name its folder in SUBWORD_VOCABS; "
            f"or by: python -c \"import tiktoken; tiktoken.get_encoding('{name}')\"",
        )
    return found[1]


def _hub_folder(name: str) -> Path:
    from subword._names import hub
    from subword._names.encodings import ENCODINGS

    found = hub.folder(name)
    if found is not None:
        return found
    names = ", ".join(ENCODINGS)
    download = f"download it by: hf download {name} tokenizer.json"
    if not hub.is_installed():
        where = "the cache of the Hub needs huggingface_hub"
        download = f"pip install huggingface_hub; {download}"
    else:
        where = f"looked in {hub.cache()}"
    if hub.NAME.fullmatch(name) is None:
        download = "pass the path of a file, or a name of the Hub like Qwen/Qwen3-8B"
    raise UnknownNameError(
        name,
        f"no file or folder has this path, and no tokenizer on this machine this name; {where}",
        f"{download}; the names of tiktoken are {names}",
    )
