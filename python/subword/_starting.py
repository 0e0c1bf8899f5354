"""The command ``subword``, interrupted while it imports, ends quietly with exit code 130.

A command that does not run yet has nothing to clean up, and nobody catches its
``KeyboardInterrupt``: Python would print a traceback that tells the user nothing. A program that
imports the package as a library gets its ``KeyboardInterrupt`` as ever.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

# The script of the command, as installers write it.
_COMMANDS = frozenset({"subword", "subword.exe", "subword-script.py"})


@contextmanager
def quietly() -> Iterator[None]:
    """Let Ctrl-C end the process at once, if it is the command ``subword``."""
    name = PurePath(sys.argv[0]).name if getattr(sys, "argv", None) else ""
    before = signal.getsignal(signal.SIGINT)
    if name not in _COMMANDS or before is not signal.default_int_handler:
        yield
        return
    try:
        signal.signal(signal.SIGINT, _end)
    except ValueError:  # not the main thread, which alone hears signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(*_: object) -> None:
    os._exit(130)
