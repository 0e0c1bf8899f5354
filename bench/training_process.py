"""Trains or counts once, in a process of its own, and says what it took.

    import the library | clock | read, count, learn | clock | peak memory | the merges

A process that is given one thread may run on one core alone, whatever the library thinks of it.

Peak memory is what the system says that the process had at most (`VmHWM`): interpreter, library,
and the pages of a mapped file included. Why not `ru_maxrss`: it starts with the peak of the parent.

Run as a script this is the new process: a request as JSON in, an answer as JSON into a file
(libraries print).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from timing import timed
from trainers import TRAINERS, Job, Merge, Rule, Trainer, quiet


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
    return ask({"library": trainer.name, **asdict(job), "path": str(job.path)})


def counted(file: Path, *, threads: int, times: int = 1, memory_limit: int | None = None) -> Answer:
    """Count the pieces of a file, or of the file several times over, in a process of its own."""
    request = {"path": str(file), "times": times, "memory_limit": memory_limit}
    return ask({"library": None, "threads": threads, **request})


def ask(request: dict[str, Any]) -> Answer:
    """Run this file as a script."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.json")
        done = subprocess.run(
            [sys.executable, __file__, str(path)],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"the process ended with {done.returncode}: {quiet(done.stderr)}")
        answer = Answer(**json.loads(path.read_text()))
    if answer.merges is not None:
        answer.merges = [tuple(bytes.fromhex(str(t)) for t in merge) for merge in answer.merges]
    return answer


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """In the new process."""
    if request["threads"] == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    library = request.pop("library")
    return asdict(count(**request) if library is None else train(TRAINERS[library], request))


def train(trainer: Trainer, request: dict[str, Any]) -> Answer:
    rule = Rule(**request.pop("rule"))
    job = Job(Path(request.pop("path")), rule=rule, **request)
    trainer.start()
    run = timed(trainer.train, job)
    peak = peak_memory()
    learned = run.answer()
    return Answer(run.wall, run.cpu, peak, learned.phases, learned.merges)


def count(path: str, times: int, threads: int, memory_limit: int | None) -> Answer:
    subword = import_module("subword")

    def counts(paths: list[str]) -> Any:
        return subword.count_pieces(
            paths, pattern="gpt2", threads=threads, memory_limit=memory_limit
        )

    run = timed(counts, [path] * times)
    return Answer(run.wall, run.cpu, peak_memory(), fingerprint=run.answer.fingerprint)


def peak_memory() -> int:
    """The most memory that this process had, in bytes; 0 where the system does not say."""
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.is_file() else []:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    told = answer_request(json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(told, default=bytes.hex))
