"""Training: equal to the naive trainer, whatever the order, the shards, the threads, the memory."""

from __future__ import annotations

import pickle
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    Counts,
    Tokenizer,
    TrainingWarning,
    _core,
    count_pieces,
    training_log,
)
from subword.reference import merge_by_list, naive
from subword.reference.training import BYTES, Merge, Ties, as_bytes

from tests.support.strategies import texts

pieces = st.one_of(
    st.text("ab", min_size=1, max_size=12).map(str.encode),
    st.text("aéz中 ", min_size=1, max_size=6).map(str.encode),
    st.binary(min_size=1, max_size=4),
)
numbers = st.one_of(st.integers(1, 4), st.integers(1, 1 << 40))
piece_counts = st.dictionaries(pieces, numbers, min_size=1, max_size=15)
rules: st.SearchStrategy[Ties] = st.sampled_from(get_args(Ties))
merge_numbers = st.integers(0, 25)
thread_numbers = st.integers(1, 4)


def of(counts: dict[bytes, int], special_tokens: list[str] | None = None) -> Counts:
    """Counts of these pieces, whatever text they may come from."""
    return Counts(counts, pattern="none", special_tokens=special_tokens or [])


def trained(counts: Counts, **settings: Any) -> Tokenizer:
    """Train where running out of pairs is no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return BpeTrainer(**settings).train_counts(counts)


# The definition


@given(counts=piece_counts, num_merges=merge_numbers, ties=rules, threads=thread_numbers)
def test_merges_are_those_of_the_naive_trainer(
    counts: dict[bytes, int], num_merges: int, ties: Ties, threads: int
) -> None:
    tok = trained(of(counts), num_merges=num_merges, ties=ties, threads=threads)
    assert tok.merges == naive.train_bpe(counts, num_merges, ties=ties)


@given(
    counts=piece_counts,
    ties=rules,
    min_count=st.integers(1, 8),
    max_token_length=st.one_of(st.none(), st.integers(1, 7)),
    seed=st.integers(0, 99),
)
def test_all_settings_mean_what_they_mean_to_the_naive_trainer(
    counts: dict[bytes, int],
    ties: Ties,
    min_count: int,
    max_token_length: int | None,
    seed: int,
) -> None:
    ids = random.Random(seed).sample(BYTES, 256)
    settings = {"ties": ties, "min_count": min_count, "max_token_length": max_token_length}
    tok = trained(of(counts), num_merges=20, initial_vocab=ids, **settings)
    assert tok.merges == naive.train_bpe(counts, 20, ids=ids, **settings)  # type: ignore[arg-type]
    assert [tok.vocab[id] for id in range(256)] == ids


@given(counts=piece_counts, num_merges=merge_numbers, seed=st.integers())
def test_the_order_of_the_pieces_does_not_matter(
    counts: dict[bytes, int], num_merges: int, seed: int
) -> None:
    items = list(counts.items())
    random.Random(seed).shuffle(items)
    one, other = (trained(of(c), num_merges=num_merges) for c in (counts, dict(items)))
    assert one == other


@pytest.mark.slow
@given(parts=st.lists(piece_counts, min_size=1, max_size=4), num_merges=merge_numbers, ties=rules)
def test_counts_may_be_added_up_in_any_order(
    parts: list[dict[bytes, int]], num_merges: int, ties: Ties
) -> None:
    def added(order: list[dict[bytes, int]]) -> Counts:
        total = of({})
        for part in order:
            total = total + of(part)
        return total

    one = trained(added(parts), num_merges=num_merges, ties=ties)
    other = trained(added(parts[::-1]), num_merges=num_merges, ties=ties)
    assert one == other


SPECIAL = ["<|endoftext|>", "<|endo"]
documents = st.lists(texts, min_size=1, max_size=6)


def counted_plainly(documents: list[str]) -> dict[bytes, int]:
    """Cut out special tokens, the longest first, then cut by the pattern, then count."""
    counts: dict[bytes, int] = {}
    for document in documents:
        spans = [part for whole in document.split(SPECIAL[0]) for part in whole.split(SPECIAL[1])]
        for span in spans:
            for piece in _core.split(span, "gpt2"):
                counts[piece] = counts.get(piece, 0) + 1
    return counts


@given(
    documents=documents,
    ties=rules,
    threads=thread_numbers,
    memory_limit=st.sampled_from([None, 1, 1000, "1MB"]),
)
def test_texts_give_the_merges_of_the_naive_trainer_over_plain_counts(
    documents: list[str], ties: Ties, threads: int, memory_limit: int | str | None
) -> None:
    counts = counted_plainly(documents)
    if not counts:
        return
    trainer = BpeTrainer(num_merges=20, ties=ties, special_tokens=SPECIAL, threads=threads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tok = trainer.train_iter(documents, memory_limit=memory_limit)
    assert tok.merges == naive.train_bpe(counts, 20, ties=ties)


@given(documents=documents, seed=st.integers(), threads=thread_numbers)
def test_order_shards_and_threads_do_not_change_the_tokenizer(
    documents: list[str], seed: int, threads: int
) -> None:
    dice = random.Random(seed)
    shuffled = dice.sample(documents, len(documents))
    cut = dice.randint(0, len(documents))
    settings: dict[str, Any] = {"pattern": "gpt2", "special_tokens": SPECIAL}
    whole = count_pieces(texts=documents, threads=1, **settings)
    if not whole:
        return
    parts = [shuffled[:cut], shuffled[cut:]]
    shards = [
        count_pieces(texts=part, threads=threads, memory_limit=1, **settings) for part in parts
    ]
    one = trained(whole, num_merges=15)
    other = trained(shards[0] + shards[1], num_merges=15, threads=threads)
    assert one == other


@given(
    documents=documents,
    ties=rules,
    threads=thread_numbers,
    seed=st.integers(),
    memory_limit=st.sampled_from([None, 1]),
)
def test_files_in_any_order_give_what_their_texts_give(
    documents: list[str], ties: Ties, threads: int, seed: int, memory_limit: int | None
) -> None:
    counts = counted_plainly(documents)
    if not counts:
        return
    settings: dict[str, Any] = {"ties": ties, "special_tokens": SPECIAL, "threads": threads}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        paths = [Path(folder, f"{number}.txt") for number in range(len(documents))]
        for path, document in zip(paths, documents, strict=True):
            path.write_bytes(document.encode())
        random.Random(seed).shuffle(paths)
        trainer = BpeTrainer(num_merges=20, **settings)
        tok = trainer.train(paths, memory_limit=memory_limit)
    assert tok.merges == naive.train_bpe(counts, 20, ties=ties)


# Known answers


@pytest.mark.parametrize("ties", get_args(Ties))
@pytest.mark.parametrize(
    "counts",
    [
        {b"a" * n: 1 for n in range(1, 20)},
        {b"a" * 1000: 3, b"b" + b"a" * 999: 2},
        {b"bnanana": 1, b"banana": 2, b"nananana": 3},
        {b"aaaaa": 1},
        {b"abab" * 50 + b"a": 7, b"ba" * 3: 1},
        {bytes(range(256)) * 2: 1},
        {b"\x00\x00\x00": 2, b"\xff\xff": 3},
    ],
    ids=["runs", "long runs", "bnanana", "aaaaa", "abab", "all bytes", "zero"],
)
def test_repetition_is_exact(counts: dict[bytes, int], ties: Ties) -> None:
    tok = trained(of(counts), num_merges=40, ties=ties)
    assert tok.merges == naive.train_bpe(counts, 40, ties=ties)


def test_counts_above_32_bits_are_counts() -> None:
    many = (1 << 32) + 5
    counts = {b"ab": many, b"cd": many + 1, b"cb": 1 << 33, b"e": 1}
    tok = trained(of(counts), num_merges=3)
    assert tok.merges == [(b"c", b"b"), (b"c", b"d"), (b"a", b"b")]
    log = training_log(tok)
    assert log is not None
    assert [merge.count for merge in log.merges] == [1 << 33, many + 1, many]


def test_sums_above_32_bits_are_sums() -> None:
    """Many pieces below the limit whose pairs together are above it."""
    counts = {b"ab" + bytes([n]): 1 << 31 for n in range(4)} | {b"xy": 1 << 32}
    tok = trained(of(counts), num_merges=1)
    assert tok.merges == [(b"a", b"b")]
    log = training_log(tok)
    assert log is not None
    assert log.merges[0].count == 1 << 33


# What comes out


def test_bytes_come_first_then_merges_then_special_tokens() -> None:
    trainer = BpeTrainer(vocab_size=260, special_tokens=["<b>", "<a>"])
    tok = trainer.train_iter(["low lower lowest", "<a>low<b>"])
    assert [tok.vocab[id] for id in range(256)] == BYTES
    assert [tok.vocab[256 + rank] for rank in range(2)] == [b"ow", b"low"]
    assert tok.special_tokens == {"<b>": 258, "<a>": 259}
    assert tok.vocab_size == 260
    assert tok.kind == "merges"
    assert tok.pattern == "gpt2"


def test_no_merges_at_all_is_a_tokenizer_too() -> None:
    tok = BpeTrainer(vocab_size=257, special_tokens=["<s>"]).train_iter(["low"])
    assert (tok.merges, tok.encode("low")) == ([], [108, 111, 119])


@given(documents=documents, text=texts)
def test_a_trained_tokenizer_loses_nothing(documents: list[str], text: str) -> None:
    counts = count_pieces(texts=documents, pattern="cl100k", special_tokens=[])
    if not counts:
        return
    tok = trained(counts, num_merges=30)
    assert tok.decode_bytes(tok.encode(text)) == text.encode()


@given(counts=piece_counts, ties=rules)
def test_encoding_gives_the_tokens_that_training_ended_with(
    counts: dict[bytes, int], ties: Ties
) -> None:
    tok = trained(of(counts), num_merges=12, ties=ties)
    ranks = {pair: rank for rank, pair in enumerate(tok.merges)}
    for piece in counts:
        assert [tok.vocab[id] for id in tok.encode(piece)] == merge_by_list(piece, ranks)


def test_it_is_saved_and_loaded_like_any_other(tmp_path: Path) -> None:
    tok = BpeTrainer(vocab_size=264, special_tokens=["<s>"]).train_iter(["low lower lowest slow"])
    tok.save(tmp_path / "tok.json")
    assert Tokenizer.load(tmp_path / "tok.json") == tok
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    assert training_log(again) is None


# The log


@given(counts=piece_counts, ties=rules)
def test_the_log_has_the_counts_of_the_naive_trainer(counts: dict[bytes, int], ties: Ties) -> None:
    tok = trained(of(counts), num_merges=15, ties=ties)
    log = training_log(tok)
    assert log is not None
    found = [Merge(merge.pair, merge.count) for merge in log.merges]
    assert found == list(naive.learn(as_bytes(counts), 15, ids=BYTES, ties=ties))


@given(counts=piece_counts)
def test_what_is_saved_is_what_the_corpus_lost(counts: dict[bytes, int]) -> None:
    tok = trained(of(counts), num_merges=15)
    log = training_log(tok)
    assert log is not None
    saved = sum(merge.saved for merge in log.merges)
    before = sum(len(piece) * count for piece, count in counts.items())
    after = sum(len(tok.encode(piece)) * count for piece, count in counts.items())
    assert saved == before - after


# Going on from a tokenizer


@given(counts=piece_counts, first=st.integers(0, 10), more=st.integers(0, 10))
def test_going_on_is_as_if_it_had_not_stopped(
    counts: dict[bytes, int], first: int, more: int
) -> None:
    base = trained(of(counts), num_merges=first)
    grown = trained(of(counts), num_merges=more, base=base)
    assert grown == trained(of(counts), num_merges=len(base.merges) + more)


@given(old=piece_counts, new=piece_counts, ties=rules)
def test_new_text_adds_merges_and_changes_no_id(
    old: dict[bytes, int], new: dict[bytes, int], ties: Ties
) -> None:
    base = trained(of(old, ["<s>"]), num_merges=8)
    grown = trained(of(new, ["<s>"]), num_merges=8, base=base, ties=ties)
    assert grown.vocab.items() >= base.vocab.items()
    assert grown.merges[: len(base.merges)] == base.merges
    assert grown.special_tokens == base.special_tokens
    ranks = {pair: rank for rank, pair in enumerate(base.merges)}
    words = [(merge_by_list(piece, ranks), count) for piece, count in new.items()]
    ids = [base.vocab[id] for id in sorted(base.vocab)]
    found = naive.learn(words, 20, ids=ids, ties=ties)
    expected = [merge.pair for merge in found if merge.pair not in base.merges][:8]
    assert grown.merges[len(base.merges) :] == expected
