"""`subword count`, `count-pieces` and `merge-counts`: tokens of files, and pieces of a corpus."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from subword import Counts, Tokenizer, count_pieces
from subword._cli.arguments import Number, OutputFile, TextFile, corpus_argument
from subword._cli.files import STANDARD, documents_of, print_json, printable, tell
from subword._cli.group import (
    PATH,
    PATTERNS,
    Misuse,
    Special,
    errors_option,
    field_option,
    json_option,
    main,
    pattern_option,
    progress_option,
    special_option,
    threads_option,
    tokenizer_argument,
)

counts_out_option = click.option(
    "-o",
    "--out",
    type=OutputFile("corpus.counts"),
    required=True,
    help="The file of counts to write.",
)
min_count_option = click.option(
    "--min-count",
    type=Number(min=1),
    default=1,
    help="Leave out the pieces that occur less often.",
)


def moved(_: click.Context, __: click.Parameter, found: Sequence[str]) -> None:
    """Refuse the options of what was `subword count --out`, and is a command of its own."""
    if found:
        hint = "subword count-pieces CORPUS... --out FILE counts the pieces of a corpus"
        raise Misuse("subword count counts tokens, and writes no file", hint)


@main.command()
@tokenizer_argument
@click.argument("files", type=TextFile(), nargs=-1, metavar="[FILE]...")
@special_option("text")
@pattern_option
@field_option
@json_option
@threads_option
@click.option(
    "-o",
    "--out",
    "--normalizer",
    "--special-token",
    "--memory-limit",
    "--max-document",
    "--min-count",
    "moved",
    multiple=True,
    hidden=True,
    is_eager=True,
    expose_value=False,
    callback=moved,
)
def count(
    tokenizer: Path,
    files: Sequence[Path],
    special: Special,
    pattern: str | None,
    field: str,
    as_json: bool,
    threads: int | None,
) -> None:
    """Count the tokens of files.

    Each FILE gets a row: how many tokens it has, how many bytes of text, and how many bytes one
    token stands for. Files are text, .jsonl or .parquet, any but the last with .gz or .zst, as for
    `subword train`; without one, standard input.

    \b
    Examples:
      subword count tokenizer.json chapter1.txt chapter2.txt.gz
      git ls-files -z '*.py' | xargs -0 subword count tokenizer.json
      subword count tokenizer.json web.jsonl --field body --json
    """
    from tqdm import tqdm

    tok = Tokenizer.load(tokenizer, pattern=pattern)
    found: list[tuple[str, int, int]] = []
    for file in tqdm(files or [STANDARD], unit="file", delay=1, disable=None, leave=False):
        tokens = size = 0
        for texts in documents_of(file, field):
            size += sum(map(len, texts))
            if len(texts) == 1:
                tokens += tok.count(texts[0], special=special, threads=threads) or 0
            else:
                tokens += int(sum(tok.count_batch(texts, special=special, threads=threads)))
        found.append((str(file), tokens, size))
    total = ("total", sum(row[1] for row in found), sum(row[2] for row in found))
    if as_json:
        print_json({"files": [counted(row) for row in found], "total": counted(total, named=False)})
        return
    row = "{:>12}  {:>12}  {:>11}  {}"
    lines = [row.format("tokens", "bytes", "bytes/token", "file")]
    for name, tokens, size in [*found, *[total] * (len(files) > 1)]:
        ratio = f"{size / tokens:.2f}" if tokens else "-"
        lines.append(row.format(f"{tokens:,}", f"{size:,}", ratio, name))
    click.echo(printable("\n".join(lines)))


def counted(row: tuple[str, int, int], *, named: bool = True) -> dict[str, Any]:
    """A row for machines."""
    file, tokens, size = row
    ratio = round(size / tokens, 4) if tokens else None
    numbers = {"tokens": tokens, "bytes": size, "bytes_per_token": ratio}
    return {"file": file, **numbers} if named else numbers


@main.command("count-pieces")
@corpus_argument
@counts_out_option
@click.option(
    "--pattern",
    metavar="NAME",
    default="gpt2",
    show_default=True,
    help=f"What cuts the text into pieces: {PATTERNS}.",
)
@click.option(
    "--normalizer",
    metavar="NAME",
    help="What the text goes through before it is cut: bert-uncased or bert-cased (with --pattern "
    "bert, for WordPiece), nfc, nfd, nfkc, nfkd, nfc-lowercase.",
)
@click.option(
    "--special-token",
    "special_tokens",
    metavar="TEXT",
    multiple=True,
    help="A text that is cut out and not counted. May be given several times.",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="How much memory the counts may use, like 64MB; the rest goes to disk.",
)
@field_option
@click.option(
    "--max-document",
    metavar="SIZE",
    default="1GB",
    show_default=True,
    help="How large a line of JSON, or a text without a place to cut, may be.",
)
@errors_option
@min_count_option
@json_option
@progress_option
@threads_option
def count_pieces_command(
    corpus: Sequence[Path],
    out: Path,
    pattern: str,
    normalizer: str | None,
    special_tokens: Sequence[str],
    memory_limit: str | None,
    field: str,
    max_document: str,
    errors: Literal["strict", "replace"],
    min_count: int,
    as_json: bool,
    progress: Any,
    threads: int | None,
) -> None:
    """Count how often each piece of a corpus occurs.

    CORPUS is files of text, .jsonl or .parquet, any but the last with .gz or .zst, globs, or - for
    standard input. What is written is for `subword train` and `subword merge-counts`.

    \b
    Examples:
      subword count-pieces corpus/*.txt -o corpus.counts
      subword count-pieces web.jsonl.zst -o web.counts --special-token '<|endoftext|>'
      subword count-pieces corpus.txt -o words.counts --pattern bert --normalizer bert-uncased
    """
    start = time.perf_counter()
    counts = count_pieces(
        corpus,
        pattern=pattern,
        special_tokens=special_tokens,
        normalizer=normalizer,
        threads=threads,
        memory_limit=memory_limit,
        field=field,
        max_document=max_document,
        errors=errors,
        progress=progress,
    )
    write(counts, out, min_count, start, as_json)


@main.command()
@click.argument("files", type=PATH, nargs=-1, required=True, metavar="COUNTS...")
@counts_out_option
@click.option(
    "--weight",
    "weights",
    type=click.FloatRange(min=0),
    metavar="NUMBER",
    multiple=True,
    help="How often each piece of a file counts, once for every file, in their order.",
)
@min_count_option
@json_option
def merge_counts(
    files: Sequence[Path], out: Path, weights: Sequence[float], min_count: int, as_json: bool
) -> None:
    """Add up files of counts, each times its weight.

    All of them must be counted with the same normalizer, pattern and special tokens. --min-count
    looks at the sums.

    \b
    Examples:
      subword merge-counts monday.counts tuesday.counts -o week.counts
      subword merge-counts shard-*.counts -o all.counts --min-count 2
      subword merge-counts web.counts code.counts --weight 1 --weight 2.5 -o mixture.counts
    """
    if weights and len(weights) != len(files):
        raise click.UsageError(
            f"pass --weight once for each file: {len(files)}, not {len(weights)}"
        )
    start = time.perf_counter()
    loaded = (Counts.load(file) for file in files)
    if weights:
        loaded = (of.scaled(weight) for of, weight in zip(loaded, weights, strict=True))
    counts = next(loaded)
    for other in loaded:
        counts += other
    write(counts, out, min_count, start, as_json)


def write(counts: Counts, out: Path, min_count: int, start: float, as_json: bool) -> None:
    """Write counts, and say what they are."""
    if min_count > 1:
        counts.prune(min_count)
    counts.save(out)
    size, seconds = out.stat().st_size, time.perf_counter() - start
    rows = [
        ("pieces", f"{counts.total:,}"),
        ("different", f"{len(counts):,}"),
        ("pattern", str(counts.pattern)),
        *([] if counts.normalizer is None else [("normalizer", counts.normalizer)]),
        ("special tokens", ", ".join(counts.special_tokens) or "none"),
        ("wrote", f"{out}, {size:,} bytes"),
        ("seconds", f"{seconds:.2f}"),
    ]
    facts = {
        "pieces": counts.total,
        "different": len(counts),
        "pattern": counts.pattern,
        "normalizer": counts.normalizer,
        "special_tokens": counts.special_tokens,
        "out": str(out),
        "bytes": size,
        "seconds": round(seconds, 3),
    }
    tell(rows, facts, as_json)
