"""What the arguments of the public calls may be: for type checkers, not loaded with the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

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

#: How a piece becomes tokens: the values of the deprecated ``encoder=`` that change ids.
Encoder: TypeAlias = Literal["merges", "longest"]

#: How WordPiece finds its tokens: the values of the deprecated ``encoder=`` that change no id.
WordEncoder: TypeAlias = Literal["fast", "linear"]

#: Whose Unicode tables BERT's normaliser and pattern use: a version of Hugging Face tokenizers.
BertTables: TypeAlias = Literal["0.23", "1.0"]

#: What is unknown where a part of a word has no token.
Unknown: TypeAlias = Literal["word", "char"]

#: A path to a file.
StrPath: TypeAlias = str | os.PathLike[str]

#: Which of two texts is cut where they are too long together.
Truncation: TypeAlias = Literal["longest_first", "only_first", "only_second"]

#: How long rows are made: as the longest of them, or as ``max_length``.
Padding: TypeAlias = Literal["longest", "max_length"]

#: Where a text is cut, or a row is padded.
Side: TypeAlias = Literal["right", "left"]


class ModelInputs(TypedDict):
    """The rows that a model takes, under the names that it takes them by."""

    input_ids: npt.NDArray[np.int64]
    attention_mask: npt.NDArray[np.int64]
    token_type_ids: npt.NDArray[np.int64]


class Rows(Protocol):
    """What reads the rows of a table for the engine."""

    def next(self, row: int) -> tuple[bytes, npt.NDArray[np.int64], list[int], int] | None:
        """Texts from a row on, where each ends, which are missing, how much of the file it is."""
