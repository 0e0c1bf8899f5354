"""`subword info`, `vocab` and `convert`: what a tokenizer is, its tokens, and in which format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from subword import Tokenizer, check_output, explain_path, explain_pattern, visible
from subword._cli.arguments import check_tokenizer, format_option
from subword._cli.files import print_json, say, tell
from subword._cli.group import PATH, json_option, main, pattern_option, tokenizer_argument

FORMATS = ["native", "tiktoken", "huggingface", "gpt2", "bert"]


@main.command()
@tokenizer_argument
@pattern_option
@json_option
def info(tokenizer: Path, pattern: str | None, as_json: bool) -> None:
    """Show what a tokenizer is.

    \b
    Examples:
      subword info tokenizer.json
      subword info o200k_base --json
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    special = tok.special_tokens
    ordinary = [token for id, token in tok.vocab.items() if id not in set(special.values())]
    longest = sorted(ordinary, key=lambda token: (-len(token), token))[:5]
    tell(rows_of(tok, longest), facts_of(tok, longest), as_json)


def rows_of(tok: Tokenizer, longest: Sequence[bytes]) -> list[tuple[str, str]]:
    """What a tokenizer is, for people."""
    special = tok.special_tokens
    patterns = [tok.pattern] if isinstance(tok.pattern, str) else tok.pattern
    level = {"bytes": "byte-level", "chars": "character-level"}[tok.units]
    by_vocabulary = tok.kind in ("longest", "fewest")
    how = f" by the {tok.kind} tokens" if by_vocabulary else f" BPE by {tok.kind}"
    kind = {"wordpiece": "WordPiece", "chain": "the components of its file"}
    rows = [("kind", kind.get(tok.kind, level + how))]
    rows += [("path", ": ".join(explain_path(tok)))]
    rows += [("pattern" if at == 0 else "", one) for at, one in enumerate(patterns)]
    if tok.kind != "chain":
        explained = explain_pattern(tok.pattern)
        rows += [("cut by", explained.way)]
        rows += [("", explained.reason)] if explained.reason else []
    return [
        *rows,
        ("vocabulary", f"{tok.vocab_size:,} tokens, ids up to {tok.max_id:,}"),
        *(
            []
            if tok.kind == "wordpiece" or not tok.merges
            else [("merges", f"{len(tok.merges):,}")]
        ),
        ("special tokens", f"{len(special):,}" if special else "none"),
        *[("", f"{id} {token}") for token, id in list(special.items())[:8]],
        *([("", f"and {len(special) - 8:,} more")] if len(special) > 8 else []),
        *[
            ("longest tokens" if at == 0 else "", f"{size(token)}: {shown(token)}")
            for at, token in enumerate(longest)
        ],
        ("fingerprint", tok.fingerprint),
    ]


def facts_of(tok: Tokenizer, longest: Sequence[bytes]) -> dict[str, Any]:
    """What a tokenizer is, for machines."""
    return {
        "kind": tok.kind,
        "path": explain_path(tok)[0],
        "path_reason": explain_path(tok)[1],
        "units": tok.units,
        "pattern": tok.pattern,
        "cut_by": None if tok.kind == "chain" else explain_pattern(tok.pattern).runs,
        "normalizer": tok.normalizer,
        "vocab_size": tok.vocab_size,
        "max_id": tok.max_id,
        "merges": None if tok.kind == "wordpiece" else len(tok.merges),
        "special_tokens": tok.special_tokens,
        "unk_token": tok.unk_token,
        "longest_tokens": [visible(token) for token in longest],
        "fingerprint": tok.fingerprint,
    }


@main.command()
@tokenizer_argument
@pattern_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a JSON object per line: the id, the token as text and in hexadecimal.",
)
def vocab(tokenizer: Path, pattern: str | None, as_json: bool) -> None:
    """List the tokens of a tokenizer, one to a line.

    They come in the order of their ids. A line is the id, a tab, and the token: a space is shown as
    ␣, bytes that are no text as \\xc3. Special tokens are marked.

    \b
    Examples:
      subword vocab tokenizer.json | head -n 300
      subword vocab tokenizer.json | grep low
      subword vocab o200k_base --json > tokens.jsonl
    """
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    special = {id: token for token, id in tok.special_tokens.items()}
    tokens = tok.vocab | {id: token.encode() for id, token in special.items()}
    for id, token in sorted(tokens.items()):
        if as_json:
            text = visible(token)
            print_json({"id": id, "text": text, "bytes": token.hex(), "special": id in special})
        else:
            say(f"{id}\t{visible(token)}" + "\tspecial" * (id in special))


@main.command()
@click.argument("source", metavar="IN", type=PATH)
@click.argument("target", metavar="OUT")
@format_option(FORMATS, "--to")
@pattern_option
@json_option
def convert(
    source: Path, target: str, format_: str | None, pattern: str | None, as_json: bool
) -> None:
    """Write a tokenizer in another format.

    Without --format the name of OUT decides: *.tiktoken, tokenizer.json, vocab.txt, anything else
    native. A folder/ needs --format.

    \b
    Examples:
      subword convert cl100k_base tokenizer.json
      subword convert tokenizer.json mine.tiktoken
      subword convert tokenizer.json gpt2-files/ --to gpt2
      subword convert bert/vocab.txt tokenizer.json
    """
    check_tokenizer(target, format_, FORMATS)
    file, written = check_output(target, format=format_)
    tok = Tokenizer.load(source, pattern=pattern)
    tok.save(target, format=format_)
    bytes_ = file.stat().st_size
    rows = [
        ("vocabulary", f"{tok.vocab_size:,} tokens, {len(tok.special_tokens):,} special"),
        ("format", written),
        ("wrote", f"{file}, {bytes_:,} bytes"),
    ]
    facts = {"vocab_size": tok.vocab_size, "format": written, "out": str(file), "bytes": bytes_}
    tell(rows, facts, as_json)


def size(token: bytes) -> str:
    """How long a token is."""
    return "1 byte" if len(token) == 1 else f"{len(token):,} bytes"


def shown(token: bytes) -> str:
    """A token as text where it is text, as bytes where it is not; the start of a long one."""
    try:
        text = repr(token.decode())
    except UnicodeDecodeError:
        text = repr(token)
    return text if len(text) <= 50 else f"{text[:50]}..."
