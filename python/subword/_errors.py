"""Everything that this package raises on purpose.

    Exception
    └── SubwordError                      catch this one to catch them all
        ├── ArgumentError    (ValueError)     an argument that makes no sense
        ├── CorpusError      (ValueError)     a bad document, or token files that do not fit
        ├── CountsError      (ValueError)     counts that do not fit together, a file of none
        ├── ModelFormatError (ValueError)     a file or an argument that makes no tokenizer
        ├── PatternError     (ValueError)     a split pattern that does not work
        ├── SpecialTokenError (ValueError)    text that spells a special token, with special="error"
        ├── TextError        (ValueError)     text that cannot be encoded
        ├── TrainingError    (ValueError)     a training that cannot begin
        │   └── NoPiecesError                     ... because the corpus has no pieces
        ├── MissingPackageError (ImportError) a package that only some calls need
        ├── UnknownIdError   (KeyError)       an id that no token has
        ├── UnknownNameError (FileNotFoundError) a name of which this machine has no tokenizer
        └── UnknownTokenError (KeyError)      bytes that are not a token

What the operating system says (a missing file, a full disk) stays the `OSError` that it is, and an
argument of the wrong type stays a `TypeError`. Programs branch on classes and fields, never on the
words of a message.

Each class also derives from the builtin that a caller would guess. It keeps its fields as
attributes, and ``args`` are exactly these fields. That is what makes it survive pickling: an
exception is rebuilt as ``cls(*args)``, so one whose ``args`` is a finished message fails to load in
the parent process and hides the error that the worker had.

Two things are said without raising: a `ModelFormatWarning`, where a file holds settings that are
not the tokenizer's, and a `TrainingWarning`, where a corpus had less to learn from than was asked
for.

`str` gives a sentence that says what is wrong and where and, in a second line, what to type
instead.
"""

from __future__ import annotations


class SubwordError(Exception):
    """The base of every error of this package.

    Many errors have a ``hint``: what to type instead. ``str(error)`` shows it in a line of its own.
    """

    __module__ = "subword"

    @property
    def summary(self) -> str:
        """What is wrong and where, without the hint.

        Example:
            >>> CorpusError("corpus.jsonl:7", 'no field "text"', "pass field='body'").summary
            'corpus.jsonl:7: no field "text"'
        """
        hint = getattr(self, "hint", None)
        return str(self) if hint is None else str(self).removesuffix(f"\n  hint: {hint}")


class ArgumentError(SubwordError, ValueError):
    """An argument that makes no sense: a size that is no size, a name that nothing has.

    ``argument`` is its name, so that a program can tell which of its own settings to look at.

    Example:
        >>> error = ArgumentError("threads", "threads must be at least 1, not 0")
        >>> print(error.argument, "|", error)
        threads | threads must be at least 1, not 0
    """

    __module__ = "subword"

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(argument, message)
        self.argument = argument
        self.message = message

    def __str__(self) -> str:
        return self.message


class _Placed(Exception):  # noqa: N818, a part of errors and none by itself
    """An error with a ``place``: ``path`` or ``path:line``, empty where there is no file."""

    def __init__(self, place: str, message: str, hint: str | None = None) -> None:
        super().__init__(place, message, hint)
        self.place = place
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _lines(f"{self.place}: {self.message}" if self.place else self.message, self.hint)


class CorpusError(_Placed, SubwordError, ValueError):
    """A document that cannot be counted or encoded, or token files that do not fit together.

    ``place`` is ``path`` or ``path:line``. The class is the same whichever call reads the corpus.

    Example:
        >>> print(CorpusError("corpus.jsonl:7", 'no field "text"', "pass field='body'"))
        corpus.jsonl:7: no field "text"
          hint: pass field='body'
    """

    __module__ = "subword"


class CountsError(_Placed, SubwordError, ValueError):
    """Counts that do not fit together, or a file that does not hold counts.

    ``place`` is ``path``, and empty where there is no file.

    Example:
        >>> print(CountsError("web.counts", "the file is cut off", "copy or download it again"))
        web.counts: the file is cut off
          hint: copy or download it again
    """

    __module__ = "subword"


class ModelFormatError(_Placed, SubwordError, ValueError):
    """A file that is not what it claims to be, or parts that do not fit together.

    ``place`` is ``path`` or ``path:line``, and empty where there is no file.

    Example:
        >>> print(ModelFormatError("merges.txt:7", 'expected two tokens, found 3 in "t h e"'))
        merges.txt:7: expected two tokens, found 3 in "t h e"
    """

    __module__ = "subword"


class PatternError(SubwordError, ValueError):
    """A split pattern that does not compile, or that gave up while matching."""

    __module__ = "subword"

    hint = (
        "the names are gpt2, cl100k, o200k, llama3, qwen2, deepseek-v3, bert, whitespace "
        "and none; anything else is a regular expression"
    )

    def __init__(self, pattern: str, message: str) -> None:
        super().__init__(pattern, message)
        self.pattern = pattern
        self.message = message

    def __str__(self) -> str:
        return _lines(f'pattern "{self.pattern}": {self.message}', self.hint)


class SpecialTokenError(SubwordError, ValueError):
    """Text that spells a special token where ``special="error"`` forbids it.

    ``position`` is where the special token starts, in bytes of the text as UTF-8.
    """

    __module__ = "subword"

    def __init__(self, token: str, position: int) -> None:
        super().__init__(token, position)
        self.token = token
        self.position = position

    @property
    def hint(self) -> str:
        """What to type instead."""
        return (
            'pass special="text" to encode it as ordinary text, special="encode" to encode every '
            f"special token as its id, or special={{{self.token!r}}} to do so for this one"
        )

    def __str__(self) -> str:
        what = f"the text spells the special token {self.token!r} at byte {self.position}"
        return _lines(what, self.hint)


class TextError(SubwordError, ValueError):
    """A text that cannot be encoded or counted.

    A ``str`` with a lone surrogate (``position`` is in characters), a byte or character that the
    model has no token for, or a corpus that is not UTF-8 (``position`` is in bytes).
    """

    __module__ = "subword"

    def __init__(self, message: str, position: int, hint: str | None = None) -> None:
        super().__init__(message, position, hint)
        self.message = message
        self.position = position
        self.hint = hint

    def __str__(self) -> str:
        return _lines(f"{self.message} at position {self.position}", self.hint)


class TrainingError(SubwordError, ValueError):
    """Settings, or counts, from which nothing can be learned.

    Example:
        >>> print(TrainingError("vocab_size=200 is too small", "pass vocab_size=256"))
        vocab_size=200 is too small
          hint: pass vocab_size=256
    """

    __module__ = "subword"

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return _lines(self.message, self.hint)


class NoPiecesError(TrainingError):
    """A corpus without pieces: it is empty, or special tokens are all that it has.

    Example:
        >>> print(NoPiecesError("there are no pieces to learn from", "the corpus is empty"))
        there are no pieces to learn from
          hint: the corpus is empty
    """

    __module__ = "subword"


class UnknownIdError(SubwordError, KeyError):
    """An id that no token has. ``position`` is its place in the sequence of ids, from 0."""

    __module__ = "subword"

    hint = "ids mean something to the tokenizer that made them only; its largest is tok.max_id"

    def __init__(self, id: int, position: int) -> None:
        super().__init__(id, position)
        self.id = id
        self.position = position

    # KeyError would show the repr of its arguments.
    def __str__(self) -> str:
        return _lines(f"no token has id {self.id} (position {self.position})", self.hint)


class UnknownNameError(SubwordError, FileNotFoundError):
    """A name of which there is no file, no published encoding and no repository on this machine.

    Example:
        >>> print(UnknownNameError("no/such", "no tokenizer has this name", "download it"))
        no/such: no tokenizer has this name
          hint: download it
    """

    __module__ = "subword"

    # OSError reads two or three arguments as number, words and file, and keeps only two in `args`.
    def __init__(self, name: str, message: str, hint: str | None = None) -> None:
        super().__init__()
        self.args = (name, message, hint)
        self.name = name
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[object, ...]]:
        return type(self), self.args

    def __str__(self) -> str:
        return _lines(f"{self.name}: {self.message}", self.hint)


class MissingPackageError(SubwordError, ImportError):
    """A package that is not installed, and that only some calls need.

    ``name`` is the package, and ``hint`` installs it.

    Example:
        >>> print(MissingPackageError("Parquet files need pyarrow", "pyarrow", "parquet"))
        Parquet files need pyarrow
          hint: pip install 'subword[parquet]'
    """

    __module__ = "subword"

    def __init__(self, message: str, name: str, extra: str) -> None:
        super().__init__(message, name=name)
        self.args = (message, name, extra)
        self.message = message
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingPackageError], tuple[object, ...]]:
        return type(self), self.args

    @property
    def hint(self) -> str:
        """What to type."""
        return f"pip install 'subword[{self.extra}]'"

    def __str__(self) -> str:
        return _lines(self.message, self.hint)


class UnknownTokenError(SubwordError, KeyError):
    """Bytes that are not a token."""

    __module__ = "subword"

    hint = "tok.encode gives the ids of any text, tok.token_id only that of a whole token"

    def __init__(self, token: bytes | str) -> None:
        super().__init__(token)
        self.token = token

    def __str__(self) -> str:
        return _lines(f"{self.token!r} is not a token", self.hint)


class ModelFormatWarning(UserWarning):
    """A file of a tokenizer says something that is read otherwise, or cannot hold something."""

    __module__ = "subword"


class TrainingWarning(UserWarning):
    """A training that ended early, because the corpus has no more pairs."""

    __module__ = "subword"


def _lines(message: str, hint: str | None) -> str:
    return message if hint is None else f"{message}\n  hint: {hint}"
