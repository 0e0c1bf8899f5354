"""Added tokens and offsets: found in the same places as Hugging Face's tokenizers find them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import Tokenizer
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

from tests.support.published import TOKENIZER_JSON, huggingface_pair
from tests.support.strategies import texts

Pair = tuple[tokenizers.Tokenizer, Tokenizer]

MERGES = [("l", "o"), ("lo", "w"), ("Ġ", "low"), ("Ã", "©"), ("Ġ", "Ġ")]


def small(
    folder: Path,
    tokens: list[AddedToken],
    normalizer: Any = None,
    pattern: str | None = None,
) -> Pair:
    """A small tokenizer of theirs with these added tokens, and ours from its file."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: id for id, token in enumerate(alphabet)}
    vocab |= {left + right: len(vocab) + id for id, (left, right) in enumerate(MERGES)}
    real = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=MERGES))
    real.normalizer = normalizer
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    if pattern is None:
        real.pre_tokenizer = byte_level
    else:
        split = pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
        real.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    real.post_processor = processors.ByteLevel(trim_offsets=False)
    real.decoder = decoders.ByteLevel()
    special = [token for token in tokens if token.special]
    real.add_special_tokens(special)
    real.add_tokens([token for token in tokens if not token.special])
    path = folder / "tokenizer.json"
    real.save(str(path))
    return real, Tokenizer.load(path)


CASES = {
    "plain": [AddedToken("<a>", special=True), AddedToken("<a><b>", special=True)],
    "strips left": [AddedToken("<a>", lstrip=True, special=True)],
    "strips right": [AddedToken("<a>", rstrip=True, special=True)],
    "strips both": [AddedToken("<a>", lstrip=True, rstrip=True, special=True)],
    "single word": [AddedToken("low", single_word=True), AddedToken("<a>", single_word=True)],
    "words": [AddedToken("low"), AddedToken("lower"), AddedToken("  ", normalized=False)],
    "raw first": [
        AddedToken("low<", normalized=True),
        AddedToken("<a>", normalized=False, special=True),
    ],
    "overlap": [AddedToken("<a>b", normalized=False), AddedToken("b<a>", normalized=False)],
    "accents": [AddedToken("né", normalized=True), AddedToken("<e\u0301>", normalized=False)],
    "composed": [AddedToken("ne\u0301", normalized=True)],
}

spellings = st.sampled_from(
    ["<a>", "<a><b>", "<b>", "low", "lower", "<", ">", "b", "né", "ne\u0301", "<e\u0301>", "\u0301"]
)
spaces = st.sampled_from([" ", "  ", "\n", "\t", "\u3000", "\x85", "_", "1", "x", "."])
added_texts = st.lists(
    st.one_of(spellings, spellings, spellings, spaces, spaces, texts), max_size=12
).map("".join)


@pytest.fixture(scope="module", params=["plain text", "NFC"])
def normalizer(request: pytest.FixtureRequest) -> Any:
    return normalizers.NFC() if request.param == "NFC" else None


@pytest.fixture(scope="module", params=list(CASES))
def pair(
    request: pytest.FixtureRequest, normalizer: Any, tmp_path_factory: pytest.TempPathFactory
) -> Pair:
    return small(tmp_path_factory.mktemp("added"), CASES[request.param], normalizer)


@pytest.mark.slow
@given(text=added_texts)
@example("low<a>")
@example("ne\u0301 né")
def test_added_tokens_are_found_in_the_same_places(pair: Pair, text: str) -> None:
    real, ours = pair
    assert ours.encode(text, special="encode") == real.encode(text).ids


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_all_normalisers_give_the_same_ids(form: str, tmp_path: Path) -> None:
    real, ours = small(tmp_path, [], getattr(normalizers, form)())

    @given(text=texts)
    def check(text: str) -> None:
        assert ours.encode(text) == real.encode(text).ids

    check()


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d+|[a-z]+",
        r"[^\s]+|\s+(?=\S)|\s",
        r"(?<=l)o|(?i:low)",
        r"\p{Lu}\p{Ll}*|\p{N}{2}",
        r"\s",
        r"[\p{L}&&[^a-m]]+",
    ],
)
def test_any_pattern_cuts_the_same_pieces(pattern: str, tmp_path: Path) -> None:
    real, ours = small(tmp_path, [], pattern=pattern)

    @given(text=added_texts)
    def check(text: str) -> None:
        assert ours.encode(text) == real.encode(text).ids

    check()


# offsets


@given(text=texts)
@pytest.mark.parametrize("name", TOKENIZER_JSON)
def test_offsets_are_the_same(name: str, text: str) -> None:
    real, ours = huggingface_pair(name)
    encoding = real.encode(text, add_special_tokens=False)
    assert ours.encode_offsets(text, special="encode") == (encoding.ids, encoding.offsets)


@given(text=added_texts)
@settings(max_examples=50)
def test_offsets_of_added_tokens_are_the_same(pair: Pair, text: str) -> None:
    real, ours = pair
    encoding = real.encode(text)
    assert ours.encode_offsets(text, special="encode") == (encoding.ids, encoding.offsets)
