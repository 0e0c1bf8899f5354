"""What `subword train` lets its caller decide: sources that are treated alike, tokens ruled out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from subword import Counts
from subword._cli.arguments import Number

Command = TypeVar("Command", bound=Callable[..., Any])

#: How a file of counts starts.
COUNTS_MAGIC = b"subword counts\n"

CONTROL = [
    click.option(
        "--fair",
        is_flag=True,
        help="Every file of CORPUS is a source of its own, and every merge is taken for the one "
        "that has the most tokens for its size.",
    ),
    click.option(
        "--size",
        "sizes",
        metavar="N",
        type=Number(min=1),
        multiple=True,
        help="With --fair, once for each file: what its tokens are divided by, instead of its "
        "bytes.",
    ),
    click.option(
        "--whole-characters",
        is_flag=True,
        help="Make no token of parts of two characters, nor of the end of one.",
    ),
    click.option(
        "--veto", metavar="REGEX", help="Make no token in which the regular expression is found."
    ),
    click.option(
        "--required",
        metavar="TEXT",
        multiple=True,
        help="A token that the vocabulary must have. Can be repeated.",
    ),
]


def control_options(command: Command) -> Command:
    """Give a command these options."""
    for option in reversed(CONTROL):
        command = option(command)
    return command


def sources_of(
    corpus: Sequence[Path], sizes: Sequence[int]
) -> tuple[dict[str, Path | Counts], dict[str, int]]:
    """Every file as a source, and the sizes of the sources."""
    if sizes and len(sizes) != len(corpus):
        raise click.UsageError(f"pass --size once for each file: {len(corpus)}, not {len(sizes)}")
    names = [str(path) for path in corpus]
    if len({*names}) < len(names):
        raise click.UsageError("--fair takes every file once")
    sources = {str(path): Counts.load(path) if is_counts(path) else path for path in corpus}
    return sources, dict(zip(names, sizes, strict=False))


def is_counts(path: Path) -> bool:
    """Whether a file holds counts: by its first bytes, whatever its name."""
    if not path.is_file():
        return False  # a pattern, or a file that the trainer will miss
    with path.open("rb") as stream:
        return stream.read(len(COUNTS_MAGIC)) == COUNTS_MAGIC
