"""A tokenizer of transformers that runs our engine: a class made on the fly, below its own.

    texts -> our engine, one call for the batch -> rows by numpy -> BatchEncoding

Everything else is inherited, and the backend stays what it was: saving, special tokens, chat
templates and whatever takes hold of the backend go on as before. What our engine cannot do is left
to the inherited method for that call, counted in `fallbacks`, and warned of once for each reason.
"""

from __future__ import annotations

import copy
import copyreg
import warnings
from collections import Counter
from functools import cache
from typing import Any

import transformers
from transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy

from subword import ModelFormatError, SubwordError
from subword.integrations._backend import Backend, threads
from subword.integrations._calls import (
    batch_of,
    columns_of,
    data_of,
    fits,
    is_cut,
    lists_of_ids,
    sources_of,
)
from subword.integrations._encodings import Batch, Encodings
from subword.integrations._retraining import is_trained, trained, without_vocabulary

#: Whether `decode` takes many lists of ids, as transformers 5 has it.
MANY_DECODE = int(transformers.__version__.split(".")[0]) >= 5


#: Classes of transformers 4 whose methods to encode do no more than to refuse words where texts get
#: no space before them.
GUARDED = frozenset(
    f"{name}TokenizerFast"
    for name in (
        *("Bart", "Blenderbot", "Bloom", "CodeGen", "Cohere", "Deberta", "GPT2", "LED"),
        *("Longformer", "Mvp", "Roberta"),
    )
)


class FallbackWarning(UserWarning):
    """An accelerated tokenizer left a call to Hugging Face's engine."""


class Accelerated:
    """What an accelerated tokenizer does itself. It stands before the tokenizer's class."""

    _tokenizer: Any
    _subword: Backend | None
    #: How often a call was left to Hugging Face's engine, and why.
    fallbacks: Counter[str]

    @classmethod
    def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
        """A tokenizer of this class, loaded as transformers does it and accelerated."""
        base: Any = base_of(cls)
        return accelerated(base.from_pretrained(*args, **kwargs))

    def _ready(self) -> Backend | None:
        """Our engine, made anew if the tokenizer has changed; none if it does not run it."""
        backend: Backend | None = self.__dict__.get("_subword")
        if backend is not None and backend.is_current(self._tokenizer):
            return backend
        backend = None
        try:
            backend = Backend(self._tokenizer)
        except SubwordError as error:
            self._left(
                "tokenizer", f"the tokenizer has changed, and subword does not run it: {error}"
            )
        self.__dict__["_subword"] = backend
        return backend

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
        sources = sources_of(batch, words)
        if sources is None:
            return None  # most likely an error, which is theirs to raise
        backend = self._ready()
        if backend is None:
            return None
        if words and own_methods(base_of(type(self))):
            self._left("words", "this class has rules of its own for words")
            return None
        try:
            made = batch_of(self, backend, sources, words, options)
            if made is None:
                return None
            names = columns_of(self, options)
            data = None if options.get("return_tensors") else lists_of_ids(made, names)
            if data is None and self._has_odd_windows(made):
                return None
            self._tell_backend(options, made.split_special_tokens)
            return self._batch_encoding(made, data or names, options)
        except (SubwordError, ValueError):
            return None  # what we refuse, they refuse too, in their words

    def _has_odd_windows(self, made: Batch) -> bool:
        """Whether texts are cut into windows that only their engine makes."""
        if made.room is None or not any(map(is_cut, made.texts.values())):
            return False
        if not all(fits(some, made.stride) for some in made.texts.values()):
            return True
        keeps_space, keeps_type = made.backend.odd_windows
        pair = len(made.texts) == 2
        keeps_type = keeps_type and len(made.slots) == 2
        if not keeps_space and not (pair and (keeps_type or not made.backend.keeps_ranges)):
            return False
        self._left("windows", "this post-processor treats windows of a text in a way of its own")
        return True

    def _tell_backend(self, options: dict[str, Any], split: bool) -> None:
        """Set truncation and padding, as the inherited method does: they are saved with it."""
        base: Any = self
        names = ("max_length", "pad_to_multiple_of", "padding_side")
        base.set_truncation_and_padding(
            padding_strategy=options.get("padding_strategy", PaddingStrategy.DO_NOT_PAD),
            truncation_strategy=options.get(
                "truncation_strategy", TruncationStrategy.DO_NOT_TRUNCATE
            ),
            stride=options.get("stride", 0),
            **{name: options.get(name) for name in names},
        )
        if self._tokenizer.encode_special_tokens != split:
            self._tokenizer.encode_special_tokens = split

    def _batch_encoding(
        self, made: Batch, data: dict[str, Any] | list[str], options: dict[str, Any]
    ) -> Any:
        """The result, of data or of the columns of rows that have these names."""
        overflow = bool(options.get("return_overflowing_tokens"))
        tensors = options.get("return_tensors")
        if isinstance(data, list):
            rows = made.windows if overflow else made.firsts
            kind = getattr(tensors, "value", tensors)
            data = data_of(rows, data, kind)
            lengths, samples = rows.lengths.tolist(), rows.cut.samples.tolist()
        else:
            lengths = list(map(len, data["input_ids"]))
            samples = list(range(len(lengths)))
        if options.get("return_length"):
            data["length"] = lengths
        if overflow:
            data["overflow_to_sample_mapping"] = samples
        self._warn_of_length(lengths, options)
        return transformers.BatchEncoding(
            data, Encodings(made, overflow, len(lengths)), tensor_type=tensors
        )

    def _warn_of_length(self, lengths: list[int], options: dict[str, Any]) -> None:
        base: Any = self
        max_length, verbose = options.get("max_length"), options.get("verbose", True)
        if max_length is None and verbose and max(lengths) > base.model_max_length:
            long = next(length for length in lengths if length > base.model_max_length)
            base._eventual_warn_about_too_long_sequence(range(long), max_length, verbose)

    def batch_decode(self, sequences: Any, *args: Any, **options: Any) -> Any:
        """The texts of many lists of ids, as transformers has it."""
        texts = self._decoded(sequences, options) if not args else None
        if texts is not None:
            return texts
        return super().batch_decode(sequences, *args, **options)  # type: ignore[misc]

    def decode(self, token_ids: Any, *args: Any, **options: Any) -> Any:
        """The text of ids, or the texts of many lists of ids, as transformers has it."""
        texts = self._decoded(token_ids, options) if MANY_DECODE and not args else None
        if texts is not None:
            return texts
        return super().decode(token_ids, *args, **options)  # type: ignore[misc]

    def _decoded(self, batch: Any, options: dict[str, Any]) -> list[str] | None:
        """The texts of many lists of ids in one call; none if that is not what is asked for."""
        many = isinstance(batch, list) and batch and all(type(row) is list for row in batch)
        if not many or options.keys() - {"skip_special_tokens", "clean_up_tokenization_spaces"}:
            return None
        if self._cleans(options):
            return None
        backend = self._ready()
        if backend is None or not backend.decodes:
            return None
        skip = bool(options.get("skip_special_tokens", False))
        try:
            return backend.engine.decode_batch(batch, skip_special_tokens=skip, threads=threads())
        except (SubwordError, TypeError, ValueError, OverflowError):
            return None  # the inherited method goes on row by row

    def _cleans(self, options: dict[str, Any]) -> bool:
        clean = options.get("clean_up_tokenization_spaces")
        return bool(
            getattr(self, "clean_up_tokenization_spaces", False) if clean is None else clean
        )

    def _decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        inherited = super()._decode  # type: ignore[misc]
        backend = self._ready()
        if (
            self._cleans(options)
            or backend is None
            or not isinstance(token_ids, list)
            or not token_ids
        ):
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
            if not args and is_trained(backend, kwargs):
                shell = _revived(base_of(type(self)), dict(self.__dict__))
                shell.__dict__["_tokenizer"] = without_vocabulary(self._tokenizer)
                make = super(Accelerated, shell).train_new_from_iterator  # type: ignore[misc]
                made = make([], 0, **kwargs)
                return trained(backend, made, text_iterator, vocab_size, kwargs)
            self._left("train", "subword trains byte-level BPE with the usual settings alone")
        return inherited(text_iterator, vocab_size, *args, **kwargs)

    def _own_state(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_subword"}

    def __copy__(self) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = object.__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self._own_state(), memo))
        backend = self.__dict__.get("_subword")
        if backend is not None and backend.is_current(self._tokenizer):
            made.__dict__["_subword"] = backend.beside(made._tokenizer)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        base = base_of(type(self))
        if type(self) is class_for(base):
            return _revived, (base, self._own_state())
        return copyreg.__newobj__, (type(self),), self._own_state()  # type: ignore[attr-defined]


def base_of(cls: type) -> type:
    """The class of transformers below which an accelerated class stands."""
    return cls.__mro__[cls.__mro__.index(Accelerated) + 1]


def _revived(base: type, state: dict[str, Any]) -> Any:
    """An accelerated tokenizer of this class; its engine is made when it is first used."""
    made: Any = object.__new__(class_for(base))
    made.__dict__.update(state)
    return made


def own_methods(base: type) -> list[str]:
    """The methods of a class that differ from those which an accelerated class replaces."""
    fast = transformers.PreTrainedTokenizerFast
    names = ("_encode_plus", "_batch_encode_plus", "_decode")
    return [name for name in names if getattr(base, name, None) is not getattr(fast, name, None)]


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
    base = type(tokenizer)
    if isinstance(tokenizer, Accelerated):
        return tokenizer
    if not isinstance(tokenizer, transformers.PreTrainedTokenizerFast):
        raise TypeError(f"tokenizer must be a fast tokenizer of transformers, not {base.__name__}")
    own = own_methods(base)
    if own and not (base.__name__ in GUARDED and "_decode" not in own):
        raise ModelFormatError("", f"{base.__name__} has a method {own[0]} of its own")
    state = {
        name: copy.copy(value) if isinstance(value, (dict, list)) else value
        for name, value in tokenizer.__dict__.items()
    }
    made = _revived(base, state)
    made.__dict__["fallbacks"] = Counter()
    made.__dict__["_subword"] = Backend(tokenizer._tokenizer)
    return made
