"""`explain` of Unigram tokenizers: the best way to cut a piece, the next, and their scores."""

from __future__ import annotations

import json
import random as randomness
from pathlib import Path

import pytest
from subword import TextError, Tokenizer, explain, explain_text

from tests.support import pieces


def words() -> Tokenizer:
    scores = {"▁": -2.0, "l": -3.0, "o": -3.25, "w": -3.5, "lo": -4.0, "ow": -4.75, "low": -5.0}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *map(list, scores.items())]}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": 8, "content": "<s>", "special": True} | flags]
    file = {"version": "1.0", "added_tokens": added, "pre_tokenizer": metaspace, "model": model}
    return Tokenizer.load(json.dumps(file).encode())


def test_the_best_way_and_the_next_are_shown_with_their_scores() -> None:
    assert str(explain(words(), "low")) == (
        "▁low  is cut into the tokens whose scores have the highest sum\n"
        "  -7.000        ▁ low\n"
        "  -9.500        ▁ lo w\n"
        "     ids        1 7"
    )
    only = explain(words(), "l")
    assert [way.tokens for way in only.ways] == [("▁".encode(), b"l")]
    assert explain(words(), "low").as_dict()["ways"][1] == {
        "ids": [1, 5, 4],
        "tokens": ["▁", "lo", "w"],
        "score": -9.5,
    }


def test_every_piece_of_a_text_and_its_special_tokens_are_explained() -> None:
    tok, text = words(), "low <s>owl ☃☃ lowlow"
    for special in ("text", "encode"):
        found = explain_text(tok, text, special=special)
        assert [id for one in found for id in one.ids] == tok.encode(text, special=special)
    assert [one.how for one in explain_text(tok, "low<s>", special="encode")] == ["best", "special"]


@pytest.mark.parametrize("seed", range(12))
def test_the_first_way_is_the_engines(seed: int, tmp_path: Path) -> None:
    random = randomness.Random(seed)
    path = tmp_path / "tokenizer.model"
    path.write_bytes(pieces.trained(random, kind="unigram"))
    tok = Tokenizer.load(path)
    for _ in range(8):
        text = pieces.text(random, 16)
        found = explain_text(tok, text)
        assert [id for one in found for id in one.ids] == tok.encode(text)
        for one in found:
            scores = [way.score for way in one.ways]
            assert one.ways[0].ids == one.ids
            assert scores == sorted(scores, reverse=True)


def test_several_pieces_and_long_ones_are_refused() -> None:
    with pytest.raises(TextError, match=r"expected one piece, found 2 \(▁low, ▁low\)"):
        explain(words(), "low low")
    with pytest.raises(TextError, match="stops at 2000 characters"):
        explain(words(), "l" * 2000)
