"""Reading and writing: files, or standard input and output; facts for people and for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from subword import read_documents
from subword._whole_file import whole_file

STANDARD = Path("-")  # standard input or output

#: About how much text is encoded or counted at a time.
BLOCK_BYTES = 1 << 22


def read(file: Path) -> bytes:
    """The bytes of a file, or of standard input."""
    return sys.stdin.buffer.read() if file == STANDARD else file.read_bytes()


def documents_of(file: Path, field: str) -> Iterator[list[bytes]]:
    """The documents of a file, some at a time; standard input is one text."""
    if file == STANDARD:
        yield [read(file)]
        return
    block: list[bytes] = []
    size = 0
    for text in read_documents(file, field=field):
        block.append(text.encode() if isinstance(text, str) else text)
        size += len(block[-1]) + 1
        if size >= BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def say(text: str) -> None:
    """Print a picture; what standard output cannot show is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, errors="backslashreplace").decode(encoding))


def tell(rows: Iterable[tuple[str, str]], facts: Mapping[str, Any], as_json: bool) -> None:
    """Print what a command has found out: rows to read, or the same facts as one JSON object."""
    if as_json:
        print_json(facts)
    else:
        print_rows(rows)


def print_json(facts: Mapping[str, Any]) -> None:
    """Print one JSON object on one line."""
    click.echo(json.dumps(facts))


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
    elif path.exists() and not path.is_file():  # a device, or a named pipe
        try:
            with path.open("wb") as stream:
                yield stream
        except OSError as error:
            error.filename = str(path)
            raise
    else:
        with whole_file(path) as stream:
            yield stream
