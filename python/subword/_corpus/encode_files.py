"""`encode_files`: a corpus in, token files out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from subword import _core
from subword._corpus.lock import locked
from subword._corpus.manifest import Manifest
from subword._corpus.manifest_fields import WIDTHS
from subword._corpus.output import Target
from subword._corpus.paths import expanded
from subword._corpus.sizes import at_least_one
from subword._errors import ArgumentError
from subword._progress import showing_files

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Progress, Rows, Special, StrPath


class Skipped(NamedTuple):
    """A document that was left out: its file and line, and what is wrong with it."""

    place: str
    message: str


@dataclass(frozen=True)
class EncodedFiles:
    """What `encode_files` has written, and what it took."""

    #: The file, or the directory of shards.
    out: Path
    #: ``"bin"``, ``"npy"``, ``"shards"``, ``"megatron"`` or ``"parquet"``.
    format: str
    #: ``"uint16"`` or ``"uint32"``.
    dtype: str
    #: The files that hold ids, in order.
    files: tuple[Path, ...]
    #: The number of documents that were encoded.
    documents: int
    #: The number of ids that were written.
    tokens: int
    #: The number of bytes of the sources that were read, as they are on disk.
    read: int
    #: The documents that were left out.
    skipped: tuple[Skipped, ...]
    #: The number of ids that an earlier, interrupted run had written; 0 if there was none.
    resumed_at: int
    #: Whether an earlier run had done everything, and this one had nothing to do.
    was_complete: bool
    #: The time that this run took.
    seconds: float


def encode_files(
    tok: Tokenizer,
    sources: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    split: str = "file",
    field: str = "text",
    prepend: str | int | None = None,
    append: str | int | None = None,
    special: Special = "encode",
    errors: Errors = "strict",
    on_error: Literal["raise", "skip"] = "raise",
    dtype: Literal["auto", "uint16", "uint32"] = "auto",
    shard_size: int | str = "64MB",
    max_document: int | str = "1GB",
    threads: int | None = None,
    overwrite: bool = False,
    verify: bool = False,
    progress: Progress | Callable[[dict[str, float]], None] = None,
) -> EncodedFiles:
    """Encode a corpus of any size to token files, in bounded memory.

    A file gets its name only when it is complete. A run that was interrupted goes on when the same
    call is made again, and repeats at most one shard of work. Two runs never write the same files:
    the second one is refused.

    Args:
        tok: The tokenizer.
        sources: A path, several paths, or globs: text, ``.jsonl``, ``.parquet``, and ``.gz`` and
            ``.zst`` of the first two. A document is a line of JSON, a row, or a whole file of text.
        out: What to write, by its name: one raw ``.bin``, one ``.npy``, Megatron's ``.idx`` with
            its ``.bin``, one ``.parquet``, or a directory of shards, which is made. The directory
            that it is in must exist. `open_tokens` reads them all.
        split: What a document is in a file of text: ``"file"``, ``"line"``, or a special token,
            which ends each document.
        field: The field of JSON lines, or the column of Parquet files, that holds the text.
        prepend: A special token or an id that is put before each document.
        append: A special token or an id that is put after each document.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with text that is not UTF-8: "strict" makes the document a bad one,
            "replace" puts U+FFFD in its place.
        on_error: What to do with a bad document: "raise" ends the run, "skip" leaves it out and
            lists it in the result and in the manifest.
        dtype: How wide ids are; "auto" takes ``uint16`` if all ids of the tokenizer fit.
        shard_size: About how large a shard is, in bytes or like "64MB".
        max_document: How large a line of JSON, a row, or a text without a place to cut may be.
        threads: How many threads may work; None means one for each core.
        overwrite: Whether to start again where sources, tokenizer or arguments have changed.
            Removes what the earlier run has written, and nothing else.
        verify: Whether to read the files once more, and compare them with their check sums.
        progress: How to show how far it is, as for `count_pieces`; or a function that is called
            every second with the numbers so far.

    Returns:
        What was written, and what it took.

    Raises:
        CorpusError: A document is bad, the output belongs to another run, or sources, tokenizer or
            arguments have changed since the run began.
        TextError: A document is not UTF-8.
        ArgumentError: A size makes no sense.
        OSError: A file cannot be read or written.

    Example:
        >>> from pathlib import Path
        >>> import numpy, subword
        >>> tok = subword.Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|endoftext|>"])
        >>> _ = Path("corpus.txt").write_text("low\\nnew")
        >>> made = subword.encode_files(
        ...     tok, "corpus.txt", "ids.npy", split="line", append="<|endoftext|>"
        ... )
        >>> made.documents, made.tokens, made.dtype
        (2, 8, 'uint16')
        >>> numpy.load("ids.npy").tolist()
        [108, 111, 119, 256, 110, 101, 119, 256]
    """
    begun = time.perf_counter()
    paths = expanded(sources)
    target = Target.named(out)
    begin, end = tok._named_id("prepend", prepend), tok._named_id("append", append)
    kind = target.dtype(tok, dtype)
    shard_bytes = at_least_one(shard_size, "shard_size")
    document_bytes = at_least_one(max_document, "max_document")
    if split not in ("file", "line") and split not in tok.special_tokens:
        names = ", ".join(map(repr, tok.special_tokens)) or "none"
        expected = f'"file", "line" or a special token of the tokenizer ({names})'
        raise ArgumentError("split", f"split must be {expected}, not {split!r}")
    inputs = [described(path) for path in paths]
    header = {
        "format": target.format,
        "dtype": kind,
        "tokenizer": tok.fingerprint,
        "options": {
            "split": split,
            "field": field,
            **({} if begin is None else {"prepend": begin}),
            "append": end,
            "special": special if isinstance(special, str) else sorted(special),
            "errors": errors,
            "shard_bytes": shard_bytes,
        },
        "sources": inputs,
    }
    target.check_folder()
    # Everything that looks at the output or changes it, to the end, is done by one run at a time.
    with locked(target.lock, target.out):
        manifest = target.prepared(header, overwrite)
        before = manifest.records[-1] if manifest.records else {"tokens": 0, "read": 0}
        was_complete = manifest.is_complete
        if not was_complete:
            total = sum(source["bytes"] for source in inputs)
            with (
                showing_files(progress, total, before["read"]) as watch,
                manifest.recording() as record,
            ):
                _core.encode_files(
                    tok,
                    [as_source(path, field, document_bytes) for path in paths],
                    out=target.out,
                    format=target.format,
                    width=WIDTHS[kind],
                    shard_bytes=shard_bytes,
                    split=split,
                    field=field,
                    errors=errors,
                    on_error=on_error,
                    special=special,
                    prepend=begin,
                    append=end,
                    threads=threads,
                    max_document=document_bytes,
                    resume=manifest.resume(),
                    record=record,
                    watch=watch,
                )
            manifest = Manifest.load(manifest.path)
        target.remove_partial(manifest)
        if verify:
            manifest.verify()
    last = manifest.records[-1]
    return EncodedFiles(
        out=target.out,
        format=target.format,
        dtype=kind,
        files=tuple(manifest.folder / file["name"] for file in manifest.data_files()),
        documents=last["documents"],
        tokens=last["tokens"],
        read=last["read"],
        skipped=tuple(Skipped(*bad) for bad in manifest.bad()),
        resumed_at=before["tokens"],
        was_complete=was_complete,
        seconds=time.perf_counter() - begun,
    )


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
