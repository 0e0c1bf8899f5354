"""The character map of SentencePiece models, as a normalizer of a ``tokenizer.json``.

The maps are real ones: sentencepiece writes them into the models that it trains.
"""

from __future__ import annotations

import base64
import io
import random
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.parity.test_components import EVERY, SAMPLES, check, file_of

if TYPE_CHECKING:
    from pathlib import Path

RULES = ["nmt_nfkc", "nmt_nfkc_cf", "nfkc"]


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer that hold bytes: their numbers, and the bytes."""

    def number(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (message[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if message[at - 1] < 0x80:
                return value, at

    at = 0
    while at < len(message):
        key, at = number(at)
        kind = key & 7
        if kind == 2:
            size, at = number(at)
            yield key >> 3, message[at : at + size]
            at += size
        else:
            at = number(at)[1] if kind == 0 else at + {1: 8, 5: 4}[kind]


@cache
def charsmap(rule: str) -> str:
    """The map of a rule, in base64: field 2 of the normalizer, which is field 3 of a model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest"] * 9),
        model_writer=model,
        vocab_size=12,
        normalization_rule_name=rule,
        minloglevel=2,
    )
    normalizer = dict(fields(model.getvalue()))[3]
    return base64.b64encode(dict(fields(normalizer))[2]).decode()


@pytest.mark.parametrize("rule", RULES)
def test_texts_are_mapped_as_there(rule: str, tmp_path: Path) -> None:
    normalizer = {"type": "Precompiled", "precompiled_charsmap": charsmap(rule)}
    dice = random.Random(5)
    mapped = "ﬁ①½ªﾊﾟ㌔Å\u212b\u0301\u0327\u200d\u3099か\u1100\u1161\r\n\t\x00\u00a0 ​aé가"
    texts = ["".join(dice.choices(mapped, k=dice.randrange(1, 12))) for _ in range(500)]
    texts += ["".join(dice.choices(EVERY, k=6)) for _ in range(500)]
    check(file_of(normalizer=normalizer), tmp_path, [*SAMPLES, *texts])


@pytest.mark.slow
def test_every_character_is_mapped_as_there(tmp_path: Path) -> None:
    normalizer = {"type": "Precompiled", "precompiled_charsmap": charsmap("nmt_nfkc")}
    texts = ["a".join(EVERY[start : start + 500]) for start in range(0, len(EVERY), 500)]
    check(file_of(normalizer=normalizer), tmp_path, texts)
