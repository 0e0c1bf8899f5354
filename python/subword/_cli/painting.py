"""`subword tokens`: a text as its tokens, in colours on a terminal and in brackets elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from subword import Tokenizer
from subword._cli.arguments import text_argument
from subword._cli.colours import PLAIN, has_colours
from subword._cli.files import print_json, printable, say
from subword._cli.group import (
    Special,
    json_option,
    main,
    pattern_option,
    special_option,
    tokenizer_argument,
)
from subword._cli.spans import Span, spans

#: Black on yellow, and black on cyan, in turn.
BACKGROUNDS = ("\x1b[30;43m", "\x1b[30;46m")


@main.command()
@tokenizer_argument
@text_argument
@special_option("text")
@pattern_option
@json_option
def tokens(
    tokenizer: Path, text: bytes, special: Special, pattern: str | None, as_json: bool
) -> None:
    """Show TEXT as its tokens, and their ids.

    TEXT is the text itself; without it, or as -, it is standard input. Tokens have colours on a
    terminal, and brackets elsewhere. Tokens that share a character are shown as one.

    \b
    Examples:
      subword tokens tokenizer.json "the lowest"
      subword tokens o200k_base < chapter.txt
      subword tokens tokenizer.json "the lowest" --json
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    found = [*spans(tok, text, special)]
    ids = [id for span in found for id in span.ids]
    if as_json:
        parts = [{"start": span.start, "text": span.text, "ids": span.ids} for span in found]
        print_json({"count": len(ids), "ids": ids, "tokens": parts})
        return
    say((coloured if has_colours() else bracketed)(found))
    say(" ".join(map(str, ids)))
    say("1 token" if len(ids) == 1 else f"{len(ids):,} tokens")


def bracketed(found: Iterable[Span]) -> str:
    """The tokens of a text in brackets."""
    text = ""
    for span in found:
        shown = printable(span.text)
        shown = f"[{shown}]" if span.ids else shown
        text += shown.replace("\n", "↵\n").replace("\n]", "]\n")
    return text


def coloured(found: Iterable[Span]) -> str:
    """The tokens of a text on backgrounds that alternate."""
    text, number = "", 0
    for span in found:
        shown = printable(span.text)
        if span.ids:
            on = BACKGROUNDS[number % 2]
            number += 1
            # A background that is still on at the end of a line may colour the whole next line.
            shown = on + shown.replace("\n", f"↵{PLAIN}\n{on}") + PLAIN
            shown = shown.replace(f"\n{on}{PLAIN}", "\n")
        text += shown
    return text
