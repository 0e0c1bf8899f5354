"""What the arguments of the public calls may be: for type checkers, not loaded at run time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

#: A ``str``, or bytes that need not be UTF-8.
Text: TypeAlias = str | bytes | bytearray | memoryview

#: What to do with a ``str`` that has lone surrogates.
Errors: TypeAlias = Literal["strict", "replace"]

#: Which special tokens are recognised in a text.
Special: TypeAlias = Literal["text", "encode", "error"] | Set[str] | list[str] | tuple[str, ...]

#: Special tokens that get the next free ids, or that bring theirs.
SpecialTokens: TypeAlias = Iterable[str] | Mapping[str, int]

#: A name, a regular expression, or several that cut one after the other.
Pattern: TypeAlias = str | Sequence[str]

#: Ids to decode.
Ids: TypeAlias = Iterable[int] | npt.NDArray[np.integer[Any]]

#: The unit of offsets.
Unit: TypeAlias = Literal["chars", "bytes"]

#: What a piece is cut into before anything is merged.
Units: TypeAlias = Literal["bytes", "chars"]
Encoder: TypeAlias = Literal["merges", "longest"]

#: A path to a file.
StrPath: TypeAlias = str | os.PathLike[str]


class Rows(Protocol):
    """What reads the rows of a table for the engine."""

    def next(self, row: int) -> tuple[memoryview, npt.NDArray[np.int64], list[int], int] | None:
        """Texts from a row on, where each ends, which are missing, how much of the file it is."""
