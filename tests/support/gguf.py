"""The tokenizers in GGUF files, and as files of Hugging Face's kind.

llama.cpp publishes GGUF files that hold a vocabulary and nothing else, and beside them texts with
their ids (``.inp`` and ``.out``).
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

#: The numbers of a file, by their kind.
NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9

#: What a token is for: the kinds of sentencepiece.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class Reader:
    """Reads values one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def number(self, kind: int) -> Any:
        form = "<" + NUMBERS[kind]
        (value,) = struct.unpack_from(form, self.content, self.at)
        self.at += struct.calcsize(form)
        return value

    def value(self, kind: int) -> Any:
        if kind == STRING:
            size = self.number(10)
            self.at += size
            return self.content[self.at - size : self.at].decode()
        if kind == ARRAY:
            inner, count = self.number(4), self.number(10)
            return [self.value(inner) for _ in range(count)]
        return self.number(kind)


def read(content: bytes) -> dict[str, Any]:
    """The facts of a file, without ``tokenizer.ggml.`` before their names."""
    reader = Reader(content)
    if content[:4] != b"GGUF":
        raise ValueError("expected a GGUF file")
    reader.at = 4
    version, tensors, count = reader.number(4), reader.number(10), reader.number(10)
    if version not in (2, 3) or tensors:
        raise ValueError(f"expected version 2 or 3 without tensors, found {version}, {tensors}")
    facts = {}
    for _ in range(count):
        key = reader.value(STRING)
        facts[key.removeprefix("tokenizer.ggml.")] = reader.value(reader.number(4))
    return facts


def written(facts: dict[str, Any], version: int = 3) -> bytes:
    """A file of these facts, whose names are whole; every number has 32 bits."""
    parts = [b"GGUF", struct.pack("<IQQ", version, 0, len(facts))]
    for name, fact in facts.items():
        parts += [_string(name), *_value(fact)]
    return b"".join(parts)


def _string(text: str | bytes) -> bytes:
    content = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(content)) + content


def _value(fact: Any) -> list[bytes]:
    if isinstance(fact, (str, bytes)):
        return [struct.pack("<I", STRING), _string(fact)]
    if isinstance(fact, bool):
        return [struct.pack("<I?", 7, fact)]
    if isinstance(fact, int):
        return [struct.pack("<II", 4, fact)]
    if isinstance(fact[0], (str, bytes)):
        head = struct.pack("<IIQ", ARRAY, STRING, len(fact))
        return [head, *(_string(text) for text in fact)]
    kind, form = (6, "f") if isinstance(fact[0], float) else (5, "i")
    return [struct.pack(f"<IIQ{len(fact)}{form}", ARRAY, kind, len(fact), *fact)]


def expected(path: Path) -> list[tuple[str, list[int]]]:
    """The texts beside a file, with their ids."""
    texts = path.with_name(path.name + ".inp").read_text(encoding="utf-8")
    lines = path.with_name(path.name + ".out").read_text(encoding="utf-8").splitlines()
    ids = [[int(word) for word in line.split()] for line in lines]
    return list(zip(texts.split("\n__ggml_vocab_test__\n"), ids, strict=False))


def merges(facts: dict[str, Any]) -> list[list[str]]:
    """The merges of a file; of scores, as Hugging Face makes them of a sentencepiece model."""
    if "merges" in facts:
        pairs = []
        for line in facts["merges"]:
            left, right = line.split(" ", 1) if not line.startswith(" ") else line.rsplit(" ", 1)
            pairs.append([left, right])
        return pairs
    ids = {token: id for id, token in enumerate(facts["tokens"])}
    found = []
    for token, score in zip(facts["tokens"], facts["scores"], strict=True):
        cuts = ((token[:at], token[at:]) for at in range(1, len(token)))
        pairs_of = [(a, b) for a, b in cuts if a in ids and b in ids]
        found += [(a, b, score) for a, b in sorted(pairs_of, key=lambda p: (ids[p[0]], ids[p[1]]))]
    found.sort(key=lambda merge: -merge[2])
    return [[left, right] for left, right, _ in found]


MARK = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
PREPEND = {"type": "Prepend", "prepend": "▁"}
SPLIT = {
    "type": "Split",
    "pattern": {"String": " "},
    "behavior": "MergedWithPrevious",
    "invert": False,
}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}

#: The normalizer, the pre-tokenizer, and whether decoding drops a space.
SHAPES: dict[str, tuple[Any, Any, bool]] = {
    "T1": ({"type": "Sequence", "normalizers": [PREPEND, MARK]}, None, True),
    "T2": (MARK, None, False),
    "T3": (MARK, SPLIT, False),
    "T4": (None, METASPACE, True),
}


def tokenizer_json(facts: dict[str, Any], shape: str) -> str:
    """The vocabulary of a file in one of the four shapes in which such files are published."""
    normalizer, pre_tokenizer, strips = SHAPES[shape]
    unmark = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    steps = [unmark, {"type": "ByteFallback"}, {"type": "Fuse"}, *([STRIP] if strips else [])]
    added = [
        {
            "id": id,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind == CONTROL,
        }
        for id, (token, kind) in enumerate(zip(facts["tokens"], facts["token_type"], strict=True))
        if kind in (CONTROL, USER_DEFINED)
    ]
    tokens = facts["tokens"]
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": None,
            "decoder": {"type": "Sequence", "decoders": steps},
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": tokens[facts["unknown_token_id"]],
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": True,
                "byte_fallback": True,
                "ignore_merges": False,
                "vocab": {token: id for id, token in enumerate(tokens)},
                "merges": merges(facts),
            },
        },
        ensure_ascii=False,
    )


def tokenizer_model(facts: dict[str, Any], *, unigram: bool = False) -> bytes:
    """The same as a file of sentencepiece: no normalisation, a space before a text.

    One of Unigram has the character map of the file, and one space for several.
    """
    from sentencepiece import sentencepiece_model_pb2 as format_of_models

    model = format_of_models.ModelProto()  # type: ignore[attr-defined]
    for token, score, kind in zip(
        facts["tokens"], facts["scores"], facts["token_type"], strict=True
    ):
        piece = model.pieces.add()
        piece.piece, piece.score, piece.type = token, score, kind
    model.trainer_spec.model_type = 1 if unigram else 2
    model.trainer_spec.byte_fallback = BYTE in facts["token_type"]
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.remove_extra_whitespaces = unigram
    if unigram:
        charsmap = bytes(number & 0xFF for number in facts["precompiled_charsmap"])
        model.normalizer_spec.precompiled_charsmap = charsmap
    content: bytes = model.SerializeToString()
    return content
