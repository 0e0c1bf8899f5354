"""Times the loading of a vocabulary file.

    new process:   start Python | import the library | load | encode "hello world"
    own file:                                          load what subword has saved
    first call:                                        load | encode a text
    cold:          start Python | import the library | load | encode a text | end

The time of a row is that of `load` alone, but for *first call*, where it is both, and *cold*, where
it is all of it. What stands before it (`import`) and after it (`first`) is reported beside it,
because a library can put the work off until the first call. The file has been read before, so that
no time is spent on the disk.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from libraries import OURS
from libraries.encoders import ADAPTERS, Adapter, Loaded, Subword
from measure import corpora, processes
from measure.corpora import Vocab
from measure.results import Result, first_difference
from measure.timing import Timed, no_collection, rotated, timed
from scenarios.common import Bench, Contender, check, fast_enough, finished, load_all, reported

SAMPLE = "hello world"
CHECKED_BYTES = 200_000


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
                    contender.row.add(number, run, answer["bytes"], **parts)
    return finished(path, contenders)


def own_file(bench: Bench, path: str, name: str) -> Result:
    """The same vocabulary from the file that subword saves, by subword alone."""
    _, contenders = checked(bench, name)
    (ours,) = (contender for contender in contenders if contender.row.library == OURS)
    expected = contenders[0].ready().to_list(SAMPLE)
    library = Subword()
    with tempfile.TemporaryDirectory() as folder, reported(ours.row):
        file = Path(folder, f"{name}.json")
        ours.ready().tokenizer.save(file)
        for number in range(bench.settings.load_rounds if ours.row.status == "timed" else 0):
            run = timed(library.start().Tokenizer.load, file)
            first = timed(library.wrapped(run.answer).to_list, SAMPLE)
            ours.row.add(number, Timed(None, run.wall, run.cpu), first=first.wall)
            check(ours.row, np.array(first.answer), np.array(expected))
            del run
    return finished(path, [ours])


def first_call(bench: Bench, path: str, corpus: str, name: str, size: int) -> Result:
    """Load, and encode the first text, in a process that goes on: a text of ``size`` bytes."""
    vocab, contenders = checked(bench, name)
    contenders = fast_enough(contenders)
    text = corpora.head(bench.text(corpus), size).decode()
    expected = contenders[0].ready().to_array(text)
    for contender in contenders:
        contender.loaded, contender.row.size = None, len(text.encode())
    for number in range(bench.settings.load_rounds):
        for contender in rotated(contenders, number):
            if contender.takes_part(number):
                with reported(contender.row):
                    load: Timed[Loaded] = timed(contender.adapter.load, vocab)
                    first = timed(load.answer.to_array, text)
                    both = Timed(None, load.wall + first.wall, load.cpu + first.cpu)
                    contender.row.add(number, both, load=load.wall, first=first.wall)
                    check(contender.row, first.answer, expected)
                    del load
    return finished(path, contenders)


def cold(
    bench: Bench, path: str, corpus: str, name: str = "cl100k", size: int | None = None
) -> Result:
    """The whole life of a process that encodes one text: start, import, load, encode."""
    vocab = bench.vocab(name)
    contenders = fast_enough(load_all(bench, vocab))
    with tempfile.TemporaryDirectory() as folder:
        file, content = Path(folder, "text"), corpora.head(bench.text(corpus), size)
        file.write_bytes(content)
        ids = contenders[0].ready().to_array(content.decode())
        expected = hashlib.sha256(ids.tobytes()).hexdigest()
        for number in range(bench.settings.further_rounds):
            for contender in rotated(contenders, number):
                if contender.takes_part(number):
                    contender.row.size = len(content)
                    with reported(contender.row):
                        start = time.perf_counter()
                        answer = in_new_process(contender.adapter.name, vocab, file)
                        whole = time.perf_counter() - start
                        if answer["ids"] != expected:
                            contender.row.fail("ids differ", "in a new process")
                            continue
                        parts = {part: answer[part] for part in ("import", "encode")}
                        run = Timed(None, whole, answer["life"])
                        contender.row.add(number, run, None, load=answer["wall"], **parts)
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


def in_new_process(library: str, vocab: Vocab, text: Path | None = None) -> dict[str, Any]:
    """Load in a process of its own and encode two words as a list, or a text as an array."""
    request = {
        "library": library,
        "name": vocab.name,
        "ranks": str(vocab.ranks),
        "json": str(vocab.json),
        "special_tokens": vocab.special_tokens,
        "encoding": vocab.encoding,
        "text": str(text) if text else None,
    }
    answer: dict[str, Any] = processes.ask("scenarios.loading", request)
    return answer


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """In the new process: import, load, encode once."""
    adapter: Adapter = ADAPTERS[request["library"]]
    vocab = Vocab(
        request["name"],
        Path(request["ranks"]),
        Path(request["json"]),
        request["special_tokens"],
        request["encoding"],
    )
    with no_collection():
        start = time.perf_counter()
        adapter.start()
        imported = time.perf_counter() - start
    before = processes.resident_memory()
    run: Timed[Loaded] = timed(adapter.load, vocab)
    if request["text"]:
        encoded = timed(run.answer.to_array, Path(request["text"]).read_bytes().decode())
        return {
            "import": imported,
            "wall": run.wall,
            "encode": encoded.wall,
            "life": time.process_time(),
            "ids": hashlib.sha256(encoded.answer.tobytes()).hexdigest(),
        }
    first = timed(run.answer.to_list, SAMPLE)
    return {
        "bytes": processes.resident_memory() - before,
        "import": imported,
        "wall": run.wall,
        "cpu": run.cpu,
        "first": first.wall,
        "ids": list(first.answer),
    }


if __name__ == "__main__":
    processes.answer(answer_request)
