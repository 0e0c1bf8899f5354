"""Training byte-pair encoding: settings in, a trained tokenizer out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from subword import _core
from subword._counts import Counts
from subword._special import distinct
from subword._tokenizer import Tokenizer
from subword._train.base import Learn, Trainer, check_pattern
from subword._train.control import Veto, merged, tokens_of, vetoed
from subword._train.log import LoggedMerge, Phase, TrainingLog, peak_memory
from subword._train.sources import Paid, paid, sizes_of

if TYPE_CHECKING:
    from subword._types import Errors, Pattern, Progress, StrPath

#: What cuts a text for superwords: digits by threes, runs of punctuation, all spaces but the last.
#: What stands between them, words and single punctuation marks, is one piece. It is the expression
#: of SuperBPE (arXiv 2503.13423).
SUPERWORDS = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"


#: What cuts a text in SentencePiece's form: words, numbers and punctuation, each with the spaces
#: before it, and other white space. A place between two characters is cut or not whatever stands
#: around them, but for `▁`, which is a space.
SENTENCEPIECE = r"[ ▁]*[\p{L}\p{M}]+|[ ▁]*\p{N}+|[ ▁]*[^\s▁\p{L}\p{M}\p{N}]+|[^\S ]+|[ ▁]+"


class BpeTrainer(Trainer):
    """Learns byte-pair encoding from a corpus.

    The result depends on the piece counts and on these settings alone.

    Args:
        vocab_size: The number of tokens in all: first tokens, merges and special tokens. Pass this
            or ``num_merges``.
        num_merges: The number of merges.
        pattern: What cuts a text into pieces, which no merge crosses. Counts and a base bring their
            own; otherwise it is "gpt2", or "whitespace" for words, with an ``end_of_word`` or of
            "chars", or, with ``byte_fallback``, words, numbers and punctuation, each with the
            spaces before it.
        special_tokens: Strings that are cut out of the text before, and get the last ids.
        ties: Which of two pairs that occur equally often is merged first: "greatest", the one whose
            bytes sort last, or "smallest-ids", as Hugging Face does.
        min_count: A pair that occurs less often is not merged.
        max_token_length: No token gets longer, in bytes; with "chars" in characters, without the
            mark. (Hugging Face's trainer leaves the limit itself out: its 6 is 5 here.)
        initial_vocab: The tokens to start with: "bytes", "chars" (the characters of the corpus), or
            a list of bytes whose positions are the ids.
        end_of_word: A mark that ends every piece, a token of its own. By default "</w>" for
            "chars", where "" means none, and none for bytes and with ``byte_fallback``.
        unk_token: For "chars", the special token of unknown characters.
        limit_alphabet: For "chars", how many characters to keep, the most frequent; None keeps all.
        character_coverage: For "chars", the share of the text whose characters are kept, from the
            most frequent on. By default all, and 0.9995 with ``byte_fallback``.
        byte_fallback: For "chars", SentencePiece's form, as Llama 2 and Gemma have it: ``▁`` stands
            for a space, and a character that is not kept is its bytes, such as ``<0xC3>``. The
            pattern then says what may merge and is no part of the tokenizer.
        split_digits: With ``byte_fallback``, every digit is a token of its own.
        base: A tokenizer to go on from. Its ids stay, new merges follow.
        superwords: Merge over the ends of the words that ``base`` has learned: "any" two tokens
            (SuperBPE), or "whole" words, of one token each (BoundlessBPE). The pattern, which is
            then that of the result, cuts longer pieces, unless you say otherwise those of SuperBPE.
        whole_characters: No merge makes a token of parts of two characters, or of the end of one: a
            token is whole characters, or the start of a single one, which a longer start needs.
        required: Tokens that the vocabulary must have. Those that the corpus does not bring get the
            merges that they need in the place of the last ones.
        veto: Tokens that no merge may make: a function of a token, or a regular expression that is
            found in them, or a list of them.
        on_merge: Called with each merge (`LoggedMerge`) when it is made; if it returns False, that
            merge is the last.
        threads: How many threads may work; None means one for each core.
        progress: How to show how far it is, as for `count_pieces`.

    Example:
        >>> from subword import BpeTrainer
        >>> trainer = BpeTrainer(vocab_size=259, special_tokens=["<|endoftext|>"])
        >>> tok = trainer.train_iter(["low low lower<|endoftext|>lowest"])
        >>> tok.merges
        [(b'o', b'w'), (b'l', b'ow')]
        >>> tok.encode("lower")
        [257, 101, 114]
    """

    def __init__(
        self,
        vocab_size: int | None = None,
        *,
        num_merges: int | None = None,
        pattern: Pattern | None = None,
        special_tokens: Sequence[str] | None = None,
        ties: Literal["greatest", "smallest-ids"] = "greatest",
        min_count: int = 1,
        max_token_length: int | None = None,
        initial_vocab: Literal["bytes", "chars"] | Sequence[bytes] = "bytes",
        end_of_word: str | None = None,
        unk_token: str | None = None,
        limit_alphabet: int | None = None,
        character_coverage: float | None = None,
        byte_fallback: bool = False,
        split_digits: bool = False,
        base: Tokenizer | None = None,
        superwords: Literal["any", "whole"] | None = None,
        whole_characters: bool = False,
        required: Sequence[str | bytes] | None = None,
        veto: Veto | None = None,
        on_merge: Callable[[LoggedMerge], object] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Keep the settings; they are checked by what uses them."""
        self.vocab_size = vocab_size
        self.num_merges = num_merges
        self.pattern = pattern
        self.special_tokens = special_tokens
        self.ties = ties
        self.min_count = min_count
        self.max_token_length = max_token_length
        self.initial_vocab = initial_vocab
        self.end_of_word = end_of_word
        self.unk_token = unk_token
        self.limit_alphabet = limit_alphabet
        self.character_coverage = character_coverage
        self.byte_fallback = byte_fallback
        self.split_digits = split_digits
        self.base = base
        self.superwords = superwords
        self.whole_characters = whole_characters
        self.required = required
        self.veto = veto
        self.on_merge = on_merge
        self.threads = threads
        self.progress = progress

    def train_fair(
        self,
        sources: Mapping[str, Counts | StrPath | Iterable[StrPath]],
        *,
        sizes: Mapping[str, int] | None = None,
        field: str = "text",
        errors: Errors = "strict",
        memory_limit: int | str | None = None,
    ) -> Tokenizer:
        """Learn a tokenizer that treats its sources, such as languages, alike.

        Every merge is taken for the source that is worst off, that is, has the most tokens for its
        size: it is the pair that occurs most often there. How much text a source has does not
        matter. This is parity-aware BPE (arXiv 2508.04796).

        Args:
            sources: By name, counts or files of a source.
            sizes: By name, what the tokens of a source are divided by; its bytes if it is not
                named. For sources that say the same, pass the same number for each: they then get
                the same number of tokens, as far as merges can do that.
            field: The field of JSON lines, or the column of Parquet files, that holds the text.
            errors: What to do with text that is not UTF-8: "strict" or "replace".
            memory_limit: How much memory counting may use, in bytes or like "64MB".

        Returns:
            The tokenizer. ``training_log(tok).helped`` names the source that each merge was taken
            for, ``sources`` tells what it saved in each.

        Raises:
            NoPiecesError: The sources are empty, or hold special tokens alone.
            TrainingError: The settings leave nothing to learn.
            CountsError: The sources were not counted alike.
            ArgumentError: A number makes no sense.

        Example:
            >>> from subword import BpeTrainer, count_pieces, training_log
            >>> en, fi = count_pieces(texts=["low lower low"]), count_pieces(texts=["niin naan"])
            >>> tok = BpeTrainer(num_merges=3).train_fair({"en": en, "fi": fi})
            >>> tok.merges, training_log(tok).helped
            ([(b'o', b'w'), (b'n', b'i'), (b'ni', b'i')], ('en', 'fi', 'fi'))
        """
        reading: dict[str, Any] = {"field": field, "errors": errors, "memory_limit": memory_limit}
        start = time.perf_counter()
        counts = self._counted(sources, reading)
        given = sizes_of(counts, sizes or {})
        first, *others = counts.values()
        phase = Phase("count", time.perf_counter() - start, peak_memory())
        parts = [(of._counts, given[name]) for name, of in counts.items()]
        tok = self._learn(sum(others, first), (phase,), sources=parts)
        log = tok._training_log
        assert log is not None  # it was trained just now
        log.sources = self._paid(tok, counts, log)
        names = list(counts)
        helped = [names[source] for source in log._learned.helped()]
        log.helped = (*helped, *[None] * (len(log._learned) - len(helped)))
        return tok

    def _check_counts(self, counts: Counts) -> None:
        if self.pattern is not None:
            check_pattern(self.pattern, counts)

    def _engine(self) -> Learn:
        return _core.train_bpe

    def _paid(self, tok: Tokenizer, counts: dict[str, Counts], log: TrainingLog) -> Paid | None:
        return paid(tok, counts, log._learned)

    def _counting(self) -> dict[str, Any]:
        return {"pattern": self._pattern(), "special_tokens": self._special_tokens()}

    def _settings(self) -> dict[str, Any]:
        special_tokens = self.special_tokens
        return {
            "vocab_size": self.vocab_size,
            "num_merges": self.num_merges,
            "special_tokens": None if special_tokens is None else distinct(special_tokens),
            "ties": self.ties,
            "min_count": self.min_count,
            "max_token_length": self.max_token_length,
            "initial_vocab": self.initial_vocab,
            "end_of_word": self._mark(),
            "unk_token": self.unk_token,
            "limit_alphabet": self.limit_alphabet,
            "character_coverage": self._coverage(),
            "byte_fallback": self.byte_fallback,
            "split_digits": self.split_digits,
            "base": self.base,
            "superwords": self.superwords,
            "whole_characters": self.whole_characters,
            "required": [*dict.fromkeys(tokens_of("required", self.required or ()))],
            "veto": vetoed(self.veto),
            "merged": merged(self.on_merge),
            "threads": self.threads,
        }

    def _check(self) -> None:
        if self.base is not None and not isinstance(self.base, Tokenizer):
            raise TypeError(f"base must be a Tokenizer, not {type(self.base).__name__}")
        if self.base is not None:
            self.base._require_pieces("base", "continued")
        super()._check()

    def _merges(self) -> int | None:
        if self.num_merges is not None or self.vocab_size is None:
            return self.num_merges
        first = 256 if self.base is None else self.base.vocab_size
        return max(0, self.vocab_size - first)

    def _too_much(self, log: _core.TrainingLog, tokens: int) -> str | None:
        if log.stop != "no pair left":
            return None
        name = "vocab_size" if self.num_merges is None else "num_merges"
        return (
            f"{name}={getattr(self, name)} is more than the corpus has: no pair is left after "
            f"{len(log)} merges ({tokens} tokens in all)"
        )

    def _pattern(self) -> Pattern:
        """The pattern to count by."""
        if self.pattern is not None:
            return self.pattern
        if self.superwords is not None:
            return SUPERWORDS
        if self.base is not None:
            return self.base.pattern
        if self.byte_fallback:
            return SENTENCEPIECE
        words = self.end_of_word is not None or self.initial_vocab == "chars"
        return "whitespace" if words else "gpt2"

    def _mark(self) -> str | None:
        """What ends every word."""
        if self.initial_vocab != "chars":
            return self.end_of_word
        default = None if self.byte_fallback else "</w>"
        return default if self.end_of_word is None else self.end_of_word or None

    def _coverage(self) -> float | None:
        """The share of the text whose characters are kept; None for all."""
        unsaid = self.character_coverage is None and self.limit_alphabet is None
        sentencepiece = self.byte_fallback and self.initial_vocab == "chars"
        return 0.9995 if unsaid and sentencepiece else self.character_coverage

    def _special_tokens(self) -> list[str]:
        """What is cut out of the text before it is counted."""
        own = distinct(self.special_tokens or ())
        base = [] if self.base is None else self.base.special_tokens
        return [*dict.fromkeys([*base, *own])]
