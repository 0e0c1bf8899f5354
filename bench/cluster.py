"""What Spark and Ray cost: processor seconds per gigabyte, beside one process without them.

    python bench/cluster.py enwiki_50mb.txt --vocab cl100k_base.tiktoken --repeat 8

The corpus, so many times over, is cut into documents of 4 kB and written as Parquet, about 100 MB
of text in a file. Then its pieces are counted, and its ids are made and written as Parquet: in one
thread of this process, by Spark, and by Ray. The seconds are processor time of all processes that
take part (the JVM, the workers), the least of some rounds after one that does not count, so that a
busy machine disturbs little.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from subword import Tokenizer, count_pieces
from subword.integrations import ray, spark

if TYPE_CHECKING:
    from typing_extensions import Self

DOCUMENT, FILE, ROUNDS = 4096, 100_000_000, 2
PATTERN = "cl100k"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--vocab", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=1)
    args = parser.parse_args()
    tok = Tokenizer.load(args.vocab, pattern=PATTERN)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write(args.corpus.read_bytes() * args.repeat, folder / "texts")
        print(f"{args.corpus.name}, {size / 1e6:.0f} MB, s per GB    counting  encoding")
        for engine in (one_process, by_spark, by_ray):
            with engine(folder, tok) as (count, encode):
                seconds = [least(work, folder / "ids") / size * 1e9 for work in (count, encode)]
            print(f"{engine.__name__:<40} {seconds[0]:>8.1f} {seconds[1]:>9.1f}", flush=True)


Works = Iterator[tuple[Callable[[], object], Callable[[], object]]]


@contextmanager
def one_process(folder: Path, tok: Tokenizer) -> Works:
    """Arrow tables in one thread, without an engine."""
    from subword.integrations._columns import Encode

    def count() -> object:
        return count_pieces(folder / "texts" / "*.parquet", pattern=PATTERN, threads=1)

    def encode() -> None:
        work = Encode(tok, "text", "ids", {})
        (folder / "ids").mkdir()
        for path in (folder / "texts").iterdir():
            pq.write_table(work(pq.read_table(path)), folder / "ids" / path.name)

    yield count, encode


@contextmanager
def by_spark(folder: Path, tok: Tokenizer) -> Works:
    """Spark in this machine, two tasks at a time."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    texts = session.read.parquet(str(folder / "texts"))
    yield (
        lambda: spark.to_counts(spark.count_pieces(texts, pattern=PATTERN), pattern=PATTERN),
        lambda: spark.encode(texts, tok).write.parquet(str(folder / "ids")),
    )
    session.stop()


@contextmanager
def by_ray(folder: Path, tok: Tokenizer) -> Works:
    """Ray in this machine, two tasks at a time."""
    import ray as real

    real.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    context = real.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.default_hash_shuffle_parallelism = 8  # 200 are for a larger corpus
    texts = real.data.read_parquet(str(folder / "texts"))
    yield (
        lambda: ray.to_counts(ray.count_pieces(texts, pattern=PATTERN), pattern=PATTERN),
        lambda: ray.encode(texts, tok).write_parquet(str(folder / "ids")),
    )
    real.shutdown()


def write(text: bytes, folder: Path) -> int:
    """The documents of a text as Parquet files; how many bytes they have."""
    starts = range(0, len(text), DOCUMENT)
    documents = [text[at : at + DOCUMENT].decode(errors="ignore") for at in starts]
    files = -(-len(text) // FILE)
    folder.mkdir()
    for at in range(files):
        table = pa.table({"text": documents[at::files]})
        pq.write_table(table, folder / f"{at}.parquet", compression="zstd")
    return sum(len(document.encode()) for document in documents)


def least(work: Callable[[], object], out: Path) -> float:
    """The least processor time of some rounds, in seconds."""
    seconds = []
    for _ in range(ROUNDS + 1):
        shutil.rmtree(out, ignore_errors=True)
        with Meter() as meter:
            work()
        seconds.append(meter.seconds)
    return min(seconds[1:])


class Meter:
    """The processor time of this process and of all that descend from it.

    It looks ten times a second, so as not to forget the workers that end in between.
    """

    def __enter__(self) -> Self:
        self.seconds = 0.0
        self.before = used()
        self.after = dict(self.before)
        self.over = threading.Event()
        self.looking = threading.Thread(target=self.look)
        self.looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.looking.join()
        self.after |= used()
        ticks = sum(ticks - self.before.get(one, 0) for one, ticks in self.after.items())
        self.seconds = ticks / os.sysconf("SC_CLK_TCK")

    def look(self) -> None:
        while not self.over.wait(0.1):
            self.after |= used()


def used() -> dict[tuple[int, int], int]:
    """The ticks of each process, by its id and the time of its start."""
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        pid = int(folder.name)
        parents[pid] = int(fields[1])
        ticks[pid] = int(fields[19]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return {(pid, ticks[pid][0]): ticks[pid][1] for pid in ours}


if __name__ == "__main__":
    main()
