"""The command line: `subword encode | decode | count | info | convert`.

Each command reads files or standard input and writes text or numpy arrays; text is read as bytes,
so that whatever is in a file comes back. A file is written under another name and renamed when it
is complete: an interrupted command leaves the old file alone.

    exit code   means
    0           done
    1           it did not work: `error: ...` on standard error, and a `hint:` line where one helps
    2           the command line makes no sense
    130         interrupted

Files of a corpus are trusted: unlike `Tokenizer.encode`, the commands encode special tokens as
their ids unless `--special` says otherwise.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import click

from subword import SpecialTokenError, SubwordError, Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ids = npt.NDArray[np.uint32]

STANDARD = Path("-")  # standard input or output
NPY_MAGIC = b"\x93NUMPY"
IDS_PER_BLOCK = 1 << 18


class Failure(click.ClickException):
    """Something that did not work: told in one line and a hint, never by a traceback."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {self.message}", file=file, err=file is None)


class Commands(click.Group):
    """Turns what goes wrong in a command into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
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
        except SubwordError as error:
            raise Failure(str(error)) from error
        except OSError as error:
            place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
            raise Failure(f"{place}{error.strerror or error}") from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="subword", message="%(prog)s %(version)s")
def main() -> None:
    """Encode and decode text with subword tokenizers.

    TOKENIZER is a file that this package or another one has written: its own format, .tiktoken,
    tokenizer.json, or vocab.json with merges.txt beside it. Its content says which one it is.

    \b
    Examples:
      subword info tokenizer.json
      echo "Hello world" | subword encode tokenizer.json
      subword encode tokenizer.json corpus.txt --out ids.npy
      subword decode tokenizer.json ids.npy
      subword count cl100k_base.tiktoken --pattern cl100k *.txt
    """


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
    help="The split pattern, for a file that does not hold one (.tiktoken): gpt2, cl100k, o200k, "
    "llama3, qwen2, deepseek-v3, none, or a regular expression.",
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


@main.command()
@tokenizer_argument
@file_argument
@out_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "npy"]),
    help="Ids as numbers with spaces between them, or as a numpy array (uint32). "
    "Without it, the name of the --out file decides.",
)
@special_option
@pattern_option
@threads_option
def encode(
    tokenizer: Path,
    file: Path,
    out: Path,
    format_: str | None,
    special: Literal["text", "encode", "error"],
    pattern: str | None,
    threads: int | None,
) -> None:
    """Turn text into ids.

    \b
    Examples:
      echo "Hello world" | subword encode tokenizer.json
      subword encode tokenizer.json corpus.txt --out ids.npy
      subword encode cl100k_base.tiktoken --pattern cl100k --special text chat.txt
    """
    format_ = format_ or ("npy" if out.suffix == ".npy" else "text")
    if format_ == "npy" and out == STANDARD and sys.stdout.isatty():
        raise click.UsageError("a numpy array is no text for a terminal: pass --out ids.npy")
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    ids = tok.encode_array(read(file), special=special, threads=threads)
    with output(out) as stream:
        if format_ == "npy":
            write_npy(ids, stream)
        else:
            write_text(ids, stream, show_progress=out != STANDARD or not sys.stdout.isatty())


@main.command()
@tokenizer_argument
@file_argument
@out_option
@pattern_option
def decode(tokenizer: Path, file: Path, out: Path, pattern: str | None) -> None:
    """Turn ids into text.

    FILE holds numbers with white space between them, or is a numpy array (.npy) of integers. The
    bytes of the tokens are written as they are.

    \b
    Examples:
      subword decode tokenizer.json ids.npy --out text.txt
      echo "9906 1917" | subword decode cl100k_base.tiktoken --pattern cl100k
    """
    ids = parse_ids(read(file), "standard input" if file == STANDARD else str(file))
    text = Tokenizer.load(tokenizer, pattern=pattern).decode_bytes(ids)
    with output(out) as stream:
        stream.write(text)


@main.command()
@tokenizer_argument
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="[FILE]...")
@special_option
@pattern_option
@threads_option
def count(
    tokenizer: Path,
    files: Sequence[Path],
    special: Literal["text", "encode", "error"],
    pattern: str | None,
    threads: int | None,
) -> None:
    """Count the tokens of files, and how many bytes one token stands for.

    \b
    Examples:
      subword count tokenizer.json chapter1.txt chapter2.txt
      git ls-files -z '*.py' | xargs -0 subword count tokenizer.json
    """
    from tqdm import tqdm

    tok = Tokenizer.load(tokenizer, pattern=pattern)
    row = "{:>12}  {:>12}  {:>11}  {}"
    lines = [row.format("tokens", "bytes", "bytes/token", "file")]
    tokens = size = 0

    def ratio(size: int, tokens: int) -> str:
        return f"{size / tokens:.2f}" if tokens else "-"

    for file in tqdm(files or [STANDARD], unit="file", delay=1, disable=None, leave=False):
        text = read(file)
        found = tok.count(text, special=special, threads=threads)
        assert found is not None  # only a limit makes it None
        lines.append(row.format(found, len(text), ratio(len(text), found), file))
        tokens, size = tokens + found, size + len(text)
    if len(files) > 1:
        lines.append(row.format(tokens, size, ratio(size, tokens), "total"))
    click.echo("\n".join(lines))


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
    rows = [("kind", f"byte-level BPE by {tok.kind}")]
    rows += [("pattern" if at == 0 else "", one) for at, one in enumerate(patterns)]
    rows += [
        ("vocabulary", f"{tok.vocab_size} tokens, ids up to {tok.max_id}"),
        ("merges", str(len(tok.merges))),
        ("special tokens", str(len(special)) if special else "none"),
        *[("", f"{id} {token}") for token, id in list(special.items())[:8]],
        *([("", f"and {len(special) - 8} more")] if len(special) > 8 else []),
        *[
            ("longest tokens" if at == 0 else "", f"{len(token)} bytes: {shown(token)}")
            for at, token in enumerate(longest)
        ],
        ("fingerprint", tok.fingerprint),
    ]
    click.echo("\n".join(f"{name:<16}{value}" for name, value in rows))


@main.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "format_",
    type=click.Choice(["native", "tiktoken", "huggingface", "gpt2"]),
    help="The format to write. Without it, the name of OUT decides: *.tiktoken, tokenizer.json, "
    "a directory (vocab.json and merges.txt), anything else native.",
)
@pattern_option
def convert(source: Path, target: Path, format_: str | None, pattern: str | None) -> None:
    """Write a tokenizer in another format.

    \b
    Examples:
      subword convert cl100k_base.tiktoken tokenizer.json --pattern cl100k
      subword convert tokenizer.json mine.tiktoken
      subword convert tokenizer.json gpt2-files/ --to gpt2
    """
    Tokenizer.load(source, pattern=pattern).save(target, format=format_)


def read(file: Path) -> bytes:
    """The bytes of a file, or of standard input."""
    return sys.stdin.buffer.read() if file == STANDARD else file.read_bytes()


@contextmanager
def output(path: Path) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears under its name only when it is complete."""
    if path == STANDARD:
        yield sys.stdout.buffer
        return
    path = path.resolve()
    if path.exists() and not path.is_file():  # a device, a named pipe, or a mistake
        with path.open("wb") as stream:
            yield stream
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except FileNotFoundError as error:
        error.filename = str(path)  # name the file that was asked for
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_npy(ids: Ids, stream: IO[bytes]) -> None:
    """Ids as a numpy array, to a pipe too (`numpy.save` wants a file that it can seek in)."""
    import numpy as np

    np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(ids))
    stream.write(ids.tobytes())


def write_text(ids: Ids, stream: IO[bytes], *, show_progress: bool) -> None:
    """Ids with spaces between them, on one line."""
    from tqdm import tqdm

    off = None if show_progress else True  # None: off unless standard error is a terminal
    with tqdm(total=len(ids), unit="id", unit_scale=True, delay=1, disable=off) as bar:
        for start in range(0, len(ids), IDS_PER_BLOCK):
            block = ids[start : start + IDS_PER_BLOCK].tolist()
            text = " ".join(map(str, block))
            stream.write(f" {text}".encode() if start else text.encode())
            bar.update(len(block))
    stream.write(b"\n")


def parse_ids(data: bytes, place: str) -> Sequence[int] | Ids:
    """Ids from text or from a numpy array, whichever it is."""
    if data.startswith(NPY_MAGIC):
        import numpy as np

        try:
            array: Ids = np.load(io.BytesIO(data), allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise Failure(f"{place}: not a complete numpy array: {error}") from error
        if array.ndim != 1 or array.dtype.kind not in "iu":
            found = f"{array.ndim} dimension{'s' * (array.ndim != 1)} of {array.dtype}"
            raise Failure(f"{place}: expected one dimension of integers, found {found}")
        return array
    words = data.split()
    for at, word in enumerate(words):
        if not word.isdigit() or len(word) > 18:
            raise Failure(
                f"{place}: expected an id, found {shown(word)} (word {at + 1})",
                "ids are numbers with white space between them, or a .npy file",
            )
    return [int(word) for word in words]


def shown(token: bytes) -> str:
    """A token as text where it is text, as bytes where it is not; the start of a long one."""
    try:
        text = repr(token.decode())
    except UnicodeDecodeError:
        text = repr(token)
    return text if len(text) <= 50 else f"{text[:50]}..."
