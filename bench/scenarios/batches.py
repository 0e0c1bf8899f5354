"""Many documents by one call, and one text with less of the processor.

    batch/cl100k/500B/arrays/1-thread    20,000 documents of about 500 bytes, flat ids and offsets
    batch/cl100k/2kB/lists/2-threads     20,000 documents of about 2 kB, a list of lists
    simd/cl100k/en/avx2                  one text again, with SUBWORD_SIMD=avx2

Each library runs in a process of its own (`batch_process`), and the processes take turns. Before a
time counts, a digest of all ids and of where each document ends is compared with tiktoken's. With
two threads our own row also has the seconds of one thread, in the same rounds.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path

from libraries import OURS
from libraries.encoders import ADAPTERS, REFERENCE
from measure.corpora import vocab
from measure.results import Result, Row
from measure.timing import rotated
from scenarios.batch_process import Work, Worker, digest, dumps, flat, worker
from scenarios.common import Bench, reported

LIBRARIES = (OURS, REFERENCE, "gigatoken", "fastokens")
SIZES = {"500B": 500, "2kB": 2000}
LEVELS = ("avx2", "scalar")

#: How many documents the reference gets, because it is slow.
AT_MOST = 2000


def batch(bench: Bench, path: str) -> Result:
    """All libraries on the same documents; the path says how."""
    _, name, size, kind, threads = path.split("/")
    work = Work(
        library=OURS,
        vocab=name,
        data=str(bench.data),
        corpus="enwiki",
        size=SIZES[size],
        number=bench.settings.documents,
        threads=int(threads[0]),
        lists=kind == "lists",
        seed=bench.settings.seed,
    )
    wanted = [library for library in LIBRARIES if library in bench.adapters]
    works = {library: replace(work, library=library) for library in wanted}
    works[REFERENCE] = replace(works[REFERENCE], number=min(AT_MOST, work.number))
    beside = {"one thread": replace(work, threads=1)} if work.threads > 1 else {}
    return measured(bench, path, works, beside)


def simd(bench: Bench, path: str) -> Result:
    """One text again with a level of SIMD forced, beside the level that is chosen, and tiktoken."""
    _, name, corpus, level = path.split("/")
    number, seed = bench.settings.sample_bytes, bench.settings.seed
    work = Work(OURS, name, str(bench.data), corpus, 0, number, threads=1, lists=False, seed=seed)
    works = {OURS: replace(work, simd=level), REFERENCE: replace(work, library=REFERENCE)}
    return measured(bench, path, works, {"not forced": work})


def measured(bench: Bench, path: str, works: dict[str, Work], beside: dict[str, Work]) -> Result:
    """Each work in its process, in turns; what stands beside ours becomes parts of our row."""
    rows = {library: Row(library) for library in works}
    with ExitStack() as stack:
        workers: dict[str, Worker] = {}
        for library, work in works.items():
            with reported(rows[library], absent=True):
                ADAPTERS[library].start()
            if rows[library].status == "timed":
                with reported(rows[library]):
                    rows[library].size = sum(len(one.encode()) for one in work.documents())
                    workers[library] = stack.enter_context(worker(work))
                    check(rows[library], workers[library].ask(dumps(work))["digest"], work)
        with reported(rows[OURS]):
            for name, work in beside.items():
                workers[name] = stack.enter_context(worker(work))
                check(rows[OURS], workers[name].ask(dumps(work))["digest"], work)
        for number in range(bench.settings.further_rounds):
            for library in rotated(list(works), number):
                if rows[library].status == "timed":
                    with reported(rows[library]):
                        add_round(bench, rows[library], number, workers, works, beside)
    return Result(path, list(rows.values()))


def add_round(
    bench: Bench,
    row: Row,
    number: int,
    workers: dict[str, Worker],
    works: dict[str, Work],
    beside: dict[str, Work],
) -> None:
    run = workers[row.library].time(bench.settings.repeat_seconds)
    names = beside if row.library == OURS else {}
    others = {name: workers[name].time(bench.settings.repeat_seconds) for name in names}
    row.add(number, run, None, **{name: other.wall for name, other in others.items()})
    check(row, run.answer, works[row.library])
    for name, other in others.items():
        check(row, other.answer, beside[name])


def check(row: Row, found: str, work: Work) -> None:
    right = expected(work.vocab, work.data, work.corpus, work.size, work.number, work.seed)
    if found != right:
        row.fail("ids differ", f"from those of {REFERENCE}")


@cache
def expected(name: str, data: str, corpus: str, size: int, number: int, seed: int) -> str:
    """The digest of tiktoken's ids."""
    loaded = ADAPTERS[REFERENCE].load(vocab(Path(data), name))
    work = Work(REFERENCE, name, data, corpus, size, number, threads=1, lists=True, seed=seed)
    return digest(*flat([loaded.to_list(text) for text in work.documents()]))
