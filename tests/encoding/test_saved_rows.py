"""Truncation and padding that a tokenizer.json saves: the rows of the real tokenizers."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import (
    ModelFormatError,
    ModelFormatWarning,
    Tokenizer,
    count_pieces,
    encode_inputs,
    prune,
)

from tests.support.bert import SMALL, small_pair

TEXTS = ["low", "lower slower, want", "", "don't run!", "new new new new new new new"]
PAIRS = ["slow", "low", "un", "the news don't run! low low low low", ""]

TRUNCATION = {"direction": "Right", "max_length": 6, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": "BatchLongest",
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}


def file_with(truncation: Any, padding: Any) -> bytes:
    """The small tokenizer's file with these settings."""
    theirs, _ = small_pair()
    file = json.loads(theirs.to_str()) | {"truncation": truncation, "padding": padding}
    return json.dumps(file).encode()


def settings(dice: random.Random) -> tuple[Any, Any]:
    """Random settings that the real tokenizers do what they say with, for texts and for pairs."""
    truncation = {
        "direction": dice.choice(["Left", "Right"]),
        "max_length": dice.randint(5, 12),
        "strategy": "LongestFirst",
        "stride": 0,
    }
    padding = PADDING | {
        "strategy": dice.choice(["BatchLongest", {"Fixed": dice.randint(21, 30)}]),
        "direction": dice.choice(["Left", "Right"]),
        "pad_to_multiple_of": dice.choice([None, 0, 4, 7]),
        "pad_id": dice.choice([0, 4, 1000]),
        "pad_type_id": dice.choice([0, 3]),
        "pad_token": dice.choice(["[PAD]", "[MASK]", "é"]),
    }
    return dice.choice([None, truncation, truncation]), padding


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("special", [True, False])
def test_rows_are_those_of_the_real_tokenizers(seed: int, special: bool, tmp_path: Path) -> None:
    content = file_with(*settings(random.Random(seed)))
    theirs = tokenizers.Tokenizer.from_str(content.decode())
    ours = Tokenizer.load(content)
    ours.save(tmp_path / "tokenizer.json")
    ours.save(tmp_path / "native.json")
    for tok in (
        ours,
        Tokenizer.load(tmp_path / "tokenizer.json"),
        Tokenizer.load(tmp_path / "native.json"),
        pickle.loads(pickle.dumps(ours)),
    ):
        assert tok == ours
        for pairs in (None, PAIRS):
            rows = TEXTS if pairs is None else [*zip(TEXTS, pairs, strict=True)]
            expected = theirs.encode_batch(rows, add_special_tokens=special)
            found = encode_inputs(tok, TEXTS, pairs, add_special_tokens=special)
            assert found["input_ids"].tolist() == [row.ids for row in expected]
            assert found["attention_mask"].tolist() == [row.attention_mask for row in expected]
            assert found["token_type_ids"].tolist() == [row.type_ids for row in expected]
    file = json.loads((tmp_path / "tokenizer.json").read_bytes())
    for key in ("truncation", "padding"):
        assert file[key] == json.loads(content)[key]


def test_windows_have_the_saved_stride() -> None:
    content = file_with(TRUNCATION | {"stride": 2}, PADDING)
    theirs = tokenizers.Tokenizer.from_str(content.decode())
    rows = [row for first in theirs.encode_batch(TEXTS) for row in (first, *first.overflowing)]
    found = encode_inputs(Tokenizer.load(content), TEXTS, overflow=True)
    assert found["input_ids"].tolist() == [row.ids for row in rows]
    assert len(rows) > len(TEXTS)


@pytest.mark.parametrize("strategy", ["OnlyFirst", "OnlySecond"])
def test_the_saved_strategy_says_which_text_is_cut(strategy: str) -> None:
    content = file_with(TRUNCATION | {"strategy": strategy}, PADDING)
    theirs, ours = tokenizers.Tokenizer.from_str(content.decode()), Tokenizer.load(content)
    first, second = ["new new new new new", "low"], ["low", "low"]
    if strategy == "OnlySecond":
        first, second = second, first
    expected = theirs.encode_batch([*zip(first, second, strict=True)])
    found = encode_inputs(ours, first, second)
    assert found["input_ids"].tolist() == [row.ids for row in expected]
    short = encode_inputs(ours, ["low"])["input_ids"].tolist()
    assert short == [theirs.encode("low").ids]
    if strategy == "OnlySecond":
        with pytest.raises(ValueError, match='without pairs truncation="only_second" cuts nothing'):
            encode_inputs(ours, ["new " * 9])


def test_every_argument_wins() -> None:
    tok = Tokenizer.load(file_with(TRUNCATION, PADDING | {"pad_to_multiple_of": 8}))
    plain = Tokenizer.load(file_with(None, None))

    def widths(**given: Any) -> list[int]:
        return [len(row) for row in encode_inputs(tok, TEXTS, **given)["input_ids"]]

    assert set(widths()) == {8}
    assert set(widths(pad_to_multiple_of=None)) == {6}
    assert set(widths(max_length=4, pad_to_multiple_of=None)) == {4}
    assert set(widths(padding="max_length", pad_to_multiple_of=None)) == {6}
    whole = encode_inputs(plain, TEXTS)["input_ids"].tolist()
    assert max(map(len, whole)) > 8
    for given in ({"truncation": None}, {"max_length": None}):
        found = encode_inputs(tok, TEXTS, pad_to_multiple_of=None, **given)  # type: ignore[arg-type]
        assert found["input_ids"].tolist() == whole
    ragged = encode_inputs(tok, TEXTS, padding="ragged")
    assert max(ragged["bounds"][1:] - ragged["bounds"][:-1]) == 6
    padded = encode_inputs(tok, ["", "low"], pad_token="[MASK]", pad_to_multiple_of=None)
    assert padded["input_ids"][0].tolist() == [2, 3, 4]
    left = encode_inputs(tok, ["new low want"], max_length=3, truncation_side="left")
    right = encode_inputs(tok, ["new low want"], max_length=3)
    assert left["input_ids"].tolist() != right["input_ids"].tolist()


def test_encode_gives_the_whole_text() -> None:
    tok, plain = Tokenizer.load(file_with(TRUNCATION, PADDING)), small_pair()[1]
    text = "new " * 50
    assert tok.encode(text) == plain.encode(text)
    assert tok.encode_batch([text, ""]) == plain.encode_batch([text, ""])


def test_a_row_that_the_saved_length_does_not_fit_is_an_error() -> None:
    tok = Tokenizer.load(file_with(None, PADDING | {"strategy": {"Fixed": 3}}))
    assert encode_inputs(tok, ["low", ""])["input_ids"].tolist() == [[2, 5, 3], [2, 3, 0]]
    with pytest.raises(ValueError, match="rows have 3 to 7 ids, and padding=3 leaves them so"):
        encode_inputs(tok, ["new new new new new", "low"])


def test_the_chain_keeps_them_too(tmp_path: Path) -> None:
    file = json.loads(file_with(TRUNCATION, PADDING | {"strategy": {"Fixed": 8}}))
    file["normalizer"] = {"type": "Sequence", "normalizers": [file["normalizer"], {"type": "Nmt"}]}
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file))
    ours = Tokenizer.load(json.dumps(file).encode())
    assert ours.kind == "chain"
    ours.save(tmp_path / "native.json")
    for tok in (ours, Tokenizer.load(tmp_path / "native.json")):
        expected = [row.ids for row in theirs.encode_batch(TEXTS)]
        assert encode_inputs(tok, TEXTS)["input_ids"].tolist() == expected


def test_a_format_without_a_place_for_them_warns(tmp_path: Path) -> None:
    tok = Tokenizer.load(file_with(TRUNCATION, PADDING))
    with pytest.warns(ModelFormatWarning, match="bert has no place for saved truncation"):
        tok.save(tmp_path / "vocab.txt")
    assert Tokenizer.load(tmp_path / "vocab.txt") == small_pair()[1]


def test_the_token_to_pad_with_stays_in_a_smaller_tokenizer() -> None:
    file = json.loads(file_with(None, PADDING | {"pad_id": SMALL.index("run")}))
    tok = Tokenizer.load(json.dumps(file).encode())
    counts = count_pieces(texts=["low"], normalizer=tok.normalizer, pattern=tok.pattern)
    smaller, new_ids = prune(tok, counts)
    assert smaller.vocab_size < tok.vocab_size
    padded = encode_inputs(smaller, ["", "low"])["input_ids"]
    assert padded[0, -1] == new_ids[SMALL.index("run")] == smaller.token_id("run")


@pytest.mark.parametrize(
    ("truncation", "padding", "message"),
    [
        ({}, None, 'the key "max_length" is missing'),
        (TRUNCATION | {"strategy": "Middle"}, None, 'expected "LongestFirst" or "OnlyFirst"'),
        (TRUNCATION | {"max_length": -1}, None, "expected a number from 0 up, found -1"),
        (TRUNCATION | {"colour": 7}, None, 'unknown key "colour" in truncation'),
        (None, PADDING | {"strategy": {"Fixed": 1.5}}, "expected a number from 0 up, found 1.5"),
        (None, PADDING | {"direction": "Up"}, 'expected "Left" or "Right"'),
        (None, PADDING | {"colour": 7}, 'unknown key "colour" in padding'),
    ],
)
def test_settings_that_the_real_tokenizers_refuse_are_errors(
    truncation: Any, padding: Any, message: str
) -> None:
    with pytest.raises(ModelFormatError, match=message):
        Tokenizer.load(file_with(truncation, padding))
