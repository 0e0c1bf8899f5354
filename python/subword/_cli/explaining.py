"""`subword explain`: how a text becomes its tokens, merge by merge."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from subword import Tokenizer, explain_text
from subword._cli.arguments import text_argument
from subword._cli.colours import has_colours
from subword._cli.files import print_json, say
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
@text_argument
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
    text: bytes,
    format_: Literal["text", "tree", "json"],
    special: Special,
    pattern: str | None,
    as_json: bool,
) -> None:
    """Show how TEXT becomes its tokens, merge by merge.

    TEXT is the text itself; without it, or as -, it is standard input. A space is shown as ␣, bytes
    that are no text as \\xc3.

    \b
    Examples:
      subword explain tokenizer.json lower
      subword explain tokenizer.json "the lowest" --format tree
      subword explain cl100k_base naïve
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    for at, piece in enumerate(explain_text(tok, text, special=special)):
        if as_json or format_ == "json":
            print_json(piece.as_dict())
            continue
        shown = piece.tree() if format_ == "tree" else piece.text(colour=has_colours())
        say(f"\n{shown}" if at else shown)
