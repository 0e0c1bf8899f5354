"""`train_new_from_iterator`: byte-level BPE of the same kind, learned by our engine.

Their method, given no text at all, makes everything but the merges: special tokens first, then the
alphabet, the post-processor with its new ids, the settings. Ours learns the merges, as their
trainer would: by count, and among equal counts by the smallest ids. Both become one file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subword.integrations._backend import Backend

#: The settings of their trainer that ours has, too.
SETTINGS = {"min_frequency", "show_progress", "length", "new_special_tokens", "special_tokens_map"}

Make = Callable[[Any, int], Any]


def merges_from(
    backend: Backend, texts: Any, vocab_size: int, settings: dict[str, Any]
) -> Callable[[Make], Any] | None:
    """What trains, given their method; none if our trainer does not learn what theirs does."""
    engine = backend.engine
    if engine.kind != "merges" or engine.units != "bytes" or engine.end_of_word is not None:
        return None
    if settings.keys() - SETTINGS:
        return None

    def train(make: Make) -> Any:
        from tokenizers import Tokenizer

        from subword import BpeTrainer, count_pieces

        made = make([], 0)
        file = json.loads(made._tokenizer.to_str())
        vocab = file["model"]["vocab"]
        alphabet = _alphabet()
        first = [
            alphabet[token] for token in sorted(vocab, key=vocab.__getitem__) if token in alphabet
        ]
        counts = count_pieces(texts=texts, pattern=engine.pattern, normalizer=engine.normalizer)
        trainer = BpeTrainer(
            num_merges=max(0, vocab_size - len(vocab)),
            ties="smallest-ids",
            min_count=max(1, settings.get("min_frequency") or 0),
            initial_vocab=[bytes([byte]) for byte in first],
        )
        learned = trainer.train_counts(counts)
        letters = {byte: letter for letter, byte in alphabet.items()}

        def spelled(token: bytes) -> str:
            return "".join(letters[byte] for byte in token)

        merges = [(spelled(left), spelled(right)) for left, right in learned.merges]
        for left, right in merges:
            vocab.setdefault(left + right, len(vocab))
        file["model"]["merges"] = [list(pair) for pair in merges]
        made._tokenizer = Tokenizer.from_str(json.dumps(file))
        return made

    return train


def _alphabet() -> dict[str, int]:
    """GPT-2's letters of bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {chr(byte): byte for byte in plain}
    return letters | {chr(256 + at): byte for at, byte in enumerate(others)}
