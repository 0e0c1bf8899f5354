"""The best ways to encode a text by a Unigram model, and random ones: `nbest` and `sample`."""

from __future__ import annotations

import itertools
import json
import random as randomness
from collections import Counter
from collections.abc import Iterator
from math import exp, fsum
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import ArgumentError, Tokenizer, nbest, sample

from tests.support import pieces

sentencepiece = pytest.importorskip("sentencepiece")

SCORES = {"▁": -2.0, "l": -3.0, "o": -3.25, "w": -3.5, "lo": -4.0, "ow": -4.5, "low": -5.0}


def words() -> Tokenizer:
    """A small model of the usual stack, as a tokenizer.json."""
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    vocab = [["<unk>", 0.0], *map(list, SCORES.items())]
    model = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
    file = {"version": "1.0", "added_tokens": [], "pre_tokenizer": metaspace, "model": model}
    return Tokenizer.load(json.dumps(file).encode())


def ways(text: str) -> Iterator[tuple[list[str], float]]:
    """All ways to cut a text into pieces, and the sums of their scores."""
    for end in range(1, len(text) + 1):
        if (first := text[:end]) in SCORES:
            rest = ways(text[end:]) if end < len(text) else iter([([], 0.0)])
            yield from (([first, *others], SCORES[first] + score) for others, score in rest)


def ids_of(way: list[str]) -> tuple[int, ...]:
    return tuple(1 + [*SCORES].index(piece) for piece in way)


def loaded(content: bytes, folder: Path) -> tuple[Tokenizer, Any]:
    path = folder / "tokenizer.model"
    path.write_bytes(content)
    return Tokenizer.load(path), sentencepiece.SentencePieceProcessor(model_proto=content)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_ways_are_those_of_sentencepiece(seed: int, tmp_path: Path) -> None:
    random = randomness.Random(seed)
    for _ in range(3):
        content = pieces.trained(random, kind="unigram")
        if random.random() < 0.5:
            content = pieces.changed(content, random)
        ours, theirs = loaded(content, tmp_path)
        for most in (4, 20, 20, 40):
            text = pieces.text(random, most)
            n = random.choice((2, 3, 10, 60))
            found = theirs.nbest_encode(text, nbest_size=n, return_type="proto").nbests
            expected = [([piece.id for piece in one.pieces], one.score) for one in found]
            assert nbest(ours, text, n) == expected, (text, n)
            assert nbest(ours, text, 1)[0][0] == theirs.encode(text)


def test_a_text_with_very_many_ways_keeps_the_best_that_are_open(tmp_path: Path) -> None:
    model = pieces.parsed(pieces.trained(randomness.Random(1), kind="unigram"))
    for length in range(1, 9):
        model.pieces.add(piece="z" * length, score=-1.0 - length / 7)
    ours, theirs = loaded(model.SerializeToString(), tmp_path)
    found = theirs.nbest_encode("z" * 60, nbest_size=512, return_type="proto").nbests
    expected = [([piece.id for piece in one.pieces], one.score) for one in found]
    assert nbest(ours, "z" * 60, 512) == expected


def test_the_best_ways_of_several_words_are_those_of_all_their_ways() -> None:
    tok = words()
    pairs = itertools.product(ways("▁low"), ways("▁lowlow"))
    expected = sorted((-(a + b), ids_of([*one, *two])) for (one, a), (two, b) in pairs)
    found = nbest(tok, "low lowlow", 512)
    assert [score for _, score in found] == [-score for score, _ in expected]
    assert {tuple(ids) for ids, _ in found} == {ids for _, ids in expected}
    assert found[0][0] == tok.encode("low lowlow")


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_ways_are_drawn_as_often_as_they_are_likely(alpha: float) -> None:
    tok, text, count = words(), "lowlow", 4000
    weights = {ids_of(way): exp(alpha * score) for way, score in ways("▁lowlow")}
    total = fsum(weights.values())
    drawn = Counter(tuple(sample(tok, text, seed=seed, alpha=alpha)) for seed in range(count))
    assert drawn.keys() <= weights.keys()
    # The chi-squared statistic: its mean is the number of ways, its variance twice that.
    wanted = {ids: count * weight / total for ids, weight in weights.items()}
    distance = fsum((drawn[ids] - mean) ** 2 / mean for ids, mean in wanted.items())
    assert distance < len(weights) + 5 * (2 * len(weights)) ** 0.5


def test_a_seed_says_which_way() -> None:
    tok = words()
    text = "low lowlow low"
    assert sample(tok, text, seed=3, alpha=0.1) == sample(tok, text, seed=3, alpha=0.1)
    assert len({tuple(sample(tok, text, seed=seed, alpha=0.1)) for seed in range(40)}) > 10
    assert sample(tok, text, seed=5, alpha=1000.0) == tok.encode(text)


def test_what_is_unknown_is_one_token_or_its_bytes(tmp_path: Path) -> None:
    assert sample(words(), "low☃☃ ☃", seed=1, alpha=99.0) == words().encode("low☃☃ ☃")
    assert nbest(words(), "☃☃ ☃low", 1)[0][0] == nbest(words(), "☃☃ ☃low", 2)[0][0]
    random = randomness.Random(3)
    for _ in range(20):
        ours, theirs = loaded(pieces.trained(random, kind="unigram"), tmp_path)
        text = pieces.text(random)
        best = [ids for ids, _ in nbest(ours, text, 100)]
        assert sample(ours, text, seed=1, alpha=200.0) in best
        drawn = sample(ours, text, seed=2, alpha=0.5)
        assert theirs.decode(drawn) == theirs.decode(theirs.encode(text))


def test_an_empty_text_has_one_way() -> None:
    assert nbest(words(), "", 5) == [([], 0.0)]
    assert sample(words(), "", seed=1) == []


def test_what_cannot_be_asked_for_is_refused_by_name() -> None:
    tok = words()
    for n in (0, 513):
        with pytest.raises(ArgumentError, match=f"n must be from 1 to 512, not {n}"):
            nbest(tok, "low", n)
    with pytest.raises(ArgumentError, match="seed must be from 0"):
        sample(tok, "low", seed=-1)
    with pytest.raises(ArgumentError, match="alpha must be a number from 0 on, not nan"):
        sample(tok, "low", seed=1, alpha=float("nan"))
    merges = subword.BpeTrainer(num_merges=1).train_iter(["low low"])
    with pytest.raises(ValueError, match="only Unigram tokenizers have a lattice"):
        nbest(merges, "low", 2)
