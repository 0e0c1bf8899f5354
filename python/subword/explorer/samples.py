"""A text to begin with, and the same two sentences in several languages.

The sentences say what a tokenizer does, and that all languages should be worth the same to it.
"""

from __future__ import annotations

import json
import warnings
from importlib import resources

from subword import BpeTrainer, TrainingWarning, truncate
from subword.explorer.explored import Explored

DATA = resources.files("subword") / "explorer" / "data"

#: What the small tokenizer learns from.
TEXT = (DATA / "text.txt").read_text(encoding="utf-8")

LANGUAGES: dict[str, str] = json.loads((DATA / "languages.json").read_text(encoding="utf-8"))


def built_in() -> list[Explored]:
    """Two small tokenizers for those who bring none: one, and the smaller one that it once was."""
    trainer = BpeTrainer(vocab_size=600, special_tokens=["<|endoftext|>"], progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tok = trainer.train_iter([TEXT])
    small = Explored("small", tok)
    return [small, Explored("smaller", truncate(tok, 400), small.counts)]
