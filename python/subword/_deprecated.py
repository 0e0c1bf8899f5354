"""Names of an earlier version, which still work and say what replaces them.

They go with the next version: then this file is deleted, with the lines that import it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from subword._errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

    from subword._corpus.encode_files import EncodedFiles
    from subword._counts import Counts
    from subword._decoder import Decoder
    from subword._explain.explanation import Explanation
    from subword._tokenizer import Tokenizer
    from subword._train.log import TrainingLog
    from subword._types import AddedToken, ModelInputs, Special, SpecialTokens, StrPath, Text

#: What replaces the values of ``encoder=``.
ENCODERS = {
    "merges": ("longest_match", False),
    "longest": ("longest_match", True),
    "fast": ("linear_time", False),
    "linear": ("linear_time", True),
}


def warn(old: str, new: str) -> None:
    """Say what replaces a name, at the line that uses it."""
    message = f"{old} is deprecated and goes with the next version: use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def split_encoder(
    encoder: str | None, longest_match: bool | None, linear_time: bool | None
) -> tuple[bool | None, bool | None]:
    """What ``encoder=`` meant, as the two arguments that replace it."""
    if encoder is None:
        return longest_match, linear_time
    if encoder not in ENCODERS:
        names = '"merges", "longest", "fast" or "linear"'
        raise ArgumentError("encoder", f"encoder must be {names}, not {encoder!r}")
    name, value = ENCODERS[encoder]
    message = f'encoder="{encoder}" is deprecated and goes with the next version'
    warnings.warn(f"{message}: pass {name}={value}", DeprecationWarning, stacklevel=3)
    if name == "longest_match":
        return value, linear_time
    return longest_match, value


class OldNames:
    """The old names of `Tokenizer`."""

    def __dir__(self) -> list[str]:
        """All names but the old ones, which completion need not offer."""
        old = {name for name in vars(OldNames) if not name.startswith("_")}
        return sorted({*super().__dir__()} - old)

    @classmethod
    def from_files(
        cls,
        vocab_filepath: StrPath,
        merges_filepath: StrPath,
        special_tokens: Iterable[str] | None = None,
        **settings: Any,
    ) -> Self:
        """Deprecated: use `Tokenizer.load`, or `subword.integrations.cs336`."""
        warn("Tokenizer.from_files", "Tokenizer.load(vocab, merges=merges)")
        load = cast("type[Tokenizer]", cls).load
        made: Any = load(
            vocab_filepath, merges=merges_filepath, special_tokens=special_tokens, **settings
        )
        return cast("Self", made)

    def encode_iterable(self, texts: Iterable[Text], **settings: Any) -> Iterator[int]:
        """Deprecated: use `Tokenizer.encode_iter`."""
        warn("Tokenizer.encode_iterable", "Tokenizer.encode_iter")
        return self._tok.encode_iter(texts, **settings)

    def encode_files(
        self, sources: StrPath | Iterable[StrPath], out: StrPath, **settings: Any
    ) -> EncodedFiles:
        """Deprecated: use `subword.encode_files`."""
        warn("Tokenizer.encode_files", "subword.encode_files(tok, ...)")
        from subword._corpus.encode_files import encode_files

        return encode_files(self._tok, sources, out, **settings)

    def encode_inputs(
        self, texts: Iterable[Text], pairs: Iterable[Text] | None = None, **settings: Any
    ) -> ModelInputs:
        """Deprecated: use `subword.encode_inputs`."""
        warn("Tokenizer.encode_inputs", "subword.encode_inputs(tok, ...)")
        from subword._inputs import encode_inputs

        return encode_inputs(self._tok, texts, pairs, **settings)

    def explain(self, piece: Text) -> Explanation:
        """Deprecated: use `subword.explain`."""
        warn("Tokenizer.explain", "subword.explain(tok, piece)")
        return self._tok._explainer.piece(piece)

    def explain_text(self, text: Text, *, special: Special = "text") -> list[Explanation]:
        """Deprecated: use `subword.explain_text`."""
        warn("Tokenizer.explain_text", "subword.explain_text(tok, text)")
        return self._tok._explainer.text(text, special)

    def pruned(
        self, counts: Counts, *, threads: int | None = None
    ) -> tuple[Self, npt.NDArray[np.int64]]:
        """Deprecated: use `subword.prune`."""
        warn("Tokenizer.pruned", "subword.prune(tok, counts)")
        from subword._smaller import prune

        smaller, new_ids = prune(self._tok, counts, threads=threads)
        return cast("Self", smaller), new_ids

    def truncated(self, vocab_size: int) -> Self:
        """Deprecated: use `subword.truncate`."""
        warn("Tokenizer.truncated", "subword.truncate(tok, vocab_size)")
        from subword._smaller import truncate

        return cast("Self", truncate(self._tok, vocab_size))

    def with_special_tokens(self, special_tokens: SpecialTokens) -> Self:
        """Deprecated: use `subword.with_special_tokens`."""
        warn("Tokenizer.with_special_tokens", "subword.with_special_tokens(tok, ...)")
        from subword._variants import with_special_tokens

        return cast("Self", with_special_tokens(self._tok, special_tokens))

    def with_template(self, **settings: Any) -> Self:
        """Deprecated: use `subword.with_template`."""
        warn("Tokenizer.with_template", "subword.with_template(tok, ...)")
        from subword._variants import with_template

        return cast("Self", with_template(self._tok, **settings))

    @property
    def added_tokens(self) -> list[AddedToken]:
        """Deprecated: use `subword.added_tokens`."""
        warn("Tokenizer.added_tokens", "subword.added_tokens(tok)")
        return self._tok._added_tokens

    def decoder(self, **settings: Any) -> Decoder:
        """Deprecated: use `subword.Decoder`."""
        warn("Tokenizer.decoder", "subword.Decoder(tok)")
        from subword._decoder import Decoder

        return Decoder(self._tok, **settings)

    def find_token(self, token: bytes) -> int | None:
        """Deprecated: use `Tokenizer.token_id`."""
        warn("Tokenizer.find_token", "Tokenizer.token_id, which raises KeyError")
        return self._tok._find_token(token)

    @property
    def training_log(self) -> TrainingLog | None:
        """Deprecated: use `subword.training_log`."""
        warn("Tokenizer.training_log", "subword.training_log(tok)")
        return self._tok._training_log

    @property
    def cache_bytes(self) -> int:
        """Deprecated: it is an argument, and no longer an attribute."""
        warn("Tokenizer.cache_bytes", "the number that you have passed")
        return self._tok._cache_bytes

    @property
    def _tok(self) -> Tokenizer:
        return cast("Tokenizer", self)


def old_function(name: str) -> Callable[..., Any] | None:
    """The function that ``subword.name`` was, or None."""
    if name != "train_bpe":
        return None
    warn("subword.train_bpe", "subword.integrations.cs336.train_bpe, or BpeTrainer")
    from subword.integrations.cs336 import train_bpe

    return train_bpe
