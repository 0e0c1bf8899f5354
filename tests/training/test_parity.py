"""Fair training: equal to the plain version, deterministic, and what it is for."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import (
    ArgumentError,
    BpeTrainer,
    Counts,
    Tokenizer,
    TrainingWarning,
    count_pieces,
    training_log,
)
from subword.reference import parity
from subword.reference.training import Ties

ties_rules: st.SearchStrategy[Ties] = st.sampled_from(["greatest", "smallest-ids"])
pieces = st.dictionaries(
    st.text("abcé", min_size=1, max_size=9).map(str.encode), st.integers(1, 50), max_size=9
)


def trained(sources: dict[str, Any], num_merges: int, **settings: Any) -> Tokenizer:
    """Train where running out of pairs is no surprise."""
    sizes = settings.pop("sizes", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return BpeTrainer(num_merges=num_merges, **settings).train_fair(sources, sizes=sizes)


@given(
    sources=st.lists(pieces, min_size=1, max_size=4),
    num_merges=st.integers(0, 20),
    sizes=st.none() | st.lists(st.integers(1, 400), min_size=4, max_size=4),
    ties=ties_rules,
    min_count=st.integers(1, 9),
)
def test_merges_are_those_of_the_plain_version(
    sources: list[dict[bytes, int]],
    num_merges: int,
    sizes: list[int] | None,
    ties: Ties,
    min_count: int,
) -> None:
    sources = [source | {b"ab": 3} for source in sources]
    given_sizes = None if sizes is None else sizes[: len(sources)]
    rules: dict[str, Any] = {"ties": ties, "min_count": min_count}
    expected = list(parity.learn(sources, num_merges, sizes=given_sizes, **rules))
    named = {str(at): Counts(source) for at, source in enumerate(sources)}
    size_of = given_sizes and dict(zip(named, given_sizes, strict=True))
    tok = trained(named, num_merges, sizes=size_of, **rules)
    assert tok.merges == [merge.pair for merge in expected]
    log = training_log(tok)
    assert log is not None
    assert [merge.count for merge in log.merges] == [merge.count for merge in expected]
    assert log.helped == tuple(str(merge.source) for merge in expected)
    assert log.sources is not None
    paid = [sum(of) for of in zip(*log.sources.values(), strict=True)]
    assert paid == [merge.saved for merge in log.merges]


@given(source=pieces, num_merges=st.integers(0, 20), ties=ties_rules)
def test_one_source_alone_is_plain_training(
    source: dict[bytes, int], num_merges: int, ties: Ties
) -> None:
    counts = Counts(source | {b"ab": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        plain = BpeTrainer(num_merges=num_merges, ties=ties).train_counts(counts)
    assert trained({"all": counts}, num_merges, ties=ties) == plain


@given(sources=st.lists(pieces, min_size=2, max_size=3), factor=st.integers(2, 5))
def test_how_much_text_a_source_has_decides_nothing(
    sources: list[dict[bytes, int]], factor: int
) -> None:
    named = {str(at): Counts(source | {b"ab": 3}) for at, source in enumerate(sources)}
    longer = named | {"0": named["0"].scaled(factor)}
    assert trained(longer, 12).merges == trained(named, 12).merges


TEXTS = {
    "en": ["the lowest of the low were slower than the slowest", "one of the few"],
    "fi": ["hitaammat olivat matalammalla kuin hitaimmat", "yksi harvoista"],
    "de": ["die Langsamsten der Langsamen waren die Niedrigsten", "einer der wenigen"],
}


def test_only_the_texts_decide(tmp_path: Path) -> None:
    trainer = BpeTrainer(300)
    for name, texts in TEXTS.items():
        for at, text in enumerate(texts):
            (tmp_path / f"{name}{at}.txt").write_text(text)
    files = {name: [tmp_path / f"{name}{at}.txt" for at in (1, 0)] for name in TEXTS}
    tok = trainer.train_fair(files, memory_limit=1)
    assert BpeTrainer(300, threads=1).train_fair(files) == tok
    counted = {
        name: sum((count_pieces(texts=[text]) for text in texts), Counts())
        for name, texts in TEXTS.items()
    }
    assert trainer.train_fair(counted) == tok


def test_a_small_language_is_no_longer_worst_off() -> None:
    sources = {
        "en": count_pieces(texts=TEXTS["en"] * 50),
        "fi": count_pieces(texts=TEXTS["fi"]),
    }
    plain = BpeTrainer(300).train_counts(sources["en"] + sources["fi"])
    fair = BpeTrainer(300).train_fair(sources)
    assert spread(fair) < 0.5 * spread(plain)


def spread(tok: Tokenizer) -> float:
    """How many more tokens a byte has in the worst language than in the best."""
    rates = [sum(tok.count_batch(TEXTS[name])) / len("".join(TEXTS[name])) for name in ("en", "fi")]
    return max(rates) - min(rates)


def test_merges_for_all_first_and_then_for_those_who_are_worst_off() -> None:
    sources = {name: count_pieces(texts=texts) for name, texts in TEXTS.items()}
    total = sources["en"] + sources["fi"] + sources["de"]
    base = BpeTrainer(280).train_counts(total)
    tok = BpeTrainer(320, base=base).train_fair(sources)
    assert tok.merges[:24] == base.merges
    assert tok.vocab_size == 320


def test_a_fair_vocabulary_of_superwords() -> None:
    texts = {name: [" ".join(texts * 3)] for name, texts in TEXTS.items()}
    base = BpeTrainer(330).train_fair({name: count_pieces(texts=of) for name, of in texts.items()})
    trainer = BpeTrainer(345, base=base, superwords="any")
    sources = {n: count_pieces(texts=of, **trainer.counting()) for n, of in texts.items()}
    tok = trainer.train_fair(sources)
    log = training_log(tok)
    assert log is not None
    assert log.helped is not None
    assert set(log.helped) <= set(TEXTS)
    assert any(b" " in token[1:] for token in tok.vocab.values())


def test_the_log_names_who_was_helped(tmp_path: Path) -> None:
    tok = trained({"a": Counts({b"ab": 1}), "b": Counts({b"yz": 9})}, 2)
    log = training_log(tok)
    assert log is not None
    log.save(tmp_path / "log.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["helped"] for line in lines if "helped" in line] == ["a", "b"]


@pytest.mark.parametrize(
    ("sources", "sizes", "words"),
    [
        ({}, None, "sources must name at least one source"),
        ({"a": Counts({b"a": 1})}, {"b": 1}, "sizes names 'b', which is no source"),
        ({"a": Counts({b"a": 1})}, {"a": 0}, "the size of 'a' must be at least 1, not 0"),
    ],
)
def test_sources_that_make_no_sense_are_refused(
    sources: dict[str, Counts], sizes: dict[str, int] | None, words: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        BpeTrainer(num_merges=1).train_fair(sources, sizes=sizes)
    assert str(caught.value) == words
    with pytest.raises(TypeError, match="the size of 'a' must be an integer, not str"):
        BpeTrainer(num_merges=1).train_fair({"a": Counts()}, sizes={"a": "1"})  # type: ignore[dict-item]
