"""BPE-dropout: texts whose merges are left out at random, to train a model with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subword._errors import ArgumentError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Special, Texts

#: One more than the largest seed.
SEEDS = 1 << 64


def encode_dropout(
    tok: Tokenizer,
    texts: Texts,
    dropout: float,
    *,
    seed: int,
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
    prepend: str | int | None = None,
    append: str | int | None = None,
    threads: int | None = None,
) -> list[list[int]]:
    """Encode many texts, each merge left out with some probability: BPE-dropout.

    A model that sees a word in other tokens each time learns what they are made of. The rule is
    that of Hugging Face's tokenizers: a pair that is next to merge is set aside with the
    probability ``dropout``, and comes back after the next merge. `subword.reference.dropout` has it
    in plain Python. Every piece is merged anew, so this is slower than `Tokenizer.encode_batch`.

    Args:
        tok: The tokenizer, which merges: BPE of any kind.
        texts: The texts.
        dropout: The probability, from 0 to 1. With 0 the ids are those of `Tokenizer.encode_batch`,
            with 1 nothing is merged.
        seed: Where the random numbers start, from 0 to 2**64 - 1. The ids of a text depend on it
            and on the place of the text among the others, not on threads or processor: pass another
            seed for each batch.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        add_special_tokens: Whether to put the tokens of the model's template around each text.
        prepend: A special token or an id to put before each text.
        append: A special token or an id to put after each text.
        threads: How many threads may work; None means one for each core.

    Returns:
        The ids of each text.

    Raises:
        ArgumentError: ``dropout`` or ``seed`` is out of range. It is a `ValueError`.
        ValueError: The tokenizer does not merge: WordPiece, Unigram, the longest tokens.
        SpecialTokenError: A text spells a special token, with ``special="error"``.
        TextError: A text has a lone surrogate, or something that the model has no token for.

    Example:
        >>> from subword import Tokenizer, encode_dropout
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")])
        >>> encode_dropout(tok, ["low", "low", "low", "low"], 0.3, seed=7)
        [[257], [257], [257], [256, 119]]
        >>> encode_dropout(tok, ["low"], 0, seed=7), encode_dropout(tok, ["low"], 1, seed=7)
        ([[257]], [[108, 111, 119]])
    """
    if not 0 <= dropout <= 1:
        raise ArgumentError("dropout", f"dropout must be from 0 to 1, not {dropout}")
    if not 0 <= seed < SEEDS:
        raise ArgumentError("seed", f"seed must be from 0 to 2**64 - 1, not {seed}")
    return tok._encode_with_dropout(
        texts,
        dropout,
        seed,
        special=special,
        errors=errors,
        add_special_tokens=add_special_tokens,
        prepend=prepend,
        append=append,
        threads=threads,
    )
