"""Offsets beside Hugging Face's: every normaliser, hostile text, tokens that cut characters."""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from subword import Tokenizer
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

from tests.support.published import TOKENIZER_JSON, huggingface_pair, sample

Pair = tuple[tokenizers.Tokenizer, Tokenizer]

#: What normalisation changes, and what stands beside it.
HOSTILE = [
    *"ab \n.1ZÉ",
    *"\u00e9\u00e0\u1ec7\u1e69\u01d5\u1fb7\u0390",  # one mark or several in a character
    *"\u0300\u0301\u0308\u0323\u0327\u0345\u031b",  # marks of several classes
    *"\u0316\u0344\u0f71\u0f72\u0f73\u0f74\u0f81\u0340\u0343",  # they sort, and come apart
    *"\u2126\u212a\u212b\u095c\u0958\u09cb\u09c7\u09be\u0dd9\u0dcf\u0dca\u1b06\u1b05\u1b35",
    *"\u1100\u1161\u11a8\uac00\uac01\ud55c",  # Korean letters and syllables
    *"ﬁﬀﷺ½㎏①ŀǆĳ¨´\u3000\u00a0",  # what compatibility changes
    *"İıßẞΣςſĲǅÅ",  # odd ones of lower case
    *"中字\uf900\U0002f800\U0002f81a",
    *"\u1b44\U0001d165\U0001d15e\U0001d160\u302e\u302f\u05b0\u05bf\u034f",  # some stripping keeps
    *"\x00\u200d\ufeff\ufffd\u200b\ue000",  # cleaning deletes them
    *"😀🏽\u200d♂\ufe0f🇫",
    *"Ġ\t\u0085",
]

texts = st.lists(
    st.one_of(
        st.text(st.sampled_from(HOSTILE), min_size=1, max_size=6),
        st.sampled_from([" low", "e\u0301", "<m>", " <m> ", "<E\u0301>", "한국어", "\u0938\u095c"]),
    ),
    max_size=5,
).map("".join)

BERT = ["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"]

NORMALIZERS: dict[str, Any] = {
    "none": None,
    **{name: getattr(normalizers, name)() for name in ("NFC", "NFD", "NFKC", "NFKD")},
    "NFC, lower case": normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]),
    **{
        f"BERT {bits:04b}": normalizers.BertNormalizer(
            **{name: bool(bits >> at & 1) for at, name in enumerate(BERT)}
        )
        for bits in range(16)
    },
}

post_processors = st.sampled_from(
    [
        None,
        processors.ByteLevel(trim_offsets=False),
        processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
        processors.ByteLevel(trim_offsets=True, add_prefix_space=True),
    ]
)

added = st.lists(
    st.builds(
        AddedToken,
        st.sampled_from(["<m>", "<é>", "Ω"]),
        special=st.booleans(),
        normalized=st.booleans(),
        lstrip=st.booleans(),
        rstrip=st.booleans(),
    ),
    max_size=2,
    unique_by=lambda token: token.content,
)


@cache
def alphabet() -> list[str]:
    """The characters that stand for bytes, in their order."""
    odd = iter(range(256, 512))
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return [chr(byte if byte in plain else next(odd)) for byte in range(256)]


def merges_of(spellings: Iterable[bytes]) -> list[tuple[str, str]]:
    """Merges that make these tokens, each from left to right."""
    merges: dict[tuple[str, str], None] = {}
    for spelling in spellings:
        written = [alphabet()[byte] for byte in spelling]
        for end in range(1, len(written)):
            merges["".join(written[:end]), written[end]] = None
    return [*merges]


def both(real: tokenizers.Tokenizer, tmp_path: Path) -> Pair:
    """The same tokenizer, by them and by us."""
    path = tmp_path / "tokenizer.json"
    real.save(str(path))
    return real, Tokenizer.load(path)


@st.composite
def byte_level(draw: st.DrawFn, normalizer: Any) -> tuple[tokenizers.Tokenizer, str]:
    """A small byte-level model whose tokens are parts of a text, and that text."""
    text = draw(texts)
    normal = text if normalizer is None else normalizer.normalize_str(text)
    raw = normal.encode()
    starts = draw(st.lists(st.integers(0, max(0, len(raw) - 2)), max_size=6))
    spellings = [raw[start : start + draw(st.integers(2, 6))] for start in starts]
    merges = merges_of(spellings)
    tokens = dict.fromkeys([*alphabet(), *(left + right for left, right in merges)])
    model = models.BPE(vocab={token: id for id, token in enumerate(tokens)}, merges=merges)
    real = tokenizers.Tokenizer(model)
    if normalizer is not None:
        real.normalizer = normalizer
    whole = draw(st.booleans())
    real.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not whole)
    real.decoder = decoders.ByteLevel()
    processor = draw(post_processors)
    if processor is not None:
        real.post_processor = processor
    real.add_tokens(draw(added))
    return real, text


def assert_same(pair: Pair, text: str) -> None:
    real, ours = pair
    expected = real.encode(text, add_special_tokens=False)
    assert ours.encode_offsets(text, special="encode") == (expected.ids, expected.offsets)


@pytest.mark.slow
@pytest.mark.parametrize("name", NORMALIZERS)
def test_offsets_of_byte_level_tokens_are_the_same(name: str, tmp_path: Path) -> None:
    @given(case=byte_level(NORMALIZERS[name]))
    def check(case: tuple[tokenizers.Tokenizer, str]) -> None:
        real, text = case
        assert_same(both(real, tmp_path), text)

    check()


@st.composite
def characters(draw: st.DrawFn, normalizer: Any) -> tuple[tokenizers.Tokenizer, str]:
    """A small model of characters, by merges or WordPiece, and a text of some of them."""
    text = draw(texts)
    normal = text if normalizer is None else normalizer.normalize_str(text)
    known = draw(st.lists(st.sampled_from([*normal, "a"]), min_size=1, unique=True))
    tokens = ["[UNK]", *known]
    if draw(st.booleans()):
        tokens += [f"##{one}" for one in known]
        tokens += [known[0] + known[-1], f"##{known[-1]}{known[0]}"]
        vocab = {token: id for id, token in enumerate(dict.fromkeys(tokens))}
        real = tokenizers.Tokenizer(models.WordPiece(vocab=vocab, unk_token="[UNK]"))
        real.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        real.decoder = decoders.WordPiece()
    else:
        tokens.append(known[0] + known[-1])
        vocab = {token: id for id, token in enumerate(dict.fromkeys(tokens))}
        merges = [(known[0], known[-1])]
        real = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="[UNK]"))
        real.decoder = decoders.Fuse()
    if normalizer is not None:
        real.normalizer = normalizer
    processor = draw(post_processors)
    if processor is not None:
        real.post_processor = processor
    return real, text


@pytest.mark.slow
@pytest.mark.parametrize("name", NORMALIZERS)
def test_offsets_of_tokens_of_characters_are_the_same(name: str, tmp_path: Path) -> None:
    @given(case=characters(NORMALIZERS[name]))
    def check(case: tuple[tokenizers.Tokenizer, str]) -> None:
        real, text = case
        assert_same(both(real, tmp_path), text)

    check()


@pytest.mark.parametrize("name", [*TOKENIZER_JSON, "bert-base-uncased", "bert-base-cased"])
def test_offsets_of_published_files_are_the_same_on_corpora(name: str) -> None:
    pair = huggingface_pair(name)
    for corpus in ("multi_clean_10mb.txt", "udhr_multi.txt", "ko_3mb.txt", "code_clean_10mb.txt"):
        for text in sample(corpus, parts=6, size=1_500):
            assert_same(pair, text)


@given(text=texts)
@pytest.mark.parametrize("name", [*TOKENIZER_JSON, "bert-base-uncased", "bert-base-cased"])
def test_offsets_of_published_files_are_the_same_on_hostile_text(name: str, text: str) -> None:
    assert_same(huggingface_pair(name), text)


def test_a_character_that_normalisation_replaces_has_a_place_of_its_own() -> None:
    _, qwen = huggingface_pair("qwen2_5")
    assert qwen.encode_offsets("ab\u2126cd")[1] == [(0, 2), (2, 3), (3, 5)]
    assert qwen.encode_offsets("ab\u2126cd", unit="bytes")[1] == [(0, 2), (2, 5), (5, 7)]


def test_the_mark_of_a_composed_character_belongs_to_no_token() -> None:
    _, qwen = huggingface_pair("qwen2_5")
    assert qwen.encode_offsets("e\u0301x")[1] == [(0, 1), (2, 3)]


@given(text=texts, pieces=st.lists(texts, min_size=1, max_size=3))
def test_bytes_that_are_no_text_have_places_too(text: str, pieces: list[str]) -> None:
    """Hugging Face's library takes no bytes; places rise, and stay within the text."""
    data = b"\xe4\xb8".join(piece.encode() for piece in [text, *pieces])
    for name in ("qwen2_5", "bert-base-uncased"):
        ids, places = huggingface_pair(name)[1].encode_offsets(data, unit="bytes")
        assert ids == huggingface_pair(name)[1].encode(data)
        assert all(0 <= start <= end <= len(data) for start, end in places)
        assert places == sorted(places)
