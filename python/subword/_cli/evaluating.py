"""`subword evaluate` and `subword prune`: how well a vocabulary fits, and what it can spare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from subword import Tokenizer, count_pieces, evaluate
from subword import prune as pruned
from subword._cli.arguments import (
    CorpusFile,
    OutputFile,
    check_tokenizer,
    corpus_argument,
    format_option,
    tokenizer_out_option,
)
from subword._cli.describing import FORMATS
from subword._cli.files import output, say, tell
from subword._cli.group import (
    PATH,
    Failure,
    errors_option,
    field_option,
    json_option,
    main,
    pattern_option,
    progress_option,
    threads_option,
    tokenizer_argument,
)
from subword._cli.plots import PLOT, check_plot
from subword._cli.training import counts_in

#: Files whose name says nothing about the tokenizer in them: the folder does.
NAMELESS = {"tokenizer.json", "vocab.json", "vocab.txt"}


def sizes_of(_: click.Context, __: click.Parameter, text: str | None) -> list[int] | str | None:
    """``1000,2000``, or auto."""
    if text is None or text == "auto":
        return text
    try:
        return [int(size) for size in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"expected auto, or sizes like 1000,2000, found {text!r}"
        ) from None


@main.command("evaluate")
@tokenizer_argument
@click.argument("files", nargs=-1, required=True, type=CorpusFile(), metavar="FILE...")
@click.option(
    "--against",
    "others",
    metavar="TOKENIZER",
    multiple=True,
    type=PATH,
    help="Measure this one too. Can be repeated.",
)
@click.option(
    "--sizes",
    metavar="SIZES",
    callback=sizes_of,
    help="Measure the smaller tokenizers in each one as well: 1000,2000,4000 or auto, which takes "
    "the powers of two.",
)
@click.option(
    "--fewest",
    is_flag=True,
    help="Tell, too, how many tokens more there are than the fewest that spell the pieces.",
)
@click.option(
    "--by",
    type=click.Choice(["file", "folder"]),
    default="file",
    show_default=True,
    help="What is measured together: each file by itself, or the files in a folder.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table to read, or JSON.",
)
@click.option(
    "--plot",
    "plots",
    metavar="FILE",
    multiple=True,
    type=PLOT,
    help="Draw bytes per token into a .png or .svg file, against the sizes if there are some (needs"
    " matplotlib). Can be repeated.",
)
@json_option
@pattern_option
@field_option
@errors_option
@threads_option
def evaluate_command(
    tokenizer: Path,
    files: Sequence[Path],
    others: Sequence[Path],
    sizes: list[int] | Literal["auto"] | None,
    fewest: bool,
    by: Literal["file", "folder"],
    format_: Literal["table", "json"],
    plots: Sequence[Path],
    as_json: bool,
    pattern: str | None,
    field: str,
    errors: Literal["strict", "replace"],
    threads: int | None,
) -> None:
    """Measure how well a vocabulary fits texts.

    Each FILE is text, .jsonl, .parquet, .gz or .zst, or - for standard input. Special tokens in it
    are left out.

    \b
      bytes/token   how much text a token stands for
      tokens/word   of words between white space; 1 is the least
      whole         the share of words that are one token
      Rényi         how evenly tokens are used, from 0 to 1 (order 2.5)
      unused        tokens that never come out
      residue       tokens that merges make, and nearly always merge on
      over fewest   how many tokens more there are than the fewest, with --fewest
      unknown       how many tokens are the unk token, if any are

    \b
    Examples:
      subword evaluate tokenizer.json en.txt ru.txt code.txt
      subword evaluate tokenizer.json test.txt --against gpt2/ --against o200k.json
      subword evaluate tokenizer.json test.txt --sizes auto --plot sizes.svg
      subword evaluate tokenizer.json corpus/*/*.txt --by folder --json
    """
    for path in plots:
        check_plot(path)
    found = evaluate(
        loaded([tokenizer, *others], pattern),
        files,
        by=by,
        sizes=sizes,
        fewest=fewest,
        field=field,
        errors=errors,
        threads=threads,
    )
    if as_json or format_ == "json":
        click.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=1))
    else:
        say(str(found))
    for path in plots:
        found.plot(path)


def loaded(paths: Sequence[Path], pattern: str | None) -> dict[str, Tokenizer]:
    """Tokenizers by the names of their files, or by their paths where names are equal."""
    places = [(path.parent if path.name in NAMELESS else path).resolve() for path in paths]
    names = [place.stem if place.is_file() else place.name for place in places]
    if len({*names}) < len(names):
        names = [str(path) for path in paths]
    if len({*names}) < len(names):
        raise click.UsageError("a tokenizer is there twice")
    return {
        name: Tokenizer.load(
            path, pattern=pattern if path.suffix == ".tiktoken" or not at else None
        )
        for at, (name, path) in enumerate(zip(names, paths, strict=True))
    }


@main.command()
@tokenizer_argument
@corpus_argument
@tokenizer_out_option
@click.option(
    "--ids",
    type=OutputFile("new-ids.npy"),
    help="A .npy file to write: the new id of every old one, -1 where it has none.",
)
@format_option(FORMATS)
@json_option
@progress_option
@pattern_option
@field_option
@errors_option
@threads_option
def prune(
    tokenizer: Path,
    corpus: Sequence[Path],
    out: str,
    ids: Path | None,
    format_: str | None,
    as_json: bool,
    progress: Any,
    pattern: str | None,
    field: str,
    errors: Literal["strict", "replace"],
    threads: int | None,
) -> None:
    """Drop the tokens that a corpus never needs.

    CORPUS is text, .jsonl, .parquet, .gz or .zst, or counts that were made with the tokenizer's
    pattern. Its own text keeps its tokens, under new ids; any other text may take more. Bytes,
    special tokens and what other tokens are made of stay.

    \b
    Examples:
      subword prune tokenizer.json corpus.txt --out smaller.json --ids new-ids.npy
      subword prune gpt2/ corpus.counts --out smaller.json
    """
    import numpy as np

    if ids is not None and ids.suffix != ".npy":
        raise click.UsageError(f"--ids {ids}: expected a file that ends in .npy")
    check_tokenizer(out, format_, FORMATS)
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    tok._require_pieces("tok", "pruned")
    counts = counts_in(corpus)
    if counts is None:
        counts = count_pieces(
            corpus,
            pattern=tok.pattern,
            special_tokens=tok.special_tokens.keys(),
            normalizer=tok.normalizer,
            field=field,
            errors=errors,
            threads=threads,
            progress=progress,
        )
    if not len(counts):
        raise Failure("there are no pieces, and all tokens would go")
    smaller, new_ids = pruned(tok, counts, threads=threads)
    smaller.save(out, format=format_)
    if ids is not None:
        with output(ids) as stream:
            np.save(stream, new_ids)
    rows = [
        ("vocabulary", f"{smaller.vocab_size:,} of {tok.vocab_size:,} tokens"),
        ("pieces", f"{counts.total:,}, {len(counts):,} different"),
        ("wrote", out if ids is None else f"{out}, {ids}"),
    ]
    facts = {
        "vocab_size": smaller.vocab_size,
        "vocab_size_before": tok.vocab_size,
        "pieces": counts.total,
        "different": len(counts),
        "out": out,
        "ids": None if ids is None else str(ids),
    }
    tell(rows, facts, as_json)
