"""What a scenario gives back: one result per path, one row per library.

    Result("encode/cl100k/en/warm")
        Row("subword",  size=10_000_000, wall=[0.0185, 0.0183, ...])
        Row("tiktoken", size=10_000_000, wall=[1.01, 0.99, ...])

The ratio of a round is (seconds per byte of the reference) / (seconds per byte of the library), and
the ratio that is reported is the median over the rounds that both took part in. The reference is
tiktoken, and tokenizers where something is trained.

Why not the ratio of the two medians: a machine that slows down for a minute slows both sides of a
round, so the ratio of a round survives what the seconds do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Literal

import numpy as np
import numpy.typing as npt

from libraries.encoders import REFERENCE
from measure.timing import Timed

Status = Literal["timed", "absent", "failed", "ids differ", "merges differ"]


@dataclass
class Row:
    """One library in one result.

    ``parts`` are further seconds of each round, by name; ``peak`` is the most memory that a process
    of its own had, in bytes.
    """

    library: str
    size: int = 1
    status: Status = "timed"
    note: str = ""
    rounds: list[int] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)
    peak: list[int] = field(default_factory=list)

    def add(self, number: int, run: Timed[object], peak: int | None = None, **parts: float) -> None:
        """Take in what one round measured."""
        self.rounds.append(number)
        self.wall.append(run.wall)
        self.cpu.append(run.cpu)
        if peak is not None:
            self.peak.append(peak)
        for name, seconds in parts.items():
            self.parts.setdefault(name, []).append(seconds)

    def fail(self, status: Status, note: str) -> None:
        """Give up on this library; what was measured so far is dropped."""
        self.status, self.note = status, note
        self.rounds, self.wall, self.cpu, self.parts, self.peak = [], [], [], {}, []

    def join(self, later: Row, first: int) -> None:
        """Take in the rounds of another visit, which are counted from ``first`` on."""
        if later.status != "timed":
            self.fail(later.status, later.note)
        if self.status == "timed":
            self.rounds += [first + number for number in later.rounds]
            self.wall += later.wall
            self.cpu += later.cpu
            self.peak += later.peak
            for name, seconds in later.parts.items():
                self.parts.setdefault(name, []).extend(seconds)

    @property
    def measured(self) -> bool:
        return self.status == "timed" and bool(self.wall)

    @property
    def cores(self) -> float:
        """Processor seconds per second. Above 1: more threads; well below 1: a busy machine."""
        return sum(self.cpu) / sum(self.wall)

    def ratio_to(self, reference: Row) -> float | None:
        """How many times faster than the reference, over the rounds that both took part in."""
        other = dict(zip(reference.rounds, reference.wall, strict=True))
        ratios = [
            (other[number] / reference.size) / (wall / self.size)
            for number, wall in zip(self.rounds, self.wall, strict=True)
            if number in other
        ]
        return median(ratios) if ratios else None

    @property
    def scaling(self) -> float | None:
        """Seconds with one thread, divided by the seconds with two, round by round."""
        two = self.parts.get("two threads", [])
        if not two:
            return self.against("one thread")
        return median([a / b for a, b in zip(self.wall, two, strict=True)])

    def against(self, name: str) -> float | None:
        """The seconds of a part, divided by the seconds of the row, round by round.

        Example:
            >>> Row("subword", wall=[2.0], parts={"in memory": [1.0]}).against("in memory")
            0.5
        """
        part = self.parts.get(name, [])
        return median([b / a for a, b in zip(self.wall, part, strict=True)]) if part else None

    @property
    def share(self) -> float | None:
        """Seconds in memory, divided by the seconds to a file, round by round."""
        return self.against("in memory")

    @property
    def doubling(self) -> float | None:
        """Seconds for twice the text, divided by the seconds for the text, round by round."""
        twice = self.parts.get("twice", [])
        return median([b / a for a, b in zip(self.wall, twice, strict=True)]) if twice else None


@dataclass
class Result:
    """One path and its rows; ``reference`` is the library that is 1 in every ratio."""

    path: str
    rows: list[Row] = field(default_factory=list)
    reference: str = REFERENCE

    def row(self, library: str) -> Row | None:
        return next((row for row in self.rows if row.library == library), None)

    def joined(self, later: Result) -> Result:
        """This and a later visit of the same path, all rounds of both.

        Example:
            >>> visits = [Result("p", [Row("subword", rounds=[0], wall=[w])]) for w in (1.0, 2.0)]
            >>> visits[0].joined(visits[1]).rows[0].wall
            [1.0, 2.0]
        """
        first = 1 + max((number for row in self.rows for number in row.rounds), default=-1)
        for row in later.rows:
            mine = self.row(row.library)
            if mine is not None:
                mine.join(row, first)
        return self

    def ratio(self, row: Row) -> float | None:
        reference = self.row(self.reference)
        if reference is None or not reference.measured or not row.measured:
            return None
        return row.ratio_to(reference)


def first_difference(
    found: npt.ArrayLike, expected: npt.ArrayLike, reference: str = REFERENCE
) -> str | None:
    """Where two sequences of ids part, in words; None where they are equal.

    Example:
        >>> first_difference([1, 2, 4], [1, 2, 3])
        'id 2 is 4, tiktoken has 3'
        >>> first_difference([1, 2], [1, 2, 3])
        '2 ids, tiktoken has 3'
    """
    ours, theirs = np.asarray(found), np.asarray(expected)
    both = min(len(ours), len(theirs))
    unequal = np.flatnonzero(ours[:both] != theirs[:both])
    if len(unequal):
        at = int(unequal[0])
        return f"id {at} is {ours[at]}, {reference} has {theirs[at]}"
    if len(ours) != len(theirs):
        return f"{len(ours)} ids, {reference} has {len(theirs)}"
    return None
