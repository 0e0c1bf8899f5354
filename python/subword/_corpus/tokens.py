"""Token files as numpy arrays: memory-mapped, so that opening costs nothing."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from subword._errors import CorpusError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.unsignedinteger[Any]]


class Shard:
    """Some of the tokens, and where documents end among them, if that is known."""

    def __init__(
        self,
        tokens: int,
        documents: int | None,
        load: Callable[[], tuple[Array, npt.NDArray[Any] | None]],
        *,
        mapped: bool = True,
    ) -> None:
        self.tokens = tokens
        self.documents = documents
        self.load = load
        #: Whether it takes no memory of its own.
        self.mapped = mapped


class Tokens:
    """The ids of token files, one after the other: a sequence whose slices are arrays.

    `open_tokens` makes it. A slice that lies in one file is a view of that file, not a copy. It
    pickles as the path, so that the workers of a data loader open the files themselves.
    """

    def __init__(self, path: Path, dtype: str, shards: list[Shard]) -> None:
        self.path = path
        self.dtype = dtype
        self._shards = shards
        self._starts = [0, *accumulate(shard.tokens for shard in shards)]
        self._kept: dict[int, tuple[Array, npt.NDArray[Any] | None]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    def __reduce__(self) -> tuple[object, ...]:
        return _reopened, (self.path, self.dtype)

    def __repr__(self) -> str:
        number = self._documents()
        documents = "" if number is None else f" in {len(number)} documents"
        return f"<Tokens: {len(self)} of {self.dtype}{documents}, {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: how many tokens of what, and where."""
        documents = self._documents()
        rows = {"tokens": f"{len(self):,}", "ids": self.dtype}
        rows |= {} if documents is None else {"documents": f"{len(documents):,}"}
        rows["files"] = escape(str(self.path))
        cells = (f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
        return f"<table>{''.join(cells)}</table>"

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Array: ...
    def __getitem__(self, at: int | slice) -> int | Array:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError(f"a slice of tokens has no step, not {step}")
            return self._between(start, max(start, stop))
        at = place(at, len(self), "tokens")
        return int(self._between(at, at + 1)[0])

    def __iter__(self) -> Iterator[int]:
        for at in range(len(self._shards)):
            yield from self._loaded(at)[0].tolist()

    def _between(self, start: int, stop: int) -> Array:
        """The ids from ``start`` to ``stop``: a view if one file has them all."""
        import numpy as np

        parts: list[Array] = []
        at = max(0, bisect.bisect_right(self._starts, start) - 1)
        while at < len(self._shards) and (self._starts[at] < stop or not parts):
            base = self._starts[at]
            parts.append(self._loaded(at)[0][max(0, start - base) : stop - base])
            at += 1
        if not parts:
            return np.empty(0, self.dtype)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def windows(self, length: int, step: int | None = None) -> Windows:
        """The tokens as windows of equal length, for a data loader.

        Args:
            length: The number of ids in a window.
            step: How far the next window starts after the one before; None is ``length``.

        Returns:
            A sequence of arrays. What is left over at the end is in none of them.

        Raises:
            ValueError: ``length`` or ``step`` is less than 1.
        """
        return Windows(self, length, length if step is None else step)

    @property
    def documents(self) -> Documents:
        """The documents, in the order of the corpus: a sequence of arrays.

        Raises:
            CorpusError: The format does not keep where documents end.
        """
        found = self._documents()
        if found is None:
            message = "this format does not keep where documents end"
            hint = "write a directory of shards, .idx or .parquet to have them"
            raise CorpusError(str(self.path), message, hint)
        return found

    def _documents(self) -> Documents | None:
        """The documents, if the format keeps them."""
        numbers = [shard.documents for shard in self._shards]
        known = [number for number in numbers if number is not None]
        return Documents(self, known) if len(known) == len(numbers) else None

    def _loaded(self, at: int) -> tuple[Array, npt.NDArray[Any] | None]:
        """The ids of a shard, and where documents end among them."""
        if at not in self._kept:
            if not self._shards[at].mapped:
                self._kept.clear()  # one at a time is in memory
            self._kept[at] = self._shards[at].load()
        return self._kept[at]


class Windows:
    """Windows of equal length, as a sequence of arrays."""

    def __init__(self, tokens: Tokens, length: int, step: int) -> None:
        if length < 1 or step < 1:
            raise ValueError(
                f"a window needs a length and a step of at least 1, not {length}, {step}"
            )
        self._tokens, self.length, self.step = tokens, length, step

    def __repr__(self) -> str:
        return f"<Windows: {len(self)} of {self.length} tokens, step {self.step}>"

    def __len__(self) -> int:
        return max(0, (len(self._tokens) - self.length) // self.step + 1)

    def __iter__(self) -> Iterator[Array]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> Array:
        start = place(at, len(self), "windows") * self.step
        return self._tokens._between(start, start + self.length)


class Documents:
    """The documents, in the order of the corpus, as a sequence of arrays."""

    def __init__(self, tokens: Tokens, numbers: list[int]) -> None:
        self._tokens = tokens
        self._starts = [0, *accumulate(numbers)]

    def __repr__(self) -> str:
        return f"<Documents: {len(self)}, {str(self._tokens.path)!r}>"

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Array]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> Array:
        at = place(at, len(self), "documents")
        return self._tokens._between(self._end(at - 1) if at else 0, self._end(at))

    def _end(self, at: int) -> int:
        shard = bisect.bisect_right(self._starts, at) - 1
        ends = self._tokens._loaded(shard)[1]
        assert ends is not None
        return self._tokens._starts[shard] + int(ends[at - self._starts[shard]])


def place(at: int, length: int, what: str) -> int:
    """The place from the start; a negative one counts from the end."""
    try:
        return range(length)[at]
    except IndexError:
        raise IndexError(f"there are {length} {what}, and no number {at}") from None


def _reopened(path: Path, dtype: str) -> Tokens:
    """The same files, in another process."""
    from subword._corpus.open_tokens import open_tokens

    return open_tokens(path, dtype=dtype)
