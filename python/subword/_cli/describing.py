"""`subword info` and `subword convert`: what a tokenizer is, and in which format."""

from __future__ import annotations

from pathlib import Path

import click

from subword import Tokenizer
from subword._cli.files import print_rows
from subword._cli.group import main, pattern_option, tokenizer_argument


@main.command()
@tokenizer_argument
@pattern_option
def info(tokenizer: Path, pattern: str | None) -> None:
    """Show what a tokenizer is.

    \b
    Examples:
      subword info tokenizer.json
      subword info o200k_base.tiktoken --pattern o200k
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    special = tok.special_tokens
    ordinary = [token for id, token in tok.vocab.items() if id not in set(special.values())]
    longest = sorted(ordinary, key=lambda token: (-len(token), token))[:5]
    patterns = [tok.pattern] if isinstance(tok.pattern, str) else tok.pattern
    level = {"bytes": "byte-level", "chars": "character-level"}[tok.units]
    how = " by the longest tokens" if tok.kind == "longest" else f" BPE by {tok.kind}"
    rows = [("kind", "WordPiece" if tok.kind == "wordpiece" else level + how)]
    rows += [("pattern" if at == 0 else "", one) for at, one in enumerate(patterns)]
    rows += [
        ("vocabulary", f"{tok.vocab_size} tokens, ids up to {tok.max_id}"),
        *([] if tok.kind == "wordpiece" else [("merges", str(len(tok.merges)))]),
        ("special tokens", str(len(special)) if special else "none"),
        *[("", f"{id} {token}") for token, id in list(special.items())[:8]],
        *([("", f"and {len(special) - 8} more")] if len(special) > 8 else []),
        *[
            ("longest tokens" if at == 0 else "", f"{size(token)}: {shown(token)}")
            for at, token in enumerate(longest)
        ],
        ("fingerprint", tok.fingerprint),
    ]
    print_rows(rows)


@main.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "format_",
    type=click.Choice(["native", "tiktoken", "huggingface", "gpt2", "bert"]),
    help="The format to write. Without it, the name of OUT decides: *.tiktoken, tokenizer.json, "
    "vocab.txt, a directory (vocab.json and merges.txt, or vocab.txt), anything else native.",
)
@pattern_option
def convert(source: Path, target: Path, format_: str | None, pattern: str | None) -> None:
    """Write a tokenizer in another format.

    \b
    Examples:
      subword convert cl100k_base.tiktoken tokenizer.json --pattern cl100k
      subword convert tokenizer.json mine.tiktoken
      subword convert tokenizer.json gpt2-files/ --to gpt2
      subword convert bert/vocab.txt tokenizer.json
    """
    Tokenizer.load(source, pattern=pattern).save(target, format=format_)


def size(token: bytes) -> str:
    """How long a token is."""
    return "1 byte" if len(token) == 1 else f"{len(token)} bytes"


def shown(token: bytes) -> str:
    """A token as text where it is text, as bytes where it is not; the start of a long one."""
    try:
        text = repr(token.decode())
    except UnicodeDecodeError:
        text = repr(token)
    return text if len(text) <= 50 else f"{text[:50]}..."
