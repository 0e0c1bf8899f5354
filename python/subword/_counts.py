"""Counts of pieces: what a tokenizer is trained from.

Count anywhere, add up, train once. Adding is associative and commutative, so one thread, ten
processes and a cluster give the same counts, and training needs nothing but counts.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from subword import _core
from subword._progress import showing

if TYPE_CHECKING:
    from typing_extensions import Self

    from subword._types import Errors, Pattern, StrPath, Text


class Counts:
    """How often each piece occurs, and what made the pieces: normalizer, pattern, special tokens.

    Made by `count_pieces`, from a file, or from a mapping of pieces to counts. Iterating gives
    ``(piece, count)`` in the order of the pieces' bytes.

    >>> counts = Counts({b"low": 5, b" lower": 2}, pattern="gpt2")
    >>> counts += Counts({b"low": 1, b" new": 3}, pattern="gpt2")
    >>> list(counts)
    [(b' lower', 2), (b' new', 3), (b'low', 6)]
    >>> len(counts), counts.total, counts[b"low"]
    (3, 11, 6)
    """

    __slots__ = ("_counts",)
    __hash__ = None  # type: ignore[assignment]  # it can change

    def __init__(
        self,
        counts: Mapping[bytes, int] | None = None,
        *,
        pattern: Pattern = "gpt2",
        special_tokens: Iterable[str] = (),
        normalizer: str | None = None,
    ) -> None:
        self._counts = _core.Counts(pattern, strings(special_tokens), normalizer)
        for piece, count in (counts or {}).items():
            self._counts.add_piece(piece, count)

    @classmethod
    def _of(cls, counts: _core.Counts) -> Self:
        made = cls.__new__(cls)
        made._counts = counts
        return made

    @property
    def pattern(self) -> str | list[str]:
        """The pattern that cut the pieces."""
        return self._counts.pattern

    @property
    def normalizer(self) -> str | None:
        """What the text went through before it was cut, like "bert-uncased"; None for nothing."""
        return self._counts.normalizer

    @property
    def special_tokens(self) -> list[str]:
        """The special tokens that were cut out and are not counted, sorted."""
        return self._counts.special_tokens

    @property
    def total(self) -> int:
        """How many pieces were counted: the sum of all counts."""
        return self._counts.total

    @property
    def on_disk(self) -> bool:
        """Whether the pieces are in a temporary file, because ``memory_limit`` was reached.

        Everything works as in memory; looking up a single piece is slower.
        """
        return self._counts.on_disk

    @property
    def fingerprint(self) -> str:
        """A hash of the content: equal for equal counts, on any machine."""
        return hashlib.sha256(self._counts.to_bytes()).hexdigest()

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        return self._counts.sorted()

    def __getitem__(self, piece: bytes) -> int:
        return self._counts.get(piece)

    def __contains__(self, piece: object) -> bool:
        return isinstance(piece, bytes) and self._counts.get(piece) > 0

    def most_common(self, n: int | None = None) -> list[tuple[bytes, int]]:
        """The ``n`` pieces that occur most often, or all; of equals the first by their bytes.

        >>> Counts({b"low": 5, b"new": 2, b"era": 5}).most_common(2)
        [(b'era', 5), (b'low', 5)]
        """
        return self._counts.most_common(len(self) if n is None else n)

    def prune(self, min_count: int) -> None:
        """Forget the pieces that occur less than ``min_count`` times.

        >>> counts = Counts({b"low": 5, b"new": 2})
        >>> counts.prune(3)
        >>> list(counts)
        [(b'low', 5)]
        """
        self._counts.prune(min_count)

    def copy(self) -> Self:
        """The same counts once more."""
        return self._of(self._counts.copy())

    def __iadd__(self, other: Counts) -> Self:
        if not isinstance(other, Counts):
            return NotImplemented
        self._counts.add(other._counts)
        return self

    def __add__(self, other: Counts) -> Self:
        if not isinstance(other, Counts):
            return NotImplemented
        both = self.copy()
        both += other
        return both

    def __radd__(self, other: int) -> Self:
        # `sum` starts with 0.
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self._counts.equals(other._counts)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self._counts.to_bytes())

    def __repr__(self) -> str:
        pattern = str(self.pattern)
        pattern = f"{pattern[:37]}..." if len(pattern) > 40 else pattern
        return f"<Counts: {len(self)} pieces, {self.total} in all, pattern {pattern!r}>"

    def save(self, path: StrPath) -> None:
        """Write a file: sorted, compact, and either complete or not there."""
        self._counts.save(path)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """Read a file that `save` has written."""
        return cls._of(_core.Counts.load(path))

    def to_parquet(self, path: StrPath) -> None:
        """Write a Parquet file: ``piece: binary, count: int64``, in the order of the pieces.

        Needs pyarrow. Normalizer, pattern, special tokens, version and fingerprint are in its
        metadata.
        """
        from subword._corpus.parquet import write

        write(self, path)

    @classmethod
    def from_parquet(cls, path: StrPath) -> Self:
        """Read a Parquet file that `to_parquet` has written. Needs pyarrow."""
        from subword._corpus.parquet import read

        counts, made_by = read(path)
        made = cls(**made_by)
        for piece, count in counts:
            made._counts.add_piece(piece, count)
        return made


def count_pieces(
    files: StrPath | Iterable[StrPath] | None = None,
    *,
    texts: Iterable[Text] | None = None,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    errors: Errors = "strict",
    field: str = "text",
    max_document: int | str = "1GB",
    progress: bool | None = None,
) -> Counts:
    """Count the pieces of a corpus: of ``files``, or of ``texts``.

    A file is one text; ``.jsonl`` has one per line, in ``field``, and ``.parquet`` one per row, in
    the column ``field``. ``.gz`` and ``.zst`` are read as they are. A path may be a glob.
    ``texts`` is any iterable of ``str`` or ``bytes``, read lazily.

    Special tokens are cut out before the pattern runs, and not counted. A ``normalizer`` changes
    what is left before it is cut: "bert-uncased" or "bert-cased", with the pattern "bert", for
    WordPiece; "nfc", "nfd", "nfkc", "nfkd", "nfc-lowercase". ``memory_limit`` (bytes, or
    ``"64MB"``) bounds the tables: what does not fit is sorted and written to temporary files. The
    counts depend on the texts alone: not on threads, limit, or the order of files. ``progress``
    shows a bar; by default if standard error is a terminal. A line of JSON, or a text that the
    pattern gives no place to cut, is held whole: one that is larger than ``max_document`` is an
    error.

    >>> list(count_pieces(texts=["low lower", "low"]))
    [(b' lower', 1), (b'low', 2)]
    >>> list(count_pieces(texts=["Löw, low"], pattern="bert", normalizer="bert-uncased"))
    [(b' ', 1), (b',', 1), (b'low', 2)]
    """
    if (files is None) == (texts is None):
        raise TypeError("pass files or texts, one of the two")
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise TypeError(f"texts must be several texts, not one {type(texts).__name__}")
    limit = None if memory_limit is None else size_of(memory_limit, "memory_limit")
    special = strings(special_tokens)
    if texts is not None:
        with showing(progress, "counting") as watch:
            return Counts._of(
                _core.count_texts(
                    texts,
                    pattern,
                    special,
                    normalizer=normalizer,
                    threads=threads,
                    memory_limit=limit,
                    errors=errors,
                    watch=watch,
                )
            )
    assert files is not None
    paths = expanded(files)
    tables = [path for path in paths if path.suffix == ".parquet"]
    others = [path for path in paths if path.suffix != ".parquet"]
    total = sum(path.stat().st_size for path in others if path.is_file())
    with showing(progress, "counting", total) as watch:
        counts = Counts._of(
            _core.count_files(
                others,
                pattern,
                special,
                normalizer=normalizer,
                threads=threads,
                memory_limit=limit,
                errors=errors,
                field=field,
                max_document=document_limit(max_document),
                watch=watch,
            )
        )
    if tables:
        from subword._corpus.parquet import texts_of

        counts += count_pieces(
            texts=texts_of(tables, field),
            pattern=pattern,
            special_tokens=special,
            normalizer=normalizer,
            threads=threads,
            memory_limit=limit,
            errors=errors,
            progress=progress,
        )
    return counts


def strings(special_tokens: Iterable[str]) -> list[str]:
    """Special tokens as a list."""
    if isinstance(special_tokens, str):
        raise TypeError("special_tokens must be a list of strings, not one string")
    if isinstance(special_tokens, Mapping):
        raise TypeError("special_tokens must be a list of strings: they have no ids yet")
    return list(special_tokens)


def expanded(files: StrPath | Iterable[StrPath]) -> list[Path]:
    """The paths, and in place of a glob what it matches, sorted."""
    one = isinstance(files, (str, os.PathLike))
    paths: list[Path] = []
    for path in [files] if one else files:  # type: ignore[union-attr]
        name = os.fspath(path)  # type: ignore[arg-type]
        if glob.has_magic(name) and not Path(name).exists():
            found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - it may be absolute
            if not found:
                raise FileNotFoundError(errno.ENOENT, "No file matches", name)
            paths += map(Path, found)
        else:
            paths.append(Path(name))
    return paths


def document_limit(size: int | str) -> int:
    """The argument ``max_document`` in bytes."""
    limit = size_of(size, "max_document")
    if limit < 1:
        raise ValueError(f"max_document must be at least 1, not {size}")
    return min(limit, NO_LIMIT)


#: More bytes than there are.
NO_LIMIT = (1 << 64) - 1

UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


def size_of(size: int | str, name: str) -> int:
    """A number of bytes: 67108864, or "64MB". ``name`` is that of the argument.

    >>> size_of("64MB", "memory_limit"), size_of("1.5 gb", "memory_limit"), size_of(1000, "n")
    (67108864, 1610612736, 1000)
    """
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*", size.upper())
    if match is None:
        raise ValueError(f'{name} must be a number of bytes or like "64MB", not {size!r}')
    number, unit = match.groups()
    return int(float(number) * UNITS[unit if unit.endswith("B") or not unit else unit + "B"])


def _restore(cls: type[Counts], data: bytes) -> Counts:
    return cls._of(_core.Counts.from_bytes(data))
