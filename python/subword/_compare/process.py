"""Runs a trainer in a process of its own, and notes how much memory the process had at most.

Run as a module this is the new process: a name and a task come in by standard input, the run goes
out by standard output. The memory is that of the whole process, with the interpreter and the pieces
in it (`VmHWM`; the `ru_maxrss` of Python's `resource` starts with the peak of the parent).
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

from subword._compare.run import Run
from subword._compare.task import Task
from subword._compare.trainers import TRAINERS
from subword._train.log import peak_memory

#: tokenizers uses one thread, as all others do.
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


def measured(name: str, task: Task) -> Run:
    """The run of a trainer."""
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=pickle.dumps((name, task)),
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD},
        check=True,
    )
    run: Any = pickle.loads(done.stdout)
    assert isinstance(run, Run)
    return run


def answer(request: bytes) -> bytes:
    """In the new process."""
    name, task = pickle.loads(request)
    return pickle.dumps(replace(TRAINERS[name](task), peak=peak_memory()))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.buffer.write(answer(sys.stdin.buffer.read()))
