"""The types of the compiled engine, ``crates/subword-py``.

Nothing here is public. `subword.Tokenizer` inherits the methods of `Engine`; their docstrings, with
examples, are in the compiled module: ``help(subword.Tokenizer.encode)``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, disjoint_base

from subword._types import (
    AddedToken,
    Encoder,
    Errors,
    Ids,
    Pattern,
    Rows,
    Special,
    SpecialTokens,
    StrPath,
    Text,
    TextBatches,
    Texts,
    Unit,
    Units,
)

__all__ = [
    "DEFAULT_CACHE_BYTES",
    "Counts",
    "CountsReader",
    "DocumentReader",
    "Engine",
    "GrowingText",
    "IdColumn",
    "Model",
    "TrainingLog",
    "count_files",
    "count_texts",
    "encode_files",
    "normalize",
    "normalizer",
    "output_of",
    "pairs_of_tokens",
    "pattern_report",
    "patterns",
    "pruned",
    "split",
    "token_counts",
    "train_bpe",
    "train_unigram",
    "train_wordpiece",
    "utf8",
    "with_special_tokens",
    "with_template",
]

DEFAULT_CACHE_BYTES: int

@final
class Counts:
    """How often each piece occurs; `subword.Counts` adds the rest."""

    def __new__(
        cls, pattern: Pattern, special_tokens: list[str], normalizer: str | None = None
    ) -> Self: ...
    @staticmethod
    def load(path: StrPath) -> Counts: ...
    @staticmethod
    def from_bytes(data: bytes) -> Counts: ...
    def copy(self) -> Counts: ...
    def save(self, path: StrPath) -> None: ...
    def to_bytes(self) -> bytes: ...
    def get(self, piece: bytes) -> int: ...
    def add_piece(self, piece: bytes, count: int) -> None: ...
    def add(self, other: Counts) -> None: ...
    def prune(self, min_count: int) -> None: ...
    def scaled(self, numerator: int, denominator: int) -> Counts: ...
    def equals(self, other: Counts) -> bool: ...
    def most_common(self, n: int) -> list[tuple[bytes, int]]: ...
    def sorted(self) -> CountsReader: ...
    def __len__(self) -> int: ...
    @property
    def normalizer(self) -> str | None: ...
    @property
    def pattern(self) -> str | list[str]: ...
    @property
    def special_tokens(self) -> list[str]: ...
    @property
    def total(self) -> int: ...
    @property
    def on_disk(self) -> bool: ...

@final
class CountsReader:
    def __iter__(self) -> CountsReader: ...
    def __next__(self) -> tuple[bytes, int]: ...

@final
class DocumentReader:
    """Reads a file: a text whole, or JSON lines some documents at a time."""

    def __new__(cls, path: StrPath, field: str) -> Self: ...
    def __iter__(self) -> DocumentReader: ...
    def __next__(self) -> list[bytes]: ...

@final
class GrowingText:
    """A text that grows, and its ids."""

    def __new__(cls, tok: Engine, special: Special, errors: Errors) -> Self: ...
    @property
    def ids(self) -> list[int]: ...
    @property
    def text(self) -> bytes: ...
    def __len__(self) -> int: ...
    def copy(self) -> GrowingText: ...
    def append(self, text: Text) -> tuple[int, list[int]]: ...
    def rewind(self, characters: int) -> tuple[int, list[int]]: ...

@final
class IdColumn:
    """Lists of ids, as a column of Arrow."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

@disjoint_base
class Engine:
    """Encodes, decodes and counts."""

    def __new__(cls, model: Model, cache_bytes: int, linear: bool = False) -> Self: ...
    def encode(
        self,
        text: Text,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> list[int]:
        """The ids of a text."""
    def encode_array(
        self,
        text: Text,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> npt.NDArray[np.uint32]:
        """The ids of a text, as an array."""
    def encode_batch(
        self,
        texts: Texts,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> list[list[int]]:
        """The ids of many texts."""
    def encode_batch_arrays(
        self,
        texts: Texts,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
        """The ids of many texts, one after the other, and the bounds of the rows."""
    def encode_offsets(
        self,
        text: Text,
        *,
        unit: Unit = "chars",
        trim: bool | None = None,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids, and the place of each token in the text."""
    def _encode_arrow(
        self,
        texts: Texts,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> IdColumn: ...
    def _encode_batch_offsets(
        self,
        texts: Texts,
        *,
        unit: Unit = "chars",
        trim: bool | None = None,
        special: Special = "text",
        errors: Errors = "strict",
        threads: int | None = None,
    ) -> tuple[
        npt.NDArray[np.uint32],
        npt.NDArray[np.uint64],
        npt.NDArray[np.int64],
        npt.NDArray[np.uint32],
    ]:
        """The ids of many texts, the bounds of the rows, places, and the numbers of pieces."""
    @overload
    def count(
        self,
        text: Text,
        *,
        limit: None = None,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> int:
        """The number of ids."""
    @overload
    def count(
        self,
        text: Text,
        *,
        limit: int | None,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> int | None:
        """The number of ids, or None if there are more than ``limit``."""
    def _encode_with_dropout(
        self,
        texts: Texts,
        dropout: float,
        seed: int,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        prepend: str | int | None = None,
        append: str | int | None = None,
        threads: int | None = None,
    ) -> list[list[int]]: ...
    def count_batch(
        self,
        texts: Texts,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> list[int]:
        """The number of ids of each text."""
    @property
    def _spells(self) -> bool:
        """Whether the bytes of the tokens of a text are the text."""
    def _settled(self, text: bytes, special: Special) -> int:
        """How many bytes of a text that goes on can be encoded now."""
    def _cut_points(self, text: Text, special: Special, errors: Errors) -> list[int]:
        """Where a text may be cut so that all parts encode alone."""
    def _encode_trusted(self, text: bytes, trusted: Sequence[tuple[int, int]]) -> list[int]:
        """The ids of a text in which special tokens count within these ranges alone."""
    def _lattice(
        self, text: Text, errors: Errors
    ) -> tuple[
        bool,
        bool,
        int | None,
        list[tuple[bytes, int | None, list[tuple[int, int, int, float]]]],
    ]:
        """Every token that may stand in a text, by a Unigram model."""
    def decode(
        self,
        ids: Ids,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
    ) -> str:
        """The text of ids."""
    def decode_batch(
        self,
        batch: Iterable[Ids],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
        threads: int | None = None,
    ) -> list[str]:
        """The text of many sequences of ids."""
    def decode_bytes(
        self, ids: Ids, *, skip_special_tokens: bool = False, cleanup: bool | None = None
    ) -> bytes:
        """The bytes of ids."""
    def token_bytes(self, id: int) -> bytes:
        """The bytes of one token."""
    def _named_id(self, name: str, token: str | int | None) -> int | None:
        """The id that an argument of a call stands for."""
    def _find_token(self, token: bytes) -> int | None:
        """The id of a token, or None."""
    def to_bytes(self) -> bytes:
        """The bytes of the native file."""
    def _truncated(self, vocab_size: int) -> Model:
        """The model with its first merges only, so that it has ``vocab_size`` tokens."""
    @property
    def _linear(self) -> bool: ...
    @property
    def _spaced(self) -> bool: ...
    def _template_slots(self, pair: bool) -> list[tuple[int | str, int]]:
        """The template: an id, "A" or "B", each with its type id."""
    def save(self, path: StrPath, *, format: str | None = None) -> None:
        """Write a file."""
    @property
    def vocab(self) -> dict[int, bytes]: ...
    @property
    def merges(self) -> list[tuple[bytes, bytes]]: ...
    @property
    def special_tokens(self) -> dict[str, int]: ...
    @property
    def _added_tokens(self) -> list[AddedToken]: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def max_id(self) -> int: ...
    @property
    def pattern(self) -> str | list[str]: ...
    @property
    def kind(self) -> Literal["ranks", "merges", "longest", "fewest", "wordpiece", "chain"]: ...
    @property
    def _path(self) -> tuple[str, str]: ...
    @property
    def _saved_rows(self) -> dict[str, Any]: ...
    @property
    def units(self) -> Units: ...
    @property
    def end_of_word(self) -> str | None: ...
    @property
    def unk_token(self) -> str | None: ...
    @property
    def _cache_bytes(self) -> int:
        """How many bytes the cache of each thread may use."""

@final
class Model:
    @staticmethod
    def load(
        path: StrPath,
        pattern: Pattern | None,
        special_tokens: SpecialTokens | None,
        merges: StrPath | None,
        lowercase: bool | None,
    ) -> tuple[Model, list[str]]: ...
    @staticmethod
    def load_bytes(
        data: bytes,
        path: StrPath,
        pattern: Pattern | None,
        special_tokens: SpecialTokens | None,
    ) -> Model: ...
    @staticmethod
    def word_piece(vocab: Mapping[int, bytes], settings: dict[str, object]) -> Model: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    @staticmethod
    def from_merges(
        vocab: Mapping[int, bytes],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: SpecialTokens | None,
        pattern: Pattern,
        units: Units,
        end_of_word: str | None,
        unk_token: str | None,
    ) -> Model: ...
    @staticmethod
    def from_ranks(
        ranks: Mapping[bytes, int], special_tokens: SpecialTokens | None, pattern: Pattern
    ) -> Model: ...
    def encoded_by(self, encoder: Encoder) -> Model: ...

@final
class TrainingLog:
    @property
    def stop(self) -> Literal["full", "no pair left", "min_count", "on_merge"]: ...
    def helped(self) -> list[int]: ...
    def merges(self) -> list[tuple[bytes, bytes, int, int]]: ...
    def effort(self) -> dict[str, float]: ...
    def __len__(self) -> int: ...

def count_files(
    paths: list[Path],
    pattern: Pattern,
    special_tokens: list[str],
    *,
    normalizer: str | None,
    threads: int | None,
    memory_limit: int | None,
    errors: Errors,
    field: str,
    max_document: int,
    watch: Callable[[int], None] | None,
) -> Counts:
    """The counts of the pieces of files."""

def count_texts(
    texts: TextBatches,
    pattern: Pattern,
    special_tokens: list[str],
    *,
    normalizer: str | None,
    threads: int | None,
    memory_limit: int | None,
    errors: Errors,
    watch: Callable[[int], None] | None,
) -> Counts:
    """The counts of the pieces of texts."""

def encode_files(
    engine: Engine,
    sources: list[Path | tuple[Path, Rows]],
    *,
    out: Path,
    format: str,
    width: int,
    shard_bytes: int,
    split: str,
    field: str,
    errors: Errors,
    on_error: str,
    special: Special,
    prepend: int | None,
    append: int | None,
    threads: int | None,
    max_document: int,
    resume: object,
    record: Callable[..., None],
    watch: Callable[[int, int, int, int], None] | None,
) -> tuple[int, int, int, int]:
    """Write token files; documents, tokens, bytes read and documents left out."""

def normalize(text: Text, normalizer: str | None) -> bytes:
    """A text as a normaliser changes it."""

def normalizer(engine: Engine) -> str | None:
    """The name of a tokenizer's normaliser, or None."""

def output_of(path: StrPath, format: str | None = None) -> tuple[Path, str]:
    """The file that a tokenizer is written to, and in which format."""

def pairs_of_tokens(engine: Engine) -> npt.NDArray[np.int64]:
    """The two tokens that each is made of, by id, or -1."""

def pattern_report(
    pattern: Pattern,
) -> tuple[str | None, str, str | None, bool, list[str]]:
    """How a pattern runs: its name, the way, the reason, whether it is shared, its rules."""

def patterns() -> dict[str, list[str]]:
    """The named patterns and their regular expressions."""

def pruned(
    engine: Engine, counts: Counts, *, threads: int | None
) -> tuple[Model, npt.NDArray[np.int64]]:
    """The model without the tokens that the pieces do not need, and the new ids, or -1."""

def split(text: Text, pattern: Pattern) -> list[bytes]:
    """The pieces of a text."""

def token_counts(engine: Engine, counts: Counts, *, threads: int | None) -> npt.NDArray[np.uint64]:
    """How often each id comes out of the pieces, by id."""

def train_bpe(
    counts: Counts,
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    special_tokens: list[str] | None = None,
    ties: str = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    initial_vocab: str | Iterable[bytes] | None = None,
    end_of_word: str | None = None,
    unk_token: str | None = None,
    limit_alphabet: int | None = None,
    character_coverage: float | None = None,
    byte_fallback: bool = False,
    split_digits: bool = False,
    base: Engine | None = None,
    superwords: str | None = None,
    sources: list[tuple[Counts, int]] | None = None,
    whole_characters: bool = False,
    required: list[bytes] | None = None,
    veto: Callable[[bytes], object] | None = None,
    merged: Callable[[bytes, bytes, int, int], bool] | None = None,
    threads: int | None = None,
    release: bool = False,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Model, TrainingLog]:
    """A trained model and its log."""

def train_unigram(
    counts: Counts,
    *,
    vocab_size: int,
    special_tokens: list[str],
    unk_token: str,
    user_defined_symbols: list[str],
    byte_fallback: bool,
    split_digits: bool,
    character_coverage: float,
    max_piece_length: int,
    seed_size: int,
    shrinking_factor: float,
    threads: int | None,
    release: bool = False,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Model, TrainingLog]:
    """A trained model and its log."""

def train_wordpiece(
    counts: Counts,
    *,
    vocab_size: int,
    score: str,
    special_tokens: list[str],
    unk_token: str,
    prefix: str,
    max_word_chars: int,
    min_count: int,
    limit_alphabet: int | None,
    max_token_length: int | None,
    threads: int | None = None,
    release: bool = False,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Model, TrainingLog]:
    """A trained model and its log."""

def utf8(text: Text, errors: Errors) -> bytes:
    """A text as the bytes that are encoded."""

def with_special_tokens(engine: Engine, special_tokens: SpecialTokens) -> Model:
    """The model with more special tokens."""

def with_template(
    engine: Engine, single: list[tuple[int | str, int]], pair: list[tuple[int | str, int]]
) -> Model:
    """The model with another template: ids, "A" and "B", each with its type."""
