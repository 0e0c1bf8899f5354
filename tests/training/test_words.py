"""Training on words: characters, a mark at the end of each, a token for what is unknown."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import BpeTrainer, Tokenizer, TrainingWarning, truncate
from subword.reference import naive
from subword.reference.training import Ties

CLASSIC = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3

words = st.text("abcdé中", min_size=1, max_size=8)
texts = st.lists(words, min_size=1, max_size=30).map(" ".join)
rules: st.SearchStrategy[Ties] = st.sampled_from(get_args(Ties))


def classic(**settings: object) -> Tokenizer:
    trainer = BpeTrainer(initial_vocab="chars", end_of_word="</w>", **settings)  # type: ignore[arg-type]
    return trainer.train_iter([CLASSIC])


def test_the_classic_example() -> None:
    tok = classic(num_merges=4, ties="smallest-ids", unk_token="<unk>")
    assert tok.pattern == "whitespace"
    assert [token.decode() for token in tok.vocab.values()][:12] == [*"deilnorstw", "</w>", "es"]
    assert tok.merges == [
        (b"e", b"s"),
        (b"t", b"</w>"),
        (b"es", b"t</w>"),
        (b"l", b"o"),
    ]
    ids = tok.encode("lowest")
    assert [tok.vocab[id] for id in ids] == [b"lo", b"w", b"est</w>"]
    assert tok.decode(tok.encode("newest lower")) == "newest lower"
    assert tok.vocab[tok.encode("x")[0]] == b"<unk>"


def test_a_classic_vocabulary_is_saved_and_loaded(tmp_path: Path) -> None:
    tok = classic(num_merges=4, unk_token="<unk>")
    tok.save(tmp_path / "tok.json")
    assert Tokenizer.load(tmp_path / "tok.json") == tok


@given(text=texts, ties=rules)
def test_merges_are_those_of_the_naive_trainer_over_characters(text: str, ties: Ties) -> None:
    counts = Counter(text.split())
    pieces = [([*(c.encode() for c in word), b"</w>"], count) for word, count in counts.items()]
    alphabet = [character.encode() for character in sorted({*text} - {" "})]
    expected = naive.learn(pieces, 12, ids=[*alphabet, b"</w>"], ties=ties)
    trainer = BpeTrainer(num_merges=12, initial_vocab="chars", end_of_word="</w>", ties=ties)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tok = trainer.train_iter([text])
    assert tok.merges == [merge.pair for merge in expected]


def test_the_most_frequent_characters_are_kept() -> None:
    trainer = BpeTrainer(
        num_merges=0, initial_vocab="chars", end_of_word="</w>", limit_alphabet=2, unk_token="?"
    )
    tok = trainer.train_iter(["aaa bb bb c d"])
    assert list(tok.vocab.values()) == [b"a", b"b", b"</w>", b"?"]
    assert [tok.vocab[id] for id in tok.encode("abc")] == [b"a", b"b", b"?", b"</w>"]


def test_bytes_may_have_a_mark_too() -> None:
    tok = BpeTrainer(num_merges=3, end_of_word="</w>").train_iter(["low low lower"])
    assert tok.vocab[256] == b"</w>"
    assert tok.decode(tok.encode("low lower")) == "low lower"


@pytest.mark.parametrize("size", [18, 14])
def test_a_smaller_one_is_what_a_shorter_training_gives(size: int) -> None:
    tok = classic(vocab_size=20, unk_token="<unk>")
    assert truncate(tok, size) == classic(vocab_size=size, unk_token="<unk>")
