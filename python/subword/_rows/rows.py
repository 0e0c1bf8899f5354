"""Rows of tokens, as a model takes them: texts, cut to fit, a template around them, padding.

    [CLS] a b c [SEP] d [SEP]        types 0 0 0 0 0 1 1    mask 1 1 1 1 1 1 1
    [CLS] a [SEP] d e [SEP] [PAD]    types 0 0 0 1 1 1 0    mask 1 1 1 1 1 1 0

All rows are one array, one row after the other, whether they are padded to one width or not. It is
filled slot by slot of the template, for all rows at once, never row by row: the place of every id
of every first text, then those of all second texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from subword._rows.cutting import Cut, Ints, Texts
from subword._types import Padding, Side

#: A part of a template: an id, or "A" or "B" for a text; and its type.
Slot = tuple[int | str, int]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Pad:
    """How rows are made longer."""

    #: As long as the longest row, or as this; None pads nothing.
    to: Padding | int | None = None
    side: Side = "right"
    id: int = 0
    type_id: int = 0
    multiple: int | None = None


class Rows:
    """What stands where in the rows."""

    def __init__(
        self,
        texts: dict[str, Texts],
        cut: Cut,
        slots: list[Slot],
        pad: Pad,
        further_types: Mapping[str, int] | None = None,
    ) -> None:
        self.texts, self.cut, self.slots, self.pad = texts, cut, slots, pad
        #: The types of windows that are not the first of their text, if not those of the template.
        self.further_types = further_types or {}
        added = len(slots) - sum(isinstance(content, str) for content, _ in slots)
        #: How long each row is, before it is padded.
        self.filled: Ints = sum(
            (cut.lengths[content] for content, _ in slots if isinstance(content, str)),
            start=np.full(len(cut.samples), added, np.int64),
        )
        #: How long each row is.
        self.lengths = self.filled
        if pad.to is not None and len(self.filled):
            self.lengths = np.maximum(self.filled, self._width())
        self.ends: Ints = np.cumsum(self.lengths)
        self.starts: Ints = self.ends - self.lengths
        self.size = int(self.ends[-1]) if len(self.ends) else 0

    def _width(self) -> int:
        firsts = np.diff(self.cut.samples, prepend=-1) > 0
        longest = int(self.filled[firsts].max(initial=0))
        width = self.pad.to if isinstance(self.pad.to, int) else longest
        multiple = self.pad.multiple
        return -(-width // multiple) * multiple if multiple else width

    @property
    def is_rectangle(self) -> bool:
        """Whether all rows are of one length."""
        return bool(len(self.lengths)) and bool((self.lengths == self.lengths[0]).all())

    @cached_property
    def bounds(self) -> Ints:
        """Where the rows start and end."""
        return np.concatenate([[0], self.ends]).astype(np.int64)

    @cached_property
    def _first(self) -> Ints:
        """Where each row starts after padding on the left."""
        return self.starts + (self.lengths - self.filled if self.pad.side == "left" else 0)

    @cached_property
    def _slot_starts(self) -> list[Ints]:
        """Where each slot starts in each row."""
        at, found = self._first, []
        for content, _ in self.slots:
            found.append(at)
            at = at + (self.cut.lengths[content] if isinstance(content, str) else 1)
        return found

    @cached_property
    def _places(self) -> dict[str, tuple[Array, Array | slice]]:
        """For each text: where its ids stand in the rows, and where they come from."""
        found: dict[str, tuple[Array, Array | slice]] = {}
        for (content, _), start in zip(self.slots, self._slot_starts, strict=True):
            if isinstance(content, str):
                lengths, source = self.cut.lengths[content], self.cut.starts[content]
                before = np.cumsum(lengths) - lengths
                count = int(lengths.sum())
                numbers = np.arange(count)
                to = numbers + np.repeat(start - before, lengths)
                whole = count == len(self.texts[content].ids) and bool((source == before).all())
                taken = slice(None) if whole else numbers + np.repeat(source - before, lengths)
                found[content] = to, taken
        return found

    def range_of(self, name: str, row: int) -> tuple[int, int]:
        """Where a text starts and ends in a row."""
        slot = next(at for at, (content, _) in enumerate(self.slots) if content == name)
        start = int(self._slot_starts[slot][row] - self.starts[row])
        return start, start + int(self.cut.lengths[name][row])

    def _of_texts(
        self, values: Mapping[str, Any], other: int, columns: tuple[int, ...] = ()
    ) -> Array:
        array = np.full((self.size, *columns), other, np.int64)
        for name, (to, taken) in self._places.items():
            value = values[name]
            array[to] = value if isinstance(value, int) else value[taken]
        return array

    @cached_property
    def ids(self) -> Array:
        """The ids."""
        array = self._of_texts({name: some.ids for name, some in self.texts.items()}, self.pad.id)
        for (content, _), start in zip(self.slots, self._slot_starts, strict=True):
            if not isinstance(content, str):
                array[start] = content
        return array

    @cached_property
    def types(self) -> Array:
        """The type of each id."""
        further = self.cut.further and self.further_types
        has_types = any(kind for _, kind in self.slots)
        if not has_types and not self.pad.type_id and not further:
            return np.zeros(self.size, np.int64)
        array = np.full(self.size, self.pad.type_id, np.int64)
        for (content, kind), start in zip(self.slots, self._slot_starts, strict=True):
            if not isinstance(content, str):
                array[start] = kind
            elif further:
                kinds = np.where(self.cut.further[content], further[content], kind)
                array[self._places[content][0]] = np.repeat(kinds, self.cut.lengths[content])
            else:
                array[self._places[content][0]] = kind
        return array

    @cached_property
    def attention(self) -> Array:
        """1 for ids, 0 for padding."""
        if self.lengths is self.filled or bool((self.lengths == self.filled).all()):
            return np.ones(self.size, np.int64)
        if self.is_rectangle:
            columns, first = np.arange(self.lengths[0]), (self._first - self.starts)[:, np.newaxis]
            inside = (columns >= first) & (columns < first + self.filled[:, np.newaxis])
            return inside.astype(np.int64).reshape(-1)
        at = np.arange(self.size) - np.repeat(self._first, self.lengths)
        return ((at >= 0) & (at < np.repeat(self.filled, self.lengths))).astype(np.int64)

    @cached_property
    def special(self) -> Array:
        """1 for what is not of a text: the template and padding."""
        return self._of_texts(dict.fromkeys(self.texts, 0), 1)

    @cached_property
    def sequences(self) -> Array:
        """0 for ids of the first text, 1 for those of the second, -1 for others."""
        return self._of_texts({"A": 0, "B": 1}, -1)

    @cached_property
    def offsets(self) -> Array:
        """Where each token starts and ends in its text; (0, 0) for those of no text."""
        return self._of_texts({n: some.offsets for n, some in self.texts.items()}, 0, (2,))

    @cached_property
    def pieces(self) -> Array:
        """The number of the piece of its text that each token is part of; -1 for no text."""
        return self._of_texts({name: some.pieces for name, some in self.texts.items()}, -1)
