"""`subword encode` and `subword decode`: text to ids and back."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from subword import Tokenizer
from subword._cli.arguments import file_argument, standard_out_option
from subword._cli.describing import shown
from subword._cli.files import STANDARD, documents_of, output, read
from subword._cli.group import (
    Failure,
    Special,
    field_option,
    main,
    pattern_option,
    special_option,
    threads_option,
    tokenizer_argument,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ids = npt.NDArray[np.uint32]

NPY_MAGIC = b"\x93NUMPY"
IDS_PER_BLOCK = 1 << 18


@main.command()
@tokenizer_argument
@file_argument
@standard_out_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "npy"]),
    help="Ids as numbers with spaces between them, or as a numpy array (uint32). "
    "Without it, the name of the --out file decides.",
)
@special_option("text")
@pattern_option
@field_option
@threads_option
def encode(
    tokenizer: Path,
    file: Path,
    out: Path,
    format_: str | None,
    special: Special,
    pattern: str | None,
    field: str,
    threads: int | None,
) -> None:
    """Turn text into ids.

    FILE is text, .jsonl or .parquet, any but the last with .gz or .zst, as for `subword train`. The
    ids of a text are one line; those of JSON lines or rows are a line for each document. An array
    has all ids, one document after the other. `subword encode-corpus` is for what is larger than
    memory.

    \b
    Examples:
      echo "Hello world" | subword encode tokenizer.json
      subword encode tokenizer.json corpus.txt.gz -o ids.npy
      subword encode tokenizer.json chats.jsonl --field body --special encode
    """
    format_ = format_ or ("npy" if out.suffix == ".npy" else "text")
    if format_ == "npy" and out == STANDARD and sys.stdout.isatty():
        raise click.UsageError("a numpy array is no text for a terminal: pass --out ids.npy")
    tok = Tokenizer.load(tokenizer, pattern=pattern)
    documents = encoded(tok, file, field, special, threads)
    if format_ == "npy":
        import numpy as np

        ids = np.concatenate([np.empty(0, np.uint32), *documents])
        with output(out) as stream:
            write_npy(ids, stream)
        return
    with output(out) as stream:
        write_text(documents, stream, show_progress=out != STANDARD or not sys.stdout.isatty())


def encoded(
    tok: Tokenizer, file: Path, field: str, special: Special, threads: int | None
) -> Iterator[Ids]:
    """The ids of each document of a file."""
    for texts in documents_of(file, field):
        if len(texts) == 1:
            yield tok.encode_array(texts[0], special=special, threads=threads)
            continue
        ids, bounds = tok.encode_batch_arrays(texts, special=special, threads=threads)
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            yield ids[start:end]


@main.command()
@tokenizer_argument
@file_argument
@standard_out_option
@pattern_option
def decode(tokenizer: Path, file: Path, out: Path, pattern: str | None) -> None:
    """Turn ids into text.

    FILE holds numbers with white space between them, or is a numpy array (.npy) of integers. The
    bytes of the tokens are written as they are.

    \b
    Examples:
      subword decode tokenizer.json ids.npy -o text.txt
      echo "9906 1917" | subword decode cl100k_base
    """
    ids = parse_ids(read(file), "standard input" if file == STANDARD else str(file))
    text = Tokenizer.load(tokenizer, pattern=pattern).decode_bytes(ids)
    with output(out) as stream:
        stream.write(text)


def write_npy(ids: Ids, stream: IO[bytes]) -> None:
    """Ids as a numpy array, to a pipe too (`numpy.save` wants a file that it can seek in)."""
    import numpy as np

    np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(ids))
    stream.write(ids.tobytes())


def write_text(documents: Iterable[Ids], stream: IO[bytes], *, show_progress: bool) -> None:
    """Ids with spaces between them, a line for each document."""
    from tqdm import tqdm

    off = None if show_progress else True  # None: off unless standard error is a terminal
    with tqdm(unit="id", unit_scale=True, delay=1, disable=off) as bar:
        for ids in documents:
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
