"""`aligned`: which old tokens spell each new one, for the embeddings of a model."""

from __future__ import annotations

from subword._errors import ArgumentError
from subword._tokenizer import Tokenizer


def aligned(old: Tokenizer, new: Tokenizer) -> list[list[int]]:
    """The old ids of every new token: where a row of a new embedding can start from.

    A token that both have is its old id alone, and so is a special token. Any other is what the old
    tokenizer makes of its bytes; a special token that is new is what it makes of its text.

    Args:
        old: The tokenizer that the model was trained with.
        new: The tokenizer that it will have.

    Returns:
        By new id, the old ids. The list of an id that stands for nothing is empty.

    Raises:
        ArgumentError: One of them does not start from bytes, so its tokens are not the text that
            they stand for.

    Example:
        >>> from subword import BpeTrainer, aligned
        >>> old = BpeTrainer(num_merges=2).train_iter(["low low"])
        >>> new = BpeTrainer(num_merges=2, base=old).train_iter(["slow slow"])
        >>> rows = aligned(old, new)
        >>> new.token_bytes(258), [old.token_bytes(id) for id in rows[258]]
        (b'slow', [b's', b'low'])
    """
    for name, tok in (("old", old), ("new", new)):
        if tok.kind not in ("ranks", "merges") or tok.units != "bytes" or tok.end_of_word:
            raise ArgumentError(name, f"{name} must be byte-pair encoding that starts from bytes")
    known = {token: id for id, token in old.vocab.items()}
    rows: list[list[int]] = [[] for _ in range(new.max_id + 1)]
    for id, token in new.vocab.items():
        rows[id] = [known[token]] if token in known else old.encode(token)
    for text, id in new.special_tokens.items():
        special = old.special_tokens.get(text)
        rows[id] = old.encode(text) if special is None else [special]
    return rows
