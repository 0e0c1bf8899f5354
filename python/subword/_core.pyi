"""The engine, as compiled: see ``crates/subword-py``."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, disjoint_base

from subword._types import (
    Encoder,
    Errors,
    Ids,
    Pattern,
    Rows,
    Special,
    SpecialTokens,
    StrPath,
    Text,
    Unit,
    Units,
)

__all__ = [
    "DEFAULT_CACHE_BYTES",
    "Counts",
    "CountsReader",
    "Engine",
    "Model",
    "TrainingLog",
    "count_files",
    "count_texts",
    "encode_files",
    "normalizer",
    "pairs_of_tokens",
    "patterns",
    "pruned",
    "split",
    "token_counts",
    "train_bpe",
    "train_wordpiece",
    "utf8",
]

DEFAULT_CACHE_BYTES: int

@final
class Counts:
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

@disjoint_base
class Engine:
    def __new__(cls, model: Model, cache_bytes: int, linear: bool = False) -> Self: ...
    def encode(
        self,
        text: Text,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> list[int]: ...
    def encode_array(
        self,
        text: Text,
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> npt.NDArray[np.uint32]: ...
    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> list[list[int]]: ...
    def encode_batch_arrays(
        self,
        texts: Iterable[Text],
        *,
        special: Special = "text",
        errors: Errors = "strict",
        add_special_tokens: bool = False,
        threads: int | None = None,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]: ...
    def encode_offsets(
        self,
        text: Text,
        *,
        unit: Unit = "chars",
        trim: bool | None = None,
        special: Special = "text",
        errors: Errors = "strict",
    ) -> tuple[list[int], list[tuple[int, int]]]: ...
    @overload
    def count(
        self,
        text: Text,
        *,
        limit: None = None,
        special: Special = "text",
        errors: Errors = "strict",
        threads: int | None = None,
    ) -> int: ...
    @overload
    def count(
        self,
        text: Text,
        *,
        limit: int | None,
        special: Special = "text",
        errors: Errors = "strict",
        threads: int | None = None,
    ) -> int | None: ...
    def count_batch(
        self,
        texts: Iterable[Text],
        *,
        special: Special = "text",
        errors: Errors = "strict",
        threads: int | None = None,
    ) -> list[int]: ...
    def settled(self, text: bytes, special: Special) -> int: ...
    def decode(
        self,
        ids: Ids,
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
    ) -> str: ...
    def decode_batch(
        self,
        batch: Iterable[Ids],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        cleanup: bool | None = None,
        threads: int | None = None,
    ) -> list[str]: ...
    def decode_bytes(
        self, ids: Ids, *, skip_special_tokens: bool = False, cleanup: bool | None = None
    ) -> bytes: ...
    def token_bytes(self, id: int) -> bytes: ...
    def find_token(self, token: bytes) -> int | None: ...
    def to_bytes(self) -> bytes: ...
    def _truncated(self, vocab_size: int) -> Model: ...
    @property
    def _linear(self) -> bool: ...
    @property
    def _spaced(self) -> bool: ...
    def _template_slots(self, pair: bool) -> list[tuple[int | str, int]]: ...
    def save(self, path: StrPath, *, format: str | None = None) -> None: ...
    @property
    def vocab(self) -> dict[int, bytes]: ...
    @property
    def merges(self) -> list[tuple[bytes, bytes]]: ...
    @property
    def special_tokens(self) -> dict[str, int]: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def max_id(self) -> int: ...
    @property
    def pattern(self) -> str | list[str]: ...
    @property
    def kind(self) -> Literal["ranks", "merges", "longest", "wordpiece"]: ...
    @property
    def units(self) -> Units: ...
    @property
    def end_of_word(self) -> str | None: ...
    @property
    def unk_token(self) -> str | None: ...
    @property
    def cache_bytes(self) -> int: ...

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
    def stop(self) -> Literal["full", "no pair left", "min_count"]: ...
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
) -> Counts: ...
def count_texts(
    texts: Iterable[Text],
    pattern: Pattern,
    special_tokens: list[str],
    *,
    normalizer: str | None,
    threads: int | None,
    memory_limit: int | None,
    errors: Errors,
    watch: Callable[[int], None] | None,
) -> Counts: ...
def encode_files(
    engine: Engine,
    sources: list[Path | tuple[Path, Rows]],
    *,
    out: Path,
    manifest: Path,
    format: str,
    width: int,
    shard_bytes: int,
    split: str,
    field: str,
    errors: Errors,
    on_error: str,
    special: Special,
    append: int | None,
    threads: int | None,
    max_document: int,
    resume: object,
    watch: Callable[[int, int, int, int], None] | None,
) -> tuple[int, int, int, int]: ...
def normalizer(engine: Engine) -> str | None: ...
def pairs_of_tokens(engine: Engine) -> npt.NDArray[np.int64]: ...
def patterns() -> dict[str, list[str]]: ...
def pruned(
    engine: Engine, counts: Counts, *, threads: int | None
) -> tuple[Model, npt.NDArray[np.int64]]: ...
def split(text: Text, pattern: Pattern) -> list[bytes]: ...
def token_counts(
    engine: Engine, counts: Counts, *, threads: int | None
) -> npt.NDArray[np.uint64]: ...
def train_bpe(
    counts: Counts,
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    special_tokens: list[str] | None = None,
    ties: str = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    initial_vocab: str | Iterable[bytes] = "bytes",
    end_of_word: str | None = None,
    unk_token: str | None = None,
    limit_alphabet: int | None = None,
    base: Engine | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Model, TrainingLog]: ...
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
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Model, TrainingLog]: ...
def utf8(text: Text, errors: Errors) -> bytes: ...
