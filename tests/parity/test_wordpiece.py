"""The ids of the published BERT vocabularies are those of the real tokenizers 0.23.3.

Its normaliser works character by character, and sorts the marks that follow one: so every scalar
value is tried alone and within a word, and every pair of two that behave differently.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import Tokenizer

from tests.support.bert import VOCABULARIES, lines_of, published_pair, real
from tests.support.published import CORPORA, by_lines, corpus, file, sample

Pair = tuple[tokenizers.Tokenizer, Tokenizer]

SCALARS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]

#: How many characters stand in one text, with spaces between them.
TOGETHER = 64


@pytest.fixture(scope="module", params=VOCABULARIES)
def pair(request: pytest.FixtureRequest) -> Pair:
    return published_pair(request.param)


def assert_equal_ids(pair: Pair, texts: Sequence[str]) -> None:
    theirs, ours = pair
    found = ours.encode_batch(texts, special="encode")
    for at in range(0, len(texts), 4096):
        some = texts[at : at + 4096]
        for text, encoding, ids in zip(
            some, theirs.encode_batch_fast(some, add_special_tokens=False), found[at:], strict=False
        ):
            if encoding.ids != ids:
                pytest.fail(first_difference(pair, text))


def first_difference(pair: Pair, text: str) -> str:
    """The shortest word of a text that has other ids."""
    theirs, ours = pair
    for word in sorted(text.split(" "), key=len):
        expected = theirs.encode(word, add_special_tokens=False).ids
        if (found := ours.encode(word, special="encode")) != expected:
            return f"{word!r} ({[hex(ord(c)) for c in word[:9]]}): {found}, not {expected}"
    return f"{text[:200]!r}: words alone have the same ids"


def together(words: Sequence[str]) -> list[str]:
    return [" ".join(words[at : at + TOGETHER]) for at in range(0, len(words), TOGETHER)]


@cache
def representatives() -> list[str]:
    """A character of each kind: what it becomes, by itself and within a word, and how it sorts."""
    theirs, _ = published_pair("bert-base-uncased")
    cased, _ = published_pair("bert-base-cased")
    kinds: dict[object, str] = {}
    for character in SCALARS:
        category = unicodedata.category(character)
        if category in ("Lo", "Cn", "Co") and ord(character) % 97:
            continue  # whole scripts that behave alike
        kind: list[object] = [category, unicodedata.combining(character)]
        for one in (theirs, cased):
            text = one.normalizer.normalize_str(f"a{character}b")
            words = one.pre_tokenizer.pre_tokenize_str(text)
            kind.append((len(text), *(len(word) for word, _ in words)))
        kinds.setdefault(tuple(kind), character)
    return list(kinds.values())


def test_the_official_files_say_the_same() -> None:
    for name in ("bert-base-uncased", "bert-base-cased"):
        path = file(f"vocabs/{name}/tokenizer.json")
        assert Tokenizer.load(path) == Tokenizer.load(file(f"vocabs/{name}/vocab.txt"))
        assert '"type":"WordPiece"' not in path.read_text(encoding="utf-8").partition('"model"')[2]


@pytest.mark.slow
def test_every_character_alone_has_the_same_ids() -> None:
    for name in ("bert-base-uncased", "bert-base-cased"):
        assert_equal_ids(published_pair(name), together(SCALARS))


@pytest.mark.slow
def test_every_character_in_a_word_has_the_same_ids(pair: Pair) -> None:
    assert_equal_ids(pair, together(SCALARS))
    assert_equal_ids(pair, together([f"a{character}b" for character in SCALARS]))


@pytest.mark.slow
@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_has_the_same_ids_whatever_the_settings(
    lowercase: bool, strip_accents: bool
) -> None:
    vocab = file("vocabs/bert-base-multilingual-cased/vocab.txt")
    settings: dict[str, Any] = {"lowercase": lowercase, "strip_accents": strip_accents}
    theirs = real(lines_of(vocab), **settings)
    ours = Tokenizer.wordpiece(lines_of(vocab), **settings)
    assert_equal_ids((theirs, ours), together([f"a{character}e" for character in SCALARS]))


def test_every_pair_of_kinds_has_the_same_ids() -> None:
    kinds = representatives()
    assert len(kinds) > 100
    texts = together([f"a{one}{other}e" for one in kinds for other in kinds])
    for name in ("bert-base-uncased", "bert-base-multilingual-cased"):
        assert_equal_ids(published_pair(name), texts)


@pytest.mark.parametrize("name", CORPORA)
def test_parts_of_a_corpus_have_the_same_ids(pair: Pair, name: str) -> None:
    assert_equal_ids(pair, sample(name, parts=4, size=5_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_two_megabytes_of_a_corpus_have_the_same_ids(name: str) -> None:
    language = "chinese" if name.startswith("zh") else "uncased"
    text = corpus(name)[: 2 << 20]
    blocks = by_lines(text[: text.rfind(b"\n") + 1], 20_000)
    assert_equal_ids(published_pair(f"bert-base-{language}"), blocks)


def test_places_are_the_same(pair: Pair) -> None:
    theirs, ours = pair
    for name in ("en_10mb.txt", "multi_clean_10mb.txt", "udhr_multi.txt"):
        for text in sample(name, parts=6, size=1_500):
            expected = theirs.encode(text, add_special_tokens=False)
            assert ours.encode_offsets(text, special="encode") == (expected.ids, expected.offsets)


def test_decoding_is_the_same(pair: Pair) -> None:
    theirs, ours = pair
    for name in ("en_10mb.txt", "multi_clean_10mb.txt"):
        for text in sample(name, parts=6, size=1_500):
            ids = theirs.encode(text).ids
            for skip in (True, False):
                assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(
                    ids, skip_special_tokens=skip
                )


def test_the_linear_encoder_gives_the_same_ids() -> None:
    path = file("vocabs/bert-base-uncased/vocab.txt")
    linear, fast = Tokenizer.load(path, linear_time=True), Tokenizer.load(path)
    for name in ("en_10mb.txt", "ru_10mb.txt", "zh_10mb.txt", "code_clean_10mb.txt"):
        texts = sample(name, parts=4, size=50_000)
        assert linear.encode_batch(texts) == fast.encode_batch(texts)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_what_is_saved_gives_the_same_ids_there(name: str, tmp_path: Path) -> None:
    theirs, ours = published_pair(name)
    ours.save(tmp_path / "tokenizer.json")
    loaded = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in sample("multi_clean_10mb.txt", parts=3, size=2_000):
        expected, found = theirs.encode(text, "and more"), loaded.encode(text, "and more")
        assert (found.ids, found.type_ids) == (expected.ids, expected.type_ids)
        assert loaded.decode(found.ids) == theirs.decode(found.ids)
    ours.save(tmp_path / "vocab.txt")
    assert Tokenizer.load(tmp_path / "vocab.txt") == Tokenizer.load(tmp_path) == ours
