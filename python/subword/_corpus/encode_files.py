"""From a corpus to token files: what is asked for, checked, and handed to the engine."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from subword import _core
from subword._corpus.lock import locked
from subword._corpus.manifest import AGAIN, DAMAGED, PARTIAL, Manifest, refuse_changes
from subword._corpus.manifest_fields import WIDTHS
from subword._counts import NO_LIMIT, document_limit, expanded, size_of
from subword._errors import CorpusError
from subword._progress import showing_files

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Rows, Special, StrPath

#: What is written under which name.
FORMATS = {".bin": "bin", ".npy": "npy", ".idx": "megatron", ".parquet": "parquet"}

NOT_OURS = "it was not written by a run with this output: move it away, or write to another place"


class Skipped(NamedTuple):
    """A document that was left out: its file and line, and what is wrong with it."""

    place: str
    message: str


@dataclass(frozen=True)
class EncodedFiles:
    """What `Tokenizer.encode_files` has written, and what it took."""

    out: Path
    #: ``"bin"``, ``"npy"``, ``"shards"``, ``"megatron"`` or ``"parquet"``.
    format: str
    dtype: str
    #: The files that hold ids, in order.
    files: tuple[Path, ...]
    documents: int
    tokens: int
    #: How many bytes of the sources were read, as they are on disk.
    read: int
    #: The documents that were left out.
    skipped: tuple[Skipped, ...]
    #: How many of the tokens were there when this run began: 0, unless it went on with another one.
    resumed_at: int
    seconds: float


class Settings(NamedTuple):
    """What `Tokenizer.encode_files` is asked for."""

    split: str
    field: str
    append: str | int | None
    special: Special
    errors: Errors
    on_error: Literal["raise", "skip"]
    dtype: Literal["auto", "uint16", "uint32"]
    shard_size: int | str
    max_document: int | str
    threads: int | None
    overwrite: bool
    verify: bool
    progress: bool | Callable[[dict[str, float]], None] | None


def encode_files(
    tok: Tokenizer, sources: StrPath | Iterable[StrPath], out: StrPath, settings: Settings
) -> EncodedFiles:
    """Encode sources to files; go on where a run like this one has ended."""
    begun = time.perf_counter()
    paths = expanded(sources)
    target = Target.named(out)
    append = appended(tok, settings.append)
    dtype = target.dtype(tok, settings.dtype)
    shard_bytes = size_of(settings.shard_size, "shard_size")
    if shard_bytes < 1:
        raise ValueError(f"shard_size must be at least 1, not {settings.shard_size}")
    shard_bytes = min(shard_bytes, NO_LIMIT)
    max_document = document_limit(settings.max_document)
    if settings.split not in ("file", "line") and settings.split not in tok.special_tokens:
        names = ", ".join(map(repr, tok.special_tokens)) or "none"
        raise ValueError(
            f'split must be "file", "line" or a special token of the tokenizer ({names}), '
            f"not {settings.split!r}"
        )
    special = settings.special
    inputs = [described(path) for path in paths]
    header = {
        "format": target.format,
        "dtype": dtype,
        "tokenizer": tok.fingerprint,
        "options": {
            "split": settings.split,
            "field": settings.field,
            "append": append,
            "special": special if isinstance(special, str) else sorted(special),
            "errors": settings.errors,
            "shard_bytes": shard_bytes,
        },
        "sources": inputs,
    }
    target.check_folder()
    # Everything that looks at the output or changes it, to the end, is done by one run at a time.
    with locked(target.lock, target.out):
        manifest = target.prepared(header, settings.overwrite)
        before = manifest.records[-1] if manifest.records else {"tokens": 0, "read": 0}
        if not manifest.is_complete:
            total = sum(source["bytes"] for source in inputs)
            with showing_files(settings.progress, total, before["read"]) as watch:
                _core.encode_files(
                    tok,
                    [as_source(path, settings.field, max_document) for path in paths],
                    out=target.out,
                    manifest=manifest.path,
                    format=target.format,
                    width=WIDTHS[dtype],
                    shard_bytes=shard_bytes,
                    split=settings.split,
                    field=settings.field,
                    errors=settings.errors,
                    on_error=settings.on_error,
                    special=special,
                    append=append,
                    threads=settings.threads,
                    max_document=max_document,
                    resume=manifest.resume(),
                    watch=watch,
                )
            manifest = Manifest.load(manifest.path)
        target.remove_partial(manifest)
        if settings.verify:
            manifest.verify()
    last = manifest.records[-1]
    return EncodedFiles(
        out=target.out,
        format=target.format,
        dtype=dtype,
        files=tuple(manifest.folder / file["name"] for file in manifest.data_files()),
        documents=last["documents"],
        tokens=last["tokens"],
        read=last["read"],
        skipped=tuple(Skipped(*bad) for bad in manifest.bad()),
        resumed_at=before["tokens"],
        seconds=time.perf_counter() - begun,
    )


@dataclass(frozen=True)
class Target:
    """Where files are written, and which."""

    out: Path
    format: str

    @classmethod
    def named(cls, out: StrPath) -> Target:
        """By the name: ``.bin``, ``.npy``, ``.idx``, ``.parquet``, else a directory of shards."""
        path = Path(out)
        if str(out).endswith("/") or path.is_dir() or not path.suffix:
            return cls(path, "shards")
        if path.suffix not in FORMATS:
            names = ", ".join(FORMATS)
            raise ValueError(
                f"out must end in {names}, or in / to be a directory, not {str(out)!r}"
            )
        return cls(path, FORMATS[path.suffix])

    @property
    def manifest(self) -> Path:
        """The manifest: in the directory of shards, or beside the file."""
        if self.format == "shards":
            return self.out / "manifest.jsonl"
        return self.out.with_name(self.out.name + ".manifest.jsonl")

    def dtype(self, tok: Tokenizer, asked: str) -> str:
        """What ids are in the files."""
        if asked not in ("auto", *WIDTHS):
            raise ValueError(f'dtype must be "auto", "uint16" or "uint32", not {asked!r}')
        if self.format == "parquet":
            if asked == "uint16":
                raise ValueError('dtype="uint16" is not for Parquet, whose ids are uint32')
            return "uint32"
        if asked == "auto":
            return "uint16" if tok.max_id < 1 << 16 else "uint32"
        if asked == "uint16" and tok.max_id >= 1 << 16:
            raise ValueError(f'dtype="uint16" is too small for the id {tok.max_id}')
        return asked

    @property
    def lock(self) -> Path:
        """The lock: of the directory of shards, or beside the file that holds the ids.

        Two outputs that write the same file have the same lock: `ids.idx` and `ids.bin`.
        """
        if self.format == "shards":
            return self.manifest.with_name(self.manifest.name + ".lock")
        return self.names()[0].with_name(self.names()[0].name + ".lock")

    def check_folder(self) -> None:
        """Make the directory of shards; that of a file must be there."""
        if self.format == "shards":
            self.out.mkdir(parents=True, exist_ok=True)
        elif not self.out.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.out))

    def prepared(self, header: dict[str, Any], overwrite: bool) -> Manifest:
        """The manifest of this run: an old one if it is the same run, or a new one."""
        try:
            manifest = Manifest.load(self.manifest)
        except FileNotFoundError:
            manifest = Manifest(self.manifest)
        else:
            if not overwrite:
                refuse_changes(manifest, header)
                self.refuse_listed(manifest)
                self.refuse_unlisted(manifest)
                manifest.cut_torn_line()
                manifest.give_names()
                return manifest
        if overwrite:
            self.remove(manifest)
        manifest = Manifest(self.manifest)
        self.refuse_unlisted(manifest)
        manifest.start(header)
        return manifest

    def names(self) -> list[Path]:
        """The files that one file of tokens is: that with the ids, and its index."""
        if self.format == "megatron":
            return [self.out.with_suffix(".bin"), self.out]
        return [self.out]

    def shard(self, number: int) -> list[Path]:
        """The files of a shard."""
        return [self.out / f"{number:05}.bin", self.out / f"{number:05}.bin.index"]

    def owns(self, name: str) -> bool:
        """Whether a run with this output writes a file of that name."""
        if self.format == "shards":
            return re.fullmatch(r"[0-9]{5,}\.bin(\.index)?", name) is not None
        return name in [path.name for path in self.names()]

    def refuse_listed(self, manifest: Manifest) -> None:
        """Raise if the manifest lists a file that no run with this output writes."""
        for file in manifest.finished():
            if not self.owns(file["name"]):
                message = f"it lists {file['name']!r}, which is no file of {self.out}"
                raise CorpusError(str(manifest.path), message, DAMAGED)

    def refuse_unlisted(self, manifest: Manifest) -> None:
        """Raise if there is a file that this run would replace, and the manifest does not list."""
        listed = {file["name"] for file in manifest.finished()}
        there = [] if self.format == "shards" else self.names()
        # A folder that may be written but not read cannot be looked through.
        with suppress(PermissionError):
            if self.format == "shards":
                there = sorted(path for path in self.out.iterdir() if self.owns(path.name))
        for path in there:
            if path.name not in listed and path.exists():
                hint = AGAIN if path == self.out else NOT_OURS
                raise CorpusError(str(path), "there is a file already", hint)

    def partial(self, manifest: Manifest) -> list[Path]:
        """What a run leaves behind that ends early: the files that it was about to complete."""
        if self.format == "shards":
            # One shard may wait for the disk while the next one is being written.
            shards = len(manifest.data_files())
            names = self.shard(shards) + self.shard(shards + 1)
        else:
            names = self.names()
            if self.format == "megatron":
                names.append(self.out.with_suffix(".ends"))
        return [path.with_name(path.name + PARTIAL) for path in names]

    def remove_partial(self, manifest: Manifest) -> None:
        """Remove what is left of files that were not completed."""
        for path in self.partial(manifest):
            path.unlink(missing_ok=True)

    def remove(self, manifest: Manifest) -> None:
        """Remove what the manifest lists, and the file that the caller has named.

        Nothing else, whatever its name is. The manifest is removed last: if this is cut short, it
        still says what is there.
        """
        for file in manifest.finished():
            if self.owns(file["name"]):
                (manifest.folder / file["name"]).unlink(missing_ok=True)
        self.remove_partial(manifest)
        if self.format != "shards":
            self.out.unlink(missing_ok=True)
        self.manifest.unlink(missing_ok=True)


def appended(tok: Tokenizer, append: str | int | None) -> int | None:
    """The id that is put after each document."""
    if isinstance(append, str):
        if append not in tok.special_tokens:
            names = ", ".join(map(repr, tok.special_tokens)) or "none"
            raise ValueError(f"append must be a special token ({names}) or an id, not {append!r}")
        return tok.special_tokens[append]
    if append is not None:
        tok.token_bytes(append)  # raises if no token has that id
    return append


def described(path: Path) -> dict[str, Any]:
    """What tells whether a file is still the same."""
    found = path.stat()
    return {"path": str(path), "bytes": found.st_size, "modified": found.st_mtime_ns}


def as_source(path: Path, field: str, max_document: int) -> Path | tuple[Path, Rows]:
    """A file, or a table and what reads its rows."""
    if path.suffix != ".parquet":
        return path
    from subword._corpus.parquet_rows import ParquetRows

    return path, ParquetRows(path, field, max_document)
