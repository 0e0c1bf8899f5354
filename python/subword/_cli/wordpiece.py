"""`subword train-wordpiece`: a corpus, or counts, in; a WordPiece tokenizer out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from subword import WordPieceTrainer
from subword._cli.arguments import Number, check_tokenizer, format_option
from subword._cli.group import main, threads_option
from subword._cli.training import learn, reading_options, report, save

#: What a WordPiece tokenizer can be written as.
FORMATS = ["native", "huggingface", "bert"]


@main.command()
@reading_options
@click.option(
    "--vocab-size",
    type=Number(min=1),
    default=30_522,
    show_default=True,
    help="How many tokens in all: special tokens, characters and what is made of them.",
)
@click.option(
    "--score",
    type=click.Choice(["count", "likelihood"]),
    default="count",
    show_default=True,
    help="Which pair becomes a token first: the one that occurs most often (as Hugging Face does), "
    "or the one that occurs more often than chance would have it, which prefers what is rare and "
    "needs more tokens for a text.",
)
@click.option(
    "--lowercase/--cased",
    default=True,
    show_default=True,
    help="Lower the case of the text, or keep it. Counts bring their own.",
)
@click.option(
    "--strip-accents/--keep-accents",
    default=None,
    help="Drop accents, or keep them; without it, they go with the case.",
)
@click.option(
    "--special-token",
    "special_tokens",
    metavar="TEXT",
    multiple=True,
    help="Cut out of the text, and given one of the first ids. Can be repeated; without it, "
    "[PAD] [UNK] [CLS] [SEP] [MASK].",
)
@click.option(
    "--unk-token",
    metavar="TEXT",
    default="[UNK]",
    show_default=True,
    help="What an unknown word becomes.",
)
@click.option(
    "--prefix",
    metavar="TEXT",
    default="##",
    show_default=True,
    help="What tokens within a word begin with.",
)
@click.option(
    "--max-word-chars",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="A longer word is unknown.",
)
@click.option(
    "--min-count",
    type=Number(min=1),
    help="Do not merge a pair that occurs less often. Without it 2 by count, and by likelihood "
    "about the smallest number at which pairs run out before the vocabulary is full.",
)
@click.option(
    "--limit-alphabet",
    type=Number(min=1),
    help="Keep so many characters, the most frequent.",
)
@click.option(
    "--max-token-length",
    type=click.IntRange(min=1),
    help="Make no token that is longer, in characters.",
)
@format_option(FORMATS)
@threads_option
def train_wordpiece(
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
    """Learn a WordPiece tokenizer, as BERT has one.

    CORPUS is what `subword train` takes: files of text, .jsonl, .gz, .zst or Parquet, or files of
    counts, which are added up.

    \b
    Examples:
      subword train-wordpiece corpus.txt -o tok.json
      subword train-wordpiece corpus/*.txt --vocab-size 8000 --cased -o tok.json
      subword train-wordpiece corpus.txt --limit-alphabet 1000 -o tok.json
    """
    check_tokenizer(out, format_, FORMATS)
    if special_tokens:
        settings["special_tokens"] = special_tokens
    reading: dict[str, Any] = {"field": field, "errors": errors, "memory_limit": memory_limit}
    tok, notes = learn(corpus, WordPieceTrainer(**settings), reading)
    save(tok, out, format_, log)
    report(tok, out, notes, as_json)
