"""Pieces of a tokenizer.json, in Hugging Face's library and here.

A file whose vocabulary holds every substring of the texts, with ``ignore_merges``, encodes each
piece to one id, so the ids say where the text was cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tokenizers
from subword import ModelFormatError, Tokenizer
from tokenizers import Regex, pre_tokenizers

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": False,
}


def byte_alphabet() -> dict[int, str]:
    """GPT-2's spelling of bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in set(plain))
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}


ALPHABET = byte_alphabet()


def split(regex: str) -> dict[str, Any]:
    return {
        "type": "Split",
        "pattern": {"Regex": regex},
        "behavior": "Isolated",
        "invert": False,
    }


def tokenizer_json(pre_tokenizer: list[dict[str, Any]], tokens: Iterable[bytes] = ()) -> str:
    """A byte-level file with these tokens and no merges, in which a whole piece may be a token."""
    vocab = {character: byte for byte, character in ALPHABET.items()}
    for token in tokens:
        vocab.setdefault("".join(ALPHABET[byte] for byte in token), len(vocab))
    model: dict[str, Any] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": True,
        "vocab": vocab,
        "merges": [],
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [*pre_tokenizer, BYTE_LEVEL],
            },
            "post_processor": None,
            "decoder": {**BYTE_LEVEL, "use_regex": True},
            "model": model,
        }
    )


def substrings(texts: Iterable[str]) -> list[bytes]:
    found = {
        text[start:end].encode()
        for text in texts
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
    }
    return sorted(found)


class Cutting:
    """Texts, and how a regular expression cuts them here and there."""

    def __init__(self, texts: Iterable[str], folder: Path) -> None:
        self.texts = sorted(set(texts))
        self.path = folder / "tokenizer.json"
        self.file = tokenizer_json([split("@PATTERN@")], substrings(self.texts))

    def load(self, regex: str) -> Tokenizer:
        self.path.write_text(self.file.replace('"@PATTERN@"', json.dumps(regex)), encoding="utf-8")
        return Tokenizer.load(self.path)

    def pieces(self, tok: Tokenizer) -> list[list[str]]:
        batch = tok.encode_batch(self.texts, threads=1)
        return [[tok.decode([token]) for token in ids] for ids in batch]

    def real_pieces(self, regex: str) -> list[list[str]]:
        cut = pre_tokenizers.Split(Regex(regex), "isolated")
        return [[piece for piece, _ in cut.pre_tokenize_str(text)] for text in self.texts]

    def agrees(self, regex: str) -> bool:
        """Whether the file loads; then the pieces must be those of the real library."""
        try:
            tok = self.load(regex)
        except ModelFormatError as error:
            if "which Hugging Face's engine may read differently" not in str(error):
                raise
            return False
        for text, here, there in zip(
            self.texts, self.pieces(tok), self.real_pieces(regex), strict=True
        ):
            assert here == there, f"{regex!r} on {text!r}: {here} != {there}"
        return True

    def agrees_after_saving(self, folder: Path) -> None:
        """What was loaded, saved by us, has the same ids in the real library."""
        tok = Tokenizer.load(self.path)
        tok.save(folder / "tokenizer.json")
        real = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        for text in self.texts:
            assert real.encode(text).ids == tok.encode(text), (tok.pattern, text)
