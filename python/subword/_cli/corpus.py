"""`subword encode-corpus`: a corpus to token files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from subword import EncodedFiles, Tokenizer, encode_files
from subword._cli.arguments import STANDARD_INPUT, corpus_argument
from subword._cli.files import print_error, print_json, print_rows
from subword._cli.group import (
    Special,
    field_option,
    main,
    pattern_option,
    progress_option,
    special_option,
    threads_option,
    tokenizer_argument,
)

#: How many documents that were left out are shown; the manifest lists them all.
MOST_SHOWN = 20


@main.command()
@tokenizer_argument
@corpus_argument
@click.option(
    "-o",
    "--out",
    metavar="PATH",
    required=True,
    help="What to write, by its name: .bin, .npy, .idx (Megatron), .parquet, or a folder/ of "
    "shards.",
)
@click.option(
    "--split",
    metavar="HOW",
    default="file",
    show_default=True,
    help="What is a document in a file of text: the file, each line, or what stands before a "
    "special token.",
)
@click.option(
    "--prepend",
    metavar="TOKEN",
    help="A special token whose id is put before each document.",
)
@click.option(
    "--append",
    metavar="TOKEN",
    help="A special token whose id is put after each document.",
)
@field_option
@click.option(
    "--dtype",
    type=click.Choice(["auto", "uint16", "uint32"]),
    default="auto",
    show_default=True,
    help="How wide ids are; auto: uint16 if all ids of the tokenizer fit.",
)
@click.option(
    "--shard-size",
    metavar="SIZE",
    default="64MB",
    show_default=True,
    help="About how large a shard is, and how much work is repeated at most after an interruption.",
)
@click.option(
    "--max-document",
    metavar="SIZE",
    default="1GB",
    show_default=True,
    help="How large a line of JSON, a row, or a text without a place to cut may be.",
)
@special_option("encode")
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="What is not UTF-8 makes a document bad, or is U+FFFD.",
)
@click.option(
    "--on-error",
    type=click.Choice(["raise", "skip"]),
    default="raise",
    show_default=True,
    help="A bad document ends the run, or is left out and listed.",
)
@click.option("--overwrite", is_flag=True, help="Start again, whatever was written before.")
@click.option("--verify", is_flag=True, help="Compare the files with their check sums at the end.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a JSON object per line: how far it is every second, and the summary.",
)
@progress_option
@pattern_option
@threads_option
def encode_corpus(
    tokenizer: Path,
    corpus: Sequence[Path],
    out: str,
    split: str,
    prepend: str | None,
    append: str | None,
    field: str,
    dtype: Literal["auto", "uint16", "uint32"],
    shard_size: str,
    max_document: str,
    special: Special,
    errors: Literal["strict", "replace"],
    on_error: Literal["raise", "skip"],
    overwrite: bool,
    verify: bool,
    as_json: bool,
    progress: Any,
    pattern: str | None,
    threads: int | None,
) -> None:
    """Encode a corpus to token files.

    CORPUS is files of text, .jsonl or .parquet, any of them but the last with .gz or .zst, globs,
    or - for standard input. Memory is bounded whatever their size. A run that was interrupted goes
    on if the same command is given again (not with standard input, which is gone); it is refused
    if the files, the tokenizer or the options have changed.

    A corpus is trusted: its special tokens are encoded as their ids, unless --special says
    otherwise.

    \b
    Examples:
      subword encode-corpus tok.json corpus.txt -o train.bin
      subword encode-corpus tok.json 'web/*.jsonl.zst' -o shards/ --append '<|endoftext|>'
      subword encode-corpus tok.json stories.txt -o stories.idx --split '<|endoftext|>'
      subword encode-corpus tok.json web.parquet -o ids.parquet --on-error skip --json
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)

    def tell(numbers: dict[str, float]) -> None:
        print_json({"event": "progress", **numbers})

    try:
        made = encode_files(
            tok,
            corpus,
            out,
            split=split,
            field=field,
            prepend=prepend,
            append=append,
            special=special,
            errors=errors,
            on_error=on_error,
            dtype=dtype,
            shard_size=shard_size,
            max_document=max_document,
            threads=threads,
            overwrite=overwrite,
            verify=verify,
            progress=tell if as_json else progress,
        )
    except KeyboardInterrupt:
        if STANDARD_INPUT in click.get_current_context().meta:
            print_error("interrupted: standard input is gone, so start again with --overwrite")
        elif any(path.exists() for path in manifests(out)):
            print_error("interrupted: the same command goes on from here")
        raise
    if as_json:
        print_json(machine_summary(made))
    else:
        print_rows(summary(made, verify))
        for place, message in made.skipped[:MOST_SHOWN]:
            print_error(f"skipped {place}: {message}")
        if len(made.skipped) > MOST_SHOWN:
            more = len(made.skipped) - MOST_SHOWN
            print_error(f"skipped {more} more, which the manifest lists")


def manifests(out: str) -> tuple[Path, Path]:
    """Where the manifest of a run may be: beside its file, or in its folder."""
    return Path(f"{out}.manifest.jsonl"), Path(out) / "manifest.jsonl"


def summary(made: EncodedFiles, verified: bool) -> list[tuple[str, str]]:
    """What was done, for people."""
    size = sum(path.stat().st_size for path in made.files)
    count = f"{len(made.files)} files, " if len(made.files) != 1 else ""
    rows = [
        ("documents", f"{made.documents:,}"),
        ("tokens", f"{made.tokens:,} ({made.dtype})"),
        ("read", f"{made.read:,} bytes"),
        ("wrote", f"{made.out}, {count}{size:,} bytes"),
        ("skipped", f"{len(made.skipped):,}"),
        ("seconds", f"{made.seconds:.2f}" + f" ({rate(made):,.0f} MB/s)" * (not made.was_complete)),
    ]
    if made.was_complete:
        rows[3] = ("already there", rows[3][1])
        rows.insert(0, ("complete", "an earlier run has done it all, and nothing was left to do"))
    elif made.resumed_at:
        rows.insert(2, ("went on at", f"{made.resumed_at:,} tokens"))
    if verified:
        rows.append(("verified", "all check sums are right"))
    return rows


def rate(made: EncodedFiles) -> float:
    """How much of the sources was read in a second, in MB, by this run."""
    share = 1 - made.resumed_at / made.tokens if made.tokens else 1
    return share * made.read / 1e6 / made.seconds


def machine_summary(made: EncodedFiles) -> dict[str, object]:
    """What was done, for machines."""
    return {
        "event": "done",
        "out": str(made.out),
        "format": made.format,
        "dtype": made.dtype,
        "files": [str(path) for path in made.files],
        "documents": made.documents,
        "tokens": made.tokens,
        "read": made.read,
        "resumed_at": made.resumed_at,
        "was_complete": made.was_complete,
        "skipped": [skipped._asdict() for skipped in made.skipped],
        "seconds": round(made.seconds, 3),
    }
