"""A call of a tokenizer of transformers: its arguments as a batch, rows as its result."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

from subword._rows.cutting import Texts
from subword._rows.rows import Array, Pad, Rows, Slot
from subword.integrations._backend import Backend, threads
from subword.integrations._encodings import Batch

#: The arguments of a call that say what the result has, and the rows' property for each.
COLUMNS = {
    "input_ids": "ids",
    "token_type_ids": "types",
    "attention_mask": "attention",
    "special_tokens_mask": "special",
    "offset_mapping": "offsets",
}


def sources_of(batch: Any, words: bool) -> dict[str, list[Any]] | None:
    """The first texts, and the second ones of pairs; none for anything else."""
    if not isinstance(batch, (list, tuple)) or not batch:
        return None

    def is_text(item: Any) -> bool:
        if words:
            return type(item) in (list, tuple) and all(type(word) is str for word in item)
        return type(item) is str

    if all(is_text(item) for item in batch):
        return {"A": list(batch)}
    is_pair = all(
        type(item) in (list, tuple) and len(item) == 2 and is_text(item[0]) and is_text(item[1])
        for item in batch
    )
    return {"A": [one for one, _ in batch], "B": [other for _, other in batch]} if is_pair else None


def batch_of(
    tokenizer: Any,
    backend: Backend,
    sources: dict[str, list[Any]],
    words: bool,
    options: dict[str, Any],
) -> Batch | None:
    """What a call asks for; none if it makes no sense."""
    split = options.get("split_special_tokens")
    split = bool(getattr(tokenizer, "split_special_tokens", False) if split is None else split)
    slots = backend.single if len(sources) == 1 else backend.pair
    if not options.get("add_special_tokens", True):
        slots = [slot for slot in slots if isinstance(slot[0], str)]
    made = Batch(backend, sources, slots, words, split, threads())
    made.located = bool(options.get("return_offsets_mapping", False))
    max_length = options.get("max_length")
    padding = getattr(options.get("padding_strategy"), "value", "do_not_pad")
    if padding != "do_not_pad":
        if tokenizer.pad_token_id is None or (padding == "max_length" and max_length is None):
            return None
        made.pad = Pad(
            max_length if padding == "max_length" else "longest",
            options.get("padding_side") or tokenizer.padding_side,
            tokenizer.pad_token_id,
            tokenizer.pad_token_type_id,
            options.get("pad_to_multiple_of") or None,
        )
    truncation: Any = getattr(options.get("truncation_strategy"), "value", "do_not_truncate")
    if truncation != "do_not_truncate":
        if max_length is None or (truncation == "only_second" and len(sources) == 1):
            return None
        made.room = max_length - (len(slots) - len(sources))
        made.truncation, made.side = truncation, tokenizer.truncation_side
        made.stride = options.get("stride", 0)
        if made.room < 0:
            return None
    return made


def columns_of(tokenizer: Any, options: dict[str, Any]) -> list[str]:
    """What the result has, in the order in which it has it."""
    names = ["input_ids"]
    for name in ("token_type_ids", "attention_mask"):
        wanted = options.get(f"return_{name}")
        if (name in tokenizer.model_input_names) if wanted is None else wanted:
            names.append(name)
    if options.get("return_special_tokens_mask"):
        names.append("special_tokens_mask")
    if options.get("return_offsets_mapping"):
        names.append("offset_mapping")
    return names


def is_cut(texts: Texts) -> bool:
    return bool((texts.kept < texts.lengths).any())


def fits(texts: Texts, stride: int) -> bool:
    """Whether windows have ids that the one before them does not have."""
    cut = (texts.kept > 0) & (texts.kept < texts.lengths)
    return not bool((cut & (texts.kept <= stride)).any())


def lists_of_ids(made: Batch, names: list[str]) -> dict[str, Any] | None:
    """The result if it is nothing but ids of whole texts in lists; none if it is more."""
    plain = {"input_ids", "token_type_ids", "attention_mask"}.issuperset(names)
    if made.words or made.pad.to is not None or not plain:
        return None
    lists = {
        name: made.backend.engine.encode_batch(texts, special=made.special, threads=made.threads)
        for name, texts in made.sources.items()
    }
    room, both = made.room, zip(*lists.values(), strict=True)
    if room is not None and any(sum(map(len, row)) > room for row in both):
        return None
    if len(made.slots) == 1:
        rows = lists["A"]
    else:
        rows = [
            _row(made.slots, dict(zip(lists, row, strict=True)))
            for row in zip(*lists.values(), strict=True)
        ]
    data: dict[str, Any] = {"input_ids": rows}
    if "token_type_ids" in names:
        if any(kind for _, kind in made.slots):
            data["token_type_ids"] = [
                _types(made.slots, dict(zip(lists, row, strict=True)))
                for row in zip(*lists.values(), strict=True)
            ]
        else:
            data["token_type_ids"] = [[0] * len(row) for row in rows]
    if "attention_mask" in names:
        data["attention_mask"] = [[1] * len(row) for row in rows]
    return data


def _row(slots: list[Slot], texts: dict[str, list[int]]) -> list[int]:
    """The ids of a row: a template with its texts."""
    row: list[int] = []
    for content, _ in slots:
        if isinstance(content, str):
            row += texts[content]
        else:
            row.append(content)
    return row


def _types(slots: list[Slot], texts: dict[str, list[int]]) -> list[int]:
    """The types of a row."""
    row: list[int] = []
    for content, kind in slots:
        row += [kind] * (len(texts[content]) if isinstance(content, str) else 1)
    return row


def data_of(rows: Rows, names: list[str], kind: Any) -> dict[str, Any]:
    """The rows as matrices, if a call asks for tensors that these can be; else as lists."""
    arrays = {name: getattr(rows, COLUMNS[name]) for name in names}
    if kind not in ("np", "pt") or not rows.size or not rows.is_rectangle:
        return {name: _lists(rows, array) for name, array in arrays.items()}
    count = len(rows.lengths)
    data = {name: array.reshape(count, -1, *array.shape[1:]) for name, array in arrays.items()}
    if kind == "pt":
        torch = import_module("torch")

        data = {name: torch.from_numpy(array) for name, array in data.items()}
    return data


def _lists(rows: Rows, array: Array) -> list[Any]:
    """The rows of an array as lists; two columns are a tuple."""
    flat: list[Any]
    if array.ndim == 1:
        flat = array.tolist()
    else:
        flat = list(zip(array[:, 0].tolist(), array[:, 1].tolist(), strict=True))
    return [flat[start:end] for start, end in pairwise(rows.bounds.tolist())]
