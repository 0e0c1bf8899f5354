"""Reading and writing: files, or standard input and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

STANDARD = Path("-")  # standard input or output


def read(file: Path) -> bytes:
    """The bytes of a file, or of standard input."""
    return sys.stdin.buffer.read() if file == STANDARD else file.read_bytes()


def say(text: str) -> None:
    """Print a picture; what standard output cannot show is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, errors="backslashreplace").decode(encoding))


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Print names and values, a line each. A value that has line breaks still takes one line."""
    for name, value in rows:
        click.echo(f"{name:<16}{printable(value)}".replace("\n", "\\n"))


def print_error(text: str) -> None:
    """Print a message to standard error."""
    click.echo(printable(text), err=True)


def printable(text: str) -> str:
    r"""Text for a terminal: what it would not just show is escaped, except line breaks.

    What a file holds may come from anybody, and a terminal obeys some control characters.

    >>> print(printable("a\x1b]0;pwned\x07b\n\u202ec é"))
    a\x1b]0;pwned\x07b
    \u202ec é
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode() for c in text
    )


@contextmanager
def output(path: Path) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears under its name only when it is complete."""
    if path == STANDARD:
        yield sys.stdout.buffer
        return
    path = path.resolve()
    if path.exists() and not path.is_file():  # a device, a named pipe, or a mistake
        with path.open("wb") as stream:
            yield stream
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except FileNotFoundError as error:
        error.filename = str(path)  # name the file that was asked for
        raise
    finally:
        partial.unlink(missing_ok=True)
