"""Training Unigram: settings in, a trained tokenizer out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from subword import _core
from subword._counts import Counts
from subword._errors import TrainingError
from subword._special import distinct
from subword._train.base import Learn, Trainer

if TYPE_CHECKING:
    from subword._types import Progress

SPECIAL_TOKENS = ("<unk>", "<s>", "</s>")


class UnigramTrainer(Trainer):
    """Learns a Unigram vocabulary, as sentencepiece does, T5 and XLM-R have one.

    White space cuts the text into words, each of which starts with ``▁``. The trainer begins with
    the substrings of these words that occur often, fits their probabilities to the corpus, and
    takes away those that are missed least, until the vocabulary is small enough.

    The result depends on the piece counts and on these settings alone: any number of threads and
    any order of the files gives the same ids and scores. `subword.reference.unigram` defines it.

    Args:
        vocab_size: The number of tokens in all: special tokens, characters and longer pieces.
        normalizer: What happens to the text before it is cut: "nfkc", "nfc", "nfd", "nfkd" or
            "none". Counts bring their own.
        special_tokens: Strings that are cut out of the text before, and get the first ids.
        unk_token: The token of characters that are not learned; the first special token, if it is
            not listed.
        user_defined_symbols: Strings that are cut out of every text, whatever ``special=`` says,
            and are tokens of their own, with the ids after the special tokens.
        byte_fallback: A character that is not learned becomes the tokens of its bytes, such as
            ``<0xC3>``, instead of ``unk_token``. The 256 tokens come after the symbols.
        split_digits: Every digit is a piece of its own.
        character_coverage: The share of the text whose characters become pieces, from the most
            frequent on. For alphabets 1.0 is right; for Chinese or Japanese 0.9995 leaves out the
            rarest characters.
        max_piece_length: No piece gets longer, in characters.
        seed_size: How many pieces of several characters to begin with, at most.
        shrinking_factor: The share of the pieces that a round keeps.
        threads: How many threads may work; None means one for each core.
        progress: How to show how far it is, as for `count_pieces`.

    Example:
        >>> from subword import UnigramTrainer
        >>> trainer = UnigramTrainer(15, special_tokens=["<unk>"])
        >>> tok = trainer.train_iter(["low low low lower newest newest widest"])
        >>> tok.decode(tok.encode("lower low"))
        'lower low'
    """

    def __init__(
        self,
        vocab_size: int = 32_000,
        *,
        normalizer: Literal["none", "nfc", "nfd", "nfkc", "nfkd"] = "nfkc",
        special_tokens: Sequence[str] = SPECIAL_TOKENS,
        unk_token: str = "<unk>",
        user_defined_symbols: Sequence[str] = (),
        byte_fallback: bool = False,
        split_digits: bool = False,
        character_coverage: float = 0.9995,
        max_piece_length: int = 16,
        seed_size: int = 1_000_000,
        shrinking_factor: float = 0.75,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Keep the settings; they are checked by what uses them."""
        self.vocab_size = vocab_size
        self.normalizer = normalizer
        self.special_tokens = special_tokens
        self.unk_token = unk_token
        self.user_defined_symbols = user_defined_symbols
        self.byte_fallback = byte_fallback
        self.split_digits = split_digits
        self.character_coverage = character_coverage
        self.max_piece_length = max_piece_length
        self.seed_size = seed_size
        self.shrinking_factor = shrinking_factor
        self.threads = threads
        self.progress = progress

    def _check_counts(self, counts: Counts) -> None:
        if counts.pattern != "whitespace":
            raise TrainingError(
                f"the pieces were cut by pattern {counts.pattern!r}, not by 'whitespace'",
                "count with the settings of UnigramTrainer().counting()",
            )

    def _engine(self) -> Learn:
        return _core.train_unigram

    def _counting(self) -> dict[str, Any]:
        special_tokens = [self.unk_token, *distinct(self.special_tokens)]
        return {
            "normalizer": self.normalizer,
            "pattern": "whitespace",
            "special_tokens": [*dict.fromkeys([*special_tokens, *self._symbols()])],
        }

    def _settings(self) -> dict[str, Any]:
        return {
            "vocab_size": self.vocab_size,
            "special_tokens": distinct(self.special_tokens),
            "unk_token": self.unk_token,
            "user_defined_symbols": self._symbols(),
            "byte_fallback": self.byte_fallback,
            "split_digits": self.split_digits,
            "character_coverage": self.character_coverage,
            "max_piece_length": self.max_piece_length,
            "seed_size": self.seed_size,
            "shrinking_factor": self.shrinking_factor,
            "threads": self.threads,
        }

    def _symbols(self) -> list[str]:
        return distinct(self.user_defined_symbols, "user_defined_symbols")

    def _merges(self) -> int | None:
        return None

    def _too_much(self, log: _core.TrainingLog, tokens: int) -> str | None:
        if log.stop == "full":
            return None
        return (
            f"vocab_size={self.vocab_size} is more than the corpus has: no other pieces would make "
            f"it shorter ({tokens} tokens in all)"
        )
