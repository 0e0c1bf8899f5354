"""Accelerated tokenizers beside those of transformers: random calls give the same, errors too."""

from __future__ import annotations

import random
from typing import Any

import pytest
import transformers

from tests.support.hf_calls import arguments, difference, outcome, text
from tests.support.hf_tokenizers import NAMES, hf_pair

QUICK, SLOW = 30, 430
#: Some classes of transformers 4 refuse lists of words.
WORDS = {"words"} if transformers.__version__.startswith("4.") else set()
IGNORED = "ignore:this (class|post-processor)"


def compare_calls(name: str, numbers: range) -> None:
    theirs, ours = hf_pair(name)
    results = 0
    for number in numbers:
        chance = random.Random(f"{name} {number}")
        call = arguments(chance)
        theirs.truncation_side = ours.truncation_side = chance.choice(["right", "right", "left"])
        expected = outcome(theirs, call)
        results += expected[0] == "result"
        assert difference(outcome(ours, call), expected) == "", (number, call)
    assert results > len(numbers) // 2
    # RoBERTa's post-processor alone has windows that are left to Hugging Face's engine.
    assert ours.fallbacks.keys() <= ({"windows", "decode"} | WORDS)
    assert ours.fallbacks["windows"] < len(numbers) // 5


@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.parametrize("name", NAMES)
def test_calls_give_the_same(name: str) -> None:
    compare_calls(name, range(QUICK))


@pytest.mark.slow
@pytest.mark.filterwarnings(IGNORED)
@pytest.mark.parametrize("name", NAMES)
def test_many_calls_give_the_same(name: str) -> None:
    compare_calls(name, range(QUICK, QUICK + SLOW))


@pytest.mark.filterwarnings("ignore:subword does not decode these ids")
@pytest.mark.parametrize("name", NAMES)
def test_other_methods_give_the_same(name: str) -> None:
    theirs, ours = hf_pair(name)
    chance = random.Random(name)
    texts = [text(chance) for _ in range(20)]

    def answers(tok: Any) -> list[Any]:
        ids = [
            tok.encode(one, add_special_tokens=chance_of % 2 == 0)
            for chance_of, one in enumerate(texts)
        ]
        found: list[Any] = [ids, [tok.tokenize(one) for one in texts]]
        for skip in (False, True):
            found.append(tok.batch_decode(ids, skip_special_tokens=skip))
            found.append([tok.decode(row, skip_special_tokens=skip) for row in ids])
            found.append([tok.convert_ids_to_tokens(row, skip_special_tokens=skip) for row in ids])
        tokens = [tok.convert_ids_to_tokens(row) for row in ids]
        found.append([tok.convert_tokens_to_ids(row) for row in tokens])
        found.append(tok.convert_tokens_to_ids(["the", "no such token", "a"]))
        found.append([tok.convert_ids_to_tokens(7), tok.convert_tokens_to_ids("the")])
        found.append(tok.decode([5, 10_000_000, 6]))
        found.append(tok.decode(5))
        found.append(tok.batch_decode([5, 6]))
        found.append(tok.decode([]))
        found.append(tok.batch_decode(ids, clean_up_tokenization_spaces=True))
        found.append([tok.num_special_tokens_to_add(pair) for pair in (False, True)])
        return found

    for number, (mine, real) in enumerate(zip(answers(ours), answers(theirs), strict=True)):
        assert mine == real, number
