"""Random SentencePiece models, trained by sentencepiece, some of them changed afterwards.

``trained(random)`` is the bytes of a ``tokenizer.model`` with random options, of the type BPE or
Unigram; ``changed`` makes of it what no training makes: equal scores, unused pieces, spaces that
stay. ``written`` is the bytes of a model of these pieces.
"""

from __future__ import annotations

import io
import random as randomness
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as format_of_models

RULES = ("identity", "identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
SYMBOLS = ("ab", "<sep>", "▁▁", "c", "中文", "ﬁ", " x", "a b", "b▁", "12")
WORDS = [
    "low",
    "lower",
    "lowest",
    "new",
    "newest",
    "wide",
    "widest",
    "abba",
    "baab",
    "aaa",
    "aaaa",
    "ab_c",
    "12",
    "2024",
    "naïve",
    "éa",
    "ﬁne",
    "中文",
    "中文字",
    "ひらがな",
    "한글",
    "Über",
    "ß",
    "İ",
    "…",
    "",
    "½",
    "①",
    "x<sep>y",
    "don't",
    "--",
    "---",
    "''",
    "``",
]
#: What texts are made of: the characters of the words, and what they do not have.
CHARACTERS = "".join(WORDS) + "   \t\n\r▁▁zqж☃😀👨‍👩‍👧\u00a0\u3000\u0301\u200b\u0000ｱﾞ"


def text(random: randomness.Random, most: int = 40) -> str:
    """A text of words and characters."""
    parts = []
    for _ in range(random.randint(0, most // 4)):
        part = random.choice(WORDS) if random.random() < 0.6 else ""
        parts.append(part or "".join(random.choices(CHARACTERS, k=random.randint(1, 4))))
        parts.append(random.choice((" ", " ", "", "  ", "▁")))
    return "".join(parts)


def corpus(random: randomness.Random) -> list[str]:
    lines = []
    for _ in range(random.randint(8, 40)):
        words = random.choices(WORDS, k=random.randint(1, 12))
        lines.append(random.choice((" ", " ", "  ")).join(words))
    return lines


def flag(random: randomness.Random) -> bool:
    return random.random() < 0.5


def trained(random: randomness.Random, plain: bool = False, kind: str = "bpe") -> bytes:
    """A small model of random options; ``plain``: one that leaves the text as it is."""
    options: dict[str, Any] = {
        "vocab_size": random.choice((60, 90, 140, 400)),
        "byte_fallback": flag(random),
        "add_dummy_prefix": flag(random),
        "remove_extra_whitespaces": flag(random),
        "treat_whitespace_as_suffix": random.random() < 0.2,
        "split_by_whitespace": flag(random),
        "split_by_number": flag(random),
        "split_digits": flag(random),
        "split_by_unicode_script": flag(random),
        "allow_whitespace_only_pieces": flag(random),
        "character_coverage": random.choice((1.0, 0.98)),
        "normalization_rule_name": random.choice(RULES),
        "unk_surface": random.choice((" ⁇ ", "<u>", "")),
    }
    if plain:
        options |= {
            "normalization_rule_name": "identity",
            "remove_extra_whitespaces": False,
            "treat_whitespace_as_suffix": False,
        }
    if options["byte_fallback"]:
        options["vocab_size"] += 256
    if flag(random):
        options["user_defined_symbols"] = random.sample(SYMBOLS, random.randint(1, 4))
    if flag(random):
        options["control_symbols"] = ["<mask>", "[CLS]"]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus(random)),
        model_writer=model,
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return model.getvalue()


def parsed(content: bytes) -> Any:
    """A model as sentencepiece's own message."""
    model = format_of_models.ModelProto()  # type: ignore[attr-defined]
    model.ParseFromString(content)
    return model


def changed(content: bytes, random: randomness.Random) -> bytes:
    """The same model with some changes that no training makes."""
    model = parsed(content)
    normal = [piece for piece in model.pieces if piece.type == piece.NORMAL]
    if flag(random):
        for piece in random.sample(normal, len(normal) // random.choice((3, 10))):
            piece.type = piece.UNUSED
    if flag(random):
        for piece in random.sample(normal, len(normal) // 3):
            piece.score = random.choice((-1.0, -20.0, -50.5, 3.0))
    elif flag(random):
        for piece in normal:
            if len(set(piece.piece)) == 1:
                piece.score = -1e9
    if random.random() < 0.2:
        model.normalizer_spec.escape_whitespaces = False
    content_of_changed: bytes = model.SerializeToString()
    return content_of_changed


def written(pieces: list[tuple[str, float, str]], byte_fallback: bool) -> bytes:
    """A model of these scored pieces and their kinds, which puts a space before a text."""
    model = format_of_models.ModelProto()  # type: ignore[attr-defined]
    if byte_fallback:
        pieces = [*pieces, *((f"<0x{byte:02X}>", 0.0, "BYTE") for byte in range(256))]
    for text, score, kind in pieces:
        number = format_of_models.ModelProto.SentencePiece.Type.Value(kind)  # type: ignore[attr-defined]
        model.pieces.add(piece=text, score=score, type=number)
    model.trainer_spec.model_type = model.trainer_spec.BPE
    model.trainer_spec.byte_fallback = byte_fallback
    model.normalizer_spec.remove_extra_whitespaces = False
    content: bytes = model.SerializeToString()
    return content
