"""What `encode_inputs` does: arguments checked, texts encoded, rows filled. It loads numpy.

    texts, pairs -> ids -> cut to max_length, in windows -> the template around them -> padded

Nothing is kept between calls: what a call does is said in its arguments, or saved with the
tokenizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from subword._rows.cutting import Texts, all_windows, first_windows, truncate
from subword._rows.rows import Pad, Rows
from subword._rows.settings import RowSettings, one_of, pad_id, row_settings
from subword._types import Extra, ModelInputs, Padding

if TYPE_CHECKING:
    from subword._core import Engine
    from subword._types import Errors, Special
    from subword._types import Texts as ManyTexts


def model_inputs(
    tokenizer: Engine,
    texts: ManyTexts | Sequence[Any],
    pairs: ManyTexts | Sequence[Any] | None,
    given: dict[str, Any],
    *,
    overflow: bool,
    pad_token: str | None,
    add_special_tokens: bool,
    words: bool,
    also: Sequence[Extra],
    special: Special,
    errors: Errors,
    threads: int | None,
) -> ModelInputs:
    """The rows, as `encode_inputs` describes them; ``given``: its arguments that can be saved."""
    for extra in also:
        one_of("also", extra, Extra)
    if pairs is None:
        texts, pairs = unzipped(texts)
    settings = row_settings(tokenizer, given, pairs is not None)

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
    _truncate(encoded, len(slots) - len(encoded), settings)
    side = settings.truncation_side
    windows = all_windows(encoded, settings.stride, side) if overflow else None
    cut = windows or first_windows(encoded, side)
    pad = Pad(settings.pads_to(), settings.padding_side, multiple=settings.pad_to_multiple_of)
    rows = Rows(encoded, cut, slots, pad)
    if pad.to is not None and (rows.lengths > rows.filled).any():
        id = pad_id(tokenizer, pad_token, settings.pad_id)
        rows = Rows(encoded, cut, slots, replace(pad, id=id, type_id=settings.pad_type))
    return _arrays(rows, also, overflow, settings.padding)


def _truncate(encoded: dict[str, Texts], added: int, settings: RowSettings) -> None:
    """Cut the texts as the settings say; ``added`` are the ids of the template."""
    max_length, truncation = settings.max_length, settings.truncation
    if max_length is None or truncation is None:
        return
    if max_length < added:
        raise ValueError(
            f"max_length={max_length} is too small: the template alone has {added} ids"
        )
    if truncation == "only_second" and "B" not in encoded:
        longest = int(encoded["A"].lengths.max(initial=0))
        if longest > max_length - added:
            raise ValueError(
                f"a row of {longest + added} ids is over max_length={max_length}, and without "
                'pairs truncation="only_second" cuts nothing'
            )
        return
    truncate(encoded, max_length - added, truncation)


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


def _arrays(
    rows: Rows, also: Sequence[Extra], overflow: bool, padding: Padding | int | None
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
