"""Trusted and untrusted text in one text: only what is trusted may be a special token."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from subword import _core

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Text


def encode_spans(
    tok: Tokenizer,
    spans: Iterable[tuple[Text, bool]],
    *,
    errors: Errors = "strict",
    prepend: str | int | None = None,
    append: str | int | None = None,
) -> list[int]:
    """Encode texts, some of them trusted, as one text.

    A special token is found where all of it is trusted; what anybody else wrote is ordinary text,
    whatever it spells. Pieces and merges see one text: where a span ends makes no difference to
    them.

    Args:
        tok: The tokenizer.
        spans: The parts of the text, each with whether it is trusted.
        errors: What to do with a ``str`` that has lone surrogates, as for `Tokenizer.encode`.
        prepend: A special token or an id to put before the text.
        append: A special token or an id to put after the text.

    Returns:
        The ids of the whole text.

    Raises:
        ValueError: The model searches for special tokens in normalised text, where it is not
            known which part is trusted.
        TextError: A text has a lone surrogate, or a byte or character that the model has no token
            for.

    Example:
        >>> from subword import Tokenizer, encode_spans
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], {"<|end|>": 256})
        >>> encode_spans(tok, [("a<|end|>", False), ("<|end|>", True)])
        [97, 60, 124, 101, 110, 100, 124, 62, 256]
    """
    before = tok._named_id("prepend", prepend)
    after = tok._named_id("append", append)
    whole = bytearray()
    trusted: list[tuple[int, int]] = []
    for text, is_trusted in spans:
        start = len(whole)
        whole += _core.utf8(text, errors)
        if not is_trusted or len(whole) == start:
            continue
        if trusted and trusted[-1][1] == start:
            start = trusted.pop()[0]
        trusted.append((start, len(whole)))
    ids = tok._encode_trusted(bytes(whole), trusted)
    return [*([] if before is None else [before]), *ids, *([] if after is None else [after])]
