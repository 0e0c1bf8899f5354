"""The manifest of token files: what they were made from, and how far they are.

One JSON object per line. The first says what is made from what: it is written once, and a run that
goes on must be the same run. Each of the others, a record, says how far the files are. It is
appended whenever the engine has made sure that what it wrote is on the disk, before complete files
get their names. A last line that is not whole was cut off by the end of its process, and does not
count.

    {"subword": "token files", "version": 1, "format": "bin", "dtype": "uint16", ...}
    {"documents": 3, "tokens": 70, ..., "place": [0, 120, 4, 0, 0], "files": [[140, 1895370612]]}
    {"documents": 9, "tokens": 210, ..., "finished": [{"name": "ids.bin", ...}], "complete": true}

``place`` is where a resumed run reads on: the number of the source, the byte or the row, its line,
how many of the documents that end in that block are written, and whether a document is written in
part. ``files`` are the length and the check sum (CRC-32) of each file that is being written.
``group`` is a row group of a Parquet file, ``finished`` lists files that are complete, ``bad`` the
documents that were left out since the record before.

This module is the only one that writes or reads a manifest; `manifest_fields` checks what it reads.
Whoever writes to a manifest, or acts on what it says, holds the lock of the output (`lock`).
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from subword._corpus.lock import try_lock, unlock
from subword._corpus.manifest_fields import FieldError, Totals, check_header
from subword._errors import CorpusError

VERSION = 1
KIND = "token files"
PARTIAL = ".partial"
AGAIN = "pass overwrite=True to start again"
DAMAGED = "remove these files, or write to another place"


class Manifest:
    """A manifest on disk, read whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: dict[str, Any] = {}
        self.records: list[dict[str, Any]] = []

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a manifest and check every field; `FileNotFoundError` if there is none."""
        manifest = cls(path)
        lines = path.read_bytes().split(b"\n")[:-1]
        if not lines:
            raise CorpusError(str(path), "not a manifest: it has no line", DAMAGED)
        totals = None
        for number, line in enumerate(lines, 1):
            try:
                if totals is None:
                    manifest.header = _header(line)
                    totals = Totals(manifest.header)
                else:
                    manifest.records.append(totals.add(_object(line)))
            except FieldError as error:
                raise CorpusError(f"{path}:{number}", f"not a manifest: {error}", DAMAGED) from None
        return manifest

    def start(self, header: dict[str, Any]) -> None:
        """Write the first line, to a file that was not there."""
        self.header = {"subword": KIND, "version": VERSION, **header}
        self.records = []
        partial = self.path.with_name(self.path.name + PARTIAL)
        partial.unlink(missing_ok=True)
        try:
            with partial.open("x", encoding="utf-8") as stream:
                stream.write(_line(self.header))
                stream.flush()
                os.fsync(stream.fileno())
            partial.rename(self.path)
        finally:
            partial.unlink(missing_ok=True)
        sync_folder(self.folder)

    @contextmanager
    def recording(self) -> Iterator[Callable[..., None]]:
        """A function that appends a record; the engine calls it at every commit."""
        with FileIO(self.path, "ab") as stream:
            # The lock of the output is held; this one is for versions that knew no other lock.
            if not try_lock(stream.fileno(), self.path):
                raise CorpusError(str(self.path), "another process is writing these files")
            try:
                yield lambda *commit: self._append(stream, _record(*commit))
            finally:
                unlock(stream.fileno())

    def _append(self, stream: FileIO, record: dict[str, Any]) -> None:
        """Append a line, and wait until it is on the disk."""
        line, before = _line(record).encode(), os.fstat(stream.fileno()).st_size
        try:
            while line:
                line = line[stream.write(line) :]
            os.fsync(stream.fileno())
        except OSError as error:
            # What is incomplete is cut off here, or else before the run goes on.
            with suppress(OSError):
                stream.truncate(before)
            error.filename = str(self.path)
            raise

    def cut_torn_line(self) -> None:
        """Remove a last line that is not whole, so that the next one starts a line."""
        with self.path.open("rb+") as stream:
            data = stream.read()
            stream.truncate(data.rfind(b"\n") + 1)

    @property
    def is_complete(self) -> bool:
        """Whether all files are."""
        return bool(self.records and self.records[-1].get("complete"))

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.path.parent

    def finished(self) -> Iterator[dict[str, Any]]:
        """What is known about each file that is complete."""
        for record in self.records:
            yield from record.get("finished", ())

    def data_files(self) -> list[dict[str, Any]]:
        """Those of them that hold ids, in order."""
        return [file for file in self.finished() if "tokens" in file]

    def bad(self) -> list[tuple[str, str]]:
        """The documents that were left out: where they are, and why."""
        return [(place, why) for record in self.records for place, why in record.get("bad", ())]

    def resume(self) -> Any:
        """Where the engine goes on; None at the start."""
        if not self.records:
            return None
        last = self.records[-1]
        source, start, line, documents, is_open = last["place"]
        read = sum(source["bytes"] for source in self.header["sources"][:source])
        return (
            (source, start, line, documents, bool(is_open)),
            (last["documents"], last["tokens"], read, last["skipped"]),
            len(self.data_files()),
            [tuple(file) for file in last["files"]],
            [tuple(record["group"]) for record in self.records if "group" in record],
        )

    def verify(self) -> None:
        """Raise if a file that is complete is not what was written."""
        for file in self.finished():
            path = self.folder / file["name"]
            check_size(path, file["bytes"])
            found = 0
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    found = zlib.crc32(block, found)
            if found != file["crc32"]:
                message = f"expected the check sum {file['crc32']:08x}, found {found:08x}"
                raise CorpusError(str(path), message, AGAIN)

    def give_names(self) -> None:
        """Rename what is complete and has not its name yet, and check that all is there."""
        for file in self.finished():
            path = self.folder / file["name"]
            partial = path.with_name(path.name + PARTIAL)
            if partial.exists():
                partial.replace(path)
            check_size(path, file["bytes"])


def _record(
    totals: tuple[int, int, int, int],
    place: tuple[int, int, int, int, bool],
    files: list[tuple[int, int]],
    group: tuple[int, int, int, int, int] | None,
    finished: list[tuple[str, int, int, tuple[int, int] | None]],
    bad: list[tuple[str, str]],
    complete: bool,
) -> dict[str, Any]:
    """What the engine says about a commit, as a record: see the head of this module."""
    record: dict[str, Any] = dict(
        zip(("documents", "tokens", "read", "skipped"), totals, strict=True)
    )
    record["place"] = [*place[:4], int(place[4])]
    record["files"] = files
    if group is not None:
        record["group"] = group
    if finished:
        record["finished"] = [
            {"name": name, "bytes": size, "crc32": crc}
            | (dict(zip(("tokens", "documents"), held, strict=True)) if held else {})
            for name, size, crc, held in finished
        ]
    if bad:
        record["bad"] = bad
    if complete:
        record["complete"] = True
    return record


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"


def _header(line: bytes) -> dict[str, Any]:
    header = _object(line)
    kind, version = header.get("subword"), header.get("version")
    if kind != KIND or version != VERSION or isinstance(version, bool):
        raise FieldError(f"expected version {VERSION}, found {kind!r}, version {version!r}"[:200])
    check_header(header)
    return header


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise FieldError(str(error)) from None
    if not isinstance(found, dict):
        raise FieldError(f"expected an object, found {type(found).__name__}")
    return found


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last. Only POSIX can; one that may not be read stays as it is."""
    if os.name == "posix":
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except PermissionError:
            return
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_size(path: Path, expected: int) -> None:
    """Raise if a file is not there, or not as long as it was."""
    found = f"{path.stat().st_size} bytes" if path.exists() else "no file"
    if found != f"{expected} bytes":
        raise CorpusError(str(path), f"expected {expected} bytes, found {found}", AGAIN)


def refuse_changes(manifest: Manifest, header: dict[str, Any]) -> None:
    """Raise if the run that the manifest belongs to was another one."""
    before = manifest.header
    for name in ("format", "dtype", "tokenizer"):
        if before[name] != header[name]:
            was, now = before[name], header[name]
            if name == "tokenizer":
                was, now = was[:12], now[:12]
            raise _changed(manifest, f"{name} was {was!r}, it is {now!r} now")
    for name in before["options"] | header["options"]:
        was, now = before["options"].get(name), header["options"].get(name)
        if was != now:
            raise _changed(manifest, f"{name} was {was!r}, it is {now!r} now")
    old, new = before["sources"], header["sources"]
    if [source["path"] for source in old] != [source["path"] for source in new]:
        others = "was 1 other source" if len(old) == 1 else f"were {len(old)} other sources"
        raise _changed(manifest, f"there {others}" if old else "no sources")
    for was, now in zip(old, new, strict=True):
        if was != now:
            path, size = now["path"], now["bytes"]
            what = f"{path} had {was['bytes']} bytes, it has {size} now"
            raise _changed(manifest, what if was["bytes"] != size else f"{path} was written since")


def _changed(manifest: Manifest, what: str) -> CorpusError:
    return CorpusError(
        str(manifest.path), f"the run that began here was another one: {what}", AGAIN
    )
