"""Ids to text: any container of integers, streams, and what is no id."""

from __future__ import annotations

import array
import pickle
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import Decoder, UnknownIdError, UnknownTokenError

from tests.support.small import tokenizer_named
from tests.support.strategies import any_bytes, texts

TOK = tokenizer_named("ranks, cl100k")
TEXT = "low lower é😀 <|endoftext|>"
IDS = TOK.encode(TEXT, special="encode")

CONTAINERS: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda ids: (id for id in ids),
    "dict": dict.fromkeys,
    "array": lambda ids: array.array("I", ids),
    "array of q": lambda ids: array.array("q", ids),
    "strided": lambda ids: np.array([[id, 0] for id in ids], dtype=np.uint32).ravel()[::2],
    "other byte order": lambda ids: np.array(ids, dtype=">u4"),
    "list of numpy": lambda ids: list(np.array(ids, dtype=np.uint32)),
    **{
        name: partial(np.array, dtype=name)
        for name in ["uint16", "uint32", "uint64", "int16", "int32", "int64"]
    },
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_ids_may_be_in_anything(kind: str) -> None:
    ids = list(dict.fromkeys(IDS)) if kind == "dict" else IDS
    wanted = TOK.decode(ids)
    if kind != "dict":
        assert wanted == TEXT
    make = CONTAINERS[kind]
    assert TOK.decode(make(ids)) == wanted
    assert TOK.decode_bytes(make(ids)) == wanted.encode()
    assert TOK.decode_batch([make(ids), make([])]) == [wanted, ""]


def test_nothing_decodes_to_nothing() -> None:
    nothing: list[Iterable[int]] = [[], (), iter([]), np.array([], dtype=np.uint32)]
    for ids in nothing:
        assert TOK.decode_bytes(ids) == b""
    assert TOK.decode_batch([]) == []


# what is no id


@pytest.mark.parametrize(
    ("ids", "id", "position"),
    [
        ([0, 600], 600, 1),
        ([450], 450, 0),
        ([0, 1, -1], -1, 2),
        ([2**32], 2**32, 0),
        ([0, 2**80], 2**80, 1),
        ([-(2**80)], -(2**80), 0),
        (np.array([0, 600], dtype=np.uint16), 600, 1),
        (np.array([0, 600], dtype=np.uint32), 600, 1),
        (np.array([0, -1], dtype=np.int64), -1, 1),
        (np.array([0, -1], dtype=np.int32), -1, 1),
        (np.array([0, 2**63], dtype=np.uint64), 2**63, 1),
        (np.array([0, 2**40], dtype=np.int64), 2**40, 1),
    ],
)
def test_an_unknown_id_is_an_error_with_its_place(ids: Any, id: int, position: int) -> None:
    calls: list[Callable[[Any], object]] = [
        TOK.decode,
        TOK.decode_bytes,
        lambda ids: TOK.decode_batch([[0], ids]),
    ]
    for call in calls:
        with pytest.raises(UnknownIdError) as caught:
            call(ids)
        error = caught.value
        assert (error.id, error.position, type(error.id)) == (id, position, int)
        assert str(error) == (
            f"no token has id {id} (position {position})\n"
            "  hint: ids mean something to the tokenizer that made them only; "
            "its largest is tok.max_id"
        )
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), isinstance(again, KeyError)) == (str(error), True)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0, 1.5], "ids must be integers, not float (position 1)"),
        (["0"], "ids must be integers, not str (position 0)"),
        ("low", "ids must be integers, not str (position 0)"),
        ([None], "ids must be integers, not NoneType (position 0)"),
        ([[0, 1]], "ids must be integers, not list (position 0)"),
        (np.array([1.0, 2.0]), "ids must be integers, not float64 (position 0)"),
        (5, "ids must be integers, not one int"),
        (None, "ids must be integers, not one NoneType"),
        (
            np.zeros((2, 2), dtype=np.uint32),
            "ids must have one dimension, not 2: decode_batch takes many sequences",
        ),
        (np.array(5), "ids must be integers, not one ndarray"),
    ],
)
def test_what_is_no_integer_is_a_type_error(ids: Any, message: str) -> None:
    calls: list[Callable[[Any], object]] = [TOK.decode, TOK.decode_bytes]
    for call in calls:
        with pytest.raises(TypeError) as caught:
            call(ids)
        assert str(caught.value) == message


def test_an_error_while_reading_ids_is_raised() -> None:
    def broken() -> Any:
        yield 0
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        TOK.decode(broken())


def test_one_token_at_a_time() -> None:
    tok = tokenizer_named("ranks, holes")
    for id, token in tok.vocab.items():
        assert tok.token_bytes(id) == token
        assert tok.token_id(token) == id
    for id in [0, 2, -1, 2**32, 2**70]:
        with pytest.raises(UnknownIdError) as caught:
            tok.token_bytes(id)
        assert (caught.value.id, caught.value.position) == (id, 0)
    strange: list[bytes | str] = [b"nope", "nope", b""]
    for unknown in strange:
        with pytest.raises(UnknownTokenError) as missing:
            tok.token_id(unknown)
        assert str(missing.value).startswith(f"{unknown!r} is not a token\n  hint: ")
    with pytest.raises(TypeError):
        tok.token_bytes("low")  # type: ignore[arg-type]


# bytes that are no text


def test_bytes_that_are_no_text_follow_pythons_rules() -> None:
    data = "é".encode()[:1] + b"a\xff" + "😀".encode()[:3]
    ids = TOK.encode(data)
    assert TOK.decode(ids) == data.decode(errors="replace") == "\ufffda\ufffd\ufffd"
    for errors in ["replace", "ignore", "backslashreplace", "surrogateescape"]:
        assert TOK.decode(ids, errors=errors) == data.decode(errors=errors)
        assert TOK.decode_batch([ids], errors=errors) == [data.decode(errors=errors)]
    with pytest.raises(UnicodeDecodeError):
        TOK.decode(ids, errors="strict")
    with pytest.raises(UnicodeDecodeError):
        TOK.decode_batch([ids], errors="strict")
    with pytest.raises(LookupError, match="unknown error handler name 'nope'"):
        TOK.decode(ids, errors="nope")


@given(data=any_bytes)
def test_decode_is_decode_bytes_as_text(data: bytes) -> None:
    for name in ["ranks, cl100k", "merges, other ids"]:
        tok = tokenizer_named(name)
        ids = tok.encode(data)
        assert tok.decode_bytes(ids) == data
        assert tok.decode(ids) == data.decode(errors="replace")


@given(batch=st.lists(texts, max_size=5))
def test_a_batch_decodes_one_by_one(batch: list[str]) -> None:
    assert TOK.decode_batch(TOK.encode_batch(batch)) == batch
    flat, ends = TOK.encode_batch_arrays(batch)
    parts = [flat[start:end] for start, end in pairwise(ends.tolist())]
    assert TOK.decode_batch(parts) == batch


# streams


@given(data=any_bytes)
def test_a_stream_gives_the_text_of_all_ids(data: bytes) -> None:
    ids = TOK.encode(data)
    for errors in ["replace", "ignore", "backslashreplace"]:
        decoder = Decoder(TOK, errors=errors)
        parts = [decoder.push(id) for id in ids]
        assert "".join(parts) + decoder.finish() == TOK.decode(ids, errors=errors)


@given(text=texts)
def test_a_stream_of_text_holds_back_no_whole_character(text: str) -> None:
    decoder = Decoder(TOK, errors="strict")
    seen = 0
    given_out = ""
    for id in TOK.encode(text):
        seen += len(TOK.token_bytes(id))
        given_out += decoder.push(id)
        assert given_out == text.encode()[:seen].decode(errors="ignore")
    assert (given_out, decoder.finish()) == (text, "")


def test_a_decoder_is_made_by_a_tokenizer_and_starts_afresh() -> None:
    decoder = Decoder(TOK)
    assert type(decoder) is Decoder
    first, second = "é".encode()
    assert decoder.push(TOK.token_id(bytes([first]))) == ""
    assert decoder.finish() == "\ufffd"
    assert decoder.push(TOK.token_id(bytes([second]))) == "\ufffd"
    assert decoder.finish() == ""


def test_a_stream_refuses_what_decode_refuses() -> None:
    decoder = Decoder(TOK)
    with pytest.raises(UnknownIdError):
        decoder.push(10**9)
    strict = Decoder(TOK, errors="strict")
    with pytest.raises(UnicodeDecodeError):
        strict.push(TOK.token_id(b"\xff"))
