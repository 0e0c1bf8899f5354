"""No more threads than there is work for, and none after the first that cannot be started."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import subword
from subword import BpeTrainer, Tokenizer, encode_files

BYTES = {i: bytes([i]) for i in range(256)}
TOK = Tokenizer(BYTES, [])
TEXT = "low lower " * 100_000  # 1 MB: eight blocks of 128 kB
MANY = 10**9


def most_threads(call: Callable[[], object]) -> int:
    """How many threads the process had more than before, at most."""
    count, stop = [], threading.Event()

    def threads() -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.split("Threads:")[1].split()[0])

    def watch() -> None:
        while not stop.is_set():
            count.append(threads())
            time.sleep(0.0005)

    def settled() -> int:
        # Threads that were joined a moment ago may still be in /proc.
        readings = []
        for _ in range(20):
            readings.append(threads())
            time.sleep(0.005)
        return min(readings)

    before = settled() + 1  # and the one that watches
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        call()
    finally:
        stop.set()
        watcher.join()
    return max(count, default=0) - before


CALLS: dict[str, tuple[int, Callable[[], object]]] = {
    "encode": (8, lambda: TOK.encode(TEXT, threads=MANY)),
    "encode_array": (8, lambda: TOK.encode_array(TEXT, threads=MANY)),
    "count": (8, lambda: TOK.count(TEXT, threads=MANY)),
    "encode_batch": (17, lambda: TOK.encode_batch([TEXT[:1000]] * 1000, threads=MANY)),
    "encode_batch_arrays": (
        17,
        lambda: TOK.encode_batch_arrays([TEXT[:1000]] * 1000, threads=MANY),
    ),
    "count_batch": (17, lambda: TOK.count_batch([TEXT[:1000]] * 1000, threads=MANY)),
    "decode_batch": (17, lambda: TOK.decode_batch([[97] * 1000] * 1000, threads=MANY)),
    "count_pieces": (3, lambda: subword.count_pieces(texts=["low lower"] * 10, threads=MANY)),
    "train_iter": (3, lambda: BpeTrainer(260, threads=MANY).train_iter(["low lower"] * 10)),
}


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize("call", CALLS)
def test_there_are_no_more_threads_than_jobs(call: str) -> None:
    jobs, run = CALLS[call]
    assert most_threads(run) <= jobs


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_token_files_and_counts_of_small_files_take_few_threads(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low lower\n" * 10)
    out = tmp_path / "ids.bin"
    assert most_threads(lambda: encode_files(TOK, corpus, out, threads=MANY)) <= 4
    assert out.stat().st_size == 2 * 100
    assert most_threads(lambda: subword.count_pieces(corpus, threads=MANY)) <= 3


def test_any_number_of_threads_gives_the_same(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(TEXT)
    for threads in (1, 3, MANY, 2**62):
        assert TOK.encode(TEXT, threads=threads) == list(TEXT.encode())
        counts = subword.count_pieces(corpus, threads=threads)
        assert counts[b" lower"] == 100_000
        out = tmp_path / f"{threads}.bin"
        encode_files(TOK, corpus, out, threads=threads)
        assert out.stat().st_size == 2 * len(TEXT)


#: The system allows this process no other thread.
ALONE = """
import resource, sys
import subword
from subword import Tokenizer
tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
text = "low lower " * 100_000
expected = list(text.encode())
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_STACK, (1 << 40, -1))
import os
os.environ["RUST_MIN_STACK"] = str(1 << 46)  # a stack that no thread gets
assert tok.encode(text, threads=4) == expected
assert tok.encode_batch([text, text], threads=4) == [expected, expected]
assert tok.count_batch([text, text], threads=4) == [len(expected)] * 2
try:
    subword.count_pieces(texts=[text], threads=4)
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a stack that is refused, as Linux does it")
def test_without_other_threads_this_one_does_all() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "no thread could be started\n"
