"""What trainers share: a corpus in, a tokenizer out, and a log of what happened in between.

    files or texts -> piece counts (`count_pieces`) -> merges (the engine) -> Tokenizer

A trainer is its settings. They are kept as they were given. They are checked when something is
trained, before anything is read.
"""

from __future__ import annotations

import inspect
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword import _core
from subword._corpus.count import count_pieces
from subword._counts import Counts
from subword._errors import NoPiecesError, TrainingError, TrainingWarning
from subword._progress import showing
from subword._tokenizer import DEFAULT_CACHE_BYTES, Tokenizer
from subword._train.log import Phase, TrainingLog, peak_memory
from subword._train.sources import Paid, numbers_of, weighted, weights_of

if TYPE_CHECKING:
    from subword._types import Errors, Progress, StrPath, TextBatches

#: Settings that are integers, or None.
NUMBERS = {
    "limit_alphabet",
    "max_token_length",
    "max_word_chars",
    "min_count",
    "max_piece_length",
    "num_merges",
    "seed_size",
    "vocab_size",
}

#: The engine's part of a training: counts in, a model and a log out.
Learn = Callable[..., tuple[_core.Model, _core.TrainingLog]]


class Trainer(ABC):
    """Learns from files, texts or counts. What and how, its kind says."""

    threads: int | None
    progress: Progress

    def __repr__(self) -> str:
        names = inspect.signature(type(self)).parameters.values()
        given = [(one.name, getattr(self, one.name), one.default) for one in names]
        shown = [f"{name}={value!r}" for name, value, default in given if value != default]
        return f"{type(self).__name__}({', '.join(shown)})"

    def train(
        self,
        files: StrPath | Iterable[StrPath],
        *,
        field: str = "text",
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn a tokenizer from files.

        Args:
            files: A path, several paths, or globs like ``"corpus/*.txt"``: plain text, ``.jsonl``,
                Parquet, and ``.gz`` and ``.zst`` of the first two, as for `count_pieces`.
            field: The field of JSON lines, or the column of Parquet files, that holds the text.
            errors: What to do with text that is not UTF-8: "strict" or "replace".
            memory_limit: How much memory counting may use, in bytes or like "64MB".

        Returns:
            The tokenizer. `training_log` tells how it was learned.

        Raises:
            NoPiecesError: The files are empty, or hold special tokens alone.
            TrainingError: The settings leave nothing to learn.
            CorpusError: A file holds a bad document.
            TextError: A file is not UTF-8, with ``errors="strict"``.
            ArgumentError: A number makes no sense.
            OSError: A file cannot be read.

        Example:
            >>> from pathlib import Path
            >>> from subword import BpeTrainer
            >>> _ = Path("corpus.txt").write_text("low low lower lowest")
            >>> BpeTrainer(num_merges=2).train("corpus.txt").merges
            [(b'o', b'w'), (b'l', b'ow')]
        """
        return self._train(files=files, field=field, errors=errors, memory_limit=memory_limit)

    def train_iter(
        self,
        texts: TextBatches,
        *,
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn a tokenizer from texts, which are counted as they come, and not gathered.

        Args:
            texts: Any iterable of ``str`` or ``bytes``, or of batches of them: lists, or columns of
                Arrow; or one column of Arrow. Each text is a document of its own: nothing merges
                across the end of one.
            errors: What to do with text that is not UTF-8: "strict" or "replace".
            memory_limit: How much memory counting may use, in bytes or like "64MB".

        Returns:
            The tokenizer. `training_log` tells how it was learned.

        Raises:
            NoPiecesError: The texts are empty, or special tokens alone.
            TrainingError: The settings leave nothing to learn.
            TextError: A text is not UTF-8, with ``errors="strict"``.
            ArgumentError: A number makes no sense.

        Example:
            >>> from subword import BpeTrainer
            >>> BpeTrainer(num_merges=1).train_iter(["low", "low", "lower"]).merges
            [(b'o', b'w')]
        """
        return self._train(texts=texts, errors=errors, memory_limit=memory_limit)

    def train_counts(self, counts: Counts) -> Tokenizer:
        """Learn a tokenizer from counts: made before, elsewhere, or in parts that were added up.

        Args:
            counts: What `count_pieces` made. The settings of `counting` give the pieces that this
                trainer would count itself.

        Returns:
            The tokenizer, equal to the one that `train` gives for the same corpus.

        Raises:
            NoPiecesError: There are no counts.
            TrainingError: The settings leave nothing to learn, or the counts were made by another
                pattern.

        Example:
            >>> from subword import BpeTrainer, count_pieces
            >>> counts = count_pieces(texts=["low low lower"]) + count_pieces(texts=["lowest"])
            >>> BpeTrainer(num_merges=1).train_counts(counts).merges
            [(b'o', b'w')]
        """
        if not isinstance(counts, Counts):
            raise TypeError(f"counts must be Counts, not {type(counts).__name__}")
        self._check_counts(counts)
        return self._learn(counts, ())

    def train_sources(
        self,
        sources: Mapping[str, tuple[Counts | StrPath | Iterable[StrPath], float | Fraction]],
        *,
        shares: bool = False,
        field: str = "text",
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn a tokenizer from a mixture of sources.

        Args:
            sources: By name, counts or files of a source, and its weight: how often a piece of it
                counts (`Counts.scaled`).
            shares: The numbers are not weights but shares of the bytes of the mixture. Only their
                proportion matters; the source that is scaled least keeps its counts.
            field: The field of JSON lines, or the column of Parquet files, that holds the text.
            errors: What to do with text that is not UTF-8: "strict" or "replace".
            memory_limit: How much memory counting may use, in bytes or like "64MB".

        Returns:
            The tokenizer. For byte-pair encoding, ``training_log(tok).sources`` tells by how many
            tokens each merge shortened each source.

        Raises:
            NoPiecesError: The sources are empty, or hold special tokens alone.
            TrainingError: The settings leave nothing to learn.
            CountsError: The sources were not counted alike.
            ArgumentError: A number makes no sense, or an empty source has a share.

        Example:
            >>> from subword import BpeTrainer, count_pieces, training_log
            >>> web, code = count_pieces(texts=["low low"]), count_pieces(texts=["for row"])
            >>> tok = BpeTrainer(num_merges=2).train_sources({"web": (web, 1), "code": (code, 3)})
            >>> tok.merges, training_log(tok).sources
            ([(b'o', b'w'), (b'r', b'ow')], {'web': (2, 0), 'code': (3, 3)})
        """
        numbers = numbers_of(sources)
        reading: dict[str, Any] = {"field": field, "errors": errors, "memory_limit": memory_limit}
        start = time.perf_counter()
        counts = self._counted({name: source for name, (source, _) in sources.items()}, reading)
        counts = weighted(counts, weights_of(counts, numbers) if shares else numbers)
        first, *others = counts.values()
        phase = Phase("count", time.perf_counter() - start, peak_memory())
        tok = self._learn(sum(others, first), (phase,))
        log = tok._training_log
        assert log is not None  # it was trained just now
        log.sources = self._paid(tok, counts, log)
        return tok

    def counting(self) -> dict[str, Any]:
        """How this trainer counts, as arguments of `count_pieces`: to count elsewhere.

        Returns:
            Pattern, special tokens and, for WordPiece, the normalizer.

        Raises:
            TrainingError: No corpus could be learned with the settings.
            ArgumentError: A number makes no sense.

        Example:
            >>> from subword import BpeTrainer
            >>> BpeTrainer(300, special_tokens=["<|endoftext|>"]).counting()
            {'pattern': 'gpt2', 'special_tokens': ['<|endoftext|>']}
        """
        self._check()
        return self._counting()

    def _counted(
        self, sources: Mapping[str, Counts | StrPath | Iterable[StrPath]], reading: dict[str, Any]
    ) -> dict[str, Counts]:
        """The counts of each source: what it is, or of its files."""
        how = {**self.counting(), **reading, "threads": self.threads, "progress": self.progress}
        counts: dict[str, Counts] = {}
        for name, source in sources.items():
            if isinstance(source, Counts):
                self._check_counts(source)
                counts[name] = source
            else:
                counts[name] = count_pieces(source, **how)
        return counts

    def _train(self, **reading: Any) -> Tokenizer:
        """What to read in, tokenizer out."""
        counting = self.counting()
        start = time.perf_counter()
        counts = count_pieces(**counting, threads=self.threads, progress=self.progress, **reading)
        phase = Phase("count", time.perf_counter() - start, peak_memory())
        return self._learn(counts, (phase,), release=True)

    def _learn(self, counts: Counts, phases: tuple[Phase, ...], **more: Any) -> Tokenizer:
        """Counts in, tokenizer out; ``more`` is for the engine, which may release the counts."""
        settings = self._checked() | more
        occurrences, pieces = counts.total, len(counts)
        with showing(self.progress, "merging", self._merges(), "merge") as update:
            watch = None if update is None else lambda done, _: update(done)
            model, log = self._engine()(counts._counts, **settings, watch=watch)
        tokenizer = Tokenizer._of(model, DEFAULT_CACHE_BYTES)
        phases = (*phases, *merging_phases(log))
        tokenizer._training_log = TrainingLog(occurrences, pieces, phases, log)
        message = self._too_much(log, tokenizer.vocab_size)
        if message is not None:
            warnings.warn(message, TrainingWarning, stacklevel=_outside())
        return tokenizer

    def _check(self) -> None:
        """Refuse settings that no corpus could be learned with, before one is read."""
        nothing = Counts(**self._counting())._counts
        with suppress(NoPiecesError):
            self._engine()(nothing, **self._checked())

    def _checked(self) -> dict[str, Any]:
        """The settings; a number that is none is refused by its name."""
        settings = self._settings()
        for name in NUMBERS & settings.keys():
            if settings[name] is not None and not hasattr(settings[name], "__index__"):
                found = type(settings[name]).__name__
                raise TypeError(f"{name} must be an integer, not {found}")
        return settings

    def _paid(self, tok: Tokenizer, counts: dict[str, Counts], log: TrainingLog) -> Paid | None:
        """What each source paid for each merge, where encoding can tell."""
        return None

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
