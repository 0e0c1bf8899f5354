"""`encoded_by(tok, "fewest")`: the engine gives the tokens of `reference.encode_fewest`."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import (
    BpeTrainer,
    ModelFormatError,
    Tokenizer,
    encoded_by,
    evaluate,
    explain,
    split,
    truncate,
)
from subword.reference import encode_fewest

from tests.support.strategies import texts

BYTES = [bytes([byte]) for byte in range(256)]


def of_bytes(tokens: list[bytes], cache_bytes: int = 1 << 20) -> Tokenizer:
    """A tokenizer of bytes, of one piece."""
    more = [token for token in dict.fromkeys(tokens) if len(token) > 1]
    tok = Tokenizer(dict(enumerate([*BYTES, *more])), [], pattern="none", cache_bytes=cache_bytes)
    return encoded_by(tok, "fewest")


@settings(max_examples=400)
@given(
    text=st.lists(st.sampled_from([b"a", b"ab", b"\xff", b"b", b"\xc3\xa9"]), max_size=14),
    tokens=st.lists(
        st.binary(min_size=1, max_size=3)
        | st.text("ab", min_size=2, max_size=5).map(str.encode)
        | st.sampled_from([b"ab", b"aab", b"ba\xc3", b"\xa9a"])
    ),
)
def test_pieces_have_the_tokens_of_the_definition(text: list[bytes], tokens: list[bytes]) -> None:
    tok, piece = of_bytes(tokens), b"".join(text)
    expected = encode_fewest(piece, {*tok.vocab.values()})
    ids = tok.encode(piece)
    assert [tok.token_bytes(id) for id in ids] == expected
    assert tok.encode(piece) == ids == of_bytes(tokens, cache_bytes=0).encode(piece)
    assert tok.count(piece) == len(ids)
    assert tok.decode_bytes(ids) == piece
    assert tok.encode_batch([piece, piece], threads=2) == [ids, ids]
    found, places = tok.encode_offsets(piece, unit="bytes")
    assert (found, [piece[start:end] for start, end in places]) == (ids, expected)


@given(text=texts)
def test_a_trained_vocabulary_never_needs_more_tokens_than_its_merges(text: str) -> None:
    tok = BpeTrainer(num_merges=20).train_iter(["the lowest of the low, 中国 中, and slower"] * 3)
    fewest = encoded_by(tok, "fewest")
    assert fewest.decode(fewest.encode(text)) == text
    assert fewest.count(text) <= tok.count(text)
    assert encoded_by(fewest, "merges") == tok
    tokens = {*tok.vocab.values()}
    expected = [
        token
        for piece in split(text.encode(), tok.pattern)
        for token in encode_fewest(piece, tokens)
    ]
    assert [tok.token_bytes(id) for id in fewest.encode(text)] == expected


def merging() -> Tokenizer:
    """`abcd` is three tokens by its merges, and two are enough."""
    vocab = dict(enumerate([*BYTES, b"bc", b"ab", b"cd"]))
    merges = [(b"b", b"c"), (b"a", b"b"), (b"c", b"d")]
    return Tokenizer(vocab, merges, ["<s>"], pattern="gpt2")


def test_it_is_kept_in_a_native_file_and_in_no_other(tmp_path: Path) -> None:
    tok = encoded_by(merging(), "fewest")
    assert (tok.kind, tok.encode("abcd")) == ("fewest", [257, 258])
    tok.save(tmp_path / "tok.subword", format="native")
    again = Tokenizer.load(tmp_path / "tok.subword")
    assert again == tok == pickle.loads(pickle.dumps(tok))
    assert again.encode("abcd<s>", special="encode") == [257, 258, 259]
    assert truncate(tok, 259).encode("abcd") == [257, 99, 100]
    with pytest.raises(ModelFormatError, match="encodes by the fewest tokens"):
        tok.save(tmp_path / "tok.json", format="huggingface")


def test_every_piece_is_explained() -> None:
    one = explain(encoded_by(merging(), "fewest"), "abcd")
    assert (one.how, one.tokens, one.ids) == ("fewest", (b"ab", b"cd"), (257, 258))
    assert "is cut into the fewest tokens" in one.text()


def test_other_kinds_have_no_fewest() -> None:
    chars = BpeTrainer(num_merges=3, initial_vocab="chars").train_iter(["low lower"])
    with pytest.raises(ModelFormatError, match="models that start from bytes"):
        encoded_by(chars, "fewest")
    with pytest.raises(ValueError, match="encoder must be"):
        encoded_by(merging(), "least")  # type: ignore[arg-type]


def test_evaluate_tells_how_far_merging_is_from_the_fewest(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("abcd abcd")
    found = evaluate({"a": merging(), "b": encoded_by(merging(), "fewest")}, path, fewest=True)
    first, second = found.rows
    assert (first.tokens, first.fewest, first.over_fewest) == (7, 5, 0.4)
    assert (second.tokens, second.fewest) == (5, None)
    assert "over fewest" in str(found)
    assert "40.0%" in str(found)
    assert "over fewest" not in str(evaluate(merging(), path))


def test_a_long_piece_is_one_way_too() -> None:
    tok = of_bytes([b"a" * 2**power for power in range(1, 10)])
    assert tok.count("a" * (1 << 20)) == 1 << 11
    assert tok.count("a" * 1023) == 10
