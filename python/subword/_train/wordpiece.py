"""Training WordPiece: settings in, a trained tokenizer out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal

from subword import _core
from subword._counts import Counts
from subword._special import distinct
from subword._tokenizer import Tokenizer
from subword._train.base import Learn, Trainer
from subword._train.log import Phase

if TYPE_CHECKING:
    from subword._types import Progress

#: A pair that occurs once tells nothing about other text.
LEAST_COUNT = 2

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class WordPieceTrainer(Trainer):
    """Learns a WordPiece vocabulary, as BERT has one.

    The result depends on the piece counts and on these settings alone: any number of threads and
    any order of the files gives the same ids.

    Args:
        vocab_size: The number of tokens in all: special tokens, characters and what is made of
            them.
        score: Which pair of tokens becomes one first. "count": the one that occurs most often, as
            in Hugging Face's trainer; of equal pairs the one with the smaller ids. "likelihood":
            the one that occurs more often than chance would have it, ``count(ab) / (count(a) *
            count(b))``; of equal pairs the one with the higher count, of those the one with the
            smaller ids. Likelihood prefers what is rare, so it needs a ``min_count`` that fits the
            corpus; its vocabularies take more tokens for a text.
        lowercase: Whether to lower the case of the text before it is counted. Counts bring their
            own normalizer.
        strip_accents: Whether to remove accents; None does so where ``lowercase`` is on.
        special_tokens: Strings that are cut out of the text before, and get the first ids. With
            "[CLS]" and "[SEP]" among them, ``add_special_tokens`` puts these around a text.
        unk_token: The token of unknown words; the first special token, if it is not listed.
        prefix: What tokens inside a word begin with.
        max_word_chars: A longer word is unknown.
        min_count: A pair that occurs less often is not merged. None is 2 for "count". For
            "likelihood" None is about the smallest number at which the pairs run out before the
            vocabulary is full; it is found by training several times, and grows with the corpus.
        limit_alphabet: How many characters to keep, the most frequent; None keeps all. A word with
            another character is unknown.
        max_token_length: No token gets longer, in characters, the prefix not counted.
        threads: How many threads may work; None means one for each core.
        progress: How to show how far it is, as for `count_pieces`.

    Example:
        >>> from subword import WordPieceTrainer
        >>> trainer = WordPieceTrainer(vocab_size=18, min_count=1)
        >>> tok = trainer.train_iter(["Low, low, lower: Löwe"])
        >>> [token.decode() for token in tok.vocab.values()][-5:]
        ['##o', '##r', '##w', 'lo', 'low']
    """

    def __init__(
        self,
        vocab_size: int = 30_522,
        *,
        score: Literal["count", "likelihood"] = "count",
        lowercase: bool = True,
        strip_accents: bool | None = None,
        special_tokens: Sequence[str] = SPECIAL_TOKENS,
        unk_token: str = "[UNK]",
        prefix: str = "##",
        max_word_chars: int = 100,
        min_count: int | None = None,
        limit_alphabet: int | None = None,
        max_token_length: int | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Keep the settings; they are checked by what uses them."""
        self.vocab_size = vocab_size
        self.score = score
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.special_tokens = special_tokens
        self.unk_token = unk_token
        self.prefix = prefix
        self.max_word_chars = max_word_chars
        self.min_count = min_count
        self.limit_alphabet = limit_alphabet
        self.max_token_length = max_token_length
        self.threads = threads
        self.progress = progress

    def _check_counts(self, counts: Counts) -> None:
        """All counts will do: what they were normalised and cut by is part of the tokenizer."""

    def _engine(self) -> Learn:
        return _core.train_wordpiece

    def _counting(self) -> dict[str, Any]:
        special_tokens = [*dict.fromkeys([self.unk_token, *distinct(self.special_tokens)])]
        return {
            "normalizer": self._normalizer(),
            "pattern": "bert",
            "special_tokens": special_tokens,
        }

    def _normalizer(self) -> str:
        """The name of BERT's normaliser with these options."""
        strip = self.lowercase if self.strip_accents is None else self.strip_accents
        options = [*["strip_accents"] * bool(strip), *["lowercase"] * bool(self.lowercase)]
        return ",".join(["bert:clean", "cjk", *options])

    def _settings(self) -> dict[str, Any]:
        return {
            "vocab_size": self.vocab_size,
            "score": self.score,
            "special_tokens": distinct(self.special_tokens),
            "unk_token": self.unk_token,
            "prefix": self.prefix,
            "max_word_chars": self.max_word_chars,
            "min_count": LEAST_COUNT if self.min_count is None else self.min_count,
            "limit_alphabet": self.limit_alphabet,
            "max_token_length": self.max_token_length,
            "threads": self.threads,
        }

    def _learn(self, counts: Counts, phases: tuple[Phase, ...], **more: Any) -> Tokenizer:
        if self.score != "likelihood" or self.min_count is not None:
            return super()._learn(counts, phases, **more)
        found = self._likelihood_min_count(counts)
        if found == LEAST_COUNT:  # The corpus is small: should pairs run out, that is worth a word.
            return super()._learn(counts, phases, **more)
        trainer = copy(self)
        trainer.min_count = found
        return trainer._learn(counts, phases, **more)

    def _likelihood_min_count(self, counts: Counts) -> int:
        """About the smallest `min_count` at which likelihood does not fill the vocabulary.

        Likelihood fills a vocabulary with the rarest pairs that it may merge: below this number
        with pairs that hardly occur in other text, above it with fewer tokens than were asked for.
        """

        def fills(min_count: int) -> bool:
            settings = {**self._settings(), "min_count": min_count}
            return self._engine()(counts._counts, **settings)[1].stop == "full"

        low = high = LEAST_COUNT
        while high < counts.total and fills(high):
            low, high = high, 2 * high
        while high - low > 1 + high // 16:
            middle = (low + high) // 2
            low, high = (middle, high) if fills(middle) else (low, middle)
        return high

    def _merges(self) -> int | None:
        return self.vocab_size

    def _too_much(self, log: _core.TrainingLog, tokens: int) -> str | None:
        if log.stop == "full" or (log.stop == "min_count" and self.min_count is not None):
            return None
        often = f" that occurs {LEAST_COUNT} times" if log.stop == "min_count" else ""
        return (
            f"vocab_size={self.vocab_size} is more than the corpus has: no pair{often} is left "
            f"after {len(log)} merges ({tokens} tokens in all)"
        )
