"""Words of characters: the engine against the reference, and every way out and back."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import Decoder, ModelFormatError, TextError, Tokenizer, truncate
from subword._core import split
from subword.reference import decode_words, encode_words
from subword.reference.characters import WHITE

from tests.support.strategies import texts

Merges = list[tuple[str, str]]

LETTERS = "abé中"


def tokenizer(
    merges: Merges, *, letters: str = LETTERS, mark: str | None = "</w>", unk: str | None = "<unk>"
) -> Tokenizer:
    tokens = [*letters, *([mark] if mark else []), *(left + right for left, right in merges)]
    return Tokenizer(
        {id: token.encode() for id, token in enumerate(dict.fromkeys(tokens))},
        [(left.encode(), right.encode()) for left, right in merges],
        ["<unk>", "<|end|>"],
        pattern="whitespace",
        units="chars",
        end_of_word=mark,
        unk_token=unk,
    )


@st.composite
def merge_lists(draw: st.DrawFn) -> Merges:
    """Pairs of letters, of made tokens and of the mark, which ends what it is in."""
    tokens, merges = [*LETTERS, "</w>"], []
    for _ in range(draw(st.integers(0, 10))):
        left = draw(st.sampled_from([token for token in tokens if not token.endswith(">")]))
        right = draw(st.sampled_from(tokens))
        if left + right not in tokens:
            merges.append((left, right))
            tokens.append(left + right)
    return merges


words = st.text(st.sampled_from([*LETTERS, *"z \n\u3000😀"]), max_size=60)


def spelled(tok: Tokenizer, ids: list[int]) -> list[str]:
    return [tok.token_bytes(id).decode() for id in ids]


@given(text=words, merges=merge_lists())
def test_the_engine_gives_the_tokens_of_the_reference(text: str, merges: Merges) -> None:
    tok = tokenizer(merges)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    expected = encode_words(text, ranks, alphabet=set(LETTERS))
    for _ in range(2):  # by merging, then by the cache
        ids = tok.encode(text)
        assert spelled(tok, ids) == expected
    assert tok.decode(ids) == decode_words(expected)
    assert tok.count(text) == len(ids)
    assert list(tok.encode_iter(text)) == ids
    assert tok.encode_batch([text, ""]) == [ids, []]
    decoder = Decoder(tok)
    assert "".join(map(decoder.push, ids)) + decoder.finish() == tok.decode(ids)


@given(text=words, merges=merge_lists())
def test_places_are_where_the_tokens_are_spelled(text: str, merges: Merges) -> None:
    tok = tokenizer(merges)
    ids, places = tok.encode_offsets(text)
    assert ids == tok.encode(text)
    for token, (start, end) in zip(spelled(tok, ids), places, strict=True):
        assert token == "<unk>" or token.removesuffix("</w>") == text[start:end]
    between = "".join(
        text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *places, (len(text), 0)])
    )
    assert between == "".join(WHITE.findall(text))


@given(text=texts)
def test_the_pattern_whitespace_is_its_regular_expression(text: str) -> None:
    assert split(text, "whitespace") == split(text, r"(?:\s+|\S+)")
    pieces = [piece.decode() for piece in split(text, "whitespace")]
    assert "".join(pieces) == text
    assert [piece for piece in pieces if not WHITE.fullmatch(piece)] == [
        word for word in WHITE.split(text) if word
    ]


def test_a_text_comes_back_with_single_spaces() -> None:
    tok = tokenizer([("a", "b"), ("b", "</w>")])
    assert tok.decode(tok.encode("  ab\n\tba ab ")) == "ab ba ab"
    ids = tok.encode("ab<|end|>ab ab", special="encode")
    assert tok.decode(ids) == "ab <|end|>ab ab"
    decoder = Decoder(tok)
    assert [decoder.push(id) for id in ids] == ["ab", "", " <|end|>", "ab", "", " ab", ""]
    decoder.finish()
    assert decoder.push(ids[0]) == "ab"


def test_without_a_mark_every_character_comes_back() -> None:
    tok = tokenizer([("a", "b"), (" ", " ")], letters="ab \n", mark=None)
    text = "ab  ba\n ab"
    assert tok.decode(tok.encode(text)) == text
    assert spelled(tok, tok.encode(text)) == ["ab", "  ", "b", "a", "\n", " ", "ab"]
    assert (tok.units, tok.end_of_word, tok.unk_token) == ("chars", None, "<unk>")


def test_without_unk_an_unknown_character_is_an_error() -> None:
    tok = tokenizer([], unk=None)
    with pytest.raises(TextError) as raised:
        tok.encode("ab é中z")
    assert raised.value.position == 8
    assert str(raised.value) == (
        'the model has no token for the character "z", and no unk token at position 8'
    )
    with pytest.raises(TextError, match="byte 0xFF"):
        tok.encode_batch([b"a", b"a \xff"])


def test_a_single_character_can_be_the_mark() -> None:
    tok = tokenizer([("a", "_")], letters="ab", mark="_")
    # What is spelled like the mark is not the mark.
    assert spelled(tok, tok.encode("a_b ba")) == ["a", "<unk>", "b", "_", "b", "a_"]


def test_it_is_saved_and_loaded_and_sent(tmp_path: Path) -> None:
    tok = tokenizer([("a", "b"), ("é", "</w>")])
    path = tmp_path / "words.json"
    tok.save(path)
    for copy in [Tokenizer.load(path), pickle.loads(pickle.dumps(tok))]:
        assert copy == tok
        assert (copy.units, copy.end_of_word, copy.unk_token) == ("chars", "</w>", "<unk>")
        assert copy.encode("ab é z") == tok.encode("ab é z")
    assert tok != tokenizer([("a", "b"), ("é", "</w>")], unk=None)
    assert np.array_equal(tok.encode_array("ab é"), tok.encode("ab é"))


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("tiktoken", "cannot be saved as .tiktoken: it starts from characters"),
        ("gpt2", "cannot be saved as vocab.json and merges.txt: it starts from characters"),
        ("huggingface", "cannot be saved as tokenizer.json: "),
    ],
)
def test_other_formats_refuse(tmp_path: Path, format: str, message: str) -> None:
    with pytest.raises(ModelFormatError, match=message):
        tokenizer([]).save(tmp_path / "x", format=format)
    assert not list(tmp_path.iterdir())


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match='units must be "bytes" or "chars", not "words"'):
        Tokenizer({}, [], units="words")  # type: ignore[arg-type]
    with pytest.raises(ModelFormatError, match='unk_token "<x>" is no token and no special token'):
        tokenizer([], unk="<x>")
    with pytest.raises(ModelFormatError, match="bytes have no unk token"):
        Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<unk>"], unk_token="<unk>")


# truncated


@given(text=words, merges=merge_lists(), fewer=st.integers(0, 10))
def test_a_truncated_tokenizer_has_the_first_merges(text: str, merges: Merges, fewer: int) -> None:
    kept = merges[: max(0, len(merges) - fewer)]
    whole, less = tokenizer(merges), tokenizer(kept)
    assert truncate(whole, less.vocab_size) == less
    assert truncate(whole, less.vocab_size).encode(text) == less.encode(text)


def test_sizes_that_there_are_not_are_refused() -> None:
    tok = tokenizer([("a", "b")])
    assert tok.vocab_size == 8
    with pytest.raises(ValueError, match="vocab_size=9 is too large: the tokenizer has 8 tokens"):
        truncate(tok, 9)
    message = "vocab_size=6 is too small: 5 base tokens and 2 special tokens need at least 7"
    with pytest.raises(ValueError, match=message):
        truncate(tok, 6)
    with pytest.raises(ValueError, match="vocab_size must be at least 0, not -1"):
        truncate(tok, -1)


def test_ranks_are_truncated_by_id() -> None:
    ranks = {bytes([i]): i for i in range(256)} | {b"lo": 256, b"low": 257, b"ow": 258}
    tok = Tokenizer.from_ranks(ranks, pattern="cl100k", special_tokens=["<|end|>"])
    less = truncate(tok, 258)
    assert less.special_tokens == {"<|end|>": 257}
    assert less.encode("low") == [256, ord("w")]
    assert (type(less), less._cache_bytes) == (Tokenizer, tok._cache_bytes)
