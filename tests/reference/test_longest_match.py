"""Encoding by the longest token: known answers, and the quick form against the definition."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword.reference import LongestMatch, encode_longest
from subword.reference.longest_match import by_length, length

words = st.text("abc", max_size=12).flatmap(lambda word: st.sampled_from([word, word + "</w>"]))
tokens = st.lists(
    st.text("abc", max_size=4).flatmap(lambda token: st.sampled_from([token, token + "</w>"])),
    max_size=14,
)


@given(word=words, tokens=tokens)
@settings(max_examples=500)
def test_windows_give_the_answer_of_the_sorted_vocabulary(word: str, tokens: list[str]) -> None:
    assert LongestMatch(tokens).encode(word) == encode_longest(word, tokens)


@given(word=words, tokens=tokens)
def test_the_order_of_the_vocabulary_does_not_matter(word: str, tokens: list[str]) -> None:
    turned = random.Random(0).sample(tokens, len(tokens))
    assert encode_longest(word, turned) == encode_longest(word, tokens)


@given(word=words, tokens=tokens)
def test_with_all_characters_nothing_is_unknown_or_lost(word: str, tokens: list[str]) -> None:
    found = encode_longest(word, [*tokens, *"abc", "</w>"])
    assert "".join(found) == word
    assert set(found) <= {*tokens, *"abc", "</w>"}


@given(word=words, tokens=tokens)
def test_unknown_parts_never_stand_side_by_side(word: str, tokens: list[str]) -> None:
    found = encode_longest(word, tokens)
    assert ("<unk>", "<unk>") not in pairwise(found)


@given(tokens=tokens)
def test_a_word_that_is_a_token_is_that_token_unless_a_longer_one_stands_in_it(
    tokens: list[str],
) -> None:
    for token in filter(None, tokens):
        inside = [one for one in tokens if one and one in token]
        if max(map(length, inside)) == length(token):
            best = min(one for one in inside if length(one) == length(token))
            assert best in encode_longest(token, tokens)


MOUNTAIN = ["errrr</w>", "tain</w>", "moun", "est</w>", "high", "the</w>", "a</w>"]


@pytest.mark.parametrize(
    ("word", "vocabulary", "expected"),
    [
        ("the</w>", MOUNTAIN, ["the</w>"]),
        ("highest</w>", MOUNTAIN, ["high", "est</w>"]),
        ("mountain</w>", MOUNTAIN, ["moun", "tain</w>"]),
        ("mountains</w>", MOUNTAIN, ["moun", "<unk>"]),
        ("", MOUNTAIN, []),
        ("abc", [], ["<unk>"]),
        ("abc", [""], ["<unk>"]),
        # A token that stands several times is found from left to right, without overlap.
        ("aaaaa", ["aa"], ["aa", "aa", "<unk>"]),
        ("aaaaa", ["aa", "a"], ["aa", "aa", "a"]),
        # Of equally long ones the one that sorts first, wherever it stands.
        ("zab", ["za", "ab"], ["<unk>", "ab"]),
        # Never across a token that was cut out.
        ("abcd", ["bc", "ad"], ["<unk>", "bc", "<unk>"]),
        # The mark counts as one character: `est</w>` is no longer than `west`, and sorts first.
        ("west</w>", ["west", "est</w>", "w", "</w>"], ["w", "est</w>"]),
        ("newest</w>", ["newes", "west</w>", "t", "</w>"], ["newes", "t", "</w>"]),
    ],
)
def test_a_known_answer(word: str, vocabulary: list[str], expected: list[str]) -> None:
    assert encode_longest(word, vocabulary) == expected
    assert LongestMatch(vocabulary).encode(word) == expected


def test_another_mark_and_another_unknown_token() -> None:
    encoder = LongestMatch(["est@", "high"], mark="@", unk="?")
    assert encoder.encode("highlands@") == ["high", "?"]
    assert encode_longest("highest@", ["est@", "high"], mark="@", unk="?") == ["high", "est@"]
    assert by_length(["ab@", "abc", "abcd"], mark="") == ["abcd", "ab@", "abc"]
