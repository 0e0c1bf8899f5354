"""What the arguments of the public calls may be: for type checkers, not loaded with the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

#: A ``str``, or bytes that need not be UTF-8.
Text: TypeAlias = str | bytes | bytearray | memoryview


class ArrowArray(Protocol):
    """A column of Arrow: an array."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The capsules of the type and of the array."""


class ArrowStream(Protocol):
    """A column of Arrow in parts: a chunked array, a series."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of the arrays."""


#: Several texts: an iterable, or a column of strings of Arrow, which is read where it lies.
Texts: TypeAlias = Iterable[Text] | ArrowArray | ArrowStream

#: Texts that are read one after the other, alone or several together.
TextBatches: TypeAlias = Iterable[Text | Texts] | ArrowArray | ArrowStream

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
Encoder: TypeAlias = Literal["merges", "longest", "fewest"]

#: How WordPiece finds its tokens: the values of the deprecated ``encoder=`` that change no id.
WordEncoder: TypeAlias = Literal["fast", "linear"]


#: What is unknown where a part of a word has no token.
Unknown: TypeAlias = Literal["word", "char"]

#: How to show how far a call is.
Progress: TypeAlias = bool | Literal["bar", "lines"] | None

#: A path to a file.
StrPath: TypeAlias = str | os.PathLike[str]

#: Which of two texts is cut where they are too long together.
Truncation: TypeAlias = Literal["longest_first", "only_first", "only_second"]

#: How long rows are made: as the longest of them, as ``max_length``, or each as long as it is.
Padding: TypeAlias = Literal["longest", "max_length", "ragged"]

#: As the file of the tokenizer saves it.
Saved: TypeAlias = Literal["saved"]

#: What `encode_inputs` can tell about each id.
Extra: TypeAlias = Literal["offsets", "word_ids", "sequence_ids", "special_tokens_mask"]

#: Where a text is cut, or a row is padded.
Side: TypeAlias = Literal["right", "left"]


class AddedToken(TypedDict):
    """A special token and how it is matched."""

    content: str
    id: int
    special: bool
    normalized: bool
    single_word: bool
    lstrip: bool
    rstrip: bool


class RowArrays(TypedDict):
    """The rows that a model takes, under the names that it takes them by."""

    input_ids: npt.NDArray[np.int64]
    attention_mask: npt.NDArray[np.int64]
    token_type_ids: npt.NDArray[np.int64]


class ModelInputs(RowArrays, total=False):
    """The rows, and what else a caller asked for."""

    offsets: npt.NDArray[np.int64]
    word_ids: npt.NDArray[np.int64]
    sequence_ids: npt.NDArray[np.int64]
    special_tokens_mask: npt.NDArray[np.int64]
    overflow_to_sample: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]


class Rows(Protocol):
    """What reads the rows of a table for the engine."""

    def next(self, row: int) -> tuple[bytes, npt.NDArray[np.int64], list[int], int] | None:
        """Texts from a row on, where each ends, which are missing, how much of the file it is."""
