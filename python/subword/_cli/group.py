"""The group of all commands: options that several have, and what happens when one fails."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path
from typing import IO, Any

import click

from subword import ArgumentError, SpecialTokenError, SubwordError, patterns
from subword._cli.files import STANDARD, print_error, printable
from subword._starting import quietly


class Failure(click.ClickException):
    """Something that did not work: told in one line and a hint, never by a traceback."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {printable(self.message)}", file=file, err=file is None)


class Commands(click.Group):
    """Turns what goes wrong in a command into one line and an exit code."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        with quietly():  # nothing runs yet
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = show_warning
                result = super().invoke(ctx)
            sys.stdout.flush()  # a reader that has gone away is noticed here, not at exit
            return result
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        except BrokenPipeError:
            raise  # `subword encode ... | head`: click ends the process quietly
        except SpecialTokenError as error:
            what = f"the text spells the special token {error.token!r} at byte {error.position}"
            raise Failure(what, "pass --special encode or --special text") from error
        except ArgumentError as error:
            option = f"--{error.argument.replace('_', '-')}"
            raise click.BadParameter(error.message, param_hint=option) from error
        except SubwordError as error:
            hint = getattr(error, "hint", None)
            raise Failure(error.summary, hint and as_options(hint)) from error
        except OSError as error:
            place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
            raise Failure(f"{place}{error.strerror or error}") from error


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """What is to be said, without the place in the code that says it."""
    print_error(f"warning: {message}")


def as_options(hint: str) -> str:
    """A hint with the arguments of Python as options: ``pattern="x"`` is ``--pattern x`` here.

    Hints are sentences that name arguments as Python writes them, and that notation is regular:
    the options have the same names. A hint with fields instead would need a second form of every
    sentence, in two languages, for this one reader.
    """

    def option(found: re.Match[str]) -> str:
        name, text, number, flag = found.groups()
        value = "" if flag else f" {number or text}"
        return f"--{name.replace('_', '-')}{value}"

    return re.sub(r'\b([a-z_]+)=(?:"([^"]*)"|(\d+)|(True))', option, hint)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="subword", message="%(prog)s %(version)s")
def main() -> None:
    """Train subword tokenizers, and encode and decode text with them.

    TOKENIZER is a file that this package or another one has written: its own format, .tiktoken,
    tokenizer.json, or vocab.json with merges.txt beside it. Its content says which one it is.

    \b
    Examples:
      subword info tokenizer.json
      subword explain tokenizer.json "the lowest"
      subword explore tokenizer.json
      echo "Hello world" | subword encode tokenizer.json
      subword encode tokenizer.json corpus.txt --out ids.npy
      subword encode-corpus tokenizer.json corpus.txt --out train.bin
      subword decode tokenizer.json ids.npy
      subword count cl100k_base.tiktoken --pattern cl100k *.txt
      subword train corpus.txt --vocab-size 32000 --out tokenizer.json
      subword count corpus.txt --out corpus.counts
      subword evaluate tokenizer.json corpus.txt
      subword compare corpus.txt
    """


#: What `--pattern` takes.
PATTERNS = f"{', '.join(sorted(patterns))}, or a regular expression"

tokenizer_argument = click.argument("tokenizer", type=click.Path(path_type=Path))
file_argument = click.argument("file", type=click.Path(path_type=Path), default=STANDARD)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=STANDARD,
    help="The file to write; standard output without it.",
)
pattern_option = click.option(
    "--pattern",
    metavar="NAME",
    help=f"The split pattern, for a file that does not hold one (.tiktoken): {PATTERNS}.",
)
special_option = click.option(
    "--special",
    type=click.Choice(["encode", "text", "error"]),
    default="encode",
    show_default=True,
    help="Text that spells a special token: make it the token's id, ordinary text, or an error.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="How many threads to use; without it, as many as there are cores.",
)
