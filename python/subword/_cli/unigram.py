"""`subword train-unigram`: a corpus, or counts, in; a Unigram tokenizer out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from subword import UnigramTrainer
from subword._cli.arguments import Number, check_tokenizer, format_option
from subword._cli.group import main, threads_option
from subword._cli.training import learn, reading_options, report, save

#: What a Unigram tokenizer can be written as.
FORMATS = ["native", "huggingface"]


@main.command()
@reading_options
@click.option(
    "--vocab-size",
    type=Number(min=1),
    default=32_000,
    show_default=True,
    help="How many tokens in all: special tokens, characters and longer pieces.",
)
@click.option(
    "--normalizer",
    type=click.Choice(["none", "nfc", "nfd", "nfkc", "nfkd"]),
    default="nfkc",
    show_default=True,
    help="What happens to the text before it is cut. Counts bring their own.",
)
@click.option(
    "--special-token",
    "special_tokens",
    metavar="TEXT",
    multiple=True,
    help="Cut out of the text, and given one of the first ids. Can be repeated; without it, "
    "<unk> <s> </s>.",
)
@click.option(
    "--unk-token",
    metavar="TEXT",
    default="<unk>",
    show_default=True,
    help="What an unknown character becomes.",
)
@click.option(
    "--user-defined-symbol",
    "user_defined_symbols",
    metavar="TEXT",
    multiple=True,
    help="Cut out of every text, and a token of its own. Can be repeated.",
)
@click.option(
    "--byte-fallback",
    is_flag=True,
    help="A character that is not learned becomes its bytes, not the unknown token.",
)
@click.option("--split-digits", is_flag=True, help="Every digit is a piece of its own.")
@click.option(
    "--character-coverage",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.9995,
    show_default=True,
    help="The share of the text whose characters become pieces.",
)
@click.option(
    "--max-piece-length",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    help="Make no piece that is longer, in characters.",
)
@click.option(
    "--seed-size",
    type=Number(min=0),
    default=1_000_000,
    show_default=True,
    help="Begin with at most so many pieces of several characters.",
)
@click.option(
    "--shrinking-factor",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.75,
    show_default=True,
    help="The share of the pieces that a round keeps.",
)
@format_option(FORMATS)
@threads_option
def train_unigram(
    corpus: Sequence[Path],
    out: str,
    log: Path | None,
    format_: str | None,
    as_json: bool,
    special_tokens: Sequence[str],
    field: str,
    errors: str,
    memory_limit: str | None,
    **settings: Any,
) -> None:
    """Learn a Unigram tokenizer, as T5 and XLM-R have one.

    CORPUS is what `subword train` takes: files of text, .jsonl, .gz, .zst or Parquet, or files of
    counts, which are added up.

    \b
    Examples:
      subword train-unigram corpus.txt -o tokenizer.json
      subword train-unigram corpus/*.txt --vocab-size 8000 -o tokenizer.json
      subword train-unigram japanese.txt --byte-fallback --split-digits -o tokenizer.json
    """
    check_tokenizer(out, format_, FORMATS)
    if special_tokens:
        settings["special_tokens"] = special_tokens
    reading: dict[str, Any] = {"field": field, "errors": errors, "memory_limit": memory_limit}
    tok, notes = learn(corpus, UnigramTrainer(**settings), reading)
    save(tok, out, format_, log)
    report(tok, out, notes, as_json)
