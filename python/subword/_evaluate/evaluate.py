"""How well a vocabulary fits a text: `subword.evaluate`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from subword._corpus.paths import expanded
from subword._errors import ArgumentError, SubwordError
from subword._tokenizer import Tokenizer

if TYPE_CHECKING:
    from subword._evaluate.counting import Subject
    from subword._evaluate.report import Evaluation
    from subword._types import Errors, StrPath

    Files: TypeAlias = StrPath | Iterable[StrPath]

#: What a truncated tokenizer may remember: it sees every word once.
CACHE_BYTES = 1 << 20


def evaluate(
    tokenizers: Tokenizer | Mapping[str, Tokenizer],
    files: Files | Mapping[str, Files],
    *,
    by: Literal["file", "folder"] = "file",
    sizes: Iterable[int] | Literal["auto"] | None = None,
    fewest: bool = False,
    field: str = "text",
    errors: Errors = "strict",
    threads: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Measure how well vocabularies fit texts.

    The rows of the result have, for each tokenizer and text:

    * ``bytes_per_token``: how much text a token stands for; more is better compression;
    * ``fertility``: tokens per word. A word is what stands between white space, and its tokens are
      those that it has after a space, without the space if that is a token of its own;
    * ``whole``: the share of words that are one token;
    * ``renyi_efficiency``: how evenly the vocabulary is used, of order 2.5;
    * ``unused``: tokens that never come out; ``residue``: tokens that merges make, and merge on in
      all but at most one of a hundred times; ``unknown``: how many tokens are the unk token;
    * ``over_fewest``: with ``fewest``, how many more tokens there are than needed, as a share.

    Special tokens of any of the tokenizers are cut out of the texts, and not measured.

    Args:
        tokenizers: A tokenizer, or several by name.
        files: Files as `count_pieces` takes them, or texts by name, each of one file or many:
            ``{"en": "en/*.txt", "code": "src/**/*.py"}``. Several texts are also measured together,
            as "all".
        by: Whether each file is a text of its own (``"file"``), or the files of a ``"folder"``
            are one text. Texts by name are what they are.
        sizes: Measure every tokenizer at these vocabulary sizes, as `truncate` gives them; "auto"
            takes the powers of two and the size that it has.
        fewest: Whether to measure, too, how many tokens there would be if pieces were cut into the
            fewest (`encoded_by`): ``fewest`` and ``over_fewest`` of the rows. Tokenizers that do
            not merge, or start from characters, have none.
        field: The field of JSON lines, or the column of Parquet files, that holds the text.
        errors: What to do with text that is not UTF-8: "strict" or "replace".
        threads: How many threads may work; None means one for each core.
        progress: Whether to show bars; None shows them if standard error is a terminal.

    Returns:
        The measures: ``rows`` has them, ``print`` shows a table, ``plot`` draws a picture.

    Raises:
        ArgumentError: A tokenizer cannot be cut to one of the ``sizes``.
        CorpusError: A file holds a bad document.
        TextError: A file is not UTF-8, with ``errors="strict"``.
        OSError: A file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from subword import Tokenizer, evaluate
        >>> _ = Path("words.txt").write_text("low lower slowest")
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")])
        >>> row = evaluate(tok, "words.txt").rows[0]
        >>> row.bytes, row.tokens, row.words, row.word_tokens, row.whole_words
        (17, 11, 3, 9, 1)
        >>> round(row.bytes_per_token, 3), row.fertility, row.unused, row.residue
        (1.545, 3.0, 252, 1)
    """
    from subword._evaluate.counting import Subject, Tally, Texts
    from subword._evaluate.report import ALL, Evaluation

    named = {"tokenizer": tokenizers} if isinstance(tokenizers, Tokenizer) else tokenizers
    if not isinstance(named, Mapping):
        raise TypeError(f"tokenizers must be one, or a mapping, not a {type(named).__name__}")
    if sizes is not None and not isinstance(sizes, str):
        sizes = list(sizes)
    whole = [Subject(name, tok, fewest=fewest) for name, tok in named.items()]
    subjects = [one for subject in whole for one in sized(subject, sizes)]
    special = sorted({token for one in subjects for token in one.control})
    reading = {"field": field, "errors": errors, "threads": threads, "progress": progress}
    rows = []
    totals: list[Tally] = []
    texts = texts_of(files, by)
    if len(texts) > 1 and ALL in texts:
        raise ValueError(f"{ALL!r} is the name of all texts together: call yours otherwise")
    for name, paths in texts.items():
        text = Texts(paths, special, reading)
        tallies = [text.tally(subject) for subject in subjects]
        rows += [one.measures(name, tally) for one, tally in zip(subjects, tallies, strict=True)]
        if not totals:
            totals = tallies
        else:
            for total, tally in zip(totals, tallies, strict=True):
                total += tally
    if len(texts) > 1:
        rows += [one.measures(ALL, total) for one, total in zip(subjects, totals, strict=True)]
    return Evaluation(rows)


def sized(subject: Subject, sizes: list[int] | str | None) -> list[Subject]:
    """A tokenizer, or the smaller ones in it."""
    if sizes is None:
        return [subject]
    tok = subject.tok
    if isinstance(sizes, str):
        if sizes != "auto":
            raise ArgumentError("sizes", f'sizes must be numbers or "auto", not {sizes!r}')
        sizes = [*powers(tok), tok.vocab_size]
    if not sizes:
        raise ArgumentError("sizes", "sizes must be at least one number")
    try:
        models = [tok._truncated(size) for size in sorted({*sizes})]
    except SubwordError:  # it cannot be cut at all
        raise
    except ValueError as error:
        raise ArgumentError("sizes", str(error)) from None
    made = [Tokenizer._of(model, CACHE_BYTES) for model in models]
    fewest = subject.fewest is not None
    return [type(subject)(subject.name, one, fewest=fewest) for one in made]


def powers(tok: Tokenizer) -> list[int]:
    """The powers of two among the sizes that a tokenizer can be cut to."""
    found = []
    size = 1 << (tok.vocab_size - 1).bit_length() - 1
    while size:
        try:
            tok._truncated(size)
        except ValueError:  # too small
            break
        found.append(size)
        size //= 2
    return found[::-1]


def texts_of(files: Files | Mapping[str, Files], by: str) -> dict[str, list[Path]]:
    """The files of every text, by its name."""
    if by not in ("file", "folder"):
        raise ArgumentError("by", f'by must be "file" or "folder", not {by!r}')
    if isinstance(files, Mapping):
        return {name: expanded(some) for name, some in files.items()}
    paths = expanded(files)
    if by == "folder":
        folders: dict[str, list[Path]] = {}
        for path in paths:
            folders.setdefault(path.resolve().parent.name, []).append(path)
        return folders
    names = [path.name for path in paths]
    if len({*names}) < len(names):
        names = [os.fspath(path) for path in paths]
    return {name: [path] for name, path in zip(names, paths, strict=True)}
