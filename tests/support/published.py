"""The published vocabularies and the corpora that the tests use where they are there.

They are looked for in ``$SUBWORD_DATA`` alone if that is set, or else in ``.data/`` of the
repository, which ``make data`` fills, and in ``../shared/data``, whose files are unpacked into
``.data/`` once. A test that needs a file which is nowhere is skipped.
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
GIVEN = os.environ.get("SUBWORD_DATA")
PLACES = [Path(GIVEN)] if GIVEN else [UNPACKED, ROOT.parent / "shared" / "data"]

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
    path = found(name)
    if path is None:
        # One reason for all files, so that the summary of a run counts them together.
        pytest.skip("no published vocabularies and texts: `make data` fetches them")
    return path


def found(name: str) -> Path | None:
    """The path of a file of the data, unpacked, or nothing."""
    for place in PLACES:
        path = place / name
        if path.is_file():
            return path
        packed = place / f"{name}.xz"
        if packed.is_file():
            unpack(packed, UNPACKED / name)
            return UNPACKED / name
    return None


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


def recorded(text: str, name: str) -> Iterator[tuple[str, list[int]]]:
    """Texts and their ids by the published vocabulary ``name``, special tokens encoded.

    ``text`` is one of the inputs of kitoken's tests: each line of ``small`` and ``mixed``, all of
    ``utf8``. No package holds them; where they are not there, the lines are those of a corpus, and
    the ids are what the real library answers now.
    """
    of = f"tiktoken_{text}_tokens_{name}_base"
    if name not in SPECIAL_TOKENS:
        of = f"tokenizers_{text}_tokens_{name}"
    answers = found(f"facts/kitoken/{of}.txt")
    if answers is None:
        yield from answered(text, name)
        return
    given = file(f"facts/kitoken/{text}_input.txt").read_text(encoding="utf-8")
    lines = [given]
    if text != "utf8":
        lines = [unescaped(line) for line in given.removesuffix("\n").split("\n")]
    ids = answers.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    for line, numbers in zip(lines, ids, strict=True):
        yield line, [int(number) for number in numbers.split(",") if number.strip()]


STAND_INS = {"small": "cs336/german.txt", "mixed": "udhr_multi.txt", "utf8": "cs336/address.txt"}


def answered(text: str, name: str) -> Iterator[tuple[str, list[int]]]:
    """Texts for ``recorded``, and what the real library makes of them."""
    whole = file(f"corpora/{STAND_INS[text]}").read_text(encoding="utf-8")
    lines = [whole] if text == "utf8" else whole.splitlines()[:2000:2]
    for line in [*lines, f"{lines[0]}{ENDOFTEXT} "]:
        if name in SPECIAL_TOKENS:
            yield line, tiktoken_pair(name)[0].encode(line, allowed_special="all")
        else:
            yield line, huggingface_pair(name)[0].encode(line, add_special_tokens=False).ids


def unescaped(line: str) -> str:
    r"""A line without its escapes: ``\n`` is a new line and ``\s`` a space."""
    return line.replace("\\n", "\n").replace("\\s", " ")
