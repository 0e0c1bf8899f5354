"""Work in a process of its own: a module is run as a script, with JSON in and JSON out.

    ask("scenarios.training_process", {"library": "subword", ...})   ->   {"wall": 0.11, ...}

The new process reads the request from standard input and writes its answer to the file that its
first argument names, because libraries print. Its own side is `answer(...)`.

Peak memory is what the system says that the process had at most (`VmHWM`): interpreter, library,
and the pages of a mapped file included. Why not `ru_maxrss`: on Linux that number survives `exec`,
so a child starts with the peak of its parent.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parent.parent


def command(module: str, *arguments: str) -> list[str]:
    """What runs a module of the benchmark as a script; it needs `environment()`."""
    return [sys.executable, "-m", module, *arguments]


def environment(**variables: str) -> dict[str, str]:
    """The environment of this process, with the benchmark's modules on the path."""
    paths = [str(BENCH), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}


def ask(module: str, request: dict[str, Any]) -> Any:
    """Run the module with the request; its answer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.json")
        done = subprocess.run(
            command(module, str(path)),
            input=json.dumps(request, default=str),
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            words = last_line(done.stderr)
            raise RuntimeError(f"the process ended with {done.returncode}: {words}")
        return json.loads(path.read_text())


def answer(respond: Callable[[dict[str, Any]], Any]) -> None:
    """In the new process: read the request, write the answer. Bytes become hexadecimal digits."""
    told = respond(json.load(sys.stdin))
    Path(sys.argv[1]).write_text(json.dumps(told, default=bytes.hex))


def use_one_core() -> None:
    """Keep this process on one core, whatever a library thinks of it, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def peak_memory() -> int:
    """The most memory that this process had, in bytes; 0 where the system does not say."""
    return status_bytes("VmHWM")


def resident_memory() -> int:
    """The memory that this process has, in bytes; 0 where the system does not say."""
    return status_bytes("VmRSS")


def status_bytes(field: str) -> int:
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.is_file() else []:
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    return 0


def last_line(text: str) -> str:
    """The last line of what a process said, for a table.

    Example:
        >>> last_line("3 words\\n\\nerror: | no memory\\n")
        'error: no memory'
    """
    said = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"[|\s]+", " ", said[-1])[:120] if said else "no message"
