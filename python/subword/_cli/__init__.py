"""The command line: `subword COMMAND`.

    train, train-wordpiece  learn a tokenizer
    count, merge-counts     count tokens, or the pieces of a corpus
    encode, decode          text to ids and back
    encode-corpus           a corpus to token files
    explain                 how a text becomes its tokens
    evaluate, prune         how well a vocabulary fits a text, and what it can spare
    compare                 trainers side by side
    explore                 tokenizers in a browser
    info, convert           what a tokenizer is, and in which format

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

from subword import _starting

with _starting.quietly():
    from subword._cli import (
        comparing,
        corpus,
        counting,
        describing,
        encoding,
        evaluating,
        explaining,
        exploring,
        training,
        wordpiece,
    )
    from subword._cli.group import main

__all__ = [
    "comparing",
    "corpus",
    "counting",
    "describing",
    "encoding",
    "evaluating",
    "explaining",
    "exploring",
    "main",
    "training",
    "wordpiece",
]
