"""WordPiece in plain Python: known answers, and the linear form against the definition."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import Tokenizer
from subword.reference import (
    decode_wordpiece,
    encode_wordpiece,
    encode_words_linear,
    longest_tokens,
    train_wordpiece,
)
from subword.reference.suffix_array import common_prefixes, suffix_array
from subword.reference.wordpiece_trainer import Score

PREFIXES = ["##", "", "_", "a"]
prefixes = st.sampled_from(PREFIXES)
words = st.lists(st.text("abc#", max_size=12), max_size=6)
tokens = st.lists(st.text("abc#_", max_size=5), max_size=14)
counts = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 9), max_size=8)


@given(letters=st.lists(st.integers(-1, 3), max_size=40))
@settings(max_examples=500)
def test_suffixes_are_sorted_and_share_what_they_share(letters: list[int]) -> None:
    order = suffix_array(letters)
    assert order == sorted(range(len(letters)), key=lambda at: letters[at:])
    expected = []
    for before, at in pairwise(order):
        same = [a == b for a, b in zip(letters[before:], letters[at:], strict=False)]
        expected.append([*same, False].index(False))
    assert common_prefixes(letters, order) == expected


@given(text=st.text("abc", max_size=30), tokens=tokens)
def test_the_longest_token_at_every_place(text: str, tokens: list[str]) -> None:
    fitting = [[len(t) for t in tokens if text.startswith(t, at)] for at in range(len(text))]
    assert longest_tokens(text, tokens) == [max(lengths, default=0) for lengths in fitting]


@given(words=words, tokens=tokens, prefix=prefixes, most=st.integers(0, 12))
@settings(max_examples=500)
def test_the_linear_form_gives_the_answer_of_the_definition(
    words: list[str], tokens: list[str], prefix: str, most: int
) -> None:
    expected = [
        encode_wordpiece(word, {*tokens}, prefix=prefix, max_word_chars=most) for word in words
    ]
    linear = encode_words_linear(words, tokens, prefix=prefix, max_word_chars=most)
    assert linear == expected


@given(words=words, tokens=tokens, prefix=prefixes, most=st.integers(1, 12))
@settings(max_examples=200)
def test_both_encoders_of_the_engine_give_the_answer_of_the_definition(
    words: list[str], tokens: list[str], prefix: str, most: int
) -> None:
    vocab = [*dict.fromkeys(["[UNK]", *filter(None, tokens)])]
    for encoder in ("fast", "linear"):
        tok = Tokenizer.wordpiece(
            vocab,
            prefix=prefix,
            max_word_chars=most,
            pattern="whitespace",
            lowercase=False,
            linear_time=encoder == "linear",
        )
        for word in words:
            found = [vocab[id] for id in tok.encode(word)]
            assert found == encode_wordpiece(word, vocab, prefix=prefix, max_word_chars=most)


@given(words=words, tokens=tokens)
def test_what_is_not_unknown_comes_back(words: list[str], tokens: list[str]) -> None:
    for word in words:
        found = encode_wordpiece(word, {*tokens})
        assert {*found} <= {*tokens, "[UNK]"}
        if found != ["[UNK]"] and "#" not in word:
            assert decode_wordpiece(found) == word


@pytest.mark.parametrize(
    ("word", "vocab", "expected"),
    [
        ("unaffable", ["un", "##aff", "##able"], ["un", "##aff", "##able"]),
        ("a", ["##a"], ["[UNK]"]),
        ("aa", ["a", "##"], ["[UNK]"]),  # the bare prefix matches nothing
        ("ab", ["a", "ab", "##b"], ["ab"]),
        ("##a", ["##a"], ["##a"]),  # the first token is looked for as it is written
        ("a" * 100, ["a", "##a"], ["a"] + ["##a"] * 99),
        ("a" * 101, ["a", "##a"], ["[UNK]"]),
        ("é" * 100, ["é" * 100], ["é" * 100]),  # characters, not bytes
    ],
)
def test_known_answers(word: str, vocab: list[str], expected: list[str]) -> None:
    assert encode_wordpiece(word, vocab) == expected
    assert encode_words_linear([word], vocab) == [expected]


def test_a_long_text_of_one_letter_is_no_trouble() -> None:
    (found,) = encode_words_linear(["a" * 3000], ["a", "##a", "##aa"], max_word_chars=3000)
    assert found == ["a"] + ["##aa"] * 1499 + ["##a"]


LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3, " ": 15}


@pytest.mark.parametrize(
    ("counts", "given", "learned"),
    [
        (LOW, {"score": "count"}, ["##es", "##est", "lo", "low"]),
        (LOW, {"score": "likelihood"}, ["wi", "wid", "lo", "##st"]),
        ({"ab": 1, "cd": 9}, {}, ["cd", "ab"]),
        ({"ab": 1, "cd": 9}, {"score": "likelihood"}, ["ab", "cd"]),
        ({"ab": 1, "cd": 9}, {"min_count": 2}, ["cd"]),
        # 1/(1*4) and 2/(2*4): of equal scores the higher count.
        ({"ac": 2, "bc": 1, "dc": 1}, {"score": "likelihood"}, ["ac", "bc", "dc"]),
        ({"abab": 1}, {"special_tokens": ["abab"]}, ["ab", "##ab"]),
    ],
)
def test_known_vocabularies(
    counts: Mapping[str, int], given: Mapping[str, object], learned: list[str]
) -> None:
    first = train_wordpiece(counts, 0, **{"special_tokens": [], **given})  # type: ignore[arg-type]
    settings = {"special_tokens": [], **given}
    vocab = train_wordpiece(counts, len(first) + 4, **settings)  # type: ignore[arg-type]
    assert vocab[: len(first)] == first
    assert vocab[len(first) :] == learned


@given(counts=counts, size=st.integers(0, 20), score=st.sampled_from(["likelihood", "count"]))
def test_the_order_of_the_counts_does_not_matter(
    counts: dict[str, int], size: int, score: Score
) -> None:
    turned = dict(random.Random(0).sample([*counts.items()], len(counts)))
    assert train_wordpiece(turned, size, score=score) == train_wordpiece(counts, size, score=score)


@given(counts=counts, size=st.integers(0, 20), score=st.sampled_from(["likelihood", "count"]))
def test_what_was_counted_encodes_without_unknown_words(
    counts: dict[str, int], size: int, score: Score
) -> None:
    vocab = train_wordpiece(counts, size, score=score)
    assert len(vocab) == len({*vocab})
    for word in counts:
        assert encode_wordpiece(word, {*vocab}) != ["[UNK]"]
