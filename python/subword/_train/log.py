"""What a training did: every merge, and what each phase took.

    log = training_log(tokenizer)
    log.merges[0]               # LoggedMerge(pair=(b' ', b't'), count=31415, saved=31415)
    log.phases                  # count, index, merge
    log.stop                    # why there are no more merges
    log.pieces, log.different   # how many pieces it learned from, and how many different ones
    log.sources                 # of a mixture: what each merge saved in each source
    log.helped                  # of a fair training: the source that each merge was taken for
    log.save("training.jsonl")  # the same for machines, one JSON object to a line

The merges are made into Python objects when somebody asks for them: with 32,000 merges that takes
longer than the merging.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from subword._whole_file import whole_file

if TYPE_CHECKING:
    from subword import _core
    from subword._tokenizer import Tokenizer
    from subword._types import StrPath

#: Why there are no more merges: there are as many as were asked for; no pair is left; those that
#: are left occur less often than ``min_count``; ``on_merge`` said that it is enough.
Stop = Literal["full", "no pair left", "min_count", "on_merge"]


@dataclass(frozen=True)
class LoggedMerge:
    """A pair that was merged.

    ``count`` is how often the pair stood in the corpus, ``saved`` by how many tokens the corpus
    became shorter: less than ``count`` where occurrences overlap, as in ``aaa``. At the start a
    token is a byte, so the sum of all ``saved`` is what merging has saved of the corpus in bytes.
    """

    pair: tuple[bytes, bytes]
    count: int
    saved: int


@dataclass(frozen=True)
class Phase:
    """A part of the work.

    ``peak_bytes`` is the most memory that the process had had when the phase ended, None where the
    system does not say. ``details`` are numbers of this phase alone.
    """

    name: str
    seconds: float
    peak_bytes: int | None = None
    details: dict[str, int] = field(default_factory=dict)


class TrainingLog:
    """What a training did: made by a trainer, and returned by `training_log`."""

    def __init__(
        self, pieces: int, different: int, phases: tuple[Phase, ...], learned: _core.TrainingLog
    ) -> None:
        self.pieces = pieces
        self.different = different
        self.phases = phases
        self.stop: Stop = learned.stop
        #: By source, how many tokens each merge saved there; None without sources.
        self.sources: dict[str, tuple[int, ...]] | None = None
        #: Of a fair training, the source that each merge was taken for, None for required tokens.
        self.helped: tuple[str | None, ...] | None = None
        self._learned = learned

    @cached_property
    def merges(self) -> tuple[LoggedMerge, ...]:
        """Every merge in its order."""
        found = self._learned.merges()
        return tuple(LoggedMerge((left, right), count, n) for left, right, count, n in found)

    @property
    def seconds(self) -> float:
        """The time of all phases."""
        return sum(phase.seconds for phase in self.phases)

    def json_lines(self) -> Iterator[str]:
        """JSON objects: one for all, one for each phase, one for each merge.

        Bytes are written in hexadecimal: a token need not be text.
        """
        pieces = {"pieces": self.pieces, "different": self.different}
        yield json.dumps({**pieces, "merges": len(self.merges), "stop": self.stop})
        for phase in self.phases:
            yield json.dumps({"phase": phase.name, **without_name(phase)})
        for rank, merge in enumerate(self.merges):
            left, right = (token.hex() for token in merge.pair)
            counts: dict[str, Any] = {"count": merge.count, "saved": merge.saved}
            if self.sources is not None:
                counts["sources"] = {name: saved[rank] for name, saved in self.sources.items()}
            if self.helped is not None:
                counts["helped"] = self.helped[rank]
            yield json.dumps({"rank": rank, "left": left, "right": right, **counts})

    def save(self, path: StrPath) -> None:
        """Write the JSON lines to a file, which appears under its name when it is complete."""
        with whole_file(path) as stream:
            stream.writelines(f"{line}\n".encode("ascii") for line in self.json_lines())

    def __repr__(self) -> str:
        phases = ", ".join(f"{phase.name} {phase.seconds:.2f} s" for phase in self.phases)
        return f"<TrainingLog: {phases}; stop {self.stop!r}>"


def training_log(tok: Tokenizer) -> TrainingLog | None:
    """What the training did that made a tokenizer.

    The log is no part of the tokenizer: a file, a pickle or a copy does not have it.

    Args:
        tok: A tokenizer.

    Returns:
        The log, or None unless a trainer of this process has just made the tokenizer.

    Example:
        >>> from subword import BpeTrainer, training_log
        >>> log = training_log(BpeTrainer(num_merges=1).train_iter(["low low lower"]))
        >>> log.merges[0], log.stop
        (LoggedMerge(pair=(b'o', b'w'), count=3, saved=3), 'full')
    """
    return tok._training_log


def without_name(phase: Phase) -> dict[str, object]:
    """The fields of a phase, its details among them."""
    fields = asdict(phase)
    del fields["name"]
    return {**fields, **fields.pop("details")}


def peak_memory() -> int | None:
    """The most memory that this process has had, in bytes; None where the system does not say."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None
