"""Finds the data: the texts and the vocabularies that are measured.

    $SUBWORD_DATA                     a directory that holds corpora/ and vocabs/
    .data/ in the repository root     the same, fetched by `make data` or unpacked by an earlier run
    ../shared/data                    the packed files: unpacked into .data/ on first use

Texts are read as bytes and decoded as UTF-8, so that no newline is changed on the way.
"""

from __future__ import annotations

import base64
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

CORPORA = {
    "en": "en_10mb.txt",
    "code": "code_clean_10mb.txt",
    "ru": "ru_10mb.txt",
    "zh": "zh_10mb.txt",
    "multi": "multi_clean_10mb.txt",
}

#: Texts of 3 MB, in scripts that the others lack.
SMALLER = {"ja": "ja_3mb.txt", "ko": "ko_3mb.txt"}

#: Every text that is measured: those above, and those of trainers and batches.
FILES = CORPORA | SMALLER | {"enwiki": "enwiki_50mb.txt", "tinystories": "tinystories_2.4mb.txt"}


#: What the names of a user's texts begin with.
OWN = "own-"


class DataError(Exception):
    """The data is not where it should be; the message says where it was looked for."""


@dataclass(frozen=True)
class Vocab:
    """One published vocabulary: the files that a library may load it from, and what they lack.

    ``ranks`` is a ``.tiktoken`` file, or ``json`` again where there is no other. ``encoding`` is
    the name that tiktoken knows it by.
    """

    name: str
    ranks: Path
    json: Path
    special_tokens: dict[str, int]
    encoding: str

    @property
    def has_ranks(self) -> bool:
        return self.ranks != self.json


def vocab(data: Path, name: str) -> Vocab:
    """The vocabulary ``gpt2``, ``cl100k``, ``o200k`` or ``qwen2`` in the data directory."""
    if name == "qwen2":
        json = existing(data / "vocabs" / "qwen2_5" / "tokenizer.json")
        return Vocab(name, json, json, {}, name)
    special_tokens = {
        "gpt2": {"<|endoftext|>": 50256},
        "cl100k": {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
        "o200k": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    }
    folder = {"gpt2": "gpt2", "cl100k": "cl100k_gpt4", "o200k": "o200k_gpt4o"}
    encoding = "r50k_base" if name == "gpt2" else f"{name}_base"
    return Vocab(
        name,
        existing(data / "vocabs" / f"{encoding}.tiktoken"),
        data / "vocabs" / folder[name] / "tokenizer.json",
        special_tokens[name],
        encoding,
    )


def data_directory() -> Path:
    """The directory that holds ``corpora/`` and ``vocabs/``, unpacked first where needed."""
    given = os.environ.get("SUBWORD_DATA")
    if given:
        directory = Path(given)
        if not (directory / "corpora").is_dir() or not (directory / "vocabs").is_dir():
            raise DataError(
                f"SUBWORD_DATA={given} does not hold the directories corpora and vocabs\n"
                "  hint: `make data SUBWORD_DATA=DIR` fills a directory"
            )
        return directory
    unpacked = ROOT / ".data"
    packed = ROOT.parent / "shared" / "data" / "unpack.py"
    if packed.is_file():
        print("data: unpacking ../shared/data into .data/ what is not there yet", file=sys.stderr)
        subprocess.run([sys.executable, str(packed), str(unpacked)], check=True)
    if (unpacked / "corpora").is_dir() and (unpacked / "vocabs").is_dir():
        return unpacked
    raise DataError(
        "no data: SUBWORD_DATA is not set, and neither .data/ nor ../shared/data is there\n"
        "  hint: `make data` fetches it, or export SUBWORD_DATA=DIR, where DIR holds corpora/ and"
        " vocabs/ (bench/README.md lists the files)"
    )


def existing(path: Path) -> Path:
    """The path, if there is a file."""
    if not path.is_file():
        raise DataError(
            f"{path}: no such file\n  hint: bench/README.md lists the files that are measured"
        )
    return path


def own_text(path: Path) -> str:
    """Make a file of the user one of the texts; the name that it then has."""
    try:
        path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start})") from None
    name = f"{OWN}{path.stem}"
    while FILES.get(name, str(path.resolve())) != str(path.resolve()):
        name += "-"
    # An absolute path stays what it is behind the folder of the data.
    FILES[name] = str(path.resolve())
    return name


def is_own(name: str) -> bool:
    """Whether the user has named this text."""
    return name.startswith(OWN)


def text(data: Path, name: str, at_most: int | None = None) -> bytes:
    """A pool by its short name, or its first ``at_most`` bytes, cut after a line."""
    return head(existing(data / "corpora" / FILES[name]).read_bytes(), at_most)


#: How large the parts of a sample are: large enough to read like the text that they are from.
PART = 500_000


def sample(pool: bytes, size: int | None, seed: int) -> bytes:
    """About ``size`` bytes of a pool: parts of whole lines from places that the seed draws.

    No row can be tuned on a text that the next run does not have. A pool that is not larger than
    the sample is taken as it is.

    Example:
        >>> pool = b"".join(b"%07d\\n" % line for line in range(200_000))
        >>> one, again, other = (sample(pool, 1_000_000, seed) for seed in (1, 1, 2))
        >>> len(one), len(set(one.split())), one == again, one == other
        (1000000, 125000, True, False)
    """
    if size is None or len(pool) <= size:
        return pool
    draw = random.Random(seed)
    part = min(PART, size)
    # The parts begin somewhere else with each seed, not only in another order.
    start = draw.randrange(min(part, len(pool) - size))
    starts = draw.sample(range(start, len(pool) - part + 1, part), size // part)
    return b"".join(pool[line_start(pool, one) : line_start(pool, one + part)] for one in starts)


def line_start(content: bytes, place: int) -> int:
    """Where the first line begins at a place or behind it.

    Example:
        >>> [line_start(b"one\\ntwo\\n", place) for place in (0, 1, 4, 5)]
        [0, 4, 4, 8]
    """
    return (content.find(b"\n", place - 1) + 1 or len(content)) if place else 0


def head(content: bytes, at_most: int | None) -> bytes:
    """The whole lines in the first ``at_most`` bytes.

    Example:
        >>> head(b"one\\ntwo\\nthree", 9)
        b'one\\ntwo\\n'
    """
    if at_most is None or len(content) <= at_most:
        return content
    end = content.rfind(b"\n", 0, at_most) + 1 or at_most
    while content[end] & 0xC0 == 0x80:  # not inside a character, where there is no line to end
        end -= 1
    return content[:end]


def halves(content: bytes) -> tuple[bytes, bytes]:
    """Two texts of about the same size, cut after the last line of the first half.

    Example:
        >>> halves(b"one\\ntwo\\nsix\\nten\\n")
        (b'one\\ntwo\\n', b'six\\nten\\n')
    """
    first = head(content, len(content) // 2)
    return first, content[len(first) :]


HOSTILE = ("a", "spaces", "newlines", "han", "accents", "base64")


def hostile(kind: str, size: int) -> str:
    """Text of ``size`` bytes that gives a pattern or a merge loop nothing to cut at.

    Example:
        >>> hostile("accents", 4)
        '\\u0301\\u0301'
    """
    if kind == "base64":
        raw = random.Random(0).randbytes(size // 4 * 3)
        return base64.b64encode(raw).decode("ascii")
    character = {"a": "a", "spaces": " ", "newlines": "\n", "han": "中", "accents": "\u0301"}[kind]
    return character * (size // len(character.encode()))


SENTENCE = (
    "The tower clock had stopped at ten past four, "
    "and nobody in the town could say in which year it did."
)


def lines_of_100_characters(content: bytes, number: int) -> list[str]:
    """Different strings of 100 characters, taken from all over the text."""
    whole = content.decode("utf-8")
    step = max(len(whole) // number, 100)
    return [whole[start : start + 100] for start in range(0, len(whole) - 100, step)][:number]


def documents(content: bytes, size: int, number: int) -> list[str]:
    """The first ``number`` documents of at most ``size`` bytes, each cut after white space.

    Example:
        >>> documents(b"one two three four", 9, 2)
        ['one two ', 'three ']
    """
    found: list[str] = []
    start = 0
    while len(found) < number and start < len(content):
        end = start + size
        if end < len(content):
            space = max(content.rfind(b" ", start, end), content.rfind(b"\n", start, end))
            end = space + 1 or end
        while end < len(content) and content[end] & 0xC0 == 0x80:
            end -= 1
        found.append(content[start:end].decode())
        start = end
    return found
