"""Files that the engine does not read as they are: recognised by their content, and converted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from subword import _core
from subword._errors import ModelFormatError
from subword._formats import gguf, gguf_models, tekken, tiktoken_folder, two_files

if TYPE_CHECKING:
    from subword._types import Pattern, SpecialTokens

#: What a folder is searched for, the first one first.
NAMES = (
    "tokenizer.json",
    "tokenizer.model",
    "vocab.json",
    "vocab.txt",
    "tekken.json",
    "tiktoken.model",
)

#: The largest file that is read whole, as in the engine.
MOST_BYTES = 1 << 30


def file_of(path: Path) -> Path:
    """The file of a folder that is its tokenizer; the folder itself where the engine decides."""
    if not path.is_dir():
        return path
    for name in NAMES:
        if (path / name).is_file():
            return path / name
    weights = sorted(path.glob("*.gguf"))
    return weights[0] if len(weights) == 1 else path


def converted(
    file: BinaryIO, path: Path | None, pattern: Pattern | None, special_tokens: SpecialTokens | None
) -> tuple[_core.Model, list[str]] | None:
    """The model of a file, and what is to be told about it; None if the engine reads the file."""
    place = "<bytes>" if path is None else str(path)
    start = file.read(tekken.FIRST)
    file.seek(0)
    if start.startswith(gguf.MAGIC):
        text, notes = gguf_models.read(file, place, pattern is not None)
        return _read(text, place, pattern, special_tokens), notes
    if tekken.recognise(start):
        text = tekken.read(_whole(file, place), place)
        return _read(text, place, pattern, special_tokens), []
    if path is not None and path.name == tiktoken_folder.NAME and pattern is None:
        content = _whole(file, place)
        known = tiktoken_folder.read(path, content)
        if known is not None:
            own_pattern, own_tokens = known
            chosen = own_tokens if special_tokens is None else special_tokens
            return _core.Model.load_bytes(content, place, own_pattern, chosen), []
    if path is not None and path.name == "vocab.json" and pattern is None:
        text_of_both = two_files.read(path)
        if text_of_both is not None:
            return _read(text_of_both, place, None, special_tokens), []
    return None


def _whole(file: BinaryIO, place: str) -> bytes:
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        message = f"expected at most {MOST_BYTES} bytes, found a larger file"
        raise ModelFormatError(place, message)
    return content


def _read(
    text: bytes, place: str, pattern: Pattern | None, special_tokens: SpecialTokens | None
) -> _core.Model:
    """The model in a converted text, whose lines are none of the file."""
    try:
        return _core.Model.load_bytes(text, place, pattern, special_tokens)
    except ModelFormatError as error:
        shown = re.sub(r":\d+$", "", error.place)
        raise ModelFormatError(shown, error.message, error.hint) from None
