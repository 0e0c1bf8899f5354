"""WordPiece against answers written by hand, and the real tokenizers with a small vocabulary."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from subword import (
    Decoder,
    ModelFormatError,
    TextError,
    Tokenizer,
    UnknownIdError,
    encode_inputs,
    explain,
    explain_text,
)

from tests.support.bert import SMALL, SPECIAL, real, small_pair
from tests.support.strategies import texts

PAD, UNK, CLS, SEP, MASK = range(5)
VOCAB = [*SPECIAL, "low", "##er", "##e", "##est", "un", "##low", ",", "!", "##,"]
LOW, ER, E, EST, UN, GOES_LOW, COMMA, BANG = range(5, 13)


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return Tokenizer.wordpiece(VOCAB)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        (" \t\n\u00a0\u3000", []),
        ("lower", [LOW, ER]),
        ("LÖWER", [LOW, ER]),
        ("lowest", [LOW, EST]),
        ("unlow,low!", [UN, GOES_LOW, COMMA, LOW, BANG]),
        ("er", [UNK]),
        ("lowx low", [UNK, LOW]),
        ("lo\u0000w\ufffd low", [LOW, LOW]),
        ("low" + "e" * 97, [LOW] + [E] * 97),
        ("low" + "e" * 98, [UNK]),
        ("你low好", [UNK, LOW, UNK]),
        ("[CLS]", [UNK, UNK, UNK]),
    ],
)
def test_a_word_is_the_longest_tokens(tok: Tokenizer, text: str, ids: list[int]) -> None:
    assert tok.encode(text) == ids
    assert Tokenizer.wordpiece(VOCAB, linear_time=True).encode(text) == ids


def test_special_tokens_are_text_unless_asked_for(tok: Tokenizer) -> None:
    assert tok.encode("low [SEP]low", special="encode") == [LOW, SEP, LOW]
    assert tok.encode("low [SEP]low", special=["[CLS]"]) == [LOW, UNK, UNK, UNK, LOW]
    assert tok.special_tokens == {token: id for id, token in enumerate(SPECIAL)}


def test_the_settings_of_the_normaliser() -> None:
    vocab = [*SPECIAL, "É", "é", "e", "é你", "e\u0301"]

    def ids(text: str, **settings: Any) -> list[int]:
        return Tokenizer.wordpiece(vocab, **settings).encode(text)

    assert ids("É") == [7]
    assert ids("É", lowercase=False) == [5]
    assert ids("É", strip_accents=False) == [6]
    assert ids("É", lowercase=False, strip_accents=True) == [UNK]
    assert ids("é你", strip_accents=False) == [6, UNK]
    assert ids("é你", strip_accents=False, cjk=False) == [8]
    assert ids("e\u0301", lowercase=False) == [9]


def test_other_settings() -> None:
    short = Tokenizer.wordpiece(VOCAB, max_word_chars=4)
    assert [short.encode(word) for word in ("lowe", "lower")] == [[LOW, E], [UNK]]
    in_bytes = Tokenizer.wordpiece([*SPECIAL, "é", "##é"], max_word_bytes=3, strip_accents=False)
    assert [in_bytes.encode(word) for word in ("é", "éé")] == [[5], [UNK]]
    endless = Tokenizer.wordpiece(VOCAB, max_word_chars=None)
    assert endless.encode("low" + "e" * 5000) == [LOW] + [E] * 5000
    other = Tokenizer.wordpiece([*SPECIAL, "low", "@@er", "##er"], prefix="@@")
    assert other.encode("lower") == [5, 6]
    spaces = Tokenizer.wordpiece([*VOCAB, "low,"], pattern="whitespace")
    assert spaces.encode("low, lower,") == [len(VOCAB), LOW, ER, 13]


def test_maximum_matching_on_raw_text() -> None:
    raw = Tokenizer.wordpiece(
        ["[UNK]", "a", "ab", "##c", "##b c", "##d"],
        pattern="none",
        lowercase=False,
        clean=False,
        cjk=False,
        max_word_chars=None,
        unknown="char",
    )
    assert raw.encode("abcab cdA") == [2, 3, 0, 4, 5, 0]
    assert raw.encode_offsets("abcxd")[1] == [(0, 2), (2, 3), (3, 4), (4, 5)]


def test_decoding(tok: Tokenizer) -> None:
    ids = [CLS, LOW, ER, COMMA, UN, GOES_LOW, BANG, SEP, PAD]
    assert tok.decode(ids) == "[CLS] lower, unlow! [SEP] [PAD]"
    assert tok.decode(ids, skip_special_tokens=True) == "lower, unlow!"
    assert tok.decode(ids, cleanup=False) == "[CLS] lower , unlow ! [SEP] [PAD]"
    assert tok.decode([ER, LOW]) == "##er low"
    assert tok.decode([CLS, ER], skip_special_tokens=True) == "##er"
    assert tok.decode_bytes(ids, skip_special_tokens=True) == b"lower, unlow!"
    assert tok.decode_batch([ids, [LOW]], skip_special_tokens=True) == ["lower, unlow!", "low"]
    plain = Tokenizer.wordpiece(VOCAB, cleanup=False)
    assert plain.decode([LOW, BANG]) == "low !"
    assert plain.decode([LOW, BANG], cleanup=True) == "low!"
    with pytest.raises(UnknownIdError):
        tok.decode([LOW, 99])


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("cleanup", [None, False])
def test_a_decoder_gives_what_decode_gives(
    tok: Tokenizer, skip: bool, cleanup: bool | None
) -> None:
    ids = [CLS, LOW, ER, COMMA, UN, GOES_LOW, BANG, SEP, LOW]
    decoder = Decoder(tok, skip_special_tokens=skip, cleanup=cleanup)
    pushed = "".join(map(decoder.push, ids)) + decoder.finish()
    assert pushed == tok.decode(ids, skip_special_tokens=skip, cleanup=cleanup)
    assert decoder.push(LOW) == "low"


def test_a_wordpiece_tokenizer_is_like_any_other(tok: Tokenizer) -> None:
    assert (tok.kind, tok.unk_token, tok.pattern) == ("wordpiece", "[UNK]", "bert")
    assert (tok.vocab_size, tok.merges) == (len(VOCAB), [])
    assert tok.vocab == {id: token.encode() for id, token in enumerate(VOCAB)}
    assert Tokenizer.wordpiece(tok.vocab) == tok
    assert repr(tok).startswith("<Tokenizer: 14 tokens by wordpiece, pattern 'bert'")
    linear = Tokenizer.wordpiece(VOCAB, linear_time=True)
    for one in (tok, linear):
        again = pickle.loads(pickle.dumps(one))
        assert again == tok
        assert again._linear == one._linear
    assert tok != Tokenizer.wordpiece(VOCAB, lowercase=False)
    assert tok.count("lower, lower") == 5
    assert tok.encode_offsets("Löwer, é!") == (
        [LOW, ER, COMMA, UNK, BANG],
        [(0, 3), (3, 5), (5, 6), (7, 8), (8, 9)],
    )


def test_explaining_shows_the_longest_tokens(tok: Tokenizer) -> None:
    lower = explain(tok, "Löwer")
    assert (lower.piece, lower.how) == ("Löwer".encode(), "longest")
    assert (lower.tokens, lower.ids) == ((b"low", b"##er"), (LOW, ER))
    shown = [
        (one.piece.decode(), one.how, one.ids)
        for one in explain_text(tok, "lower [SEP] xyz,lowe", special="encode")
    ]
    assert shown == [
        ("lower", "longest", (LOW, ER)),
        ("[SEP]", "special", (SEP,)),
        ("xyz", "unknown", (UNK,)),
        (",", "longest", (COMMA,)),
        ("lowe", "longest", (LOW, E)),
    ]
    with pytest.raises(TextError, match="expected one word, found 2") as raised:
        explain(tok, "löw low")
    assert raised.value.position == 4


def test_what_makes_no_tokenizer_is_refused() -> None:
    with pytest.raises(ModelFormatError, match=r"unk_token .* is no token"):
        Tokenizer.wordpiece(["low"])
    with pytest.raises(ModelFormatError, match="has two ids"):
        Tokenizer.wordpiece(["[UNK]", "low", "low"])
    with pytest.raises(ValueError, match='unknown must be "word" or "char"'):
        Tokenizer.wordpiece(VOCAB, unknown="byte")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_word_chars must be from 0 to"):
        Tokenizer.wordpiece(VOCAB, max_word_chars=-1)


def test_an_encoder_goes_with_its_kind_of_model(tmp_path: Path) -> None:
    Tokenizer({i: bytes([i]) for i in range(256)}, []).save(tmp_path / "bytes.json")
    with pytest.raises(ValueError, match="only WordPiece models have a linear encoder"):
        Tokenizer.load(tmp_path / "bytes.json", linear_time=True)
    Tokenizer.wordpiece(VOCAB).save(tmp_path / "words.json")
    with pytest.raises(ModelFormatError, match="a WordPiece model has no other encoder"):
        Tokenizer.load(tmp_path / "words.json", longest_match=True)
    assert Tokenizer.load(tmp_path / "words.json", linear_time=True).encode("lower") == [LOW, ER]


# the real tokenizers


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [None, True, False])
def test_the_ids_and_places_are_those_of_the_real_tokenizers(
    lowercase: bool, strip_accents: bool | None
) -> None:
    theirs = real(SMALL, lowercase=lowercase, strip_accents=strip_accents)
    settings: dict[str, Any] = {"lowercase": lowercase, "strip_accents": strip_accents}
    fast = Tokenizer.wordpiece(SMALL, **settings)
    linear = Tokenizer.wordpiece(SMALL, **settings, linear_time=True)

    @given(texts)
    def check(text: str) -> None:
        expected = theirs.encode(text, add_special_tokens=False)
        assert fast.encode(text, special="encode") == expected.ids
        assert linear.encode(text, special="encode") == expected.ids
        assert fast.encode_offsets(text, special="encode")[0] == expected.ids

    check()


TEXTS = [
    "lower slower, want",
    "the news don't run!",
    "Unwanted running [MASK] low",
    "你好 É ß",
    "",
    "unable lowest",
]


def test_decoding_is_that_of_the_real_tokenizers() -> None:
    theirs, ours = small_pair()
    plain = real(SMALL, lowercase=True, cleanup=False)
    for text in TEXTS:
        ids = theirs.encode(text, "low").ids
        for skip in (True, False):
            assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(
                ids, skip_special_tokens=skip
            )
            assert ours.decode(ids, skip_special_tokens=skip, cleanup=False) == plain.decode(
                ids, skip_special_tokens=skip
            )


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.txt", "t.json"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_what_is_saved_is_loaded(tmp_path: Path, name: str, lowercase: bool) -> None:
    theirs, ours = small_pair(lowercase)
    ours.save(tmp_path / name)
    assert Tokenizer.load(tmp_path / name) == ours
    if name == "tokenizer.json":
        loaded = tokenizers.Tokenizer.from_file(str(tmp_path / name))
        for text in TEXTS:
            for pair in (None, "low lower"):
                expected, found = theirs.encode(text, pair), loaded.encode(text, pair)
                assert (found.ids, found.type_ids) == (expected.ids, expected.type_ids)
                assert loaded.decode(found.ids) == theirs.decode(found.ids)


def test_a_directory_gets_a_vocab_txt(tmp_path: Path) -> None:
    tok = Tokenizer.wordpiece(VOCAB, lowercase=False)
    tok.save(tmp_path, format="bert")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tokenizer_config.json",
        "vocab.txt",
    ]
    assert Tokenizer.load(tmp_path) == tok
    assert Tokenizer.load(tmp_path, lowercase=True) == Tokenizer.wordpiece(VOCAB)


def test_saved_truncation_and_padding_are_for_calls(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs, ours = small_pair()
    path = tmp_path / "tokenizer.json"
    theirs.enable_truncation(4)
    theirs.enable_padding(length=4)
    try:
        theirs.save(str(path))
        cut = theirs.encode_batch(TEXTS)
    finally:  # other tests use the same tokenizer
        theirs.no_truncation()
        theirs.no_padding()
    loaded = Tokenizer.load(path)
    assert loaded.encode_batch(TEXTS) == ours.encode_batch(TEXTS)
    rows = encode_inputs(loaded, TEXTS, special="encode")
    assert rows["input_ids"].tolist() == [row.ids for row in cut]
    assert rows["attention_mask"].tolist() == [row.attention_mask for row in cut]
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path), pad_token="[PAD]")
    whole = loaded.encode_batch(TEXTS, special="encode", add_special_tokens=True)
    assert fast(TEXTS)["input_ids"] == whole
    assert max(map(len, whole)) > 4


def test_transformers_loads_what_is_saved(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    _, ours = small_pair()
    ours.save(tmp_path / "tokenizer.json")
    loaded = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"), pad_token="[PAD]"
    )
    found = loaded(
        TEXTS,
        [*reversed(TEXTS)],
        padding=True,
        return_token_type_ids=True,
        return_tensors="np",
    )
    expected = encode_inputs(ours, TEXTS, [*reversed(TEXTS)], special="encode")
    for key in ("input_ids", "attention_mask", "token_type_ids"):
        assert found[key].tolist() == expected[key].tolist()
    cut = loaded(TEXTS, truncation=True, max_length=5, padding="max_length", return_tensors="np")
    ours_cut = encode_inputs(ours, TEXTS, max_length=5, padding="max_length", special="encode")
    assert cut["input_ids"].tolist() == ours_cut["input_ids"].tolist()
