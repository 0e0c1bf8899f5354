"""What the lines of a manifest must be: every field is checked before anything is done with it.

A manifest comes with token files, and those come from anywhere. What it says decides which files
are opened, renamed and removed, and as what their bytes are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

#: How many bytes an id has in a file, by the name of its type.
WIDTHS = {"uint16": 2, "uint32": 4}

#: How many files a format writes at a time.
FILES = {"bin": 1, "npy": 1, "parquet": 1, "megatron": 2, "shards": 2}

#: How many bytes a ``.npy`` file has before its ids.
NPY_HEAD = 128

#: How many bytes the end of a document has in an index.
END_BYTES = 8

MOST = (1 << 63) - 1


class FieldError(Exception):
    """What is wrong with a line."""


class Totals:
    """What the lines have said so far, and what the next one must fit."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header
        self.documents = self.tokens = 0
        self.complete = False
        #: Ids and documents of files that are complete, and of groups of rows.
        self.finished, self.grouped = (0, 0), (0, 0)

    def add(self, record: dict[str, Any]) -> dict[str, Any]:
        """Check a record by itself and against the ones before; the same record."""
        check_record(record, self.header)
        if self.complete:
            raise FieldError("it comes after the record that says that all is complete")
        for name, before in (("tokens", self.tokens), ("documents", self.documents)):
            if record[name] < before:
                raise FieldError(f"{name} is {record[name]}, it was {before} before")
        self.tokens, self.documents = record["tokens"], record["documents"]
        for file in record.get("finished", ()):
            if "tokens" in file:
                tokens, documents = self.finished
                self.finished = tokens + file["tokens"], documents + file["documents"]
        if "group" in record:
            _, _, rows, _, tokens = record["group"]
            self.grouped = self.grouped[0] + tokens, self.grouped[1] + rows
        self.complete = record.get("complete", False)
        found, expected = self.held(record), (self.tokens, self.documents)
        if found is not None and found != expected:
            raise FieldError(
                f"the files hold {found[0]} tokens and {found[1]} documents, "
                f"but {expected[0]} and {expected[1]} were written"
            )
        return record

    def held(self, record: dict[str, Any]) -> tuple[int, int] | None:
        """How many ids and documents all files have, by the sizes that the record tells."""
        tokens, documents = self.finished
        format, files = self.header["format"], [size for size, _ in record["files"]]
        if not files:
            return tokens, documents
        if format == "parquet":
            return self.grouped
        width = WIDTHS[self.header["dtype"]]
        data = files[0] - (NPY_HEAD if format == "npy" else 0)
        if data < 0 or data % width or (len(files) > 1 and files[1] % END_BYTES):
            raise FieldError(f"no file of this format has {files[0]} bytes, or its index")
        if len(files) > 1:
            documents += files[1] // END_BYTES
        else:
            documents = self.documents  # such a file does not say where documents end
        return tokens + data // width, documents


def check_header(header: Any) -> None:
    """The first line."""
    fields(header, tokenizer=text, options=mapping, sources=sources)
    one_of(header, "format", FILES)
    one_of(header, "dtype", WIDTHS)
    fields(header["options"], split=text, field=text, errors=text)
    options = header["options"]
    if options.get("append", "") is not None:
        fields(options, append=natural)
    if "prepend" in options:
        fields(options, prepend=natural)
    if not isinstance(options.get("special"), str):
        fields(options, special=texts)
    if not is_natural(options.get("shard_bytes"), (1 << 64) - 1) or options["shard_bytes"] < 1:
        raise FieldError(
            f"shard_bytes must be a number of bytes, not {shown(options, 'shard_bytes')}"
        )


def check_record(record: Any, header: dict[str, Any]) -> None:
    """Any other line, by itself."""
    numbers = dict.fromkeys(("documents", "tokens", "read", "skipped"), natural)
    fields(record, **numbers, place=naturals(5), files=pairs)
    source, _, _, _, is_open = record["place"]
    if source > len(header["sources"]) or is_open > 1:
        raise FieldError(f"place {record['place']} is in none of the sources")
    if len(record["files"]) not in (0, FILES[header["format"]]):
        raise FieldError(
            f"{len(record['files'])} files are being written, which this format has not"
        )
    optional = {"group": naturals(5), "finished": finished, "bad": pairs_of_text, "complete": true}
    fields(record, **{name: check for name, check in optional.items() if name in record})


def fields(value: Any, **checks: Callable[[Any], str | None]) -> None:
    """An object with these fields; a check says what was expected, if that is not what it is."""
    if not isinstance(value, dict):
        raise FieldError(f"expected an object, found {type(value).__name__}")
    for name, check in checks.items():
        if name not in value:
            raise FieldError(f"no field {name!r}")
        expected = check(value[name])
        if expected is not None:
            raise FieldError(f"{name} must be {expected}, not {shown(value, name)}")


def shown(value: dict[str, Any], name: str) -> str:
    """A value, cut where it is long."""
    found = repr(value.get(name))
    return found if len(found) <= 60 else found[:60] + "..."


def one_of(value: dict[str, Any], name: str, known: Iterable[str]) -> None:
    """A field whose value is one of some words."""
    if not isinstance(value.get(name), str) or value[name] not in known:
        raise FieldError(f"{name} must be {' or '.join(known)}, not {shown(value, name)}")


def is_natural(value: Any, most: int = MOST) -> bool:
    """Whether it is a whole number from 0 on; True and False are none."""
    return type(value) is int and 0 <= value <= most


def natural(value: Any) -> str | None:
    return None if is_natural(value) else "a number from 0 to 2^63 - 1"


def naturals(how_many: int) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        right = isinstance(value, list) and len(value) == how_many and all(map(is_natural, value))
        return None if right else f"{how_many} numbers from 0 to 2^63 - 1"

    return check


def pairs(value: Any) -> str | None:
    def right(pair: Any) -> bool:
        return naturals(2)(pair) is None and pair[1] < 1 << 32

    return None if isinstance(value, list) and all(map(right, value)) else "sizes and check sums"


def text(value: Any) -> str | None:
    return None if isinstance(value, str) else "a string"


def texts(value: Any) -> str | None:
    right = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return None if right else "a string, or several"


def pairs_of_text(value: Any) -> str | None:
    right = isinstance(value, list) and all(
        texts(pair) is None and len(pair) == 2 for pair in value
    )
    return None if right else "places and messages"


def mapping(value: Any) -> str | None:
    return None if isinstance(value, dict) else "an object"


def true(value: Any) -> str | None:
    return None if value is True else "true"


def sources(value: Any) -> str | None:
    if not isinstance(value, list):
        return "a list"
    for source in value:
        fields(source, path=text, bytes=natural)
        if type(source.get("modified")) is not int:
            raise FieldError(f"modified must be a number, not {shown(source, 'modified')}")
    return None


def finished(value: Any) -> str | None:
    if not isinstance(value, list):
        return "a list"
    for file in value:
        fields(file, name=plain_name, bytes=natural, crc32=natural)
        if file["crc32"] >= 1 << 32:
            raise FieldError(f"crc32 must be a number below 2^32, not {shown(file, 'crc32')}")
        if "tokens" in file or "documents" in file:
            fields(file, tokens=natural, documents=natural)
    return None


def plain_name(value: Any) -> str | None:
    """A name that leads to no other folder, and that every system takes."""
    right = (
        isinstance(value, str)
        and Path(value).name == value
        and value not in ("", ".", "..")
        and not any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value)
    )
    return None if right else "the plain name of a file"
