"""Encodes a file once, to a file or in memory, in a process of its own, and says what it took.

load the tokenizer | say so | clock | encode | clock | peak memory | a hash of the ids
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import processes
from measure.timing import timed

if TYPE_CHECKING:
    from scenarios.common import Bench

SHARD_BYTES = 64 << 20
THREADS = 2


@dataclass
class Answer:
    """Seconds, bytes of memory above the loaded tokenizer, and a hash of the ids."""

    wall: float
    cpu: float
    peak: int
    ids: str


def command(bench: Bench, text: Path, kind: str, out: Path) -> list[str]:
    """What runs this file as a script."""
    ranks = bench.vocab("cl100k").ranks
    return processes.command("scenarios.files_process", str(ranks), str(text), kind, str(out))


def ask(bench: Bench, text: Path, kind: str, out: Path | None = None) -> Answer:
    """Encode in a process of its own; a file that nobody asks for is removed."""
    target = text.with_suffix(".once.bin") if out is None else out
    done = subprocess.run(
        command(bench, text, kind, target),
        env=processes.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"the process ended with {done.returncode}: {processes.last_line(done.stderr)}"
        )
    if out is None:
        target.unlink(missing_ok=True)
        manifest(target).unlink(missing_ok=True)
    return Answer(**json.loads(done.stdout.splitlines()[-1]))


def manifest(out: Path) -> Path:
    return out.with_name(out.name + ".manifest.jsonl")


def committed(out: Path) -> int:
    """How many bytes of a file are safe."""
    lines = manifest(out).read_bytes().split(b"\n")[1:-1] if manifest(out).exists() else []
    return 4 * int(json.loads(lines[-1])["tokens"]) if lines else 0


def main(ranks: str, text: str, kind: str, out: str) -> Answer:
    """In the new process."""
    import numpy as np
    from subword import Tokenizer, encode_files

    tok = Tokenizer.load(ranks, pattern="cl100k")
    content = Path(text).read_bytes() if kind == "memory" else b""
    before = processes.peak_memory()
    print("loaded", flush=True)

    def in_memory(content: bytes) -> Any:
        return tok.encode_array(content, special="encode", threads=THREADS)

    def to_file(text: str) -> Any:
        return encode_files(tok, text, out, shard_size=SHARD_BYTES, threads=THREADS)

    run = timed(in_memory, content) if kind == "memory" else timed(to_file, text)
    peak = processes.peak_memory() - before
    ids: Any = run.answer if kind == "memory" else np.fromfile(out, np.uint32)
    return Answer(run.wall, run.cpu, peak, hashlib.sha256(ids).hexdigest())


if __name__ == "__main__":
    print(json.dumps(asdict(main(*sys.argv[1:]))))
