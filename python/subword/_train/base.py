"""What trainers share: a corpus in, a tokenizer out, and what happened in between.

    files or texts -> piece counts (`_counts`) -> merges (the engine) -> Tokenizer

A trainer is its settings. They are kept as they were given, and are looked at when something is
trained, before anything is read.
"""

from __future__ import annotations

import inspect
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword import _core
from subword._counts import Counts, count_pieces
from subword._errors import TrainingError, TrainingWarning
from subword._progress import showing
from subword._tokenizer import DEFAULT_CACHE_BYTES, Tokenizer
from subword._train.log import Phase, TrainingLog, peak_memory

if TYPE_CHECKING:
    from subword._types import Errors, StrPath, Text

#: What the engine says where there is nothing to learn from.
NO_PIECES = "there are no pieces to learn from"

#: The engine's part of a training: counts in, a model and a log out.
Learn = Callable[..., tuple[_core.Model, _core.TrainingLog]]


class Trainer(ABC):
    """Learns from files, texts or counts. What and how, its kind says."""

    threads: int | None
    progress: bool | None

    def __repr__(self) -> str:
        names = inspect.signature(type(self)).parameters.values()
        given = [(one.name, getattr(self, one.name), one.default) for one in names]
        shown = [f"{name}={value!r}" for name, value, default in given if value is not default]
        return f"{type(self).__name__}({', '.join(shown)})"

    def train(
        self,
        files: StrPath | Iterable[StrPath],
        *,
        field: str = "text",
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn from files: one path, several, or patterns like ``"corpus/*.txt"``.

        Plain text, ``.jsonl`` (``field`` of each line), ``.gz``, ``.zst`` and Parquet: see
        :func:`count_pieces`, which takes the same arguments.
        """
        return self._train(files=files, field=field, errors=errors, memory_limit=memory_limit)

    def train_iter(
        self,
        texts: Iterable[Text],
        *,
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn from texts, each a document of its own: nothing merges across the end of one.

        They are counted as they come, and not gathered.
        """
        return self._train(texts=texts, errors=errors, memory_limit=memory_limit)

    def train_counts(self, counts: Counts) -> Tokenizer:
        """Learn from piece counts: counted before, elsewhere, or in parts that were added up."""
        if not isinstance(counts, Counts):
            raise TypeError(f"counts must be Counts, not {type(counts).__name__}")
        self._check_counts(counts)
        return self._learn(counts, ())

    def counting(self) -> dict[str, Any]:
        """What this trainer counts by, as arguments of :func:`count_pieces`: to count elsewhere.

        Settings that nothing can be learned with are an error here, before anything is read.

        >>> from subword import BpeTrainer
        >>> BpeTrainer(300, special_tokens=["<|endoftext|>"]).counting()
        {'pattern': 'gpt2', 'special_tokens': ['<|endoftext|>']}
        """
        self._check()
        return self._counting()

    def _train(self, **reading: Any) -> Tokenizer:
        """What to read in, tokenizer out."""
        counting = self.counting()
        start = time.perf_counter()
        counts = count_pieces(**counting, threads=self.threads, progress=self.progress, **reading)
        return self._learn(counts, (Phase("count", time.perf_counter() - start, peak_memory()),))

    def _learn(self, counts: Counts, phases: tuple[Phase, ...]) -> Tokenizer:
        """Counts in, tokenizer out."""
        with showing(self.progress, "merging", self._merges(), "merge") as update:
            watch = None if update is None else lambda done, _: update(done)
            model, log = self._engine()(counts._counts, **self._settings(), watch=watch)
        tokenizer = Tokenizer._of(model, DEFAULT_CACHE_BYTES)
        phases = (*phases, *merging_phases(log))
        tokenizer._training_log = TrainingLog(counts.total, len(counts), phases, log)
        message = self._too_much(log, tokenizer.vocab_size)
        if message is not None:
            warnings.warn(message, TrainingWarning, stacklevel=_outside())
        return tokenizer

    def _check(self) -> None:
        """Learn from nothing: what is wrong with the settings is found before a corpus is read."""
        nothing = Counts(**self._counting())._counts
        try:
            self._engine()(nothing, **self._settings())
        except TrainingError as error:
            if error.message != NO_PIECES:
                raise

    @abstractmethod
    def _engine(self) -> Learn:
        """What learns."""

    @abstractmethod
    def _counting(self) -> dict[str, Any]:
        """What a text is counted by: normalizer, pattern, special tokens."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """What the engine is told about how to learn."""

    @abstractmethod
    def _check_counts(self, counts: Counts) -> None:
        """Refuse counts that were made otherwise than the settings say."""

    @abstractmethod
    def _merges(self) -> int | None:
        """About how many merges there will be, for the bar."""

    @abstractmethod
    def _too_much(self, log: _core.TrainingLog, tokens: int) -> str | None:
        """What to say where there was less to learn than was asked for, so many tokens in all."""


def check_pattern(given: Any, counts: Counts) -> None:
    """Refuse counts whose pieces were cut by another pattern than the one that was given."""
    pattern = _core.Counts(given, []).pattern  # a regular expression may have a name
    if pattern != counts.pattern:
        raise TrainingError(
            f"the pieces were cut by pattern {counts.pattern!r}, not by {pattern!r}",
            "leave pattern out: counts bring their own",
        )


def _outside() -> int:
    """How many frames up the call came from outside of this package: where a warning belongs."""
    here = str(Path(__file__).parent.parent)
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    return level


def merging_phases(log: _core.TrainingLog) -> tuple[Phase, ...]:
    """What the engine says about its work."""
    effort = log.effort()
    index, merge = (effort.pop(f"{name}_seconds") for name in ("index", "merge"))
    numbers = {name: int(number) for name, number in effort.items()}
    size = {"bytes": numbers.pop("index_bytes")}
    return Phase("index", index, None, size), Phase("merge", merge, peak_memory(), numbers)
