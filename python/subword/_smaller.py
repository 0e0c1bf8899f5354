"""Smaller tokenizers: the first merges of one, or only the tokens that a corpus needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subword import _core
from subword._counts import Counts
from subword._tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def truncate(tok: Tokenizer, vocab_size: int) -> Tokenizer:
    """The tokenizer that training had reached when it had ``vocab_size`` tokens.

    The first merges stay, and so do the special tokens, whose ids move down to follow the tokens
    that are left.

    Args:
        tok: The larger tokenizer.
        vocab_size: How many tokens to keep, special tokens included.

    Returns:
        The smaller tokenizer.

    Raises:
        ValueError: There are fewer tokens, or ``vocab_size`` leaves no place for the first tokens
            and the special tokens.
        ModelFormatError: The tokenizer has no merges that could be counted back.

    Example:
        >>> from subword import Tokenizer, truncate
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
        >>> truncate(tok, 258).encode("low<|endoftext|>", special="encode")
        [256, 119, 257]
    """
    tok._require_pieces("tok", "made smaller")
    return type(tok)._of(tok._truncated(vocab_size), tok._cache_bytes)


def prune(
    tok: Tokenizer, counts: Counts, *, threads: int | None = None
) -> tuple[Tokenizer, npt.NDArray[np.int64]]:
    """The tokenizer without the tokens that a corpus never needs, and the new ids.

    A token goes if it does not come out of any piece and no token that stays is made of it. Bytes
    (or characters, where merging starts from them) and special tokens stay. Texts made of the
    counted pieces keep their tokens; others are still encoded, in more tokens.

    Args:
        tok: The larger tokenizer.
        counts: The pieces of the corpus, cut by this tokenizer's own pattern and normalizer.
        threads: How many threads may work; None means one for each core.

    Returns:
        The smaller tokenizer, and an array with the new id of every old one, or -1: the new ids of
        a text are ``new_ids[tok.encode(text)]``. New ids close up in order, so the rows of an
        embedding matrix that stay are ``matrix[new_ids >= 0]``.

    Raises:
        CountsError: The counts were made by another pattern or normalizer.
        ArgumentError: The tokenizer runs by the plain chain, which knows no pieces.

    Example:
        >>> from subword import Tokenizer, count_pieces, prune
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low", 258: b"es"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w"), (b"e", b"s")], ["<|endoftext|>"])
        >>> smaller, new_ids = prune(tok, count_pieces(texts=["low slow"]))
        >>> smaller.vocab_size, smaller.special_tokens
        (259, {'<|endoftext|>': 258})
        >>> new_ids[tok.encode("slow")].tolist(), smaller.encode("slow"), new_ids[258:].tolist()
        ([115, 257], [115, 257], [-1, 258])
    """
    if not isinstance(counts, Counts):
        raise TypeError(f"counts must be Counts, not {type(counts).__name__}")
    tok._require_pieces("tok", "pruned")
    model, new_ids = _core.pruned(tok, counts._counts, threads=threads)
    return type(tok)._of(model, tok._cache_bytes, linear_time=tok._linear), new_ids
