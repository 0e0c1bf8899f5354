"""What `encode_inputs` does: arguments checked, texts encoded, rows filled. It loads numpy.

    texts, pairs -> ids -> cut to max_length, in windows -> the template around them -> padded

Nothing is kept between calls: all that a call does is said in its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from subword._rows.cutting import Texts, all_windows, first_windows, truncate
from subword._rows.rows import Pad, Rows
from subword._types import Extra, ModelInputs, Padding, Side, Truncation

if TYPE_CHECKING:
    from subword._core import Engine
    from subword._types import Errors, Special
    from subword._types import Texts as ManyTexts

#: The special tokens that are taken to pad with, if the caller names none.
PAD_TOKENS = ("[PAD]", "<pad>")


def model_inputs(
    tokenizer: Engine,
    texts: ManyTexts | Sequence[Any],
    pairs: ManyTexts | Sequence[Any] | None,
    *,
    max_length: int | None,
    truncation: Truncation,
    truncation_side: Side,
    stride: int,
    overflow: bool,
    padding: Padding | None,
    padding_side: Side,
    pad_to_multiple_of: int | None,
    pad_token: str | None,
    add_special_tokens: bool,
    words: bool,
    also: Sequence[Extra],
    special: Special,
    errors: Errors,
    threads: int | None,
) -> ModelInputs:
    """The rows, as `encode_inputs` describes them."""
    _one_of("truncation", truncation, Truncation)
    _one_of("truncation_side", truncation_side, Side)
    _one_of("padding_side", padding_side, Side)
    for extra in also:
        _one_of("also", extra, Extra)
    if padding is not None:
        _one_of("padding", padding, Padding)
    if padding == "max_length" and max_length is None:
        raise ValueError('padding="max_length" needs max_length')
    if pad_to_multiple_of is not None and pad_to_multiple_of < 1:
        raise ValueError(f"pad_to_multiple_of must be at least 1, not {pad_to_multiple_of}")
    if stride < 0:
        raise ValueError(f"stride must not be negative, but is {stride}")
    if pairs is None:
        texts, pairs = unzipped(texts)
    if truncation == "only_second" and pairs is None:
        raise ValueError('truncation="only_second" needs pairs')

    located = "offsets" in also or "word_ids" in also
    options: dict[str, Any] = {"special": special, "errors": errors, "threads": threads}
    encoded = {"A": encoded_texts(tokenizer, texts, words, located, **options)}
    if pairs is not None:
        encoded["B"] = encoded_texts(tokenizer, pairs, words, located, **options)
        found = [len(some) for some in encoded.values()]
        if found[0] != found[1]:
            raise ValueError(f"every text needs its pair: {found[0]} texts and {found[1]} pairs")
    slots = tokenizer._template_slots(pairs is not None)
    if not add_special_tokens:
        slots = [slot for slot in slots if slot[0] in encoded]
    if max_length is not None:
        added = len(slots) - len(encoded)
        if max_length < added:
            raise ValueError(
                f"max_length={max_length} is too small: the template alone has {added} ids"
            )
        truncate(encoded, max_length - added, truncation)
    windows = all_windows(encoded, stride, truncation_side) if overflow else None
    cut = windows or first_windows(encoded, truncation_side)
    pad = Pad(None)
    if padding in ("longest", "max_length"):
        to = max_length if padding == "max_length" else padding
        pad = Pad(to, padding_side, 0, 0, pad_to_multiple_of)
    rows = Rows(encoded, cut, slots, pad)
    if pad.to is not None and (rows.lengths > rows.filled).any():
        pad = Pad(to, padding_side, _pad_id(tokenizer, pad_token), 0, pad_to_multiple_of)
        rows = Rows(encoded, cut, slots, pad)
    return _arrays(rows, also, overflow, padding)


def encoded_texts(
    tokenizer: Engine,
    texts: ManyTexts | Sequence[Any],
    words: bool,
    located: bool,
    **options: Any,
) -> Texts:
    """The tokens of many texts, or of many lists of words, with their places if ``located``."""
    if words:
        rows: list[list[Any]] = [list(row) for row in texts]  # type: ignore[union-attr]
        texts = [word for row in rows for word in row]
    if located:
        ids, bounds, offsets, pieces = tokenizer._encode_batch_offsets(texts, **options)
        some = Texts(ids, bounds.astype(np.int64), offsets, pieces.astype(np.int64))
    else:
        ids, bounds = tokenizer.encode_batch_arrays(texts, **options)
        some = Texts(ids, bounds.astype(np.int64))
    if words:
        some = some.joined(np.array([len(row) for row in rows], np.int64))
    return some


def unzipped(texts: Any) -> tuple[Any, Any]:
    """Texts and their pairs, where each text is a tuple of two."""
    if isinstance(texts, (list, tuple)) and len(texts) and isinstance(texts[0], tuple):
        odd = next((row for row in texts if not isinstance(row, tuple) or len(row) != 2), None)
        if odd is not None:
            raise ValueError(f"every row must be a tuple of two texts, not {odd!r}")
        return [first for first, _ in texts], [second for _, second in texts]
    return texts, None


def _one_of(name: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        known = " or ".join(f'"{choice}"' for choice in get_args(choices))
        raise ValueError(f"{name} must be {known}, not {value!r}")


def _pad_id(tokenizer: Engine, pad_token: str | None) -> int:
    special = tokenizer.special_tokens
    for token in PAD_TOKENS if pad_token is None else (pad_token,):
        if token in special:
            return special[token]
    if pad_token is None:
        raise ValueError(
            "rows of unequal length need a token to pad with, and this tokenizer has no [PAD]: "
            "pass pad_token, one of its special tokens"
        )
    raise ValueError(f"pad_token {pad_token!r} is not a special token of this tokenizer")


def _arrays(
    rows: Rows, also: Sequence[Extra], overflow: bool, padding: Padding | None
) -> ModelInputs:
    """The rows as arrays: matrices, or all rows one after the other with their bounds."""
    count = len(rows.lengths)
    if padding != "ragged" and count and not rows.is_rectangle:
        low, high = rows.lengths.min(), rows.lengths.max()
        raise ValueError(
            f"the rows have {low} to {high} ids, and padding={padding!r} leaves them so: pass "
            'padding="longest" or padding="ragged"'
        )
    found: dict[str, Any] = {
        "input_ids": rows.ids,
        "attention_mask": rows.attention,
        "token_type_ids": rows.types,
    }
    computed = {
        "offsets": lambda: rows.offsets,
        "word_ids": lambda: rows.pieces,
        "sequence_ids": lambda: rows.sequences,
        "special_tokens_mask": lambda: rows.special,
    }
    found |= {name: computed[name]() for name in also}
    if padding == "ragged":
        found["bounds"] = rows.bounds
    else:
        width = int(rows.lengths[0]) if count else 0
        found = {
            name: array.reshape(count, width, *array.shape[1:]) for name, array in found.items()
        }
    if overflow:
        found["overflow_to_sample"] = rows.cut.samples
    return found  # type: ignore[return-value]
