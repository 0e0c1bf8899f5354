"""Mixtures: the counts of weighted sources, and what each source paid."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import (
    ArgumentError,
    BpeTrainer,
    Counts,
    TrainingWarning,
    UnigramTrainer,
    WordPieceTrainer,
    count_pieces,
    training_log,
)
from subword.reference import merge_by_list

pieces = st.dictionaries(
    st.text("abé", min_size=1, max_size=9).map(str.encode), st.integers(1, 50), max_size=9
)
weights = st.one_of(st.integers(0, 3), st.fractions(0, 3, max_denominator=20))


@given(web=pieces, code=pieces, weight=weights, other=weights)
def test_sources_pay_what_was_saved_and_the_merges_are_those_of_the_sum(
    web: dict[bytes, int], code: dict[bytes, int], weight: Fraction, other: Fraction
) -> None:
    sources = {"web": Counts(web | {b"ab": 9}), "code": Counts(code | {b"aab": 9})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trainer = BpeTrainer(num_merges=8)
        mixture = {"web": (sources["web"], weight + 1), "code": (sources["code"], other + 1)}
        tok = trainer.train_sources(mixture)
        scaled = {name: of.scaled(number) for name, (of, number) in mixture.items()}
        assert tok == trainer.train_counts(scaled["web"] + scaled["code"])
    log = training_log(tok)
    assert log is not None
    assert log.sources is not None
    paid = [sum(of) for of in zip(*log.sources.values(), strict=True)]
    assert paid == [merge.saved for merge in log.merges]
    ranks = {pair: rank for rank, pair in enumerate(tok.merges)}
    for name, counts in scaled.items():
        saved = sum(
            count * (len(piece) - len(merge_by_list(piece, ranks))) for piece, count in counts
        )
        assert sum(log.sources[name]) == saved


@given(web=pieces, code=pieces, share=st.integers(1, 9))
def test_shares_are_shares_of_the_bytes_and_lose_no_piece(
    web: dict[bytes, int], code: dict[bytes, int], share: int
) -> None:
    from subword._train.sources import weighted, weights_of

    sources = {"web": Counts(web | {b"ab": 500}), "code": Counts(code | {b"aab": 300})}
    found = weights_of(sources, {"web": Fraction(share, 10), "code": Fraction(10 - share, 10)})
    assert min(found.values()) == 1
    scaled = weighted(sources, found)
    assert {name: set(dict(of)) for name, of in scaled.items()} == {
        name: set(dict(of)) for name, of in sources.items()
    }
    sizes = {name: sum(len(piece) * n for piece, n in of) for name, of in scaled.items()}
    exact = {
        name: found[name] * sum(len(piece) * n for piece, n in of) for name, of in sources.items()
    }
    assert exact["web"] * (10 - share) == exact["code"] * share
    letters = {name: sum(map(len, dict(of))) for name, of in sources.items()}
    assert all(abs(sizes[name] - exact[name]) <= Fraction(letters[name], 2) for name in sizes)


def test_sources_may_be_files_and_the_log_names_them(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text("low lower low")
    (tmp_path / "code.txt").write_text("row row")
    files = {name: (tmp_path / f"{name}.txt", 1) for name in ("web", "code")}
    tok = BpeTrainer(num_merges=2).train_sources(files)
    assert tok == BpeTrainer(num_merges=2).train([tmp_path / "web.txt", tmp_path / "code.txt"])
    log = training_log(tok)
    assert log is not None
    assert log.sources == {"web": (3, 3), "code": (2, 0)}
    log.save(tmp_path / "log.jsonl")
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert last["sources"] == {"web": 3, "code": 0}


def test_other_trainers_take_sources_too() -> None:
    lines = ["the lowest of the low were slower than the slowest"] * 20
    for trainer in (WordPieceTrainer(40), UnigramTrainer(20)):
        counts = count_pieces(texts=lines, **trainer.counting())
        tok = trainer.train_sources({"all": (counts, 2)})
        assert tok == trainer.train_counts(counts + counts)
        log = training_log(tok)
        assert log is None or log.sources is None


@pytest.mark.parametrize(
    ("sources", "shares", "words"),
    [
        ({}, False, "sources must name at least one source"),
        ({"web": (Counts({b"a": 1}), 0)}, False, "one source at least must weigh more than 0"),
        (
            {"web": (Counts({b"a": 1}), -1)},
            False,
            "the weight of 'web' must be at least 0, not -1",
        ),
        (
            {"web": (Counts({b"a": 1}), 1), "code": (Counts(), 1)},
            True,
            "source 'code' is empty and cannot have a share",
        ),
    ],
)
def test_sources_that_make_no_sense_are_refused(
    sources: dict[str, tuple[Counts, float]], shares: bool, words: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        BpeTrainer(num_merges=1).train_sources(sources, shares=shares)
    assert str(caught.value) == words
