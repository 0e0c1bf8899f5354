"""What an accelerated tokenizer gives besides arrays: encodings, computed when they are asked for.

Transformers keeps a `tokenizers.Encoding` for each row, which knows tokens, offsets, words and how
to go from one to another. Most callers want ids. So a row is a number here, and the batch computes
what somebody asks for, for all rows at once. Questions about single characters and tokens go to a
real `tokenizers.Encoding`, which is made of the row's lists.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from subword._rows.cutting import Texts, all_windows, first_windows, truncate
from subword._rows.model_inputs import encoded_texts
from subword._rows.rows import Array, Pad, Rows, Slot
from subword.integrations._backend import Backend, plain

if TYPE_CHECKING:
    from subword._types import Side, Special, Truncation


@dataclass
class Batch:
    """Texts and how they become rows. They are encoded when somebody asks for rows."""

    backend: Backend
    #: The texts as they came: the first, and the second of pairs.
    sources: dict[str, list[Any]]
    slots: list[Slot]
    words: bool
    split_special_tokens: bool
    threads: int | None
    pad: Pad = field(default_factory=Pad)
    #: How many ids of texts a row has at most, and which text is cut.
    room: int | None = None
    truncation: Truncation = "longest_first"
    side: Side = "right"
    stride: int = 0
    #: Whether rows have offsets, as far as is known when the texts are encoded.
    located: bool = False

    @property
    def special(self) -> Special:
        """What becomes of special tokens in a text."""
        return "text" if self.split_special_tokens else "encode"

    def _encoded(self, name: str, located: bool) -> Texts:
        options = {"special": self.special, "threads": self.threads}
        return encoded_texts(
            self.backend.engine, self.sources[name], self.words, located, **options
        )

    @cached_property
    def texts(self) -> dict[str, Texts]:
        """The tokens of the texts, and how many of them stand in the rows."""
        texts = {name: self._encoded(name, self.located) for name in self.sources}
        if self.room is not None:
            truncate(texts, self.room, self.truncation)
        return texts

    @cached_property
    def firsts(self) -> Rows:
        """A row for each text."""
        return Rows(self.texts, first_windows(self.texts, self.side), self.slots, self.pad)

    @cached_property
    def windows(self) -> Rows:
        """All rows, with those of windows that overflow."""
        if all((some.kept == some.lengths).all() for some in self.texts.values()):
            return self.firsts
        cut = all_windows(self.texts, self.stride, self.side)
        return Rows(self.texts, cut, self.slots, self.pad, self.backend.further_types)

    def locate(self) -> None:
        """Learn where tokens are."""
        for name, some in self.texts.items():
            if some.offsets is None:
                found = self._encoded(name, True)
                some.offsets, some.pieces = found.offsets, found.pieces

    def token_texts(self, name: str, sample: int) -> list[str]:
        """The tokens of a text as Hugging Face's engine calls them."""
        theirs = self.backend.theirs
        with plain(theirs, self.split_special_tokens):
            source = self.sources[name][sample]
            tokens: list[str] = theirs.encode(
                source, is_pretokenized=self.words, add_special_tokens=False
            ).tokens
        return tokens


class Encodings(Sequence[Any]):
    """The encodings of a batch, made when they are asked for."""

    def __init__(self, batch: Batch, windows: bool, count: int) -> None:
        self._batch, self._windows, self._count = batch, windows, count
        self._made: dict[int, LazyEncoding] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, slice):
            return [self[row] for row in range(*item.indices(self._count))]
        row = range(self._count)[item]
        if row not in self._made:
            self._made[row] = LazyEncoding(self._batch, self._windows, row)
        return self._made[row]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, ([*self],)


class Real:
    """A row that was changed: a real `tokenizers.Encoding` answers."""

    _real: Any

    def __len__(self) -> int:
        return len(self._real)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._real, name)

    def __repr__(self) -> str:
        return repr(self._real)

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoding, (self._real.__getstate__(),)


class LazyEncoding(Real):
    """A row, as a `tokenizers.Encoding` that computes what it is asked for."""

    def __init__(self, batch: Batch, windows: bool, row: int) -> None:
        self._batch, self._windows, self._row = batch, windows, row

    @property
    def _rows(self) -> Rows:
        return self._batch.windows if self._windows else self._batch.firsts

    def _part(self, array: Array) -> Any:
        start = self._rows.starts[self._row]
        return array[start : start + self._rows.lengths[self._row]].tolist()

    def __len__(self) -> int:
        return int(self._rows.lengths[self._row])

    @property
    def _has_ranges(self) -> bool:
        return len(self._batch.sources) > 1 or self._batch.backend.keeps_ranges

    @property
    def ids(self) -> list[int]:
        """The ids."""
        return self._part(self._rows.ids)  # type: ignore[no-any-return]

    @property
    def type_ids(self) -> list[int]:
        """The types of the ids."""
        return self._part(self._rows.types)  # type: ignore[no-any-return]

    @property
    def attention_mask(self) -> list[int]:
        """1 for ids, 0 for padding."""
        return self._part(self._rows.attention)  # type: ignore[no-any-return]

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for what the template and padding add."""
        return self._part(self._rows.special)  # type: ignore[no-any-return]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Where each token starts and ends."""
        self._batch.locate()
        return [(start, end) for start, end in self._part(self._rows.offsets)]

    @property
    def word_ids(self) -> list[int | None]:
        """The number of the word of each token."""
        self._batch.locate()
        return [None if word < 0 else word for word in self._part(self._rows.pieces)]

    words = word_ids

    @property
    def sequence_ids(self) -> list[int | None]:
        """Which of two texts each token is of."""
        if not self._has_ranges:
            return [0] * len(self)
        return [None if number < 0 else number for number in self._part(self._rows.sequences)]

    @property
    def n_sequences(self) -> int:
        """How many texts there are in a row."""
        return len(self._batch.sources)

    @property
    def tokens(self) -> list[str]:
        """The tokens."""
        ids, batch = self.ids, self._batch
        known = batch.backend.tokens
        found = [known[id] for id in ids]
        if not batch.backend.odd.isdisjoint(ids):
            cut = self._rows.cut
            sample = int(cut.samples[self._row])
            for name, some in batch.texts.items():
                start, end = self._rows.range_of(name, self._row)
                first = int(cut.starts[name][self._row] - some.bounds[sample])
                here = batch.token_texts(name, sample)
                found[start:end] = here[first : first + end - start]
        return found

    @property
    def overflowing(self) -> list[LazyEncoding]:
        """The further windows of the text, for its first row."""
        rows = self._batch.windows
        if rows is self._batch.firsts:
            return []
        samples = rows.cut.samples
        if self._windows and self._row and samples[self._row - 1] == samples[self._row]:
            return []
        sample = samples[self._row] if self._windows else self._row
        numbers = (samples == sample).nonzero()[0].tolist()
        return [LazyEncoding(self._batch, True, row) for row in numbers[1:]]

    @cached_property
    def _real(self) -> Any:
        """The same as a real `tokenizers.Encoding`."""
        return _encoding(self._state())

    def truncate(self, *args: Any, **kwargs: Any) -> None:
        """Cut it, as their encodings do."""
        self._real.truncate(*args, **kwargs)
        self.__class__ = Real  # type: ignore[assignment]

    def pad(self, *args: Any, **kwargs: Any) -> None:
        """Pad it, as their encodings do."""
        self._real.pad(*args, **kwargs)
        self.__class__ = Real  # type: ignore[assignment]

    def _state(self) -> bytes:
        names = list(self._batch.texts) if self._has_ranges else []
        ranges = {}
        for number, name in enumerate(names):
            start, end = self._rows.range_of(name, self._row)
            ranges[str(number)] = {"start": start, "end": end}
        state = {
            "ids": self.ids,
            "type_ids": self.type_ids,
            "tokens": self.tokens,
            "words": self.word_ids,
            "offsets": self.offsets,
            "special_tokens_mask": self.special_tokens_mask,
            "attention_mask": self.attention_mask,
            "overflowing": [json.loads(other._state()) for other in self.overflowing],
            "sequence_ranges": ranges,
        }
        return json.dumps(state).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoding, (self._state(),)


def _encoding(state: bytes) -> Any:
    """A `tokenizers.Encoding` of this state."""
    from tokenizers import Encoding

    encoding = Encoding()
    encoding.__setstate__(state)
    return encoding
