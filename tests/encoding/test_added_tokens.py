"""Special and added tokens where they meet: words of the vocabulary, white space, each other,
normalisers, files; and that many of them are no slower than few."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import (
    BpeTrainer,
    ModelFormatError,
    ModelFormatWarning,
    Tokenizer,
    WordPieceTrainer,
    count_pieces,
)
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, trainers

from tests.support.published import file
from tests.support.small import ALPHABET, from_native
from tests.support.strategies import code_points

Pair = tuple[tokenizers.Tokenizer, Tokenizer]

BERT = {"clean": True, "cjk": True, "strip_accents": True, "lowercase": True, "tables": "0.23"}


def loaded(real: tokenizers.Tokenizer, folder: Path) -> Pair:
    """Theirs and ours, both from the file that theirs makes."""
    path = folder / "tokenizer.json"
    real.save(str(path))
    return tokenizers.Tokenizer.from_file(str(path)), Tokenizer.load(path)


def byte_level(tokens: list[AddedToken], normalizer: Any = None) -> tokenizers.Tokenizer:
    real = tokenizers.Tokenizer(
        models.BPE(vocab={c: id for id, c in enumerate(ALPHABET)}, merges=[])
    )
    real.normalizer = normalizer
    real.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    real.decoder = decoders.ByteLevel()
    for token in tokens:
        real.add_tokens([token])
    return real


def same(pair: Pair, text: str) -> list[int]:
    """The ids of both, for both ways to treat special tokens; returned are those of all of them."""
    real, ours = pair
    real.encode_special_tokens = True
    assert ours.encode(text) == real.encode(text, add_special_tokens=False).ids
    real.encode_special_tokens = False
    ids: list[int] = real.encode(text, add_special_tokens=False).ids
    assert ours.encode(text, special="encode") == ids
    return ids


# words of the vocabulary


def test_a_special_token_that_is_a_word_of_bert_is_found_after_normalisation(
    tmp_path: Path,
) -> None:
    real = tokenizers.Tokenizer.from_file(str(file("vocabs/bert-base-uncased/tokenizer.json")))
    real.add_special_tokens(["hello"])
    pair = loaded(real, tmp_path)
    assert same(pair, "Hello world") == [7592, 2088]
    for text in ("hello world", "HELLOing hellos", "[CLS] [cls] hello[MASK]"):
        same(pair, text)


@pytest.mark.parametrize("pattern", ["BertPreTokenizer", "WhitespaceSplit", "Whitespace"])
def test_special_tokens_that_are_words_stay_words(pattern: str, tmp_path: Path) -> None:
    tokens = ["[UNK]", "hello", "hell", "##o", "##lo", "##s", "[CLS]", "[", "##C"]
    model = models.WordPiece({t: id for id, t in enumerate(tokens)}, unk_token="[UNK]")
    for lowercase in (True, False):
        real = tokenizers.Tokenizer(model)
        real.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        real.pre_tokenizer = getattr(pre_tokenizers, pattern)()
        real.add_special_tokens(["[UNK]", "hello", "##lo", "[CLS]"])
        pair = loaded(real, tmp_path)
        for text in (
            "Hello",
            "hello",
            "hellos",
            "HELLOS",
            "[CLS]",
            "[C",
            "[CLS]s",
            "x##lo",
            "[cls]",
        ):
            same(pair, text)
        saved = tmp_path / "saved.json"
        pair[1].save(saved, format="huggingface")
        same((tokenizers.Tokenizer.from_file(str(saved)), Tokenizer.load(saved)), "Hellos [CLS]s")


# white space, overlaps, normalisers


def test_white_space_that_one_token_swallows_may_be_another_token(tmp_path: Path) -> None:
    mask = AddedToken("<m>", rstrip=True, special=True, normalized=False)
    pair = loaded(byte_level([mask, AddedToken("  ", normalized=False)]), tmp_path)
    assert same(pair, "a<m>  b") == [97, 256, 257, 98]
    for spaces in range(6):
        same(pair, f"a<m>{' ' * spaces}b<m>{' ' * spaces}")


def test_an_added_token_that_normalising_leaves_nothing_of_is_refused(tmp_path: Path) -> None:
    tokens = [AddedToken("\u0301", normalized=True), AddedToken("zz", normalized=True)]
    normalizer = normalizers.BertNormalizer(strip_accents=True)
    with pytest.raises(ModelFormatError, match="is empty after normalisation"):
        loaded(byte_level(tokens, normalizer), tmp_path)


def test_in_our_own_format_a_token_without_a_normal_form_is_never_found() -> None:
    token = {"content": "\0", "id": 500, "normalized": True, "always": True}
    tok = from_native(normalizer={"type": "bert", **BERT}, special_tokens=[token])
    assert tok.encode("") == []
    assert 500 not in tok.encode("a\0b low", special="encode")


def test_a_special_token_that_is_text_hides_words_that_overlap_it(tmp_path: Path) -> None:
    special = AddedToken("<a>", special=True, normalized=False)
    pair = loaded(byte_level([special, AddedToken("a>b", normalized=False)]), tmp_path)
    ours = pair[1]
    assert ours.encode("<a>b") == ours.encode("<a>b", special=set()) == [*b"<a>b"]
    assert ours.encode("a>b") == [257]
    for text in ("<a>b", "xa>b<a>b", "<a>a>b", "a>b<a>"):
        same(pair, text)
        assert ours.encode(text, special={"<a>"}) == ours.encode(text, special="encode")


def test_in_a_selection_only_its_own_tokens_are_known() -> None:
    ranks = {bytes([i]): i for i in range(256)}
    tok = Tokenizer.from_ranks(ranks, pattern="gpt2", special_tokens={"<a>": 256, "a>b": 257})
    assert tok.encode("<a>b", special={"a>b"}) == [60, 257]


def test_two_added_tokens_that_are_the_same_after_normalising_are_refused(tmp_path: Path) -> None:
    tokens = [AddedToken("É", normalized=True), AddedToken("E\u0301", normalized=True)]
    with pytest.raises(ModelFormatError, match="are the same after normalisation"):
        loaded(byte_level(tokens, normalizers.NFC()), tmp_path)


def between_letters(characters: list[str]) -> list[str]:
    lines = [f"a{c}b\n" for c in characters]
    return ["".join(lines[i : i + 512]) for i in range(0, len(lines), 512)]


@pytest.mark.slow
@pytest.mark.parametrize("options", list(product([True, False], repeat=4)))
def test_berts_normaliser_changes_every_character_as_there(
    options: tuple[bool, ...], tmp_path: Path
) -> None:
    normalizer = normalizers.BertNormalizer(*options)
    _, ours = loaded(byte_level([], normalizer), tmp_path)
    for text in between_letters(code_points(every=97)):
        assert bytes(ours.encode(text)).decode() == normalizer.normalize_str(text)


# what we save is what we had


def test_a_word_piece_with_special_tokens_that_are_words_is_saved_as_it_is(tmp_path: Path) -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "##er"], ["[UNK]", "lower"], pattern="whitespace")
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    assert Tokenizer.load(path) == tok
    pair = (tokenizers.Tokenizer.from_file(str(path)), tok)
    assert same(pair, "LOWER") == [1, 2]
    assert same(pair, "lower lower") == [3, 3]


def test_a_character_model_with_special_tokens_outside_its_vocabulary_is_saved_as_it_is(
    tmp_path: Path,
) -> None:
    tok = Tokenizer(
        {0: b"a", 1: b"b", 2: b"ab"},
        [(b"a", b"b")],
        ["<unk>", "z"],
        pattern="none",
        units="chars",
        unk_token="<unk>",
    )
    path = tmp_path / "tokenizer.json"
    tok.save(path)
    assert Tokenizer.load(path) == tok
    pair = (tokenizers.Tokenizer.from_file(str(path)), tok)
    assert same(pair, "abz") == [2, 4]
    assert tok.encode("abz") == [2, 3]


def test_a_special_token_that_text_would_become_there_is_not_saved(tmp_path: Path) -> None:
    counts = count_pieces(texts=["low lower lowest"] * 20, pattern="whitespace")
    tok = WordPieceTrainer(22).train_counts(counts)
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ModelFormatError) as caught:
        tok.save(path)
    assert caught.value.message == (
        "this tokenizer cannot be saved as tokenizer.json: its special token "
        '"[PAD]" with id 0 must be in the vocabulary there, and text would become it'
    )
    tok.save(path, format="native")
    assert Tokenizer.load(path) == tok


def test_special_tokens_with_one_id_are_saved_in_our_own_format_alone(tmp_path: Path) -> None:
    ranks = {bytes([i]): i for i in range(256)}
    tok = Tokenizer.from_ranks(ranks, pattern="gpt2", special_tokens={"<b>": 300, "<a>": 300})
    assert tok.encode("<a><b>", special="encode") == [300, 300]
    assert tok.decode([300]) == "<a>"
    assert (tok.vocab_size, tok.special_tokens) == (257, {"<a>": 300, "<b>": 300})
    tok.save(tmp_path / "tok.json", format="native")
    assert Tokenizer.load(tmp_path / "tok.json") == tok
    for name, format in (("tokenizer.json", "huggingface"), ("vocab.json", "gpt2")):
        with pytest.raises(ModelFormatError, match='"<a>" and "<b>" have the same id 300'):
            tok.save(tmp_path / name, format=format)


# training


@pytest.mark.parametrize("theirs", [3, 4, 6, 9])
def test_max_token_length_of_hugging_face_is_one_more_than_ours(theirs: int) -> None:
    words = ["abcdefghijklmnop", "hijklmn", "bcdefg", "klmnopab"]
    corpus = [word for at, word in enumerate(words) for _ in range(10 + at)]
    real = tokenizers.Tokenizer(models.BPE())
    real.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        max_token_length=theirs,
        initial_alphabet=sorted(set("".join(words))),
        show_progress=False,
    )
    real.train_from_iterator(corpus, trainer)
    shown = [bytes([i]) for i in [*range(33, 127), *range(161, 173), *range(174, 256)]]
    order = shown + [bytes([i]) for i in range(256) if bytes([i]) not in shown]
    ours = BpeTrainer(
        num_merges=len(real.get_vocab()) - len(set("".join(words))),
        max_token_length=theirs - 1,
        ties="smallest-ids",
        initial_vocab=order,
    ).train_iter(corpus)
    learned = {token for token in real.get_vocab() if len(token) > 1}
    assert {token.decode() for token in ours.vocab.values() if len(token) > 1} == learned


# many of them


@contextmanager
def in_seconds(limit: float) -> Iterator[None]:
    """Takes no more of the processor's time; before, each took several times as much."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < limit


@cache
def with_many(count: int) -> str:
    model = {"type": "BPE", "vocab": {c: id for id, c in enumerate(ALPHABET)}, "merges": []}
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    added = [{"id": 256 + n, "content": f"<t{n}>", "special": True, **flags} for n in range(count)]
    pre_tokenizer = {"type": "ByteLevel", "add_prefix_space": False}
    parts = {"version": "1.0", "added_tokens": added, "pre_tokenizer": pre_tokenizer}
    return json.dumps({**parts, "decoder": {"type": "ByteLevel"}, "model": model}, indent=1)


def test_twenty_thousand_added_tokens_load_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(with_many(20_000), encoding="utf-8")
    with in_seconds(3):
        tok = Tokenizer.load(path)
    assert tok.encode("<t19999>", special="encode") == [20_255]


def test_ids_that_the_library_changes_are_one_warning_however_many(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    data = json.loads(with_many(20_000))
    for token in data["added_tokens"]:
        token["id"] += 1
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    data |= {"pre_tokenizer": byte_level, "decoder": byte_level}
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    said = r'"<t0>" has id 257, but .* give it 256 \(and 19999 others\)'
    with in_seconds(3), pytest.warns(ModelFormatWarning, match=said):
        tok = Tokenizer.load(path)
    assert tok.encode("<t19999>", special="encode") == [20_255]


@pytest.mark.parametrize("side", ["lstrip", "rstrip"])
def test_a_run_of_white_space_tokens_takes_linear_time(side: str, tmp_path: Path) -> None:
    tab = AddedToken("\t", normalized=False, **{side: True})
    _, ours = loaded(byte_level([tab]), tmp_path)
    with in_seconds(3):
        ids = ours.encode("\t" * 200_000, threads=1)
    assert ids == [256] * 200_000


def test_a_selection_of_many_special_tokens_is_prepared_once(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(with_many(5000), encoding="utf-8")
    tok = Tokenizer.load(path)
    chosen = set(list(tok.special_tokens)[:-1])
    with in_seconds(3):
        for _ in range(300):
            assert tok.encode("<t1><t4999>", special=chosen) == [257, *b"<t4999>"]
    assert tok.encode("<t1>", special={"<t2>"}) == [*b"<t1>"]
