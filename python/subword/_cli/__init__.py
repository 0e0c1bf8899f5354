"""The command line: `subword COMMAND`.

    train, train-wordpiece, train-unigram  learn a tokenizer
    count                   how many tokens files have
    count-pieces, merge-counts   how often pieces occur in a corpus, to train from
    encode, decode          text to ids and back
    encode-corpus           a corpus to token files
    tokens, explain         a text as its tokens, and how it becomes them
    evaluate, prune         how well a vocabulary fits a text, and what it can spare
    compare                 trainers side by side
    explore                 tokenizers in a browser
    info, vocab, convert    what a tokenizer is, its tokens, and in which format

Each command reads files or standard input and writes text or numpy arrays; text is read as bytes,
so that whatever is in a file comes back. A file is written under another name and renamed when it
is complete: an interrupted command leaves the old file alone.

    exit code   means
    0           done
    1           it did not work: `error: ...` on standard error, and a `hint:` line where one helps
    2           the command line makes no sense
    130         interrupted

Text is text, as in Python: where it spells a special token, that is ordinary text unless
`--special` says otherwise. Only `encode-corpus` makes ids of them, as `encode_files` does: a corpus
is trusted.
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
        painting,
        training,
        unigram,
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
    "painting",
    "training",
    "unigram",
    "wordpiece",
]
