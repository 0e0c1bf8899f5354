"""Superwords: equal to the plain version, deterministic, and the ids of the real tokenizers."""

from __future__ import annotations

import random
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any, Literal

import pytest
import subword
from hypothesis import given
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    Tokenizer,
    TrainingError,
    TrainingWarning,
    count_pieces,
    training_log,
)
from subword.reference import superwords
from subword.reference.training import Ties

SENTENCE = r"[^.\n]+[.\n]?"  # a pattern for superwords that gives small pieces
WORD = r" ?[a-z]+|[^a-z]"

Kind = Literal["any", "whole"]
kinds: st.SearchStrategy[Kind] = st.sampled_from(["any", "whole"])
ties_rules: st.SearchStrategy[Ties] = st.sampled_from(["greatest", "smallest-ids"])
words = st.sampled_from(["ab", "a", "b", "abab", "ba", ".", "\n", "'a", "  b", "a.b"])
documents = st.lists(st.lists(words, max_size=12).map(" ".join), min_size=1, max_size=6)


def trained(texts: list[str], num_merges: int, **settings: Any) -> Tokenizer:
    """Train where running out of pairs is no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return BpeTrainer(num_merges=num_merges, **settings).train_iter(texts)


def base_of(texts: list[str], num_merges: int, **settings: Any) -> Tokenizer:
    return trained([*texts, "a"], num_merges, pattern=WORD, **settings)


@given(
    texts=documents,
    first=st.integers(0, 6),
    second=st.integers(0, 12),
    kind=kinds,
    ties=ties_rules,
    min_count=st.integers(1, 3),
)
def test_merges_are_those_of_the_plain_version(
    texts: list[str], first: int, second: int, kind: Kind, ties: Ties, min_count: int
) -> None:
    texts = [*texts, "a b"]
    base = base_of(texts, first)
    rules: dict[str, Any] = {"ties": ties, "min_count": min_count}
    tok = trained(texts, second, base=base, superwords=kind, pattern=SENTENCE, **rules)
    pieces = dict(count_pieces(texts=texts, pattern=SENTENCE))
    cut = (lambda piece: subword.split(piece, WORD)) if kind == "whole" else None
    expected = list(superwords.learn(pieces, base.merges, second, cut=cut, **rules))
    assert tok.merges == [*base.merges, *(merge.pair for merge in expected)]
    log = training_log(tok)
    assert log is not None
    assert [merge.count for merge in log.merges] == [merge.count for merge in expected]


@given(texts=documents, kind=kinds, seed=st.integers(0, 99))
def test_only_the_texts_decide(texts: list[str], kind: Kind, seed: int) -> None:
    texts = [*texts, "a b"]
    settings: dict[str, Any] = {"base": base_of(texts, 4), "superwords": kind, "pattern": SENTENCE}
    tok = trained(texts, 9, **settings)
    shuffled = random.Random(seed).sample(texts, len(texts))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trainer = BpeTrainer(num_merges=9, **settings, threads=1 + seed % 3)
        assert trainer.train_iter(shuffled, memory_limit=1) == tok
        half = len(texts) // 2
        parts = [shuffled[:half], shuffled[half:]]
        counts = [count_pieces(texts=part, **trainer.counting()) for part in parts]
        assert trainer.train_counts(counts[0] + counts[1]) == tok


@given(texts=documents, kind=kinds, other=st.lists(words, max_size=20).map(" ".join))
def test_the_saved_file_gives_the_same_ids_in_the_real_library(
    texts: list[str], kind: Kind, other: str
) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    texts = [*texts, "a b"]
    tok = trained(texts, 12, base=base_of(texts, 4), superwords=kind)
    with tempfile.TemporaryDirectory() as folder:
        tok.save(Path(folder) / "tokenizer.json", format="huggingface")
        real = tokenizers.Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    for text in [*texts, other, " ".join([other, *texts])]:
        assert tok.encode(text) == real.encode(text).ids


PROSE = [
    "one of the few, one of the many. ",
    "two of the few; out of the way!! ",
    "1234 of the 99\n",
]


def test_superwords_hold_white_space_and_words_do_not() -> None:
    base = BpeTrainer(num_merges=20).train_iter(PROSE * 9)
    tok = BpeTrainer(num_merges=12, base=base, superwords="any").train_iter(PROSE * 9)
    new = [left + right for left, right in tok.merges[20:]]
    assert b" of the" in new
    assert not any(re.search(rb"\S ", left + right) for left, right in tok.merges[:20])
    assert not any(re.search(rb"[0-9][^0-9]|[^0-9][0-9]", token) for token in new)
    assert tok.pattern != base.pattern
    text = "".join(PROSE)
    assert tok.decode(tok.encode(text)) == text
    assert len(tok.encode(text)) < len(base.encode(text))


def test_whole_words_alone_merge_with_whole() -> None:
    base = BpeTrainer(num_merges=20).train_iter(PROSE * 9)
    known = {left + right for left, right in base.merges} | {bytes([byte]) for byte in range(256)}
    tok = BpeTrainer(num_merges=7, base=base, superwords="whole").train_iter(PROSE * 9)
    longer = [piece for text in PROSE for piece in subword.split(text.encode(), tok.pattern)]
    pieces = {piece for one in longer for piece in subword.split(one, base.pattern)}
    for left, right in tok.merges[20:]:
        cut = subword.split(left + right, base.pattern)
        assert len(cut) > 1
        assert all(piece in pieces and piece in known for piece in cut)


def test_superwords_need_a_base_that_starts_from_bytes() -> None:
    with pytest.raises(
        ValueError, match="superwords go with a base: the tokenizer that has learned"
    ):
        BpeTrainer(300, superwords="any").train_iter(PROSE)
    chars = BpeTrainer(num_merges=3, initial_vocab="chars").train_iter(PROSE)
    with pytest.raises(TrainingError) as refused:
        BpeTrainer(num_merges=3, base=chars, superwords="any").train_iter(PROSE)
    assert str(refused.value) == (
        "superwords start from a base of bytes\n"
        "  hint: this base starts from characters, or has an end-of-word mark"
    )
    base = BpeTrainer(num_merges=3).train_iter(PROSE)
    with pytest.raises(ValueError, match="superwords must be"):
        BpeTrainer(num_merges=3, base=base, superwords="all").train_iter(PROSE)  # type: ignore[arg-type]


def test_a_published_vocabulary_can_be_extended(tmp_path: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b" of": 256, b"th": 257, b" the": 258}
    base = Tokenizer.from_ranks(ranks, pattern="cl100k")
    tok = BpeTrainer(vocab_size=262, base=base, superwords="any").train_iter(PROSE * 9)
    assert tok.vocab_size == 262
    tok.save(tmp_path / "super.tiktoken")
    again = Tokenizer.load(tmp_path / "super.tiktoken", pattern=tok.pattern)
    assert again.encode("".join(PROSE)) == tok.encode("".join(PROSE))
