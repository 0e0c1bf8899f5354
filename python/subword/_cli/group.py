"""The group of all commands: options that several have, and what happens when one fails."""

from __future__ import annotations

import difflib
import errno
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

import click

from subword import (
    ArgumentError,
    ModelFormatWarning,
    SpecialTokenError,
    SubwordError,
    UnknownIdError,
    patterns,
)
from subword._cli.files import print_error, printable
from subword._starting import quietly

Command = TypeVar("Command", bound=Callable[..., Any])

#: What arguments are called here that have another name in Python.
OPTIONS = {"special_tokens": "--special-token", "tok": "TOKENIZER"}


class Failure(click.ClickException):
    """Something that did not work: told in one line and a hint, never by a traceback."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {printable(self.message)}", file=file, err=file is None)


class Misuse(Failure):
    """A command line that makes no sense."""

    exit_code = 2


class Commands(click.Group):
    """Turns what goes wrong in a command into one line and an exit code."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        open_closed_streams()
        with quietly():  # nothing runs yet
            try:
                return super().make_context(*args, **settings)
            except click.UsageError as error:
                raise misuse(error) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            close = difflib.get_close_matches(cmd_name, known, n=3)
            hint = f"did you mean {' or '.join(close)}?" if close else "subword --help lists all"
            raise Misuse(f"there is no command {cmd_name!r}", hint)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", ModelFormatWarning)
                warnings.showwarning = show_warning
                result = super().invoke(ctx)
            sys.stdout.flush()  # a reader that has gone away is noticed here, not at exit
            return result
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        except BrokenPipeError:
            raise  # `subword encode ... | head`: click ends the process quietly
        except click.UsageError as error:
            raise misuse(error) from error
        except (SubwordError, OSError, ImportError) as error:
            raise failure(error) from error


def open_closed_streams() -> None:
    """Make streams that the caller has closed (`<&-`) empty ones, which all code can use."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115, open to the end


def misuse(error: click.UsageError) -> click.ClickException:
    """A command line that makes no sense, told as every other error is told."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error  # it shows the help
    command = error.ctx.command_path if error.ctx is not None else "subword"
    return Misuse(error.format_message(), f"{command} --help shows what it takes")


def failure(error: SubwordError | OSError | ImportError) -> click.ClickException:
    """What went wrong, in the words of the command line."""
    if isinstance(error, SpecialTokenError):
        what = f"the text spells the special token {error.token!r} at byte {error.position}"
        return Failure(what, "pass --special encode or --special text")
    if isinstance(error, UnknownIdError):
        known = "only the tokenizer that made the ids knows them; subword info shows which it has"
        return Failure(error.summary, known)
    if isinstance(error, ArgumentError):
        option = OPTIONS.get(error.argument, f"--{error.argument.replace('_', '-')}")
        return Misuse(f"{option}: {error.message}")
    if isinstance(error, SubwordError):
        advice = getattr(error, "hint", None)
        return Failure(without_folder(error.summary), advice and as_options(advice))
    if isinstance(error, ImportError):
        if "\n  hint: " not in str(error):
            raise error  # not one of the packages that some commands need
        return Failure(str(error))
    place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    full = error.errno == errno.ENOSPC
    hint = "make room, and give the same command again" if full else None
    return Failure(without_folder(f"{place}{error.strerror or error}"), hint)


def without_folder(message: str) -> str:
    """A message about the copy of standard input, without the temporary folder that it is in."""
    return re.sub(r"\S*subword-[^/\\\s]+[/\\](?=standard input)", "", message)


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """What is to be said, without the place in the code that says it."""
    print_error(f"warning: {as_options(str(message))}")


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
    tokenizer.json, or vocab.json with merges.txt beside it. Its content says which one it is. Or it
    is a name: cl100k_base, or a repository in the local cache of Hugging Face's Hub.

    A file to read may be - for standard input. Text that spells a special token is text, as in
    Python, unless --special says otherwise.

    \b
    Examples:
      subword train corpus.txt --vocab-size 32k -o tokenizer.json
      subword info tokenizer.json
      subword tokens tokenizer.json "the lowest"
      subword explain tokenizer.json "the lowest"
      subword explore tokenizer.json
      echo "Hello world" | subword encode tokenizer.json
      subword encode tokenizer.json corpus.txt -o ids.npy
      subword encode-corpus tokenizer.json corpus.txt -o train.bin
      subword decode tokenizer.json ids.npy
      subword count cl100k_base *.txt
      subword count-pieces corpus.txt -o corpus.counts
      subword evaluate tokenizer.json corpus.txt
      subword compare corpus.txt
    """


#: What `--pattern` takes.
PATTERNS = f"{', '.join(sorted(patterns))}, or a regular expression"

Special = Literal["text", "encode", "error"]

#: A path whose file is looked at when it is opened, where its error is told as all others are.
PATH = click.Path(path_type=Path, readable=False)

tokenizer_argument = click.argument("tokenizer", type=PATH)
pattern_option = click.option(
    "--pattern",
    metavar="NAME",
    help=f"The split pattern, for a file that does not hold one (.tiktoken): {PATTERNS}.",
)


def special_option(default: Special) -> Callable[[Command], Command]:
    """What to do with special tokens: a text is text by default, a corpus is trusted."""
    return click.option(
        "--special",
        type=click.Choice(["text", "encode", "error"]),
        default=default,
        show_default=True,
        help="Text that spells a special token: ordinary text, the token's id, or an error.",
    )


field_option = click.option(
    "--field",
    default="text",
    show_default=True,
    help="The field of JSON lines or the column of Parquet files that is the text.",
)
errors_option = click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="What is not UTF-8 is an error, or U+FFFD.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
progress_option = click.option(
    "--progress",
    type=click.Choice(["bar", "lines", "none"]),
    callback=lambda _, __, chosen: {"none": False, None: True}.get(chosen, chosen),
    help="How to show how far it is: a bar (on a terminal without it), a line every ten seconds "
    "(elsewhere), or not at all.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="How many threads to use; without it, as many as there are cores.",
)
