"""`subword explain`: how a text becomes its tokens, merge by merge."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import click

from subword import Tokenizer, explain_text
from subword._cli.colours import has_colours
from subword._cli.files import STANDARD, print_json, read, say
from subword._cli.group import (
    Special,
    json_option,
    main,
    pattern_option,
    special_option,
    tokenizer_argument,
)


@main.command()
@tokenizer_argument
@click.argument("text")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "tree", "json"]),
    default="text",
    show_default=True,
    help="A table with a row for every merge, a tree, or JSON, one object to a line.",
)
@special_option("text")
@pattern_option
@json_option
def explain(
    tokenizer: Path,
    text: str,
    format_: Literal["text", "tree", "json"],
    special: Special,
    pattern: str | None,
    as_json: bool,
) -> None:
    """Show how TEXT becomes its tokens: every piece, merge by merge.

    TEXT is the text itself, or - for standard input. A space is shown as ␣, bytes that are no text
    as \\xc3.

    \b
    Examples:
      subword explain tokenizer.json lower
      subword explain tokenizer.json "the lowest" --format tree
      subword explain cl100k_base.tiktoken --pattern cl100k naïve
    """
    raw = read(STANDARD) if text == str(STANDARD) else os.fsencode(text)
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    for at, piece in enumerate(explain_text(tok, raw, special=special)):
        if as_json or format_ == "json":
            print_json(piece.as_dict())
            continue
        shown = piece.tree() if format_ == "tree" else piece.text(colour=has_colours())
        say(f"\n{shown}" if at else shown)
