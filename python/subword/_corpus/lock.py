"""A lock on an output: one process at a time writes its files.

The lock is on a file of its own, which is made by whoever comes first and stays. It is never
replaced or removed: a process that has opened a file which is removed then, and one that makes the
file anew, would both have "the" lock. The system lets go of a lock when its process ends, however
that happens. While the lock is held, its file says who holds it.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from subword._errors import CorpusError

#: Windows forbids others to read bytes that are locked: the byte that is, is far behind the text.
LOCKED_BYTE = 1 << 30
#: How much of a lock file is read at most.
MOST_BYTES = 200


@contextmanager
def locked(path: Path, out: Path) -> Iterator[None]:
    """Hold the lock at ``path``, that of the output ``out``; `CorpusError` if another one has it.

    An error of the system, such as a file system without locks, stays the `OSError` that it is.
    """
    # A link is not followed: in a folder where others may write, it would make us empty a file
    # elsewhere.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        if not try_lock(descriptor, path):
            message = f"another run is writing these files{_holder(descriptor)}"
            raise CorpusError(str(out), message, "wait until it has ended, or write elsewhere")
        # Without room on the disk nobody is told who holds the lock; it is held all the same.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {platform.node()}\n".encode())
        try:
            yield
        finally:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            unlock(descriptor)
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    """Who holds the lock, as far as its file says so."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        said = os.read(descriptor, MOST_BYTES).decode(errors="replace").strip()
    except OSError:
        said = ""
    return f": {said}" if said.isprintable() and said else ""


if sys.platform == "win32":
    import errno
    import msvcrt

    def try_lock(descriptor: int, path: Path) -> bool:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            error.filename = str(path)
            raise
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

    def unlock(descriptor: int) -> None:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int, path: Path) -> bool:
        """Take the lock; False if another one has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            error.filename = str(path)
            raise
        return True

    def unlock(descriptor: int) -> None:
        # Closing the file is not enough if the process was forked meanwhile.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
