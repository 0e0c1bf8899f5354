"""Trains or counts once, in a process of its own, and says what it took.

    import the library | clock | read, count, learn | clock | peak memory | the merges

A process that is given one thread may run on one core alone, whatever the library thinks of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from libraries.trainers import TRAINERS, Job, Merge, Rule, Trainer
from measure import processes
from measure.timing import timed


@dataclass
class Answer:
    """What one process found: seconds, bytes of memory, and what was learned or counted."""

    wall: float
    cpu: float
    peak: int
    phases: dict[str, float] = field(default_factory=dict)
    merges: list[Merge] | None = None
    fingerprint: str = ""


def in_new_process(trainer: Trainer, job: Job) -> Answer:
    """Train in a process of its own."""
    return asked({"library": trainer.name, **asdict(job), "path": str(job.path)})


def counted(file: Path, *, threads: int, times: int = 1, memory_limit: int | None = None) -> Answer:
    """Count the pieces of a file, or of the file several times over, in a process of its own."""
    request = {"path": str(file), "times": times, "memory_limit": memory_limit}
    return asked({"library": None, "threads": threads, **request})


def asked(request: dict[str, Any]) -> Answer:
    answer = Answer(**processes.ask("scenarios.training_process", request))
    if answer.merges is not None:
        answer.merges = [tuple(bytes.fromhex(str(t)) for t in merge) for merge in answer.merges]
    return answer


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """In the new process."""
    if request["threads"] == 1:
        processes.use_one_core()
    library = request.pop("library")
    return asdict(count(**request) if library is None else train(TRAINERS[library], request))


def train(trainer: Trainer, request: dict[str, Any]) -> Answer:
    rule = Rule(**request.pop("rule"))
    job = Job(Path(request.pop("path")), rule=rule, **request)
    trainer.start()
    run = timed(trainer.train, job)
    peak = processes.peak_memory()
    learned = run.answer()
    return Answer(run.wall, run.cpu, peak, learned.phases, learned.merges)


def count(path: str, times: int, threads: int, memory_limit: int | None) -> Answer:
    subword = import_module("subword")

    def counts(paths: list[str]) -> Any:
        return subword.count_pieces(
            paths, pattern="gpt2", threads=threads, memory_limit=memory_limit
        )

    run = timed(counts, [path] * times)
    return Answer(run.wall, run.cpu, processes.peak_memory(), fingerprint=run.answer.fingerprint)


if __name__ == "__main__":
    processes.answer(answer_request)
