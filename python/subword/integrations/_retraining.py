"""`train_new_from_iterator`: byte-level BPE of the same kind, learned by our engine.

Their method, given no text at all, makes everything but the merges: special tokens first, then the
alphabet, the post-processor with its new ids, the settings. Ours learns the merges, as their
trainer would: by count, and among equal counts by the smallest ids. Both become one file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from subword import BpeTrainer, count_pieces
from subword.integrations._backend import threads

if TYPE_CHECKING:
    from subword.integrations._backend import Backend

#: The settings of their trainer that ours has, too.
SETTINGS = {"min_frequency", "show_progress", "length", "new_special_tokens", "special_tokens_map"}

#: What a BPE model is made of, besides its vocabulary.
OPTIONS = (
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
)


def is_trained(backend: Backend, settings: dict[str, Any]) -> bool:
    """Whether our trainer learns what theirs does."""
    engine = backend.engine
    byte_level = engine.kind == "merges" and engine.units == "bytes" and engine.end_of_word is None
    return byte_level and not settings.keys() - SETTINGS


def without_vocabulary(theirs: Any) -> Any:
    """The same tokenizer with no tokens but the added ones, which is written in no time."""
    from tokenizers import Tokenizer, models

    options = {name: getattr(theirs.model, name) for name in OPTIONS}
    given = {name: value for name, value in options.items() if value is not None}
    small = Tokenizer(models.BPE(**given))
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if (value := getattr(theirs, part)) is not None:
            setattr(small, part, value)
    added = sorted(theirs.get_added_tokens_decoder().items())
    small.add_special_tokens([token for _, token in added if token.special])
    return small


def trained(
    backend: Backend, made: Any, texts: Any, vocab_size: int, settings: dict[str, Any]
) -> Any:
    """The tokenizer that they made of no text, with the merges that ``texts`` give."""
    from tokenizers import Tokenizer

    file = json.loads(made._tokenizer.to_str())
    vocab = file["model"]["vocab"]
    alphabet = _alphabet()
    first = [token for token in sorted(vocab, key=vocab.__getitem__) if token in alphabet]
    engine = backend.engine
    counts = count_pieces(
        texts=texts, pattern=engine.pattern, normalizer=engine.normalizer, threads=threads()
    )
    learned = BpeTrainer(
        num_merges=max(0, vocab_size - len(vocab)),
        ties="smallest-ids",
        min_count=max(1, settings.get("min_frequency") or 0),
        initial_vocab=[bytes([alphabet[token]]) for token in first],
    ).train_counts(counts)
    letters = {byte: letter for letter, byte in alphabet.items()}

    def spelled(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    merges = [(spelled(left), spelled(right)) for left, right in learned.merges]
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    file["model"]["merges"] = [list(pair) for pair in merges]
    made._tokenizer = Tokenizer.from_str(json.dumps(file))
    return made


def _alphabet() -> dict[str, int]:
    """GPT-2's letters of bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {chr(byte): byte for byte in plain}
    return letters | {chr(256 + at): byte for at, byte in enumerate(others)}
