"""Training WordPiece: settings in, a trained tokenizer out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from subword import _core
from subword._counts import Counts, strings
from subword._train.base import Learn, Trainer

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class WordPieceTrainer(Trainer):
    """Learns a WordPiece vocabulary, as BERT has one.

    >>> trainer = WordPieceTrainer(vocab_size=18, min_count=1)
    >>> tok = trainer.train_iter(["Low, low, lower: Löwe"])
    >>> [token.decode() for token in tok.vocab.values()][-5:]
    ['##o', '##r', '##w', '##er', 'lo']

    * ``vocab_size``: all tokens: special tokens, characters and what is made of them.
    * ``score``: which pair of tokens becomes one first. "likelihood": the one that occurs more
      often than chance would have it, ``count(ab) / (count(a) * count(b))``; of equals the one with
      the higher count, of those the one with the smaller ids. "count": the one that occurs most
      often, as Hugging Face's trainer does it; of equals the one with the smaller ids.
    * ``lowercase``, ``strip_accents``: how text is normalised before it is counted; without
      ``strip_accents``, accents go if ``lowercase`` is on. Counts bring their own.
    * ``special_tokens``: strings that are cut out of the text before, and get the first ids. With
      "[CLS]" and "[SEP]" among them, these are put around a text where the caller asks for it.
    * ``unk_token``: of unknown words; the first special token, if it is not listed.
    * ``prefix``: what tokens within a word begin with.
    * ``max_word_chars``: a longer word is unknown.
    * ``min_count``: a pair that occurs less often is not merged; by default 10 for "likelihood" and
      2 for "count". What occurs rarely is likely by chance: a pair that occurs once, of tokens that
      occur once, has the highest score there is. The larger the corpus, the larger it should be.
    * ``limit_alphabet``: how many characters to keep, the most frequent; all without it. A word
      with another one is unknown.
    * ``max_token_length``: no token gets longer, in characters, the prefix not counted.
    * ``threads``: how many to use; as many as there are cores without it.
    * ``progress``: a bar on standard error; by default where that is a terminal.

    The result depends on the piece counts and on these settings alone: any number of threads, any
    order of the files gives the same ids.
    """

    def __init__(
        self,
        vocab_size: int = 30_522,
        *,
        score: Literal["likelihood", "count"] = "likelihood",
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
        progress: bool | None = None,
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
        special_tokens = [*dict.fromkeys([self.unk_token, *strings(self.special_tokens)])]
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
            "special_tokens": strings(self.special_tokens),
            "unk_token": self.unk_token,
            "prefix": self.prefix,
            "max_word_chars": self.max_word_chars,
            "min_count": self._min_count(),
            "limit_alphabet": self.limit_alphabet,
            "max_token_length": self.max_token_length,
        }

    def _min_count(self) -> int:
        if self.min_count is not None:
            return self.min_count
        return 10 if self.score == "likelihood" else 2

    def _merges(self) -> int | None:
        return self.vocab_size

    def _too_much(self, log: _core.TrainingLog, tokens: int) -> str | None:
        if log.stop == "full" or (log.stop == "min_count" and self.min_count is not None):
            return None
        often = f" that occurs {self._min_count()} times" if log.stop == "min_count" else ""
        return (
            f"vocab_size={self.vocab_size} is more than the corpus has: no pair{often} is left "
            f"after {len(log)} merges ({tokens} tokens in all)"
        )
