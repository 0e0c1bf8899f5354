"""Counts of pieces: what a tokenizer is trained from.

Count anywhere, add up, train once. Adding is associative and commutative, so one thread, ten
processes and a cluster give the same counts, and training needs nothing but counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import ArgumentError
from subword._special import listed

if TYPE_CHECKING:
    from typing_extensions import Self

    from subword._types import Pattern, StrPath


class Counts:
    """How often each piece occurs, and what made the pieces: normalizer, pattern, special tokens.

    `count_pieces` makes counts of a corpus. Counts add up, if they were made alike. Iterating gives
    ``(piece, count)`` in the order of the pieces' bytes.

    Args:
        counts: The number of each piece.
        pattern: The pattern that cut the pieces.
        special_tokens: The special tokens that were cut out before.
        normalizer: What changed the text before it was cut, or None.

    Raises:
        CountsError: A piece or a special token is empty, or counts that are added were not made
            alike.

    Example:
        >>> from subword import Counts
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
        self._counts = _core.Counts(pattern, listed(special_tokens), normalizer)
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
        """What changed the text before it was cut, like "bert-uncased", or None."""
        return self._counts.normalizer

    @property
    def special_tokens(self) -> list[str]:
        """The special tokens that were cut out and are not counted, sorted."""
        return self._counts.special_tokens

    @property
    def total(self) -> int:
        """The number of pieces that were counted: the sum of all counts."""
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
        """The pieces that occur most often.

        Args:
            n: How many; None gives all.

        Returns:
            Pieces and their counts, the highest count first; equal counts by the pieces' bytes.

        Example:
            >>> from subword import Counts
            >>> Counts({b"low": 5, b"new": 2, b"era": 5}).most_common(2)
            [(b'era', 5), (b'low', 5)]
        """
        return self._counts.most_common(len(self) if n is None else n)

    def prune(self, min_count: int) -> None:
        """Forget the pieces that occur rarely, in place.

        Args:
            min_count: Pieces that occur less often go.

        Example:
            >>> from subword import Counts
            >>> counts = Counts({b"low": 5, b"new": 2})
            >>> counts.prune(3)
            >>> list(counts)
            [(b'low', 5)]
        """
        self._counts.prune(min_count)

    def scaled(self, weight: int | float | Fraction) -> Self:
        """Counts that weigh more or less: how a corpus enters a mixture.

        Each count is multiplied exactly and rounded, a half upwards; a piece whose count becomes 0
        is gone. So weights of 1 and more lose nothing.

        Args:
            weight: What to multiply by: 0 or more. A float counts as the decimal number that it is
                printed as: 0.7 is seven tenths.

        Returns:
            New counts.

        Raises:
            ArgumentError: The weight is negative or no number, or its numerator or denominator is
                over 2⁶⁴ - 1.
            CountsError: The sum of the counts would be over 2⁶⁴ - 1.

        Example:
            >>> from subword import Counts
            >>> web, code = Counts({b"low": 5, b"new": 2}), Counts({b"low": 1})
            >>> dict(web.scaled(0.7)), dict(web.scaled(0.7) + code.scaled(3))
            ({b'low': 4, b'new': 1}, {b'low': 7, b'new': 1})
        """
        exact = exactly("weight", weight)
        return self._of(self._counts.scaled(exact.numerator, exact.denominator))

    def copy(self) -> Self:
        """Equal counts that change independently.

        Returns:
            The copy.

        Example:
            >>> from subword import Counts
            >>> counts = Counts({b"low": 5})
            >>> copy = counts.copy()
            >>> copy.prune(9)
            >>> len(copy), len(counts)
            (0, 1)
        """
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

    def to_bytes(self) -> bytes:
        """The counts as the bytes of their file: sorted and compact.

        Returns:
            What `save` writes and `load` reads. Equal counts give equal bytes on any machine.

        Example:
            >>> from subword import Counts
            >>> counts = Counts({b"low": 5})
            >>> Counts.load(counts.to_bytes()) == counts
            True
        """
        return self._counts.to_bytes()

    def save(self, path: StrPath) -> None:
        """Write the counts to a file, which appears under its name only when it is complete.

        Args:
            path: The file.

        Raises:
            OSError: The file cannot be written.

        Example:
            >>> from subword import Counts
            >>> Counts({b"low": 5}).save("low.counts")
            >>> Counts.load("low.counts")[b"low"]
            5
        """
        self._counts.save(path)

    @classmethod
    def load(cls, source: StrPath | bytes) -> Self:
        """Read counts that `save` has written.

        Args:
            source: The path of the file, or its content as ``bytes``.

        Returns:
            The counts.

        Raises:
            CountsError: The file is damaged, or holds something else.
            OSError: The file cannot be read.

        Example:
            >>> from subword import Counts
            >>> Counts({b"low": 5, b"new": 2}).save("some.counts")
            >>> len(Counts.load("some.counts"))
            2
        """
        if isinstance(source, bytes):
            return cls._of(_core.Counts.from_bytes(source))
        return cls._of(_core.Counts.load(source))

    def to_parquet(self, path: StrPath) -> None:
        """Write a Parquet file with the columns ``piece: binary`` and ``count: int64``.

        The rows are in the order of the pieces. Normalizer, pattern, special tokens, version and
        fingerprint are in the metadata. Needs pyarrow.

        Args:
            path: The file.

        Raises:
            CountsError: A count is too large for Parquet.
            OSError: The file cannot be written.

        Example:
            >>> from subword import Counts
            >>> Counts({b"low": 5}).to_parquet("low.parquet")
            >>> list(Counts.from_parquet("low.parquet"))
            [(b'low', 5)]
        """
        from subword._corpus.parquet import write

        write(self, path)

    @classmethod
    def from_parquet(cls, path: StrPath) -> Self:
        """Read a Parquet file that `to_parquet` has written. Needs pyarrow.

        Args:
            path: The file.

        Returns:
            The counts.

        Raises:
            CountsError: The file holds no counts.
            OSError: The file cannot be read.

        Example:
            >>> from subword import Counts
            >>> Counts({b"new": 2}).to_parquet("new.parquet")
            >>> Counts.from_parquet("new.parquet").total
            2
        """
        from subword._corpus.parquet import read

        counts, made_by = read(path)
        made = cls(**made_by)
        for piece, count in counts:
            made._counts.add_piece(piece, count)
        return made


def exactly(name: str, number: object) -> Fraction:
    """A number from 0 on as a fraction; a float as the decimal number that it is printed as."""
    if not isinstance(number, Real):
        raise TypeError(f"{name} must be a number, not {type(number).__name__}")
    try:
        exact = Fraction(number if isinstance(number, Rational) else repr(float(number)))
    except ValueError:
        raise ArgumentError(name, f"{name} must be a number, not {number}") from None
    if exact < 0:
        raise ArgumentError(name, f"{name} must be at least 0, not {number}")
    if max(exact.numerator, exact.denominator) >= 1 << 64:
        raise ArgumentError(name, f"{name}={number} has more digits than 64 bits hold")
    return exact


def _restore(cls: type[Counts], data: bytes) -> Counts:
    return cls._of(_core.Counts.from_bytes(data))
