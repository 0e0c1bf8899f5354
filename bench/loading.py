"""Times the loading of a vocabulary file, in this process and in a new one.

    new process:   start Python | import the library | load | encode "hello world"
    same process:                                      load | encode "hello world"

The time of a row is that of `load` alone. What stands before it (`import`) and after it (`first`)
is reported beside it, because a library can put the work off until the first call.
The file has been read before, so that no time is spent on the disk.

Run as a script this is the new process: a request as JSON in, seconds and ids as JSON out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import corpora
from corpora import Vocab
from peers import ADAPTERS, Adapter, Loaded
from results import Result, first_difference
from scenarios import Bench, Contender, check, finished, load_all, reported
from timing import Timed, no_collection, rotated, timed

SAMPLE = "hello world"
CHECKED_BYTES = 200_000


def same_process(bench: Bench, path: str, name: str) -> Result:
    """Load again and again in the process that runs the benchmark."""
    vocab, contenders = checked(bench, name)
    for number in range(bench.settings.load_rounds):
        for contender in rotated(contenders, number):
            if contender.takes_part(number):
                with reported(contender.row):
                    run = timed(contender.adapter.load, vocab)
                    first = timed(run.answer.to_list, SAMPLE)
                    contender.row.add(number, run, first=first.wall)
                    del run
    return finished(path, contenders)


def new_process(bench: Bench, path: str, name: str) -> Result:
    """Load once in each of several new processes."""
    vocab, contenders = checked(bench, name)
    (expected,) = (c.ready().to_list(SAMPLE) for c in contenders[:1])
    for number in range(bench.settings.load_rounds):
        for contender in rotated(contenders, number):
            if contender.takes_part(number):
                with reported(contender.row):
                    start = time.perf_counter()
                    answer = in_new_process(contender.adapter.name, vocab)
                    whole = time.perf_counter() - start
                    if answer["ids"] != expected:
                        difference = first_difference(answer["ids"], expected)
                        contender.row.fail("ids differ", f"in a new process: {difference}")
                        continue
                    run = Timed(None, answer["wall"], answer["cpu"])
                    parts = {"import": answer["import"], "first": answer["first"], "whole": whole}
                    contender.row.add(number, run, **parts)
    return finished(path, contenders)


def checked(bench: Bench, name: str) -> tuple[Vocab, list[Contender]]:
    """Load everything once and compare the ids of some text in many scripts with tiktoken's."""
    vocab = bench.vocab(name)
    contenders = load_all(bench, vocab)
    text = corpora.text(bench.data, "multi", CHECKED_BYTES).decode()
    expected = contenders[0].ready().to_array(text)
    for contender in contenders:
        if contender.row.status == "timed":
            with reported(contender.row):
                check(contender.row, contender.ready().to_array(text), expected)
    return vocab, contenders


def in_new_process(library: str, vocab: Vocab) -> dict[str, Any]:
    """Run this file as a script."""
    request = {
        "library": library,
        "name": vocab.name,
        "ranks": str(vocab.ranks),
        "json": str(vocab.json),
        "special_tokens": vocab.special_tokens,
    }
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"the new process ended with {done.returncode}: {last}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """In the new process: import, load, encode once."""
    adapter: Adapter = ADAPTERS[request["library"]]
    vocab = Vocab(
        request["name"],
        Path(request["ranks"]),
        Path(request["json"]),
        request["special_tokens"],
    )
    with no_collection():
        start = time.perf_counter()
        adapter.start()
        imported = time.perf_counter() - start
    run: Timed[Loaded] = timed(adapter.load, vocab)
    first = timed(run.answer.to_list, SAMPLE)
    return {
        "import": imported,
        "wall": run.wall,
        "cpu": run.cpu,
        "first": first.wall,
        "ids": list(first.answer),
    }


if __name__ == "__main__":
    json.dump(answer_request(json.load(sys.stdin)), sys.stdout)
