"""What an argument may be: files to read, files to write, large numbers.

All are checked when the command line is read: an output that cannot be written is refused before
any work is done, not after it.

    written            what happens
    a file             its folder must exist and allow writing
    folder/, or one that exists    for formats that are files of fixed names; otherwise refused
    -                  standard output, for `encode` and `decode`

The rule for tokenizers, whose formats differ, is in the engine (`formats/output.rs`), where
`Tokenizer.save` follows it too.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import click

from subword import check_output
from subword._cli.files import STANDARD, read
from subword._cli.group import Failure

Command = TypeVar("Command", bound=Callable[..., Any])

#: What the letters after a number stand for.
THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}

#: The name of standard input in messages.
STANDARD_INPUT = "standard input"


class TextFile(click.ParamType):  # type: ignore[type-arg]  # older versions take none
    """A file to read, or - for standard input, which its reader reads."""

    name = "file"

    def convert(self, value: Any, param: object, ctx: object) -> Path:
        path = Path(value)
        if path.is_dir():
            some = path / "*.txt"
            raise Failure(f"{value}: this is a folder", f"pass the files in it, like '{some}'")
        return path


class CorpusFile(TextFile):
    """A file of a corpus, or a glob, or - for standard input.

    A corpus may be read twice, and by threads of the engine: standard input is copied to a
    temporary file first, which is removed at the end.
    """

    def convert(self, value: Any, param: object, ctx: click.Context | None) -> Path:  # type: ignore[override]
        path = super().convert(value, param, ctx)
        return path if path != STANDARD or ctx is None else copied_input(ctx)


def copied_input(ctx: click.Context) -> Path:
    """Standard input as a file, which is there as long as the command runs."""
    known: Path | None = ctx.meta.get(STANDARD_INPUT)
    if known is not None:
        raise click.UsageError("- is standard input, and can be read once only")
    folder = Path(tempfile.mkdtemp(prefix="subword-"))
    ctx.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    path = folder / STANDARD_INPUT
    ctx.meta[STANDARD_INPUT] = path
    with path.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream, 1 << 20)
    return path


class OutputFile(click.ParamType):  # type: ignore[type-arg]
    """A file to write, which is not there yet or is replaced; or - for standard output."""

    name = "file"

    def __init__(self, example: str, *, standard: bool = False) -> None:
        self.example = example
        self.standard = standard

    def convert(self, value: Any, param: object, ctx: object) -> Path:
        path = Path(value)
        if path == STANDARD:
            if self.standard:
                return path
            refuse_standard_output(self.example)
        if names_folder(value):
            what = f"{value}: this is a folder, and what is written is a file"
            raise Failure(what, f"name the file: {path / self.example}")
        check_folder(path)
        return path


def refuse_standard_output(example: str) -> None:
    """Say what to type where a file must be named: a file called - is nobody's wish."""
    what = "-: what is written here goes to a file, not to standard output"
    raise Failure(what, f"name the file, like {example}; a file of this name is ./-")


def names_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a folder: it ends in a slash, or is there."""
    return os.fspath(path).endswith(("/", os.sep)) or Path(path).is_dir()


def check_folder(path: Path) -> None:
    """Refuse a path that nothing can be written to."""
    if path.exists() and not path.is_dir() and not path.is_file():
        return  # a device, or a named pipe
    folder = path.parent
    if not folder.exists():
        raise Failure(f"{path}: there is no folder {folder}", f"mkdir -p {folder}")
    if not folder.is_dir():
        raise Failure(f"{path}: {folder} is not a folder")
    if not os.access(folder, os.W_OK):
        raise Failure(f"{path}: no permission to write to the folder {folder}")


def check_tokenizer(out: str, format_: str | None, formats: Collection[str]) -> None:
    """Refuse a tokenizer file that could not be written, before there is a tokenizer."""
    if out == str(STANDARD):
        refuse_standard_output("tok.json")
    try:
        file, found = check_output(out, format=format_)
    except (FileNotFoundError, NotADirectoryError):
        check_folder(Path(os.path.normpath(out)))
        raise
    if found not in formats:
        known = ", ".join(formats)
        what = f"{out}: the name says {found}, and this tokenizer can be written as {known}"
        raise Failure(what, f"choose another name, or pass --format {next(iter(formats))}")
    check_folder(file if file.parent.is_dir() else file.parent)


class Number(click.IntRange):
    """A number like 32000, 32_000 or 32k.

    >>> Number(min=1).convert("32k", None, None), Number(min=1).convert("1.5M", None, None)
    (32000, 1500000)
    """

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = re.fullmatch(r"(\d[\d_,]*(?:\.\d+)?)([kmg]?)", str(value).lower())
        if found is not None:
            digits, letter = found.groups()
            number = float(re.sub("[_,]", "", digits)) * THOUSANDS[letter]
            if number.is_integer():
                value = int(number)
        return super().convert(value, param, ctx)


def given_text(ctx: click.Context, _: click.Parameter, value: str | None) -> bytes:
    """The bytes of a text on the command line, or those of standard input."""
    if value is None and sys.stdin.isatty():  # nobody has thought of typing it there
        raise click.UsageError("there is no TEXT, and none comes by standard input", ctx)
    return read(STANDARD) if value in (None, str(STANDARD)) else os.fsencode(value)


text_argument = click.argument("text", required=False, callback=given_text)
file_argument = click.argument("file", type=TextFile(), default=STANDARD)
corpus_argument = click.argument(
    "corpus", type=CorpusFile(), nargs=-1, required=True, metavar="CORPUS..."
)
standard_out_option = click.option(
    "-o",
    "--out",
    type=OutputFile("ids.npy", standard=True),
    default=STANDARD,
    help="The file to write; standard output without it.",
)
tokenizer_out_option = click.option(
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="The tokenizer to write. Its name says in which format: *.tiktoken, tokenizer.json, "
    "vocab.txt, anything else native. A folder/ needs --format.",
)


def format_option(formats: Collection[str], *names: str) -> Callable[[Command], Command]:
    """The format of a tokenizer that is written."""
    return click.option(
        "--format",
        *names,
        "format_",
        type=click.Choice(list(formats)),
        help="The format to write; without it, the name decides. In a folder/ huggingface is "
        "tokenizer.json, gpt2 vocab.json and merges.txt, bert vocab.txt.",
    )
