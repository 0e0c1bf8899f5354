"""Encodes many documents, or one text, again and again, in a process of its own.

    a request as JSON on the first line    ->    {"digest": ...}: loaded, and encoded once
    a line with seconds                    ->    {"wall": ..., "cpu": ..., "digest": ...}

Why a process that lives on: the number of threads and the level of SIMD are read from the
environment once, so two of them cannot be in one process; and the libraries have to take turns.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from libraries import OURS
from libraries.encoders import ADAPTERS, ENVIRONMENT, REFERENCE, Loaded
from measure import corpora, processes
from measure.timing import Timed, timed_repeats

#: How much of a pool is drawn for documents.
SAMPLE_BYTES = 40_000_000

#: Ids of all documents in a row, and where each ends, a zero first.
Flat = tuple[npt.ArrayLike, npt.ArrayLike]


@dataclass(frozen=True)
class Work:
    """What a process does: documents of a size by the batch call, or one text where it is 0."""

    library: str
    vocab: str
    data: str
    corpus: str
    size: int
    number: int
    threads: int
    lists: bool
    seed: int
    simd: str = ""

    def documents(self) -> list[str]:
        pool = corpora.text(Path(self.data), self.corpus)
        if self.size:
            # The same for every number: a slow library gets the first documents of the others.
            content = corpora.sample(pool, SAMPLE_BYTES, self.seed)
            return corpora.documents(content, self.size, self.number)
        return [corpora.sample(pool, self.number, self.seed).decode()]


def dumps(work: Work) -> str:
    """The request for this work."""
    return json.dumps(asdict(work))


class Worker:
    """The process, seen from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with {self.process.wait()}")
        told: dict[str, Any] = json.loads(answer)
        if "error" in told:
            raise RuntimeError(told["error"])
        return told

    def time(self, seconds: float) -> Timed[str]:
        """Call once, or again until the seconds are spent; the answer is the digest of the ids."""
        told = self.ask(str(seconds))
        return Timed(told["digest"], told["wall"], told["cpu"])


@contextmanager
def worker(work: Work) -> Iterator[Worker]:
    """Start a process for this work; it ends with the block."""
    threads = dict.fromkeys(("RAYON_NUM_THREADS", "FASTOKENS_BPE_THREADS"), str(work.threads))
    simd = {"SUBWORD_SIMD": work.simd} if work.simd else {}
    with subprocess.Popen(
        processes.command("scenarios.batch_process"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=processes.environment(**{**ENVIRONMENT, **threads, **simd}),
    ) as process:
        try:
            yield Worker(process)
        finally:
            process.kill()


def caller(work: Work, loaded: Loaded) -> Callable[[list[str]], Any]:
    """The fastest call that a library has for this work."""
    tokenizer, threads = loaded.tokenizer, work.threads
    if not work.size:
        return lambda texts: (ids := loaded.to_array(texts[0]), [0, len(ids)])
    if work.library == OURS:
        encode = tokenizer.encode_batch if work.lists else tokenizer.encode_batch_arrays
        return lambda texts: encode(texts, threads=threads)
    if work.library == REFERENCE:  # lists in any case: it has no other batch
        if threads == 1:
            return lambda texts: [loaded.to_list(text) for text in texts]
        return lambda texts: tokenizer.encode_ordinary_batch(texts, num_threads=threads)
    if work.library == "gigatoken":
        encode = tokenizer.encode_batch_list if work.lists else tokenizer.encode_batch
        return lambda texts: encode(texts, parallel=threads > 1)
    if work.lists:
        return lambda texts: [
            one.ids for one in tokenizer.encode_batch(texts, split_special_tokens=True)
        ]
    return lambda texts: tokenizer.encode_batch_flat(texts, split_special_tokens=True)


def flat(answer: Any) -> Flat:
    """The answer of any library: lists, an awkward array, or two arrays, as arrays or as bytes."""
    if isinstance(answer, list):
        ends = list(accumulate(map(len, answer), initial=0))
        return np.fromiter(chain.from_iterable(answer), np.uint32, ends[-1]), ends
    if not isinstance(answer, tuple):
        return answer.layout.content.data, answer.layout.offsets.data
    ids, ends = answer
    if isinstance(ids, bytes):
        return np.frombuffer(ids, np.uint32), np.frombuffer(ends, np.uint64)
    return ids, ends


def digest(ids: npt.ArrayLike, ends: npt.ArrayLike) -> str:
    """The same for the same ids in the same documents.

    Example:
        >>> digest([1, 2], [0, 1, 2]) == digest([1, 2], [0, 2, 2])
        False
    """
    both = np.asarray(ids, np.uint32).tobytes(), np.asarray(ends, np.uint64).tobytes()
    return hashlib.sha256(b"".join(both)).hexdigest()


def serve() -> Iterator[dict[str, Any]]:
    """In the new process: an answer to each line."""
    work = Work(**json.loads(sys.stdin.readline()))
    documents = work.documents()
    vocab = corpora.vocab(Path(work.data), work.vocab)
    call = caller(work, ADAPTERS[work.library].load(vocab))
    yield {"digest": digest(*flat(call(documents)))}
    for line in sys.stdin:
        run = timed_repeats(call, documents, seconds=float(line), limit=10)
        yield {"wall": run.wall, "cpu": run.cpu, "digest": digest(*flat(run.answer))}
        del run


def tell(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    try:
        for told in serve():
            tell(told)
    except BaseException as error:  # a panic in Rust is no Exception
        tell({"error": f"{type(error).__name__}: {error}"})
