"""From a corpus to token files: what is asked for, checked, and handed to the engine."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from subword import _core
from subword._counts import expanded, size_of
from subword._errors import CorpusError
from subword._manifest import AGAIN, PARTIAL, Manifest, refuse_changes
from subword._progress import showing_files

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Rows, Special, StrPath

#: How wide an id may be in a file.
WIDTHS = {"uint16": 2, "uint32": 4}

#: What is written under which name.
FORMATS = {".bin": "bin", ".npy": "npy", ".idx": "megatron", ".parquet": "parquet"}


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
    manifest = target.prepared(header, settings.overwrite)
    before = manifest.records[-1] if manifest.records else {"tokens": 0, "read": 0}
    if not manifest.is_complete:
        total = sum(source["bytes"] for source in inputs)
        with showing_files(settings.progress, total, before["read"]) as watch:
            _core.encode_files(
                tok,
                [as_source(path, settings.field) for path in paths],
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
                resume=manifest.resume(),
                watch=watch,
            )
        manifest = Manifest.load(manifest.path)
    target.remove_partial()
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

    def prepared(self, header: dict[str, Any], overwrite: bool) -> Manifest:
        """The manifest of this run: an old one if it is the same run, or a new one."""
        if overwrite:
            self.remove()
        try:
            manifest = Manifest.load(self.manifest)
        except FileNotFoundError:
            if self.format == "shards":
                self.out.mkdir(parents=True, exist_ok=True)
            elif not self.out.parent.is_dir():
                words = os.strerror(errno.ENOENT)
                raise FileNotFoundError(errno.ENOENT, words, str(self.out)) from None
            old = next(iter(self.files()), None)
            if old is not None:
                raise CorpusError(str(old), "there is a file already", AGAIN) from None
            manifest = Manifest(self.manifest)
            manifest.start(header)
            return manifest
        refuse_changes(manifest, header)
        manifest.cut_torn_line()
        manifest.give_names()
        return manifest

    def files(self) -> list[Path]:
        """The files that are there under their names."""
        if self.format == "shards":
            paths = sorted(self.out.glob("[0-9]*.bin*"))
            return [path for path in paths if path.suffix != PARTIAL]
        return [path for path in self.names() if path.exists()]

    def names(self) -> list[Path]:
        """All files that one file of tokens is, or is made from."""
        if self.format == "megatron":
            return [self.out, self.out.with_suffix(".bin"), self.out.with_suffix(".ends")]
        return [self.out]

    def remove_partial(self) -> None:
        """Remove what is left of files that were not completed."""
        if self.format == "shards":
            partial = list(self.out.glob("[0-9]*.bin*" + PARTIAL))
        else:
            partial = [path.with_name(path.name + PARTIAL) for path in self.names()]
        for path in partial:
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove everything that a run like this one has written, the manifest first."""
        self.manifest.unlink(missing_ok=True)
        self.remove_partial()
        for path in self.files():
            path.unlink()


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


def as_source(path: Path, field: str) -> Path | tuple[Path, Rows]:
    """A file, or a table and what reads its rows."""
    if path.suffix != ".parquet":
        return path
    from subword._parquet_rows import ParquetRows

    return path, ParquetRows(path, field)
