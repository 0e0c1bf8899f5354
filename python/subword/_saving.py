"""Where a tokenizer would be written: asked before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from subword import _core

if TYPE_CHECKING:
    from pathlib import Path

    from subword._types import StrPath


class Output(NamedTuple):
    """The file that `Tokenizer.save` writes, or the one that the others are beside; its format."""

    file: Path
    format: str


def check_output(path: StrPath, *, format: str | None = None) -> Output:
    """Tell where `Tokenizer.save` would write, before there is a tokenizer.

    A training may take hours: a folder that is missing is better known before.

    Args:
        path: The file or folder, as for `Tokenizer.save`.
        format: The format, as for `Tokenizer.save`.

    Returns:
        The file, and the name of the format.

    Raises:
        ModelFormatError: The path is a folder, and the format does not go into one.
        OSError: The folder of the file is missing.

    Example:
        >>> from subword import check_output
        >>> check_output("tok.tiktoken").format
        'tiktoken'
        >>> str(check_output("new/", format="gpt2").file)
        'new/vocab.json'
    """
    return Output(*_core.output_of(path, format))
