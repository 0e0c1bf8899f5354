"""The cases of two other libraries' own tests: gleb-kov/wordpiece and tensorflow-text.

No package holds these cases. Where they are not there, vocabularies and texts are those of
``tests/support/wordpiece_cases.py``, and the expected ids are what Hugging Face's tokenizers
answers.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from subword import Tokenizer

from tests.support import wordpiece_cases
from tests.support.published import found


def recorded(name: str) -> dict[str, Any] | None:
    path = found(f"facts/{name}.json")
    return None if path is None else json.loads(path.read_text(encoding="utf-8"))


def of_tensorflow_text(kind: str, count: int) -> list[dict[str, Any]]:
    facts = recorded("tf_text_fast_wordpiece")
    if facts is None:
        return wordpiece_cases.answered(kind)
    cases: list[dict[str, Any]] = facts["specs"][f"GetTestSpecsForTokenize{kind}"]
    assert len(cases) == count
    return cases


@pytest.mark.parametrize("encoder", ["fast", "linear"])
def test_the_cases_of_gleb_kov(encoder: Any) -> None:
    facts = recorded("glebkov_wordpiece")
    cases = facts["cases"] if facts else wordpiece_cases.answered("Words")
    assert len(cases) >= 28
    for case in cases:
        vocab = case["vocab"]
        tok = Tokenizer.wordpiece(
            {id: token.encode() for id, token in enumerate(vocab)},
            {"[UNK]": len(vocab)},
            linear_time=encoder == "linear",
        )
        expected = [len(vocab) if id == "UNK" else id for id in case["expected"]]
        assert tok.encode(case["text"]) == expected, case


def made(case: dict[str, Any], pattern: str, encoder: Any) -> Tokenizer:
    # An empty token, which some have, is a token of no text.
    vocab = {id: token.encode() for id, token in enumerate(case["vocab"]) if token}
    return Tokenizer.wordpiece(
        vocab,
        [case["unk_token"]],
        pattern=pattern,
        lowercase=False,
        clean=False,
        cjk=pattern == "bert",
        prefix=case["suffix_indicator"],
        unk_token=case["unk_token"],
        max_word_bytes=case["max_bytes_per_token"],
        linear_time=encoder == "linear",
    )


@pytest.mark.parametrize("encoder", ["fast", "linear"])
@pytest.mark.parametrize(
    ("kind", "pattern", "count"), [("SingleWord", "none", 75), ("Text", "bert", 80)]
)
def test_the_cases_of_tensorflow_text(encoder: Any, kind: str, pattern: str, count: int) -> None:
    for case in of_tensorflow_text(kind, count):
        tok = made(case, pattern, encoder)
        ids, places = tok.encode_offsets(case["input"], unit="bytes")
        expected = case["expected_token_ids"]
        assert (ids, tok.encode(case["input"])) == (expected, expected), case
        starts, ends = case["expected_token_start_offsets"], case["expected_token_end_offsets"]
        assert places == [*zip(starts, ends, strict=True)], case


def test_what_tensorflow_text_decodes() -> None:
    for case in of_tensorflow_text("Detokenize", 3):
        tok = made(case, "whitespace", "fast")
        assert tok.encode(case["input"]) == case["expected_token_ids"], case
        assert (
            tok.decode(case["expected_token_ids"], cleanup=False)
            == (case["expected_detokenized_text"])
        ), case
