"""SentencePiece's BPE, and files that no fast path runs: lines of text to flat ids.

    sentencepiece/mistral/en/warm    the lines of a text again
    sentencepiece/gemma_4/en/fresh   the same lines, by a tokenizer that has just been loaded
    chain/nfkc/en/warm               Mistral behind NFKC: the plain chain, step by step

A library is timed only on lines for which its ids and its offsets were compared with those of
tokenizers; what was timed is compared too.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from libraries.sentencepiece import PEERS, REFERENCE
from libraries.wordpiece import Flat, Loaded, Peer
from measure import corpora
from measure.results import Result, Row
from measure.timing import rotated, timed, timed_repeats
from scenarios.common import Bench, reported
from scenarios.wordpiece import lines

#: The folders of vocabularies, by the name in a path.
FOLDERS = {"mistral": "mistral_v0.1", "gemma_4": "gemma_4"}
TEXTS = ("en", "zh")

#: What stands before Mistral's pipeline, so that the plain chain runs it.
CHAINS: dict[str, dict[str, Any]] = {
    "nfkc": {"type": "NFKC"},
    "lowercase": {"type": "Lowercase"},
}


def vocab(bench: Bench, name: str) -> Path:
    return corpora.existing(bench.data / "vocabs" / FOLDERS[name] / "tokenizer.json")


@contextmanager
def chained(bench: Bench, name: str) -> Iterator[Path]:
    """Mistral's file with a normalizer of its own."""
    file = json.loads(vocab(bench, "mistral").read_bytes())
    file["normalizer"] = CHAINS[name]
    with tempfile.TemporaryDirectory(prefix="subword-bench-") as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(json.dumps(file), encoding="utf-8")
        yield path


def encode(bench: Bench, path: str, model: str, name: str) -> Result:
    """The lines of a text by every library: warm, or fresh."""
    return measured(bench, path, vocab(bench, model), name)


def chain(bench: Bench, path: str, kind: str, name: str) -> Result:
    """The same by the plain chain."""
    with chained(bench, kind) as file:
        return measured(bench, path, file, name)


def measured(
    bench: Bench, path: str, file: Path, name: str, peers: dict[str, Peer] = PEERS
) -> Result:
    """The lines of a text by libraries that read the same file."""
    rows = {library: Row(library) for library in peers}
    texts: dict[str, list[str]] = {}
    loaded: dict[str, Loaded] = {}
    right = expected(file, lines(bench, name, peers[REFERENCE].at_most))
    for library, row in rows.items():
        if peers[library].version() is None:
            row.fail("absent", "not installed")
            continue
        with reported(row):
            texts[library] = lines(bench, name, peers[library].at_most)
            row.size = sum(len(text.encode()) + 1 for text in texts[library]) - 1
            loaded[library] = peers[library].load(file)
            check(row, loaded[library].flat(loaded[library].encode(texts[library])), right)
    fresh = path.endswith("/fresh")
    rounds = bench.settings.fresh_rounds if fresh else bench.settings.warm_rounds
    for number in range(rounds):
        timed_ones = [row for row in rows.values() if row.status == "timed"]
        for row in rotated(timed_ones, number):
            limit = peers[row.library].rounds
            if limit is not None and number >= limit:
                continue
            with reported(row):
                one, given = loaded[row.library], texts[row.library]
                if fresh:
                    one = peers[row.library].load(file)
                    given = lines(bench, name, peers[row.library].at_most)
                    run = timed(one.encode, given)
                else:
                    seconds = bench.settings.repeat_seconds
                    run = timed_repeats(one.encode, given, seconds=seconds, limit=10)
                row.add(number, run)
                check(row, one.flat(run.answer), right)
    return Result(path, [*rows.values()], REFERENCE)


def expected(file: Path, texts: list[str]) -> Flat:
    """The ids of the reference for the lines that it is given."""
    loaded = PEERS[REFERENCE].load(file)
    return loaded.flat(loaded.encode(texts))


def check(row: Row, found: Flat, right: Flat) -> None:
    """Compare the lines that the reference was given; a library that differs is not timed."""
    (ids, ends), (right_ids, right_ends) = found, right
    documents = min(len(ends), len(right_ends))
    if not np.array_equal(ends[:documents], right_ends[:documents]):
        row.fail("ids differ", f"lines end elsewhere than in {REFERENCE}")
    elif not np.array_equal(ids[: ends[documents - 1]], right_ids[: right_ends[documents - 1]]):
        row.fail("ids differ", f"from those of {REFERENCE}")
