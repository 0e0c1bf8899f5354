"""`count_pieces`: files or texts in, counts of their pieces out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from subword import _core
from subword._corpus.paths import expanded
from subword._corpus.sizes import at_least_one, size_of
from subword._counts import Counts
from subword._progress import showing
from subword._special import listed

if TYPE_CHECKING:
    from subword._types import Errors, Pattern, Progress, StrPath, TextBatches


def count_pieces(
    files: StrPath | Iterable[StrPath] | None = None,
    *,
    texts: TextBatches | None = None,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    errors: Errors = "strict",
    field: str = "text",
    max_document: int | str = "1GB",
    progress: Progress = None,
) -> Counts:
    """Count the pieces of a corpus: of ``files``, or of ``texts``.

    The counts depend on the texts alone: not on threads, on the memory limit, or on the order of
    the files.

    Args:
        files: A path, several paths, or globs. A file is one text; a ``.jsonl`` file has one text
            in each line, a ``.parquet`` file one in each row. Files that end in ``.gz`` or ``.zst``
            are decompressed while they are read.
        texts: Any iterable of ``str`` or ``bytes``, or of batches of them (lists, columns of
            Arrow), which is read lazily; or one column of Arrow. Pass this or ``files``.
        pattern: What cuts a text into pieces: a name, a regular expression, or several of them.
        special_tokens: Strings that are cut out of the texts before the pattern runs, and are not
            counted.
        normalizer: What changes a text before it is cut: "nfc", "nfd", "nfkc", "nfkd",
            "nfc-lowercase", or for WordPiece "bert-uncased" or "bert-cased", with the pattern
            "bert".
        threads: How many threads may work; None means one for each core.
        memory_limit: How much memory the tables may use, in bytes or like "64MB". What does not
            fit is sorted and written to temporary files.
        errors: What to do with text that is not UTF-8: "strict" raises an error, "replace" puts
            U+FFFD in its place.
        field: The field of JSON lines, or the column of Parquet files, that holds the text.
        max_document: How large a line of JSON, or a text that the pattern gives no place to cut,
            may be: these are held in memory whole.
        progress: How to show how far it is. None shows a bar on a terminal or in a notebook; True
            shows lines elsewhere, for logs. "bar" and "lines" choose, False shows nothing.

    Returns:
        The counts.

    Raises:
        CorpusError: A line is no JSON, has no such field, or is larger than ``max_document``; a
            column is missing or holds no text.
        TextError: A text is not UTF-8, with ``errors="strict"``.
        PatternError: The pattern does not work.
        ArgumentError: A limit or a normalizer makes no sense.
        OSError: A file cannot be read.

    Example:
        >>> from subword import count_pieces
        >>> list(count_pieces(texts=["low lower", "low"]))
        [(b' lower', 1), (b'low', 2)]
        >>> list(count_pieces(texts=["Löw, low"], pattern="bert", normalizer="bert-uncased"))
        [(b' ', 1), (b',', 1), (b'low', 2)]
    """
    if (files is None) == (texts is None):
        raise TypeError("pass files or texts, one of the two")
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise TypeError(f"texts must be several texts, not one {type(texts).__name__}")
    limit = None if memory_limit is None else size_of(memory_limit, "memory_limit")
    special = listed(special_tokens)
    if texts is not None:
        with showing(progress, "counting") as watch:
            return Counts._of(
                _core.count_texts(
                    texts,
                    pattern,
                    special,
                    normalizer=normalizer,
                    threads=threads,
                    memory_limit=limit,
                    errors=errors,
                    watch=watch,
                )
            )
    assert files is not None
    paths = expanded(files)
    tables = [path for path in paths if path.suffix == ".parquet"]
    others = [path for path in paths if path.suffix != ".parquet"]
    total = sum(path.stat().st_size for path in others if path.is_file())
    with showing(progress, "counting", total) as watch:
        counts = Counts._of(
            _core.count_files(
                others,
                pattern,
                special,
                normalizer=normalizer,
                threads=threads,
                memory_limit=limit,
                errors=errors,
                field=field,
                max_document=at_least_one(max_document, "max_document"),
                watch=watch,
            )
        )
    if tables:
        from subword._corpus.parquet import texts_of

        counts += count_pieces(
            texts=texts_of(tables, field),
            pattern=pattern,
            special_tokens=special,
            normalizer=normalizer,
            threads=threads,
            memory_limit=limit,
            errors=errors,
            progress=progress,
        )
    return counts
