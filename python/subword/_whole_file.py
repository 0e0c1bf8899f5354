"""A file that appears under its name when it is complete, written by Python code."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from subword._types import StrPath


@contextmanager
def whole_file(path: StrPath) -> Iterator[IO[bytes]]:
    """A stream to write to. An older file stays as it is until the new one is on the disk.

    A device or a named pipe is refused: a file would take its place. What the system refuses is
    told with the name that was asked for: nobody knows the name that a file has while it is being
    written.
    """
    target = Path(path).resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            what = "this is a device or a pipe, which a file would replace"
            raise OSError(errno.EINVAL, what)
        with partial.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        partial.unlink(missing_ok=True)
