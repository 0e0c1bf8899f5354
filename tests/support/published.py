"""The published vocabularies and the corpora that the tests use where they are there.

They are looked for in ``$SUBWORD_DATA``, in ``.data/`` of the repository and in
``../shared/data``; what is packed with xz is unpacked into ``.data/`` once. A test that needs a
file which is nowhere is skipped.
"""

from __future__ import annotations

import lzma
import os
import shutil
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import pytest
import tiktoken
import tokenizers
from subword import Tokenizer
from tiktoken.load import load_tiktoken_bpe

from tests.support.repository import ROOT

UNPACKED = ROOT / ".data"
PLACES = [Path(os.environ.get("SUBWORD_DATA", UNPACKED)), UNPACKED, ROOT.parent / "shared" / "data"]

CORPORA = [
    "en_10mb.txt",
    "code_clean_10mb.txt",
    "ru_10mb.txt",
    "zh_10mb.txt",
    "ja_3mb.txt",
    "ko_3mb.txt",
    "multi_clean_10mb.txt",
    "udhr_multi.txt",
    "tinystories_2.4mb.txt",
    "eng-fra.txt",
    "enwiki_50mb.txt",
    "cs336/address.txt",
    "cs336/corpus.en",
    "cs336/german.txt",
    "cs336/tinystories_sample.txt",
]

ENDOFTEXT = "<|endoftext|>"
FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}

#: The special tokens of tiktoken's encodings; its patterns are ours under these names.
SPECIAL_TOKENS = {
    "r50k": {ENDOFTEXT: 50256},
    "cl100k": {ENDOFTEXT: 100257, **FIM, "<|endofprompt|>": 100276},
    "o200k": {ENDOFTEXT: 199999, "<|endofprompt|>": 200018},
}
PATTERN_NAMES = {"r50k": "gpt2", "cl100k": "cl100k", "o200k": "o200k"}

#: The patterns as tiktoken 0.14.0 has them in ``tiktoken_ext.openai_public``.
TIKTOKEN_PATTERNS = {
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

#: The byte-level BPE among the published ``tokenizer.json`` files.
TOKENIZER_JSON = ["gpt2", "cl100k_gpt4", "o200k_gpt4o", "qwen2_5", "gpt_neox"]

#: Those that come as ``vocab.json`` with ``merges.txt``.
VOCAB_AND_MERGES = ["gpt2", "roberta-base"]


def file(name: str) -> Path:
    """The path of a file of the data, unpacked; skips the test where it is nowhere."""
    for place in PLACES:
        path = place / name
        if path.is_file():
            return path
        packed = place / f"{name}.xz"
        if packed.is_file():
            unpack(packed, UNPACKED / name)
            return UNPACKED / name
    pytest.skip(f"no {name}: neither SUBWORD_DATA nor ../shared/data has it")


def unpack(packed: Path, to: Path) -> None:
    """Unpack a file so that another process sees all of it or nothing."""
    to.parent.mkdir(parents=True, exist_ok=True)
    partial = to.with_name(f"{to.name}.{os.getpid()}")
    with lzma.open(packed) as source, partial.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    partial.replace(to)


@lru_cache(maxsize=1)
def corpus(name: str) -> bytes:
    """A corpus, whole."""
    return file(f"corpora/{name}").read_bytes()


def part(text: bytes, start: int, size: int) -> str:
    """The characters that are whole within these bytes."""
    return text[start : start + size].decode(errors="ignore")


def sample(name: str, parts: int, size: int) -> list[str]:
    """Parts of a corpus, as far from each other as they can be; all of it if it is small."""
    text = corpus(name)
    if len(text) <= parts * size:
        return [text.decode()]
    step = (len(text) - size) // max(parts - 1, 1)
    return [part(text, i * step, size) for i in range(parts)]


def by_lines(text: bytes, size: int) -> list[str]:
    """A whole text in blocks of about this size, each of which ends with a line."""
    blocks: list[str] = []
    lines: list[bytes] = []
    held = 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        held += len(line)
        if held >= size:
            blocks.append(b"".join(lines).decode())
            lines, held = [], 0
    return [*blocks, b"".join(lines).decode()] if lines else blocks


@cache
def tiktoken_pair(name: str) -> tuple[tiktoken.Encoding, Tokenizer]:
    """One of OpenAI's encodings, by the real tiktoken and by us."""
    path = file(f"vocabs/{name}_base.tiktoken")
    special = SPECIAL_TOKENS[name]
    real = tiktoken.Encoding(
        name,
        pat_str=TIKTOKEN_PATTERNS[name],
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=special,
    )
    return real, Tokenizer.load(path, pattern=PATTERN_NAMES[name], special_tokens=special)


@cache
def huggingface_pair(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """A ``tokenizer.json``, by the real Hugging Face tokenizers and by us."""
    path = file(f"vocabs/{name}/tokenizer.json")
    return tokenizers.Tokenizer.from_file(str(path)), Tokenizer.load(path)


@cache
def merges_pair(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """A ``vocab.json`` with ``merges.txt``, by Hugging Face's tokenizers and by us."""
    vocab, merges = (file(f"vocabs/{name}/{part}") for part in ("vocab.json", "merges.txt"))
    real = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocab), str(merges)))
    real.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    real.decoder = tokenizers.decoders.ByteLevel()
    return real, Tokenizer.load(vocab, merges=merges, pattern="gpt2")


def kitoken_facts(text: str, answers: str) -> Iterator[tuple[str, list[int]]]:
    """Each line of an input (in ``utf8`` all of it) and its ids."""
    given = file(f"facts/kitoken/{text}_input.txt").read_text(encoding="utf-8")
    ids = file(f"facts/kitoken/{answers}.txt").read_text(encoding="utf-8")
    if text == "utf8":
        lines = [given]
    else:
        lines = [unescaped(line) for line in given.removesuffix("\n").split("\n")]
    for line, numbers in zip(lines, ids.removesuffix("\n").split("\n"), strict=True):
        yield line, [int(number) for number in numbers.split(",") if number.strip()]


def unescaped(line: str) -> str:
    r"""A line without its escapes: ``\n`` is a new line and ``\s`` a space."""
    return line.replace("\\n", "\n").replace("\\s", " ")
