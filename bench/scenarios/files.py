"""A corpus to token files: the rate beside that in memory, the memory, and what a kill costs.

    files/enwiki/bin        200 MB of text to one .bin; beside it, the same text encoded in memory
    files/enwiki/memory     1 GB of text to one .bin: how much memory it takes beside the tokenizer
    files/enwiki/killed     200 MB to one .bin, killed at ten random moments, and taken up again

cl100k, two threads, each run in a process of its own (`files_process`). Before a clock counts, the
ids in the file are compared with those in memory. What a kill costs is what was written and is not
safe: it is written again by the next run.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from libraries import OURS
from measure import corpora, processes
from measure.results import Result, Row
from measure.timing import Timed
from scenarios.common import Bench, reported
from scenarios.files_process import SHARD_BYTES, ask, command, committed

KILLS = 10


def rate(bench: Bench, path: str) -> Result:
    """Seconds from text to .bin, and in memory, in turn."""
    row = Row(OURS)
    with corpus(bench, 4) as text, reported(row):
        row.size = text.stat().st_size
        for number in range(bench.settings.train_rounds):
            memory, file = (ask(bench, text, kind) for kind in ("memory", "file"))
            if memory.ids != file.ids:
                row.fail("ids differ", "the file has other ids than the array in memory")
                break
            run = Timed(None, file.wall, file.cpu)
            row.add(number, run, file.peak, **{"in memory": memory.wall})
    return Result(path, [row])


def memory(bench: Bench, path: str) -> Result:
    """The most memory that a large text takes, above what the tokenizer takes."""
    row = Row(OURS)
    with corpus(bench, 20) as text, reported(row):
        row.size = text.stat().st_size
        for number in range(min(2, bench.settings.train_rounds)):
            file = ask(bench, text, "file")
            row.add(number, Timed(None, file.wall, file.cpu), file.peak)
    return Result(path, [row])


def killed(bench: Bench, path: str) -> Result:
    """Kill a run again and again; what comes out in the end must be what comes out at once."""
    row = Row(OURS)
    with corpus(bench, 4) as text, reported(row):
        row.size = text.stat().st_size
        out = text.with_suffix(".bin")
        whole = ask(bench, text, "file")
        dice = random.Random(0)
        lost = [kill(bench, text, out, dice.uniform(0, whole.wall / 3)) for _ in range(KILLS)]
        last = ask(bench, text, "file", out)
        if last.ids != whole.ids:
            row.fail("failed", "the file is another one than without interruptions")
        else:
            shards = [bytes_lost / SHARD_BYTES for bytes_lost in lost]
            row.add(0, Timed(None, last.wall, last.cpu), last.peak)
            row.parts["repeated"] = shards
    return Result(path, [row])


def kill(bench: Bench, text: Path, out: Path, seconds: float) -> int:
    """Run and kill; how many bytes were written that the next run has to write again."""
    with subprocess.Popen(
        command(bench, text, "file", out),
        env=processes.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the tokenizer is loaded
        time.sleep(seconds)
        process.kill()
    partial = out.with_name(out.name + ".partial")
    # A run that is killed early has written nothing.
    written = next((file.stat().st_size for file in (partial, out) if file.exists()), 0)
    return max(0, written - committed(out))


@contextmanager
def corpus(bench: Bench, times: int) -> Iterator[Path]:
    """A file with the text several times over."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "corpus.txt")
        content = corpora.text(bench.data, "enwiki", bench.settings.text_bytes)
        with file.open("wb") as stream:
            for _ in range(times):
                stream.write(content)
        yield file
