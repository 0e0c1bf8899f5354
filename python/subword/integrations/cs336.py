"""Stanford's CS336, assignment 1: `Tokenizer` and ``train_bpe`` under the names of its tests.

    from subword.integrations.cs336 import Tokenizer, train_bpe

    vocab, merges = train_bpe("corpus.txt", 10_000, ["<|endoftext|>"])
    tok = Tokenizer(vocab, merges, ["<|endoftext|>"])

In this interface a text that spells a special token becomes its id. The rest of the class is that
of `subword.Tokenizer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import subword

if TYPE_CHECKING:
    from typing_extensions import Self

    from subword._types import SpecialTokens, StrPath, Text


class Tokenizer(subword.Tokenizer):
    """A `subword.Tokenizer` under the names of CS336.

    Example:
        >>> from subword.integrations.cs336 import Tokenizer
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|endoftext|>"])
        >>> tok.encode("a<|endoftext|>"), list(tok.encode_iterable(["a", "<|endoftext|>"]))
        ([97, 256], [97, 256])
    """

    def encode(self, text: Text, **settings: Any) -> list[int]:
        """Encode one text; special tokens become their ids unless ``special=`` says otherwise."""
        return super().encode(text, **{"special": "encode", **settings})

    def encode_iterable(self, texts: Iterable[Text], **settings: Any) -> Iterator[int]:
        """Encode texts that arrive one by one, as if they were one text, lazily."""
        return self.encode_iter(texts, **{"special": "encode", **settings})

    @classmethod
    def from_files(
        cls,
        vocab_filepath: StrPath,
        merges_filepath: StrPath,
        special_tokens: SpecialTokens | None = None,
        **settings: Any,
    ) -> Self:
        """Read ``vocab.json`` and ``merges.txt``; other ``settings`` are those of `load`.

        Example:
            >>> import subword
            >>> from subword.integrations.cs336 import Tokenizer
            >>> trained = subword.BpeTrainer(num_merges=1).train_iter(["low low"])
            >>> trained.save("files", format="gpt2")
            >>> Tokenizer.from_files("files/vocab.json", "files/merges.txt").encode("low")
            [108, 256]
        """
        return cls.load(
            vocab_filepath,
            **{"pattern": "gpt2", **settings},
            special_tokens=special_tokens,
            merges=merges_filepath,
        )


def train_bpe(
    input_path: StrPath, vocab_size: int, special_tokens: Sequence[str] = (), **settings: Any
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Learn a vocabulary and merges from a file.

    Args:
        input_path: The file.
        vocab_size: The number of tokens, the 256 bytes and the special tokens included.
        special_tokens: Strings that are cut out of the text, and get the last ids.
        **settings: Other settings of `subword.BpeTrainer`.

    Returns:
        The tokens by id, and the merges, the first merge first.

    Raises:
        TrainingError: There is nothing to learn.

    Example:
        >>> from pathlib import Path
        >>> from subword.integrations.cs336 import train_bpe
        >>> _ = Path("corpus.txt").write_text("low low lower<|endoftext|>lowest")
        >>> vocab, merges = train_bpe("corpus.txt", 259, ["<|endoftext|>"])
        >>> merges
        [(b'o', b'w'), (b'l', b'ow')]
        >>> vocab[257], vocab[258]
        (b'low', b'<|endoftext|>')
    """
    trainer = subword.BpeTrainer(vocab_size, special_tokens=special_tokens, **settings)
    tokenizer = trainer.train(input_path)
    return tokenizer.vocab, tokenizer.merges
