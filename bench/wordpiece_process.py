"""Loads or trains WordPiece once, in a process of its own, and says what it took.

    load:    import the library | memory | clock | load | clock | memory | first call
    train:   import the library | clock | read, normalise, count, learn | clock | peak memory

A process that trains may run on one core alone. The memory of a load is by how much the process has
grown, so that interpreter and library do not count.

Run as a script this is the new process: a request as JSON in, an answer as JSON into a file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from library import OURS
from timing import timed
from trainers import quiet
from training_process import peak_memory
from wordpiece_peers import PEERS

SAMPLE = "Hello, world!"
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def ask(**request: Any) -> dict[str, Any]:
    """Run this file as a script."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.json")
        done = subprocess.run(
            [sys.executable, __file__, str(path)],
            input=json.dumps(request, default=str),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"the process ended with {done.returncode}: {quiet(done.stderr)}")
        answer: dict[str, Any] = json.loads(path.read_text())
    return answer


def load(library: str, path: str) -> dict[str, Any]:
    """In the new process."""
    peer = PEERS[library]
    peer.start()
    before = resident_memory()
    run = timed(peer.load, Path(path))
    grown = resident_memory() - before
    first = timed(run.answer.to_list, SAMPLE)
    answer = {"wall": run.wall, "cpu": run.cpu, "first": first.wall, "ids": first.answer}
    return {**answer, "bytes": grown}


def train(library: str, path: str, score: str, vocab_size: int) -> dict[str, Any]:
    """In the new process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    module = import_module(library)
    if library == OURS:
        settings = {"score": score, "min_count": 2, "threads": 1, "progress": False}
        trainer = module.WordPieceTrainer(vocab_size, **settings)
        run = timed(trainer.train, path)
        log = module.training_log(run.answer)
        phases = {phase.name: phase.seconds for phase in log.phases}
        tokens = run.answer.vocab_size
    else:
        tokenizer = module.Tokenizer(module.models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = module.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = module.pre_tokenizers.BertPreTokenizer()
        trainer = module.trainers.WordPieceTrainer(
            vocab_size=vocab_size,
            min_frequency=2,
            special_tokens=SPECIAL_TOKENS,
            show_progress=False,
        )
        run = timed(lambda file: tokenizer.train([file], trainer), path)
        phases, tokens = {}, tokenizer.get_vocab_size()
    answer = {"wall": run.wall, "cpu": run.cpu, "bytes": peak_memory(), "phases": phases}
    return {**answer, "tokens": tokens}


def resident_memory() -> int:
    """The memory that this process has, in bytes; 0 where the system does not say."""
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.is_file() else []:
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    request = json.load(sys.stdin)
    told = load(**request) if request.pop("what") == "load" else train(**request)
    Path(sys.argv[1]).write_text(json.dumps(told))
