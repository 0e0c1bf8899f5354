"""Texts that are cut to fit into rows, and the windows that they are cut into.

    9 ids, room for 4, stride 1      windows 0..4, 3..7, 6..9
    cut at the left end              windows 5..9, 2..6, 0..3

The first window of a text stands in its row. The others overflow: each can be a row of its own,
with each window of the other text of a pair. The order of these rows is Hugging Face's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from subword._types import Side, Truncation

Ints = npt.NDArray[np.int64]


@dataclass
class Texts:
    """The tokens of many texts, one after the other, and how many of each are kept."""

    ids: npt.NDArray[np.uint32]
    bounds: Ints
    #: Where each token starts and ends in its text, and which piece it is part of, if known.
    offsets: Ints | None = None
    pieces: Ints | None = None

    def __post_init__(self) -> None:
        self.bounds = self.bounds.astype(np.int64)
        self.lengths: Ints = self.bounds[1:] - self.bounds[:-1]
        self.kept = self.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def joined(self, counts: Ints) -> Texts:
        """Texts that are several of these texts each, whose numbers are those of their pieces."""
        ends = np.concatenate([[0], np.cumsum(counts)])
        number = np.arange(len(self)) - np.repeat(ends[:-1], counts)
        pieces = np.repeat(number, self.lengths)
        return Texts(self.ids, self.bounds[ends], self.offsets, pieces)

    def windows(self, text: int, stride: int, side: Side) -> list[tuple[int, int]]:
        """The windows of a text, as the places of their ids among its ids."""
        length, kept = int(self.lengths[text]), int(self.kept[text])
        if kept >= length:
            return [(0, length)]
        if kept == 0:
            return [(0, 0), (0, length)]
        if stride >= kept:
            raise ValueError(f"stride={stride} is too large: a window has {kept} ids")
        step = kept - stride
        found = []
        if side == "right":
            for start in range(0, length, step):
                found.append((start, min(start + kept, length)))
                if found[-1][1] == length:
                    break
        else:
            for end in range(length, 0, -step):
                found.append((max(end - kept, 0), end))
                if found[-1][0] == 0:
                    break
        return found


@dataclass
class Cut:
    """Which part of which text stands in each row."""

    #: The text of each row, by its number.
    samples: Ints
    #: Where the part of the first and of the second text starts among all ids, and its length.
    starts: dict[str, Ints]
    lengths: dict[str, Ints]
    #: Where it is not the first window of its text; empty if all are.
    further: dict[str, npt.NDArray[np.bool_]] = field(default_factory=dict)


def truncate(texts: dict[str, Texts], room: int, truncation: Truncation) -> None:
    """Keep at most ``room`` ids of each row, by the rule that the caller chose."""
    first, second = texts["A"], texts.get("B")
    if second is None:
        first.kept = np.minimum(first.lengths, room)
        return
    total = first.lengths + second.lengths
    long = total > room
    if not long.any():
        return
    if truncation == "longest_first":
        first.kept, second.kept = _longest_first(first.lengths, second.lengths, room)
        return
    cut, other = (first, second) if truncation == "only_first" else (second, first)
    if room == 0:
        first.kept, second.kept = (np.where(long, 0, side.lengths) for side in (first, second))
        return
    short = np.flatnonzero(long & (other.lengths >= room))
    if len(short):
        row = short[0]
        raise ValueError(
            f'row {row} cannot be cut by truncation="{truncation}": the other text has '
            f"{other.lengths[row]} ids, and there is room for {room}"
        )
    cut.kept = np.where(long, room - other.lengths, cut.lengths)


def _longest_first(first: Ints, second: Ints, room: int) -> tuple[Ints, Ints]:
    """Cut the longer of two until they fit, and both to one half where both are longer.

    >>> [kept.tolist() for kept in _longest_first(np.array([9, 3, 9]), np.array([2, 8, 9]), 7)]
    [[5, 3, 3], [2, 4, 4]]
    """
    shorter = np.minimum(first, second)
    longer = np.maximum(shorter, room - shorter)
    both = shorter + longer > room
    shorter = np.where(both, room // 2, shorter)
    longer = np.where(both, room - room // 2, longer)
    swapped = first > second
    kept = np.where(swapped, longer, shorter), np.where(swapped, shorter, longer)
    fits = first + second <= room
    return np.where(fits, first, kept[0]), np.where(fits, second, kept[1])


def first_windows(texts: dict[str, Texts], side: Side) -> Cut:
    """A row for each text, with its first window."""
    starts = {
        name: some.bounds[:-1] + (some.lengths - some.kept if side == "left" else 0)
        for name, some in texts.items()
    }
    lengths = {name: some.kept for name, some in texts.items()}
    return Cut(np.arange(len(texts["A"])), starts, lengths)


def all_windows(texts: dict[str, Texts], stride: int, side: Side) -> Cut:
    """The rows of all windows, those of a text one after the other, its first window first."""
    names = list(texts)
    samples: list[int] = []
    places: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    further: dict[str, list[bool]] = {name: [] for name in names}
    for sample in range(len(texts["A"])):
        windows = [texts[name].windows(sample, stride, side) for name in names]
        for row in _combined(windows):
            samples.append(sample)
            for name, (start, end), (first, *_) in zip(names, row, windows, strict=True):
                base = int(texts[name].bounds[sample])
                places[name].append((base + start, end - start))
                further[name].append((start, end) != first)
    arrays = {name: np.array(found, np.int64).reshape(-1, 2) for name, found in places.items()}
    starts = {name: array[:, 0] for name, array in arrays.items()}
    lengths = {name: array[:, 1] for name, array in arrays.items()}
    masks = {name: np.array(found, np.bool_) for name, found in further.items()}
    return Cut(np.array(samples, np.int64), starts, lengths, masks)


def _combined(windows: list[list[tuple[int, int]]]) -> list[tuple[tuple[int, int], ...]]:
    """The windows of one text, or of each of two with each of the other.

    The first of both; each further one of the first text with all of the second; then the first of
    the first text with each further one of the second.
    """
    if len(windows) == 1:
        return [(window,) for window in windows[0]]
    first, second = windows
    rows = [(first[0], second[0])]
    rows += [(one, other) for one in first[1:] for other in second]
    rows += [(first[0], other) for other in second[1:]]
    return list(rows)
