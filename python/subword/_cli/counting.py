"""`subword count` and `subword merge-counts`: tokens of files, and pieces of a corpus."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from subword import Counts, Tokenizer, count_pieces
from subword._cli.files import STANDARD, print_rows, printable, read
from subword._cli.group import PATTERNS, main, special_option, threads_option

counts_out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The file of counts to write.",
)
min_count_option = click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    help="Leave out the pieces that occur less often.",
)


@main.command()
@click.argument("first", metavar="TOKENIZER|CORPUS", type=click.Path(path_type=Path))
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="[FILE]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Count the pieces of the files instead, and write them here.",
)
@special_option
@click.option(
    "--pattern",
    metavar="NAME",
    help="The split pattern: of a tokenizer file that does not hold one (.tiktoken), or with --out "
    f"of the pieces (gpt2 without it): {PATTERNS}.",
)
@click.option(
    "--normalizer",
    metavar="NAME",
    help="With --out: what the text goes through before it is cut: bert-uncased or bert-cased "
    "(with --pattern bert, for WordPiece), nfc, nfd, nfkc, nfkd, nfc-lowercase.",
)
@threads_option
@click.option(
    "--special-token",
    "special_tokens",
    metavar="TEXT",
    multiple=True,
    help="With --out: a text that is cut out and not counted. May be given several times.",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="With --out: how much memory the counts may use, like 64MB; the rest goes to disk.",
)
@click.option(
    "--field",
    default="text",
    show_default=True,
    help="With --out: the field of JSON lines or the column of Parquet files that is the text.",
)
@click.option(
    "--max-document",
    metavar="SIZE",
    default="1GB",
    show_default=True,
    help="With --out: how large a line of JSON, or a text without a place to cut, may be.",
)
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="With --out: what is not UTF-8 is an error, or U+FFFD.",
)
@min_count_option
def count(
    first: Path,
    files: Sequence[Path],
    out: Path | None,
    special: Literal["text", "encode", "error"],
    pattern: str | None,
    normalizer: str | None,
    threads: int | None,
    special_tokens: Sequence[str],
    memory_limit: str | None,
    field: str,
    max_document: str,
    errors: Literal["strict", "replace"],
    min_count: int,
) -> None:
    """Count the tokens of files, or with --out the pieces of a corpus.

    Without --out the first argument is a tokenizer, and each file gets a row: how many tokens it
    has, and how many bytes one token stands for.

    With --out all arguments are files of a corpus: text, .jsonl, .parquet, any of them with .gz or
    .zst. What is written is how often each piece occurs, for `subword train` and
    `subword merge-counts`.

    \b
    Examples:
      subword count tokenizer.json chapter1.txt chapter2.txt
      git ls-files -z '*.py' | xargs -0 subword count tokenizer.json
      subword count corpus/*.txt --out corpus.counts
      subword count web.jsonl.zst --out web.counts --special-token '<|endoftext|>'
      subword count corpus.txt --out words.counts --pattern bert --normalizer bert-uncased
    """
    if out is None:
        count_tokens(first, files, special, pattern, threads)
        return
    start = time.perf_counter()
    counts = count_pieces(
        [first, *files],
        pattern="gpt2" if pattern is None else pattern,
        special_tokens=special_tokens,
        normalizer=normalizer,
        threads=threads,
        memory_limit=memory_limit,
        field=field,
        max_document=max_document,
        errors=errors,
    )
    write(counts, out, min_count, start)


def count_tokens(
    tokenizer: Path,
    files: Sequence[Path],
    special: Literal["text", "encode", "error"],
    pattern: str | None,
    threads: int | None,
) -> None:
    """A row per file: tokens, bytes, bytes per token."""
    from tqdm import tqdm

    tok = Tokenizer.load(tokenizer, pattern=pattern)
    row = "{:>12}  {:>12}  {:>11}  {}"
    lines = [row.format("tokens", "bytes", "bytes/token", "file")]
    tokens = size = 0

    def ratio(size: int, tokens: int) -> str:
        return f"{size / tokens:.2f}" if tokens else "-"

    for file in tqdm(files or [STANDARD], unit="file", delay=1, disable=None, leave=False):
        text = read(file)
        found = tok.count(text, special=special, threads=threads)
        assert found is not None  # only a limit makes it None
        lines.append(row.format(found, len(text), ratio(len(text), found), file))
        tokens, size = tokens + found, size + len(text)
    if len(files) > 1:
        lines.append(row.format(tokens, size, ratio(size, tokens), "total"))
    click.echo(printable("\n".join(lines)))


@main.command()
@click.argument(
    "files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="COUNTS..."
)
@counts_out_option
@min_count_option
def merge_counts(files: Sequence[Path], out: Path, min_count: int) -> None:
    """Add up files of counts.

    All of them must be counted with the same normalizer, pattern and special tokens. --min-count
    looks at the sums.

    \b
    Examples:
      subword merge-counts monday.counts tuesday.counts --out week.counts
      subword merge-counts shard-*.counts --out all.counts --min-count 2
    """
    start = time.perf_counter()
    counts = Counts.load(files[0])
    for file in files[1:]:
        counts += Counts.load(file)
    write(counts, out, min_count, start)


def write(counts: Counts, out: Path, min_count: int, start: float) -> None:
    """Write counts, and say what they are."""
    if min_count > 1:
        counts.prune(min_count)
    counts.save(out)
    rows = [
        ("pieces", f"{counts.total:,}"),
        ("different", f"{len(counts):,}"),
        ("pattern", str(counts.pattern)),
        *([] if counts.normalizer is None else [("normalizer", counts.normalizer)]),
        ("special tokens", ", ".join(counts.special_tokens) or "none"),
        ("wrote", f"{out}, {out.stat().st_size:,} bytes"),
        ("seconds", f"{time.perf_counter() - start:.2f}"),
    ]
    print_rows(rows)
