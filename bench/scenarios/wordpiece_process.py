"""Loads or trains WordPiece once, in a process of its own, and says what it took.

    load:    import the library | memory | clock | load | clock | memory | first call
    train:   import the library | clock | read, normalise, count, learn | clock | peak memory

A process that trains may run on one core alone. The memory of a load is by how much the process has
grown, so that interpreter and library do not count.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from libraries import OURS
from libraries.wordpiece import PEERS
from measure import processes
from measure.timing import timed

SAMPLE = "Hello, world!"
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def ask(**request: Any) -> dict[str, Any]:
    """Load or train in a process of its own."""
    answer: dict[str, Any] = processes.ask("scenarios.wordpiece_process", request)
    return answer


def load(library: str, path: str) -> dict[str, Any]:
    """In the new process."""
    peer = PEERS[library]
    peer.start()
    before = processes.resident_memory()
    run = timed(peer.load, Path(path))
    grown = processes.resident_memory() - before
    first = timed(run.answer.to_list, SAMPLE)
    answer = {"wall": run.wall, "cpu": run.cpu, "first": first.wall, "ids": first.answer}
    return {**answer, "bytes": grown}


def train(library: str, path: str, score: str, vocab_size: int) -> dict[str, Any]:
    """In the new process."""
    processes.use_one_core()
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
    answer = {"wall": run.wall, "cpu": run.cpu, "bytes": processes.peak_memory(), "phases": phases}
    return {**answer, "tokens": tokens}


def respond(request: dict[str, Any]) -> dict[str, Any]:
    what = request.pop("what")
    return load(**request) if what == "load" else train(**request)


if __name__ == "__main__":
    processes.answer(respond)
