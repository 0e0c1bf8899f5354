"""What a trainer did: its merges, and what they took."""

from __future__ import annotations

from dataclasses import dataclass

from subword.reference.training import Pair

#: So many merges, after so many seconds.
Point = tuple[int, float]


@dataclass(frozen=True)
class Run:
    """The merges of one trainer; times are processor time on one thread, in seconds."""

    name: str
    merges: list[Pair]
    wanted: int  #: how many merges were asked for
    done: bool  #: False if it was stopped
    points: list[Point]  #: by rising merges; the first is the end of building
    counting: float = 0.0  #: what it took to count a text, where that is a step of its own
    heap_operations: int | None = None
    stale_entries: int | None = None
    peak: int | None = None  #: memory of its process, in bytes

    @property
    def rounds(self) -> int:
        """How many rounds were timed."""
        return self.points[-1][0]

    @property
    def build(self) -> float:
        """Seconds before the first merge."""
        return self.points[0][1]

    @property
    def per_round(self) -> float:
        """Seconds for one merge."""
        return (self.points[-1][1] - self.build) / max(self.rounds, 1)

    @property
    def merging(self) -> float:
        """Seconds for all merges; of a run that was stopped, as if they took what these took."""
        return self.per_round * (self.rounds if self.done else self.wanted)

    @property
    def total(self) -> float:
        """Seconds for everything."""
        return self.counting + self.build + self.merging
