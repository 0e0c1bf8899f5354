"""What a model takes: rows of equal length, with masks and types.

    texts, pairs -> ids, ragged -> cut to max_length -> the template around them -> padded

    [CLS] a b c [SEP] d [SEP]        types 0 0 0 0 0 1 1    mask 1 1 1 1 1 1 1
    [CLS] a [SEP] d e [SEP] [PAD]    types 0 0 0 1 1 1 0    mask 1 1 1 1 1 1 0

Nothing is kept between calls: all that a call does is said in its arguments. Rows are filled by
masks over the whole matrix, never one by one: the places of all first texts, read row by row, are
the places of their ids, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from subword._types import ModelInputs, Padding, Side, Truncation

if TYPE_CHECKING:
    from subword._core import Engine
    from subword._types import Errors, Special, Texts

#: The special tokens that are taken to pad with, if the caller names none.
PAD_TOKENS = ("[PAD]", "<pad>")

Lengths = npt.NDArray[np.int64]


class _Texts:
    """The ids of many texts, one after the other, and how many of each are kept."""

    def __init__(self, ids: npt.NDArray[np.uint32], bounds: npt.NDArray[np.uint64]) -> None:
        self.ids = ids
        ends: Lengths = bounds.astype(np.int64)
        self.lengths = ends[1:] - ends[:-1]
        self.kept = self.lengths

    def kept_ids(self, side: Side) -> npt.NDArray[np.uint32]:
        """The ids that are kept: those at the start, or with ``"left"`` those at the end."""
        if self.kept is self.lengths:
            return self.ids
        ends = np.cumsum(self.lengths)
        first = ends - (self.kept if side == "left" else self.lengths)
        at = np.arange(len(self.ids)) - np.repeat(first, self.lengths)
        kept: npt.NDArray[np.uint32] = self.ids[
            (at >= 0) & (at < np.repeat(self.kept, self.lengths))
        ]
        return kept


def model_inputs(
    tokenizer: Engine,
    texts: Texts,
    pairs: Texts | None,
    *,
    max_length: int | None,
    truncation: Truncation,
    truncation_side: Side,
    padding: Padding | None,
    padding_side: Side,
    pad_to_multiple_of: int | None,
    pad_token: str | None,
    add_special_tokens: bool,
    special: Special,
    errors: Errors,
    threads: int | None,
) -> ModelInputs:
    """The rows, as `encode_inputs` describes them."""
    _one_of("truncation", truncation, Truncation)
    _one_of("truncation_side", truncation_side, Side)
    _one_of("padding_side", padding_side, Side)
    if padding is not None:
        _one_of("padding", padding, Padding)
    if padding == "max_length" and max_length is None:
        raise ValueError('padding="max_length" needs max_length')
    if pad_to_multiple_of is not None and pad_to_multiple_of < 1:
        raise ValueError(f"pad_to_multiple_of must be at least 1, not {pad_to_multiple_of}")
    if truncation == "only_second" and pairs is None:
        raise ValueError('truncation="only_second" needs pairs')

    def encoded(texts: Texts) -> _Texts:
        return _Texts(
            *tokenizer.encode_batch_arrays(texts, special=special, errors=errors, threads=threads)
        )

    rows = {"A": encoded(texts)}
    if pairs is not None:
        rows["B"] = encoded(pairs)
        found = [len(side.lengths) for side in rows.values()]
        if found[0] != found[1]:
            raise ValueError(f"every text needs its pair: {found[0]} texts and {found[1]} pairs")
    slots = tokenizer._template_slots(pairs is not None)
    if not add_special_tokens:
        slots = [slot for slot in slots if slot[0] in rows]
    added = len(slots) - len(rows)
    if max_length is not None:
        if max_length < added:
            raise ValueError(
                f"max_length={max_length} is too small: the template alone has {added} ids"
            )
        _truncate(rows, max_length - added, truncation)
    lengths = rows["A"].kept + added
    if "B" in rows:
        lengths = lengths + rows["B"].kept
    width = _width(lengths, max_length, padding, pad_to_multiple_of)
    pad_id = 0
    if (lengths < width).any():
        if padding is None:
            raise ValueError(
                f"the rows have {lengths.min()} to {lengths.max()} ids, and padding=None leaves "
                'them so: pass padding="longest"'
            )
        pad_id = _pad_id(tokenizer, pad_token)
    return _filled(rows, slots, lengths, width, pad_id, (truncation_side, padding_side))


def _one_of(name: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        known = " or ".join(f'"{choice}"' for choice in get_args(choices))
        raise ValueError(f"{name} must be {known}, not {value!r}")


def _truncate(rows: dict[str, _Texts], room: int, truncation: Truncation) -> None:
    """Keep at most ``room`` ids of each row, by the rule that the caller chose."""
    first, second = rows["A"], rows.get("B")
    if second is None:
        first.kept = np.minimum(first.lengths, room)
        return
    total = first.lengths + second.lengths
    long = total > room
    if not long.any():
        return
    if truncation == "longest_first":
        first.kept, second.kept = _longest_first(first.lengths, second.lengths, room)
        return
    cut, other = (first, second) if truncation == "only_first" else (second, first)
    if room == 0:
        first.kept, second.kept = (np.where(long, 0, side.lengths) for side in (first, second))
        return
    short = np.flatnonzero(long & (other.lengths >= room))
    if len(short):
        row = short[0]
        raise ValueError(
            f'row {row} cannot be cut by truncation="{truncation}": the other text has '
            f"{other.lengths[row]} ids, and there is room for {room}"
        )
    cut.kept = np.where(long, room - other.lengths, cut.lengths)


def _longest_first(first: Lengths, second: Lengths, room: int) -> tuple[Lengths, Lengths]:
    """Cut the longer of two until they fit, and both to one half where both are longer.

    >>> [kept.tolist() for kept in _longest_first(np.array([9, 3, 9]), np.array([2, 8, 9]), 7)]
    [[5, 3, 3], [2, 4, 4]]
    """
    shorter = np.minimum(first, second)
    longer = np.maximum(shorter, room - shorter)
    both = shorter + longer > room
    shorter = np.where(both, room // 2, shorter)
    longer = np.where(both, room - room // 2, longer)
    swapped = first > second
    kept = np.where(swapped, longer, shorter), np.where(swapped, shorter, longer)
    fits = first + second <= room
    return np.where(fits, first, kept[0]), np.where(fits, second, kept[1])


def _width(
    lengths: Lengths, max_length: int | None, padding: Padding | None, multiple: int | None
) -> int:
    """How long a row is once it is padded."""
    if padding == "max_length" and max_length is not None:
        width = max_length
    else:
        width = int(lengths.max(initial=0))
    return -(-width // multiple) * multiple if multiple and padding else width


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


def _filled(
    rows: dict[str, _Texts],
    slots: list[tuple[int | str, int]],
    lengths: Lengths,
    width: int,
    pad_id: int,
    sides: tuple[Side, Side],
) -> ModelInputs:
    """The matrices, slot by slot of the template."""
    truncation_side, padding_side = sides
    columns = np.arange(width)
    start = (width - lengths if padding_side == "left" else np.zeros_like(lengths))[:, np.newaxis]
    real = (columns >= start) & (columns < start + lengths[:, np.newaxis])
    ids = np.full(real.shape, pad_id, dtype=np.int64)
    types = np.zeros(real.shape, dtype=np.int64)
    for content, type_id in slots:
        if isinstance(content, str):
            texts = rows[content]
            end = start + texts.kept[:, np.newaxis]
            here = (columns >= start) & (columns < end)
            ids[here] = texts.kept_ids(truncation_side)
        else:
            end = start + 1
            here = columns == start
            ids[here] = content
        if type_id:
            types[here] = type_id
        start = end
    return {"input_ids": ids, "attention_mask": real.astype(np.int64), "token_type_ids": types}
