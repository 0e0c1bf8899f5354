"""The same tokens with another way to cut pieces into them: by merges, the longest, the fewest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from subword import _core

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Encoder


def encoded_by(tok: Tokenizer, encoder: Encoder) -> Tokenizer:
    """The same tokens with another way to cut a piece into them.

    Merging is not the only one, and not the shortest: a vocabulary that merges have made can spell
    many texts with fewer tokens (`evaluate` tells how much fewer). Only a native file can hold a
    tokenizer that does not merge.

    Args:
        tok: A tokenizer that merges, or that this function has made.
        encoder: "merges"; "longest", the longest token first, wherever it stands in the piece; or
            "fewest", the fewest tokens that spell the piece, of equals those of which the first is
            the longest, then the second, and so on. The last needs a tokenizer that starts from
            bytes.

    Returns:
        A new tokenizer; ``tok`` does not change.

    Raises:
        ModelFormatError: The tokenizer has no other way.

    Example:
        >>> from subword import Tokenizer, encoded_by
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"bc", 257: b"ab", 258: b"cd"}
        >>> tok = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b"), (b"c", b"d")])
        >>> tok.encode("abcd"), encoded_by(tok, "fewest").encode("abcd")
        ([97, 256, 100], [257, 258])
    """
    tok._require_pieces("tok", "encoded otherwise")
    model = _core.Model.from_bytes(tok.to_bytes()).encoded_by(encoder)
    return type(tok)._of(model, tok._cache_bytes)
