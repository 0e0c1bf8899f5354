"""One tokenizer, many threads and processes: shared, forked and sent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from subword import Tokenizer

from tests.support.small import large_text, tokenizer_named

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.fixture(params=["ranks, cl100k", "merges, regex", "nfc"])
def tok(request: pytest.FixtureRequest) -> Tokenizer:
    return tokenizer_named(request.param)


def parts() -> list[str]:
    text = large_text()
    return [text[i : i + 9_000] for i in range(0, len(text), 9_000)]


def test_threads_share_one_tokenizer(tok: Tokenizer) -> None:
    texts = [*parts(), large_text()]
    wanted = [tok.encode(text, threads=1) for text in texts]
    fresh = tokenizer_named.__wrapped__("ranks, cl100k")  # no cache is warm
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(tok.encode, texts)) == wanted
            counts = pool.map(tok.count, texts)
            assert list(counts) == [len(ids) for ids in wanted]
            decoded = pool.map(tok.decode_bytes, wanted)
            assert list(decoded) == [tok.decode_bytes(ids) for ids in wanted]
        assert len(set(map(tuple, pool.map(fresh.encode, texts[:1] * 20)))) == 1


@contextmanager
def busy(tok: Tokenizer) -> Iterator[None]:
    """Threads that encode, on threads of their own too."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            tok.encode_array(large_text(), threads=2)
            tok.encode("low lower")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def forked(seconds: float = 60.0) -> int:
    """Fork; in the child 0, in the parent wait for the child and return its exit code plus one."""
    with warnings.catch_warnings():
        # From Python 3.12 on a fork beside threads is warned about, because it may hang.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        return 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid == child:
            return os.waitstatus_to_exitcode(status) + 1
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the forked child hangs")


@pytest.mark.slow
@forking
def test_a_child_that_is_forked_while_threads_encode_goes_on(tok: Tokenizer) -> None:
    text = large_text()
    short = tok.encode(text[:2_000])
    decoded = tok.decode_bytes(short)
    long = tok.encode_array(text, threads=1).tobytes()
    with busy(tok):
        for _ in range(8):
            code = forked()
            if code == 0:
                ok = (
                    tok.encode(text[:2_000]) == short
                    and tok.encode_array(text, threads=2).tobytes() == long
                    and tok.decode_bytes(short) == decoded
                )
                os._exit(0 if ok else 1)
            assert code == 1


def large_ranks() -> dict[bytes, int]:
    """So many ranks that their tables take a while to make."""
    alphabet = [bytes([byte]) for byte in b"abcdefghijklmnopqrst"]
    ranks = {bytes([byte]): byte for byte in range(256)}
    for left in alphabet:
        for middle in alphabet:
            ranks[left + middle] = len(ranks)
    for two in [token for token in ranks if len(token) == 2]:
        for right in alphabet:
            ranks[two + right] = len(ranks)
            ranks[two + right + two] = len(ranks)
    return ranks


@pytest.mark.slow
@forking
@pytest.mark.parametrize("first_call", ["encode", "decode"])
def test_a_child_that_is_forked_while_tables_are_made_makes_its_own(first_call: str) -> None:
    ranks = large_ranks()
    text = " ".join(token.decode() for token in list(ranks)[256:]) * 2
    ids = Tokenizer.from_ranks(ranks, pattern="gpt2").encode(text, threads=1)

    def is_right(tok: Tokenizer) -> bool:
        if first_call == "encode":
            return tok.encode(text, threads=1) == ids
        return tok.decode_bytes(ids) == text.encode()

    # The moments are spread over the 20 ms that the tables take.
    for moment in range(10):
        tok = Tokenizer.from_ranks(ranks, pattern="gpt2")
        thread = threading.Thread(target=is_right, args=[tok])
        thread.start()
        time.sleep(0.0015 * moment)
        code = forked()
        if code == 0:
            os._exit(0 if is_right(tok) else 1)
        thread.join()
        assert code == 1


def start_methods() -> list[str]:
    return [name for name in multiprocessing.get_all_start_methods() if name != "forkserver"]


@pytest.mark.parametrize("method", start_methods())
def test_a_pool_of_processes_gives_the_same_ids(tok: Tokenizer, method: str) -> None:
    texts = parts()[:8]
    wanted = [tok.encode(text) for text in texts]
    context = multiprocessing.get_context(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            assert list(pool.map(encode_there, [tok] * 8, texts)) == wanted


def encode_there(tok: Tokenizer, text: str) -> list[int]:
    """Runs in another process, which got the tokenizer as a pickle."""
    return tok.encode(text, threads=2)


def test_nothing_runs_in_the_background() -> None:
    tok = tokenizer_named.__wrapped__("ranks, cl100k")
    tok.encode_array("numpy starts threads of its own when it is first imported")
    before = threads_of_this_process()
    tok.encode_array(large_text(), threads=4)
    # A thread that has ended is listed until the kernel has put it away.
    give_up = time.monotonic() + 60
    while threads_of_this_process() > before:
        assert time.monotonic() < give_up, "threads stay after the call"
        time.sleep(0.001)


def threads_of_this_process() -> int:
    if sys.platform != "linux":
        pytest.skip("counts threads by /proc")
    return len(list(Path("/proc/self/task").iterdir()))
