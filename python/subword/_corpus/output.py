"""The output of a run: which files it writes, and which it must not touch."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword._corpus.manifest import AGAIN, DAMAGED, PARTIAL, Manifest, refuse_changes
from subword._corpus.manifest_fields import WIDTHS
from subword._errors import ArgumentError, CorpusError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import StrPath

#: What is written under which name.
FORMATS = {".bin": "bin", ".npy": "npy", ".idx": "megatron", ".parquet": "parquet"}

NOT_OURS = "it was not written by a run with this output: move it away, or write to another place"


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
            message = f"out must end in {names}, or in / to be a directory, not {str(out)!r}"
            raise ArgumentError("out", message)
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
            message = f'dtype must be "auto", "uint16" or "uint32", not {asked!r}'
            raise ArgumentError("dtype", message)
        if self.format == "parquet":
            if asked == "uint16":
                message = 'dtype="uint16" is not for Parquet, whose ids are uint32'
                raise ArgumentError("dtype", message)
            return "uint32"
        if asked == "auto":
            return "uint16" if tok.max_id < 1 << 16 else "uint32"
        if asked == "uint16" and tok.max_id >= 1 << 16:
            message = f'dtype="uint16" is too small for the id {tok.max_id}'
            raise ArgumentError("dtype", message)
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
        """Make the directory of shards; the one that it or a file is in must be there."""
        if self.format == "shards" and self.out.parent.is_dir():
            self.out.mkdir(exist_ok=True)
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
