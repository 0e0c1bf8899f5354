"""A tokenizer of transformers that runs our engine: a class made on the fly, below its own.

    texts -> our engine, one call for the batch -> rows by numpy -> BatchEncoding

Everything else is inherited, and the backend stays what it was: saving, special tokens, chat
templates and whatever takes hold of the backend go on as before. What our engine cannot do is left
to the inherited method for that call, counted in `fallbacks`, and warned of once for each reason.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from subword import ModelFormatError, SubwordError
from subword._cutting import Texts, truncate
from subword._model_inputs import encoded_texts
from subword._rows import Array, Pad, Rows
from subword.integrations._backend import Backend, threads
from subword.integrations._encodings import Batch
from subword.integrations._retraining import merges_from

#: The arguments of a call that say what the result has, and the rows' property for each.
COLUMNS = {
    "input_ids": "ids",
    "token_type_ids": "types",
    "attention_mask": "attention",
    "special_tokens_mask": "special",
    "offset_mapping": "offsets",
}


class FallbackWarning(UserWarning):
    """An accelerated tokenizer left a call to Hugging Face's engine."""


class Accelerated:
    """What an accelerated tokenizer does itself. It stands before the tokenizer's class."""

    _tokenizer: Any
    _subword: Backend | None
    #: How often a call was left to Hugging Face's engine, and why.
    fallbacks: Counter[str]

    def _ready(self) -> Backend | None:
        """Our engine, made anew if the tokenizer has changed; none if it does not run it."""
        backend = self.__dict__.get("_subword")
        if backend is not None and backend.is_current(self._tokenizer):
            return backend
        self.__dict__["_subword"] = None
        try:
            self.__dict__["_subword"] = Backend(self._tokenizer)
        except SubwordError as error:
            self._left(
                "tokenizer", f"the tokenizer has changed, and subword does not run it: {error}"
            )
        return self.__dict__["_subword"]

    def _left(self, reason: str, message: str) -> None:
        """Count a call that is left to the other engine, and say so once."""
        counts: Counter[str] = self.__dict__.setdefault("fallbacks", Counter())
        if not counts[reason]:
            text = f"{message}; this call runs Hugging Face's engine"
            warnings.warn(text, FallbackWarning, stacklevel=4)
        counts[reason] += 1

    def _add_tokens(self, *args: Any, **kwargs: Any) -> Any:
        self.__dict__["_subword"] = None
        return super()._add_tokens(*args, **kwargs)  # type: ignore[misc]

    # transformers 5: one method for one text and for many.

    def _encode_plus(self, text: Any, text_pair: Any = None, **options: Any) -> Any:
        inherited = super()._encode_plus  # type: ignore[misc]
        if hasattr(super(), "_batch_encode_plus"):  # transformers 4 goes on there
            return inherited(text, text_pair, **options)
        words = options.get("is_split_into_words", False)
        many = isinstance(text, (list, tuple))
        if words:
            many = bool(many and text and isinstance(text[0], (list, tuple)))
        if not many:
            batch = [(text, text_pair)] if text_pair else [text]
        elif text_pair is None:
            batch = text
        elif isinstance(text_pair, (list, tuple)) and len(text) == len(text_pair):
            batch = list(zip(text, text_pair, strict=True))
        else:
            return inherited(text, text_pair, **options)
        found = self._encode_batch(batch, options)
        if found is None:
            return inherited(text, text_pair, **options)
        if not many and options.get("return_tensors") is None:
            if options.get("return_overflowing_tokens"):
                return found
            one = {
                key: (value[0] if len(value) > 0 and isinstance(value[0], list) else value)
                for key, value in found.items()
            }
            found = type(found)(one, found.encodings)
        return found

    def _batch_encode_plus(self, batch_text_or_text_pairs: Any, **options: Any) -> Any:
        found = self._encode_batch(batch_text_or_text_pairs, options)
        if found is None:
            inherited = super()._batch_encode_plus  # type: ignore[misc]
            return inherited(batch_text_or_text_pairs, **options)
        return found

    def _encode_batch(self, batch: Any, options: dict[str, Any]) -> Any:
        """The `BatchEncoding` of some texts; none if the inherited method has to do it."""
        words = bool(options.get("is_split_into_words", False))
        sources = _sources(batch, words)
        if sources is None:
            return None  # most likely an error, which is theirs to raise
        backend = self._ready()
        if backend is None:
            return None
        try:
            rows = self._rows(backend, sources, words, options)
        except (SubwordError, ValueError):
            return None  # what we refuse, they refuse too, in their words
        return None if rows is None else self._batch_encoding(*rows, options)

    def _rows(
        self, backend: Backend, sources: dict[str, list[Any]], words: bool, options: dict[str, Any]
    ) -> tuple[Batch, Rows] | None:
        base: Any = self
        padding = options.get("padding_strategy")
        truncation = options.get("truncation_strategy")
        to = getattr(padding, "value", "do_not_pad")
        strategy = getattr(truncation, "value", "do_not_truncate")
        max_length, stride = options.get("max_length"), options.get("stride", 0)
        multiple = options.get("pad_to_multiple_of")
        split = options.get("split_special_tokens")
        split = bool(getattr(self, "split_special_tokens", False) if split is None else split)
        pad = Pad()
        if to != "do_not_pad":
            pad = Pad(
                max_length if to == "max_length" else "longest",
                options.get("padding_side") or base.padding_side,
                base.pad_token_id,
                base.pad_token_type_id,
                multiple or None,
            )
            if pad.id is None or (to == "max_length" and max_length is None):
                return None
        located = bool(options.get("return_offsets_mapping", False))
        cores = threads()
        special = "text" if split else "encode"
        texts = {
            name: encoded_texts(
                backend.engine, some, words, located, special=special, threads=cores
            )
            for name, some in sources.items()
        }
        slots = backend.single if len(texts) == 1 else backend.pair
        if not options.get("add_special_tokens", True):
            slots = [slot for slot in slots if isinstance(slot[0], str)]
        if strategy != "do_not_truncate":
            room = max_length - (len(slots) - len(texts))
            if room < 0 or (strategy == "only_second" and len(texts) == 1):
                return None
            truncate(texts, room, strategy)
        base.set_truncation_and_padding(
            padding_strategy=padding,
            truncation_strategy=truncation,
            max_length=max_length,
            stride=stride,
            pad_to_multiple_of=multiple,
            padding_side=options.get("padding_side"),
        )
        if self._tokenizer.encode_special_tokens != split:
            self._tokenizer.encode_special_tokens = split
        side = base.truncation_side
        made = Batch(backend, sources, texts, slots, pad, side, stride, words, split, cores)
        if not all(_fits(some, stride) for some in texts.values()):
            return None
        keeps_space, keeps_type = backend.odd_windows
        plain_pair = len(texts) == 2 and len(slots) == 2
        if (keeps_space or (keeps_type and plain_pair)) and any(map(_is_cut, texts.values())):
            self._left(
                "windows", "this post-processor treats windows of a text in a way of its own"
            )
            return None
        return made, made.windows if options.get("return_overflowing_tokens") else made.firsts

    def _batch_encoding(self, made: Batch, rows: Rows, options: dict[str, Any]) -> Any:
        from transformers import BatchEncoding

        base: Any = self
        names = ["input_ids"]
        for name in ("token_type_ids", "attention_mask"):
            wanted = options.get(f"return_{name}")
            if (name in base.model_input_names) if wanted is None else wanted:
                names.append(name)
        if options.get("return_special_tokens_mask"):
            names.append("special_tokens_mask")
        if options.get("return_offsets_mapping"):
            names.append("offset_mapping")
        tensors = options.get("return_tensors")
        kind = getattr(tensors, "value", tensors)
        matrix = kind in ("np", "pt") and rows.size > 0 and rows.is_rectangle
        data: dict[str, Any] = {}
        for name in names:
            array = getattr(rows, COLUMNS[name])
            data[name] = _matrix(rows, array) if matrix else _lists(rows, array)
        if options.get("return_length"):
            data["length"] = rows.lengths.tolist()
        if options.get("return_overflowing_tokens"):
            data["overflow_to_sample_mapping"] = rows.cut.samples.tolist()
        self._warn_of_length(rows, options)
        if matrix and kind == "pt":
            import torch

            data = {
                name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value
                for name, value in data.items()
            }
        return BatchEncoding(data, made.encodings(rows), tensor_type=tensors)

    def _warn_of_length(self, rows: Rows, options: dict[str, Any]) -> None:
        base: Any = self
        max_length, verbose = options.get("max_length"), options.get("verbose", True)
        if max_length is None and verbose:
            longest = int(rows.lengths.max(initial=0))
            if longest > base.model_max_length:
                long = int(rows.lengths[rows.lengths > base.model_max_length][0])
                base._eventual_warn_about_too_long_sequence(range(long), max_length, verbose)

    def _decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        inherited = super()._decode  # type: ignore[misc]
        clean = options.get("clean_up_tokenization_spaces")
        if clean is None:
            clean = getattr(self, "clean_up_tokenization_spaces", False)
        backend = self._ready()
        if clean or backend is None or not isinstance(token_ids, list) or not token_ids:
            return inherited(token_ids, skip_special_tokens=skip_special_tokens, **options)
        if backend.decodes:
            try:
                return backend.engine.decode(
                    token_ids, skip_special_tokens=bool(skip_special_tokens)
                )
            except (SubwordError, TypeError, ValueError, OverflowError):
                pass  # ids without a token: their engine leaves them out, or refuses them
        self._left("decode", "subword does not decode these ids as Hugging Face's engine does")
        return inherited(token_ids, skip_special_tokens=skip_special_tokens, **options)

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """The tokens of ids, as transformers has it."""
        if isinstance(ids, (list, tuple)) and len(ids) > 1 and (backend := self._ready()):
            tokens = backend.tokens
            if skip_special_tokens:
                left_out = set(self.all_special_ids)  # type: ignore[attr-defined]
                ids = [id for id in ids if int(id) not in left_out]
            return [tokens.get(int(id)) for id in ids]
        return super().convert_ids_to_tokens(ids, skip_special_tokens)  # type: ignore[misc]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The ids of tokens, as transformers has it."""
        if isinstance(tokens, list) and len(tokens) > 1 and (backend := self._ready()):
            ids = [backend.vocab.get(token) if type(token) is str else None for token in tokens]
            if None not in ids:
                return ids
        return super().convert_tokens_to_ids(tokens)  # type: ignore[misc]

    def train_new_from_iterator(
        self, text_iterator: Any, vocab_size: int, *args: Any, **kwargs: Any
    ) -> Any:
        """A tokenizer of the same kind for other texts, as transformers has it."""
        inherited = super().train_new_from_iterator  # type: ignore[misc]
        backend = self._ready()
        if backend is not None:
            train = merges_from(backend, text_iterator, vocab_size, kwargs)
            if train is not None:
                return train(lambda texts, size: inherited(texts, size, *args, **kwargs))
            self._left("train", "subword trains byte-level BPE with the usual settings alone")
        return inherited(text_iterator, vocab_size, *args, **kwargs)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__dict__.items() if name != "_subword"}
        return _revived, (type(self).__mro__[2], state)


def _revived(base: type, state: dict[str, Any]) -> Any:
    """An accelerated tokenizer of this class; its engine is made when it is first used."""
    made = object.__new__(class_for(base))
    made.__dict__.update(state)
    return made


@cache
def class_for(base: type) -> type:
    """The class below ``base`` whose instances run our engine, under the same name."""
    names = {
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
    }
    return type(base.__name__, (Accelerated, base), names)


def accelerated(tokenizer: Any) -> Any:
    """An accelerated tokenizer with the settings and the backend of this one."""
    from transformers import PreTrainedTokenizerFast

    base = type(tokenizer)
    if isinstance(tokenizer, Accelerated):
        return tokenizer
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise TypeError(f"tokenizer must be a fast tokenizer of transformers, not {base.__name__}")
    methods = ("_encode_plus", "_decode") + ("_batch_encode_plus",) * hasattr(
        base, "_batch_encode_plus"
    )
    for name in methods:
        if getattr(base, name) is not getattr(PreTrainedTokenizerFast, name):
            raise ModelFormatError("", f"{base.__name__} has a method {name} of its own")
    state = {
        name: copy.copy(value) if isinstance(value, (dict, list)) else value
        for name, value in tokenizer.__dict__.items()
    }
    made = _revived(base, state)
    made.__dict__["fallbacks"] = Counter()
    made.__dict__["_subword"] = Backend(tokenizer._tokenizer)
    return made


def _sources(batch: Any, words: bool) -> dict[str, list[Any]] | None:
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


def _is_cut(texts: Texts) -> bool:
    return bool((texts.kept < texts.lengths).any())


def _fits(texts: Texts, stride: int) -> bool:
    """Whether windows have ids that the one before them does not have."""
    cut = (texts.kept > 0) & (texts.kept < texts.lengths)
    return not bool((cut & (texts.kept <= stride)).any())


def _matrix(rows: Rows, array: Array) -> Array:
    return array.reshape(len(rows.lengths), -1, *array.shape[1:])


def _lists(rows: Rows, array: Array) -> list[Any]:
    """The rows of an array as lists; two columns are a tuple."""
    flat: list[Any] = (
        array.tolist() if array.ndim == 1 else [(one, other) for one, other in array.tolist()]
    )
    bounds = rows.bounds.tolist()
    return [flat[start:end] for start, end in pairwise(bounds)]
