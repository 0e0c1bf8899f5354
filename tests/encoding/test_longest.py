"""`longest_match=True`: the engine gives the tokens of `reference.encode_longest`."""

from __future__ import annotations

import pickle
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    ModelFormatError,
    TextError,
    Tokenizer,
    TrainingError,
    explain_text,
    truncate,
)
from subword.reference import LongestMatch, encode_longest

from tests.support.strategies import texts

MARK, UNK = "</w>", "<unk>"

words = st.lists(st.text("abé中", min_size=1, max_size=14), min_size=1, max_size=6)
vocabularies = st.lists(
    st.text("abé中", max_size=5).flatmap(lambda token: st.sampled_from([token, token + MARK])),
    max_size=20,
)


def of_words(tokens: list[str], *, unk: bool = True, cache_bytes: int = 1 << 20) -> Tokenizer:
    """A tokenizer of words with a mark."""
    vocab = [*dict.fromkeys([*filter(None, tokens), MARK])]
    return Tokenizer(
        {id: token.encode() for id, token in enumerate(vocab)},
        [],
        [UNK] if unk else None,
        pattern="whitespace",
        units="chars",
        end_of_word=MARK,
        unk_token=UNK if unk else None,
        longest_match=True,
        cache_bytes=cache_bytes,
    )


def of_bytes(tokens: list[bytes]) -> Tokenizer:
    """A tokenizer of bytes, of one piece."""
    more = [token for token in dict.fromkeys(tokens) if len(token) > 1]
    vocab = {i: bytes([i]) for i in range(256)} | dict(enumerate(more, 256))
    return Tokenizer(vocab, [], pattern="none", longest_match=True)


def tokens_of(tok: Tokenizer, ids: list[int]) -> list[str]:
    return [tok.token_bytes(id).decode() for id in ids]


@settings(max_examples=400)
@given(words=words, tokens=vocabularies)
def test_words_have_the_tokens_of_the_definition(words: list[str], tokens: list[str]) -> None:
    tok, text = of_words(tokens), " ".join(words)
    expected = [one for word in words for one in encode_longest(word + MARK, [*tokens, MARK])]
    ids = tok.encode(text)
    assert tokens_of(tok, ids) == expected
    assert tok.encode(text) == ids == of_words(tokens, cache_bytes=0).encode(text)
    assert tok.count(text) == len(ids)
    assert tok.encode_batch([text, text], threads=2) == [ids, ids]


@settings(max_examples=400)
@given(
    text=st.lists(st.sampled_from([b"a", b"ab", b"\xff", b"b", b"\xc3\xa9"]), max_size=12),
    tokens=st.lists(
        st.binary(min_size=1, max_size=3) | st.sampled_from([b"ab", b"aab", b"ba\xc3"])
    ),
)
def test_bytes_have_the_tokens_of_the_definition(text: list[bytes], tokens: list[bytes]) -> None:
    tok, piece = of_bytes(tokens), b"".join(text)
    spelled = [token.decode("latin-1") for token in tok.vocab.values()]
    expected = LongestMatch(spelled, mark="").encode(piece.decode("latin-1"))
    ids = tok.encode(piece)
    assert [tok.token_bytes(id).decode("latin-1") for id in ids] == expected
    assert tok.decode_bytes(ids) == piece


@given(text=texts, tokens=vocabularies)
def test_offsets_and_explanations_belong_to_the_ids(text: str, tokens: list[str]) -> None:
    tok = of_words(tokens)
    ids, places = tok.encode_offsets(text)
    assert ids == tok.encode(text)
    at = 0
    for id, (start, end) in zip(ids, places, strict=True):
        assert text[at:start].isspace() or at == start or re.fullmatch(r"\s*", text[at:start])
        token = tok.token_bytes(id).decode().removesuffix(MARK)
        assert text[start:end] == token or id == tok.token_id(UNK)
        at = end
    assert [id for one in explain_text(tok, text) for id in one.ids] == ids


def test_the_known_answers() -> None:
    tokens = ["errrr</w>", "tain</w>", "moun", "est</w>", "high", "the</w>", "a</w>"]
    tok = of_words(tokens)
    ids = tok.encode("the highest mountain")
    assert tokens_of(tok, ids) == ["the</w>", "high", "est</w>", "moun", "tain</w>"]
    assert tok.decode(ids) == "the highest mountain"
    assert tok.decode(tok.encode("highland high")) == "high<unk> high"
    assert (tok.kind, of_bytes([]).kind) == ("longest", "longest")


def test_unknown_stretches_are_one_token_with_one_place() -> None:
    tok = of_words(["low"])
    ids, places = tok.encode_offsets("slowly low")
    assert tokens_of(tok, ids) == [UNK, "low", UNK, MARK, "low", MARK]
    assert places == [(0, 1), (1, 4), (4, 6), (6, 6), (7, 10), (10, 10)]


def test_text_that_spells_the_mark_is_text() -> None:
    tok = of_words(["a", "a</w>"])
    assert tokens_of(tok, tok.encode("a</w>a a</w>")) == ["a", UNK, "a</w>", "a", UNK, MARK]
    assert [one.ids for one in explain_text(tok, "a</w>a")] == [tuple(tok.encode("a</w>a"))]


def test_without_an_unknown_token_it_is_an_error_with_a_place() -> None:
    tok = of_words(["low"], unk=False)
    assert tokens_of(tok, tok.encode("low low")) == ["low", MARK, "low", MARK]
    with pytest.raises(TextError, match='no token for the character "é"') as found:
        tok.encode("low lowé")
    assert found.value.position == 7
    with pytest.raises(TextError):
        tok.encode_offsets("é")


def test_it_is_part_of_the_tokenizer(tmp_path: Path) -> None:
    tok = of_words(["low", "er</w>"])
    tok.save(tmp_path / "tok.json")
    again = Tokenizer.load(tmp_path / "tok.json")
    assert again == tok == pickle.loads(pickle.dumps(tok))
    assert again.encode("lower") == tok.encode("lower")
    by_merges = Tokenizer.load(tmp_path / "tok.json", longest_match=False)
    assert by_merges != tok
    assert by_merges.kind == "merges"
    for format in ("tiktoken", "gpt2", "huggingface"):
        with pytest.raises(ModelFormatError) as found:
            tok.save(tmp_path / "other", format=format)
        assert str(found.value).endswith(
            "only a native file can hold a tokenizer that encodes by the longest tokens\n"
            '  hint: save it with format="native"'
        )
    assert not (tmp_path / "other").exists()


def test_a_trained_tokenizer_can_be_loaded_to_encode_by_the_longest(tmp_path: Path) -> None:
    text = "low lower lowest slow slower " * 3
    trained = BpeTrainer(num_merges=12, special_tokens=["<|end|>"]).train_iter([text])
    trained.save(tmp_path / "tok.json")
    tok = Tokenizer.load(tmp_path / "tok.json", longest_match=True)
    assert (tok.merges, tok.special_tokens) == (trained.merges, trained.special_tokens)
    spelled = [token.decode("latin-1") for id, token in tok.vocab.items() if id < 256 + 12]
    encoder = LongestMatch(spelled, mark="")
    for word in ["low", " slowest", " lowers", "<|end|>"]:
        found = [tok.token_bytes(id).decode("latin-1") for id in tok.encode(word)]
        assert found == encoder.encode(word)
    assert tok.encode("low<|end|>", special="encode")[-1] == tok.special_tokens["<|end|>"]
    assert truncate(tok, 260).kind == "longest"
    with pytest.raises(TrainingError, match="the base does not encode by merges"):
        BpeTrainer(num_merges=1, base=tok).train_iter(["low"])


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"encoder must be .*, not 'shortest'"):
        Tokenizer({0: b"a"}, [], units="chars", encoder="shortest")  # type: ignore[arg-type]
    joined = '"units": "characters", "end_of_word": "</w>", "end_of_word_joined": true'
    (tmp_path / "tok.json").write_text(
        '{"format": "subword", "version": 1, "type": "bpe", "pattern": "whitespace", '
        f'"encoder": "longest", {joined}, "vocab": {{"a</w>": 0}}, "merges": []}}'
    )
    with pytest.raises(ModelFormatError, match="mark that is a token of its own"):
        Tokenizer.load(tmp_path / "tok.json")
    (tmp_path / "tok.json").write_text(
        '{"format": "subword", "version": 1, "type": "bpe", "pattern": "whitespace", '
        '"encoder": "other", "vocab": {"a": 0}, "merges": []}'
    )
    with pytest.raises(ModelFormatError, match='expected "merges" or "longest"'):
        Tokenizer.load(tmp_path / "tok.json")


@pytest.mark.parametrize("unit", ["a", "ab", "aab", "é"])
def test_time_is_near_linear_whatever_the_piece(unit: str) -> None:
    runs = [b"a" * n for n in (2, 3, 5, 8, 64, 1000)] + [b"ab" * n for n in (1, 2, 50)]
    tok = of_bytes([*runs, "é".encode() * 30])
    piece = (unit * 400_000)[:400_000]
    start = time.process_time()
    ids = tok.encode(piece)
    assert time.process_time() - start < 2.0
    assert tok.decode(ids) == piece
    if unit == "a":
        assert len(ids) == 400
