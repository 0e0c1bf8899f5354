"""A tokenizer that is opened from the page: the content of its file, read by the engine.

The file is untrusted, as texts are. The engine reads it as it reads every file, from memory: the
name that it comes with is shown and never made into a path. A file is at most `MOST_FILE` bytes
long, and at most `MOST_OPENED` tokenizers are kept until the explorer ends.

    >>> explored: list[Explored] = []
    >>> values = {"name": "words.txt", "file": b"[UNK]\\nlow\\n##er\\n"}
    >>> opened(explored, Question(values))["tokenizer"]
    0
    >>> explored[0].name, explored[0].tok.vocab_size
    ('words.txt', 3)

The same file again is the tokenizer that is there already.
"""

from __future__ import annotations

import unicodedata
from threading import Lock
from typing import Any

from subword import ModelFormatError, Tokenizer, patterns
from subword.explorer.explored import Explored
from subword.explorer.questions import Question, RefusedError

#: The longest file: the largest tokenizer.json that people load has 35 MB.
MOST_FILE = 64 << 20

#: How many tokenizers there may be, with those of the start.
MOST_OPENED = 24

#: What a name is cut to.
MOST_NAME = 80

ONE_AT_A_TIME = Lock()


def opened(explored: list[Explored], question: Question) -> dict[str, Any]:
    """Add a tokenizer to those that are explored, and tell its number."""
    name = shown_name(question.string("name"))
    pattern = question.choice("pattern", ["", *patterns], default="")
    content = question.values.get("file", b"")
    with ONE_AT_A_TIME:
        try:
            tok = Tokenizer.load(content, pattern=pattern or None)
        except ModelFormatError as error:
            raise RefusedError(400, f"{name}: {error.message}", hint_of(error, content)) from error
        number = place_of(explored, tok)
        if number is None:
            if len(explored) >= MOST_OPENED:
                message = f"expected at most {MOST_OPENED} tokenizers, found one more"
                raise RefusedError(413, message, "start the explorer again with those you need")
            explored.append(Explored(new_name(name, {one.name for one in explored}), tok))
            number = len(explored) - 1
        return {"tokenizer": number, "about": explored[number].about()}


def place_of(explored: list[Explored], tok: Tokenizer) -> int | None:
    """The number of a tokenizer that is there already."""
    for number, one in enumerate(explored):
        if one.tok == tok:
            return number
    return None


def hint_of(error: ModelFormatError, content: bytes) -> str | None:
    """What to do on the page, where the hint of the engine names an argument."""
    if error.hint is None or "pass " not in error.hint:
        return error.hint
    if "pattern=" in error.hint:
        return "choose its pattern: cl100k, o200k, or gpt2 for r50k_base and p50k_base"
    return "a tokenizer.json has all in one file" if content[:1] == b"{" else None


def shown_name(name: str) -> str:
    """The last part of a name, without characters that nobody sees.

    >>> shown_name("../etc/\\u202epasswd\\0"), shown_name("C:\\\\x\\\\tok.json"), shown_name("/")
    ('passwd', 'tok.json', 'a file')
    """
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    seen = "".join(one for one in last if unicodedata.category(one)[0] not in "CZ" or one == " ")
    return seen.strip()[:MOST_NAME] or "a file"


def new_name(name: str, taken: set[str]) -> str:
    """The name, with a number if another tokenizer has it.

    >>> new_name("tok.json", {"tok.json", "tok.json (2)"})
    'tok.json (3)'
    """
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found
