"""Sessions over every kind of model, with hostile texts that are long enough to have marks in them.

A mark is a place from which the engine encodes again, one every few kilobytes.
"""

from __future__ import annotations

import json
import random as randomness
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    Session,
    SubwordError,
    Tokenizer,
    UnigramTrainer,
    WordPieceTrainer,
    cut_points,
    explain_path,
    extend,
    is_canonical,
)
from subword._types import Special

from tests.support import chains, pieces
from tests.support.hf_tokenizers import folder_of
from tests.support.small import SAMPLE, STEPS, tokenizer_named

WORDS = [SAMPLE, "low lower lowest new newer newest wide wider widest"] * 3


def superwords() -> Tokenizer:
    base = BpeTrainer(300, pattern="gpt2").train_iter(WORDS)
    return BpeTrainer(330, base=base, superwords="any").train_iter(WORDS)


def chain(seed: int) -> Tokenizer:
    """Random components of Hugging Face's library: normalizers, pre-tokenizers, a model."""
    return Tokenizer.load(json.dumps(chains.chain(randomness.Random(seed))).encode())


def model_file(kind: str) -> Tokenizer:
    """A `tokenizer.model` that sentencepiece trained."""
    return Tokenizer.load(pieces.trained(randomness.Random(5), kind=kind))


KINDS: dict[str, Any] = {
    "ranks": lambda: tokenizer_named("ranks, cl100k"),
    "merges": lambda: tokenizer_named("merges, regex"),
    "normalised bytes": lambda: tokenizer_named("nfc"),
    "words of characters": lambda: BpeTrainer(
        200, initial_vocab="chars", pattern="whitespace", end_of_word="</w>", unk_token="<unk>"
    ).train_iter(WORDS),
    "SentencePiece BPE": lambda: BpeTrainer(
        400, initial_vocab="chars", byte_fallback=True
    ).train_iter(WORDS),
    "SentencePiece BPE, tokenizer.model": lambda: model_file("bpe"),
    "WordPiece": lambda: WordPieceTrainer(160).train_iter(WORDS),
    "Unigram": lambda: UnigramTrainer(110).train_iter(WORDS),
    "Unigram with a character map": lambda: Tokenizer.load(folder_of("xlm-roberta")),
    "Unigram, tokenizer.model": lambda: model_file("unigram"),
    "superwords": superwords,
    "chain of words": lambda: Tokenizer.load(STEPS),
    **{f"chain, seed {seed}": lambda seed=seed: chain(seed) for seed in range(6)},
}

#: Stretches without a place to cut, halves of special tokens, marks that move, what vanishes.
HOSTILE = [
    *["a", " ", "\n", "\u0301", "\u00ad", "\x00", "1", "'", "x1 ", "\u3000", "\ufffd"],
    *["<|endo", "ftext|>", "<|endoftext|>", "\u1100\u1161", "\U0001f468\u200d", "e\u0301\u0316"],
    *["low ", "lower, ", "\u4f60\u597d", "it's\r\n", "\u2581", "\u0130", "AB"],
]

stretches = st.tuples(st.sampled_from(HOSTILE), st.sampled_from([1, 1, 2, 7, 300, 2500]))
more = st.lists(stretches, max_size=4).map(lambda parts: "".join(one * n for one, n in parts))
steps = st.lists(st.one_of(more, st.sampled_from([0, 1, 2, 5, 100, 3000])), max_size=7)


@cache
def made(kind: str) -> Tokenizer:
    made: Tokenizer = KINDS[kind]()
    return made


def outcome(work: Any) -> Any:
    """What a call gives, or the class of its error."""
    try:
        return work()
    except (SubwordError, ValueError) as error:
        return type(error)


def check(tok: Tokenizer, steps: list[str | int], special: Special) -> None:
    session, ids, text = Session(tok, special=special), list[int](), ""
    for step in steps:
        if isinstance(step, str):
            after, call = text + step, lambda step=step: session.append(step)
        else:
            step = min(step, len(text))
            after, call = text[: len(text) - step], lambda step=step: session.rewind(step)
        expected = outcome(lambda after=after: tok.encode(after, special=special))
        changed = outcome(call)
        if isinstance(expected, type):
            assert changed is expected
        else:
            dropped, new = changed
            ids, text = ids[: len(ids) - dropped] + new, after
            assert ids == expected
        assert session.ids == ids
        assert session.text == text


@pytest.mark.parametrize("kind", KINDS)
@given(steps=steps)
@example(steps=["low " * 2500, 3000, "w<|endo", "ftext|>", 100, "lower, " * 900, 5])
@settings(max_examples=12)
def test_ids_are_those_of_the_whole_after_every_step(kind: str, steps: list[str | int]) -> None:
    tok = made(kind)
    for special in ("text", "encode"):
        check(tok, steps, special)


@pytest.mark.parametrize("kind", KINDS)
@given(text=more)
@settings(max_examples=8)
def test_parts_between_cut_points_encode_alone(kind: str, text: str) -> None:
    tok = made(kind)
    expected = outcome(lambda: tok.encode(text, special="encode"))
    if isinstance(expected, type):
        return
    places = cut_points(tok, text, special="encode")
    chosen = [0, *places[:: max(1, len(places) // 5)], len(text)]
    parts = [text[start:end] for start, end in pairwise(chosen)]
    assert [id for part in parts for id in tok.encode(part, special="encode")] == expected


@pytest.mark.parametrize("kind", KINDS)
@given(before=more, after=more)
@settings(max_examples=8)
def test_ids_are_extended(kind: str, before: str, after: str) -> None:
    tok = made(kind)
    ids = outcome(lambda: tok.encode(before, special="encode"))
    if isinstance(ids, type) or not is_canonical(tok, ids):
        return
    whole = tok.decode(ids) + after
    expected = outcome(lambda: tok.encode(whole, special="encode"))
    changed = outcome(lambda: extend(tok, ids, after))
    if isinstance(expected, type):
        assert changed is expected
    else:
        dropped, new = changed
        assert ids[: len(ids) - dropped] + new == expected


def test_all_ways_to_encode_are_among_them() -> None:
    """If a path is renamed or a model changes its path, this list has to be looked at."""
    paths = {kind: explain_path(made(kind))[0] for kind in KINDS}
    assert {*paths.values()} == {"fused front", "scanner", "plain chain"}
    assert paths["Unigram with a character map"] == paths["SentencePiece BPE"] == "fused front"
