"""Special tokens of a training: each is there once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from subword import ArgumentError, BpeTrainer, Tokenizer, WordPieceTrainer


@pytest.mark.parametrize(
    "train",
    [
        lambda special: BpeTrainer(300, special_tokens=special).train_iter(["low low"]),
        lambda special: WordPieceTrainer(300, special_tokens=special).train_iter(["low low"]),
        lambda special: BpeTrainer(300, special_tokens=special).counting(),
    ],
    ids=["bpe", "wordpiece", "counting"],
)
def test_a_special_token_that_is_there_twice_is_refused_by_name(
    train: Callable[[list[str]], object],
) -> None:
    with pytest.raises(ArgumentError) as told:
        train(["[UNK]", "<a>", "<b>", "<a>"])
    assert told.value.argument == "special_tokens"
    assert str(told.value) == "special_tokens has '<a>' twice, and a token has one id"


def test_a_vocabulary_is_as_large_as_was_asked_for() -> None:
    texts = ["the lowest of the low were slower than the slowest"]
    tok = BpeTrainer(262, special_tokens=["<a>", "<b>"]).train_iter(texts)
    assert isinstance(tok, Tokenizer)
    assert tok.vocab_size == 262
