"""Ctrl-C at a known point of some work, instead of after some time.

The work sets an event at the point where it shall be interrupted: a generator of texts when it has
been asked for ten of them, a progress bar when it shows the first merges. Another thread waits for
the event and sends the signal.

How soon the work ends is measured in the processor time of this process, which does not grow while
a busy machine lets other processes run. Work that hears nothing and waits is ended by pytest's own
time limit.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

#: The most processor time, in seconds, that may pass between the signal and the end of the work.
LATE = 5.0


@contextmanager
def heard() -> Iterator[None]:
    """Python's own handler: a shell that runs tests in the background may have switched it off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted(begun: threading.Event, late: float = LATE) -> Iterator[None]:
    """Expect that the work within is ended by Ctrl-C, which is pressed when it has ``begun``."""
    pressed: list[float] = []
    over = threading.Event()

    def press() -> None:
        begun.wait()
        if not over.is_set():
            pressed.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    with heard():
        presser.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                yield
            ended = time.process_time()
        finally:
            over.set()
            begun.set()
            presser.join()
    assert ended - pressed[0] < late


def press_while_reading(
    process: subprocess.Popen[Any], pipe: Path, blocks: Iterable[bytes]
) -> None:
    """Press Ctrl-C for a process that reads a named pipe, and has read much of what is written.

    A pipe holds less than a megabyte: when some megabytes have been written, the process has taken
    most of them and asks for more. It gets more until it closes the pipe.
    """
    written = 0
    with suppress(BrokenPipeError), pipe.open("wb", buffering=0) as file:
        for block in blocks:
            written += file.write(block)
            if written > 8 << 20 >= written - len(block):
                process.send_signal(signal.SIGINT)


class WatchedTerminal(io.StringIO):
    """A terminal that sets an event when something is written that an expression finds."""

    def __init__(self, expression: str) -> None:
        super().__init__()
        self.expression = re.compile(expression)
        self.seen = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.expression.search(text):
            self.seen.set()
        return super().write(text)
