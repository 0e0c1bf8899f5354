"""Ctrl-C ends every call that may take long, and what was called works afterwards."""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
import subword
from subword import BpeTrainer, Tokenizer, encode_files

from tests.support.interrupting import interrupted

#: Every match of this looks at the rest of the text: a megabyte takes a quarter of an hour.
ENDLESS = "(?!a+b)a"
TEXT = "a" * 1_000_000
BYTES = {i: bytes([i]) for i in range(256)}
SLOW = Tokenizer(BYTES, [], pattern=ENDLESS)

#: After how many seconds the interrupt comes. The calls take far longer.
SOON = 0.15


def interrupt(call: Callable[[], object]) -> None:
    """Expect that a call, which would take minutes, ends soon after an interrupt."""
    begun = threading.Event()
    timer = threading.Timer(SOON, begun.set)
    with interrupted(begun):
        timer.start()
        call()
    timer.join()


def sleep_a_minute() -> None:
    """In short sleeps: what stands for a signal here ends no sleep, it is noticed after one."""
    for _ in range(6000):
        time.sleep(0.01)


CALLS: dict[str, Callable[[int], object]] = {
    "encode": lambda threads: SLOW.encode(TEXT, threads=threads),
    "encode not ascii": lambda threads: SLOW.encode(TEXT + "é", threads=threads),
    "encode special": lambda threads: SLOW.encode(TEXT, special="error", threads=threads),
    "encode_array": lambda threads: SLOW.encode_array(TEXT, threads=threads),
    "encode_batch": lambda threads: SLOW.encode_batch([TEXT] * 4, threads=threads),
    "encode_batch short": lambda threads: SLOW.encode_batch([TEXT[:5000]] * 4000, threads=threads),
    "encode_batch_arrays": lambda threads: SLOW.encode_batch_arrays([TEXT] * 4, threads=threads),
    "count": lambda threads: SLOW.count(TEXT, threads=threads),
    "count_batch": lambda threads: SLOW.count_batch([TEXT] * 4, threads=threads),
    "count_pieces": lambda threads: subword.count_pieces(
        texts=[TEXT] * 4, pattern=ENDLESS, threads=threads
    ),
    "train_iter": lambda threads: BpeTrainer(300, pattern=ENDLESS, threads=threads).train_iter(
        [TEXT] * 4
    ),
    "encode_offsets": lambda _: SLOW.encode_offsets(TEXT),
    "encode_iter": lambda _: list(SLOW.encode_iter([TEXT, TEXT])),
    "split": lambda _: subword._core.split(TEXT, ENDLESS),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", CALLS)
def test_an_endless_pattern_is_interrupted(call: str, threads: int) -> None:
    interrupt(lambda: CALLS[call](threads))
    assert SLOW.encode("aab") == [97, 97, 98]
    assert SLOW.encode_batch(["aab", "ba"]) == [[97, 97, 98], [98, 97]]


@pytest.mark.slow
def test_one_long_piece_is_interrupted() -> None:
    """No pattern cuts it, and every place in it merges: some seconds."""
    vocab = BYTES | {256 + n: b"a" * 2 ** (n + 1) for n in range(10)}
    merges = [(b"a" * 2**n, b"a" * 2**n) for n in range(10)]
    merging = Tokenizer(vocab, merges, pattern="none")
    longest = Tokenizer(vocab, merges, pattern="none", longest_match=True)
    for tok in (merging, longest):
        interrupt(lambda tok=tok: tok.encode("a" * 30_000_000))  # type: ignore[misc]
        assert tok.encode("a" * 1024 + "b") == [265, 98]


def test_a_batch_that_never_ends_is_interrupted() -> None:
    """Texts are looked at while the first of them are encoded."""

    def ids() -> Iterator[int]:
        while True:
            yield 97

    interrupt(lambda: SLOW.decode(ids()))
    interrupt(lambda: SLOW.encode_batch(iter(str, None)))


def test_an_interrupt_of_another_thread_is_left_to_the_main_thread() -> None:
    """Only the main thread hears signals: the call of another goes on to its end."""
    made: list[list[int]] = []
    text = "a" * 40_000  # a second
    other = threading.Thread(target=lambda: made.append(SLOW.encode(text)))
    other.start()
    interrupt(sleep_a_minute)
    other.join()
    assert made == [[97] * len(text)]


def test_what_a_handler_raises_is_what_the_call_raises() -> None:
    class EnoughError(Exception):
        pass

    def handler(*_: object) -> None:
        assert SLOW.encode(TEXT[:5000]) == [97] * 5000  # a call within the call
        raise EnoughError

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(EnoughError):  # noqa: PT012 (the clock starts where the error may come)
            threading.Timer(SOON, _thread.interrupt_main).start()
            SLOW.encode(TEXT)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_token_files_that_were_interrupted_are_taken_up_and_lack_nothing(
    tmp_path: Path, on_error: Literal["raise", "skip"]
) -> None:
    """The document that was being encoded is not taken for one that cannot be encoded."""
    corpus, out = tmp_path / "corpus.txt", tmp_path / "ids.bin"
    lines = [*["b" * 50] * 2000, "a" * 40_000, "b"]  # the second last takes a second
    corpus.write_text("\n".join(lines))
    interrupt(lambda: encode_files(SLOW, corpus, out, split="line", on_error=on_error))
    assert not out.exists()
    encode_files(SLOW, corpus, out, split="line", on_error=on_error)
    assert SLOW.decode(subword.open_tokens(out)[:]) == "".join(lines)


#: The script of the command, interrupted when it imports a module.
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from subword._cli import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.mark.parametrize("module", ["subword._core", "subword._tokenizer", "click"])
@pytest.mark.parametrize("name", ["subword", "subword.exe"])
def test_the_command_that_is_interrupted_while_it_imports_ends_quietly(
    tmp_path: Path, module: str, name: str
) -> None:
    script = tmp_path / name
    script.write_text(COMMAND.format(module=module))
    done = subprocess.run([sys.executable, script, "--version"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_program_that_is_interrupted_while_it_imports_hears_of_it(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(COMMAND.format(module="subword._tokenizer"))
    done = subprocess.run([sys.executable, script, "--version"], capture_output=True, check=False)
    assert b"KeyboardInterrupt" in done.stderr


def test_the_command_hears_an_interrupt_when_it_has_started(tmp_path: Path) -> None:
    script = tmp_path / "subword"
    script.write_text(COMMAND.format(module="nothing"))
    done = subprocess.run([sys.executable, script, "--version"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"subword ")
