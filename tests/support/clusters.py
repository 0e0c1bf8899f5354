"""A corpus for Spark and Ray: documents with special tokens, empty ones, one that is missing."""

from __future__ import annotations

import random

from tests.support.small import SAMPLE

SPECIAL_TOKENS = ["<|endoftext|>", "<|endo"]


def documents() -> list[str | None]:
    """Words that all have, words that few have, and special tokens whole and cut off."""
    dice = random.Random(0)
    rare = ["".join(dice.choices("lowerstni", k=dice.randrange(3, 12))) for _ in range(6000)]
    made: list[str | None] = [
        f"{line}<|endoftext|>{' '.join(dice.choices(rare, k=40))}{line[:20]}<|endo"
        for line in SAMPLE.splitlines() * 30
    ]
    return [*made, None, "", "<|endoftext|>", "<|endoftext|", "😀" * 50]


DOCUMENTS = documents()
TEXTS = [text for text in DOCUMENTS if text is not None]
