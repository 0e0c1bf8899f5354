"""Texts and the arguments that say what they mean: special tokens, surrogates, types."""

from __future__ import annotations

import array
import pickle
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from subword import SpecialTokenError, TextError, Tokenizer
from subword._types import Special

from tests.support.small import RANKS, SPECIAL, tokenizer_named
from tests.support.strategies import texts

TOK = tokenizer_named("ranks, cl100k")
END = "<|endoftext|>"
BATCHES: list[Any] = [TOK.encode_batch, TOK.encode_batch_arrays, TOK.count_batch]


# special tokens


def test_special_tokens_are_ordinary_text_by_default() -> None:
    ids = TOK.encode(f"low{END}")
    assert not {*SPECIAL.values()} & {*ids}
    assert TOK.decode(ids) == f"low{END}"
    assert TOK.encode(f"low{END}", special="text") == ids


def test_special_tokens_are_encoded_on_request() -> None:
    low, lo = TOK.encode("low"), TOK.encode("<|lo")
    assert TOK.encode(f"low{END}<|lo", special="encode") == [*low, 500, *lo]
    assert TOK.encode("é\n", special="encode") == [510]


def test_the_longest_special_token_wins() -> None:
    assert TOK.encode(f"<|endo{END}<|endofprompt|>", special="encode") == [502, 500, 501]


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple, dict.fromkeys])
def test_a_selection_of_special_tokens_is_encoded(kind: Any) -> None:
    chosen = kind([END])
    rest = TOK.encode("<|endofprompt|>")
    assert TOK.encode(f"{END}<|endofprompt|>", special=chosen) == [500, *rest]
    assert TOK.encode(END, special=kind([])) == TOK.encode(END)


def test_special_tokens_are_refused_on_request() -> None:
    with pytest.raises(SpecialTokenError) as caught:
        TOK.encode(f"é low {END}", special="error")
    assert (caught.value.token, caught.value.position) == (END, 7)
    assert str(caught.value) == (
        "the text spells the special token '<|endoftext|>' at byte 7\n"
        '  hint: pass special="text" to encode it as ordinary text, special="encode" to encode '
        "every special token as its id, or special={'<|endoftext|>'} to do so for this one"
    )
    assert TOK.encode("low", special="error") == TOK.encode("low")


def refusals(text: str) -> list[Callable[[], object]]:
    """Every call that may refuse a text, as a function without arguments."""
    return [
        lambda: TOK.encode(text, special="error"),
        lambda: TOK.encode_array(text, special="error"),
        lambda: TOK.encode_batch(["low", text], special="error"),
        lambda: TOK.encode_batch_arrays(["low", text], special="error"),
        lambda: TOK.encode_offsets(text, special="error"),
        lambda: TOK.count(text, special="error"),
        lambda: TOK.count_batch(["low", text], special="error"),
        lambda: list(TOK.encode_iter([text[:5], text[5:]], special="error")),
    ]


@pytest.mark.parametrize("call", range(8))
def test_every_call_refuses_special_tokens(call: int) -> None:
    with pytest.raises(SpecialTokenError) as caught:
        refusals(f"low {END}")[call]()
    assert (caught.value.token, caught.value.position) == (END, 4)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_a_special_token_that_is_cut_in_a_stream_is_refused() -> None:
    text = "low " * 40_000 + END
    cut = len(text) - 7
    for parts in [[text[:cut], text[cut:]], list(text), [text[:cut], *text[cut:]]]:
        with pytest.raises(SpecialTokenError) as caught:
            list(TOK.encode_iter(parts, special="error"))
        assert (caught.value.token, caught.value.position) == (END, 160_000)


@pytest.mark.parametrize(
    ("special", "kind", "message"),
    [
        ({"<|nope|>"}, ValueError, '"<|nope|>" is not a special token of this tokenizer'),
        ([END, "low"], ValueError, '"low" is not a special token of this tokenizer'),
        (
            "all",
            ValueError,
            'special must be "text", "encode", "error" or a set of special tokens, not "all"',
        ),
        (5, TypeError, 'special must be "text", "encode", "error" or a set of special tokens'),
        (None, TypeError, 'special must be "text", "encode", "error" or a set of special tokens'),
    ],
)
def test_what_special_may_not_be(special: Any, kind: type[Exception], message: str) -> None:
    for call in [TOK.encode, TOK.encode_array, TOK.count, TOK.encode_offsets]:
        with pytest.raises(kind) as caught:
            call("low", special=special)  # type: ignore[operator]
        assert str(caught.value) in (message, f"argument 'special': {message}")
    with pytest.raises(kind):
        TOK.encode_batch([], special=special)


def test_special_tokens_of_something_else_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        TOK.encode("low", special={1, 2})  # type: ignore[arg-type]


# surrogates


@pytest.mark.parametrize(
    ("text", "position"), [("\ud800", 0), ("low\udfff", 3), ("é😀\ud83dx\ude00", 2)]
)
def test_a_lone_surrogate_is_an_error(text: str, position: int) -> None:
    calls: list[tuple[str, Callable[[], object]]] = [
        ("", lambda: TOK.encode(text)),
        ("", lambda: TOK.encode_array(text)),
        ("texts[1]: ", lambda: TOK.encode_batch(["low", text])),
        ("texts[0]: ", lambda: TOK.encode_batch_arrays([text])),
        ("", lambda: TOK.encode_offsets(text)),
        ("", lambda: TOK.count(text)),
        ("texts[2]: ", lambda: TOK.count_batch(["", b"", text])),
        ("", lambda: list(TOK.encode_iter([text]))),
    ]
    for place, call in calls:
        with pytest.raises(TextError) as caught:
            call()
        assert caught.value.position == position
        assert str(caught.value) == (
            f"{place}the text has a lone surrogate at position {position}\n"
            '  hint: pass errors="replace" to put U+FFFD in its place'
        )


surrogates = st.lists(
    st.one_of(st.sampled_from(["\ud83d", "\ude00", "\ud83d\ude00", "😀", "low "]), texts)
).map("".join)


@given(text=surrogates)
def test_surrogates_are_repaired_as_tiktoken_does(text: str) -> None:
    real = tiktoken.Encoding(
        "small", pat_str=r"\p{L}+|\s|.", mergeable_ranks=RANKS, special_tokens={}
    )
    ours = Tokenizer.from_ranks(RANKS, pattern=r"\p{L}+|\s|.")
    wanted = real.encode(text)
    assert ours.encode(text, errors="replace") == wanted
    assert ours.encode_array(text, errors="replace").tolist() == wanted
    assert ours.encode_batch([text], errors="replace") == [wanted]
    assert ours.encode_offsets(text, errors="replace")[0] == wanted
    assert ours.count(text, errors="replace") == len(wanted)
    assert list(ours.encode_iter([text], errors="replace")) == wanted


def test_errors_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="errors must be") as caught:
        TOK.encode("low", errors="ignore")  # type: ignore[arg-type]
    assert str(caught.value) == 'errors must be "strict" or "replace", not "ignore"'


# types


class Name(str):
    """A string of another class."""


@pytest.mark.parametrize(
    "text",
    [
        Name("low é"),
        "low é".encode(),
        bytearray("low é".encode()),
        memoryview("low é".encode()),
        memoryview("low é".encode()[::-1])[::-1],
        array.array("B", "low é".encode()),
        np.frombuffer("low é".encode(), dtype=np.uint8),
    ],
    ids=["subclass", "bytes", "bytearray", "memoryview", "strided", "array", "numpy"],
)
def test_text_may_be_anything_with_bytes(text: Any) -> None:
    ids = TOK.encode("low é")
    assert TOK.encode(text) == ids
    assert TOK.encode_array(text).tolist() == ids
    assert TOK.encode_batch([text, "x"]) == [ids, TOK.encode("x")]
    assert TOK.count(text) == len(ids)
    assert TOK.encode_offsets(text)[0] == ids
    assert list(TOK.encode_iter([text])) == ids


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (5, "int"),
        (None, "NoneType"),
        (["low"], "list"),
        (memoryview(array.array("i", [1])), "memoryview"),
        (np.zeros(3), "numpy.ndarray"),
    ],
    ids=["int", "none", "list", "memoryview", "numpy"],
)
def test_anything_else_is_a_type_error(text: Any, found: str) -> None:
    calls: list[Any] = [TOK.encode, TOK.encode_array, TOK.encode_offsets, TOK.count]
    for call in calls:
        with pytest.raises(TypeError, match="text must be") as caught:
            call(text)
        name = found.rpartition(".")[2]
        assert str(caught.value) == f"text must be str or bytes, not {name}"
    for batch in BATCHES:
        with pytest.raises(TypeError, match="must be str or bytes") as caught:
            batch(["low", text])
        assert str(caught.value) == f"texts[1] must be str or bytes, not {name}"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_may_have_texts_of_all_kinds(threads: int) -> None:
    strings = ["low", "é low", "中文", "😀", Name("é"), "", "low é\ud800"]
    kinds: list[Any] = [*strings, b"\xff", bytearray(b"low")]
    texts: list[Any] = [kind * 40 for kind in kinds] * 400  # enough for two threads
    whole = [text for text in texts if text[-1:] != "\ud800"]
    choices: list[tuple[Literal["strict", "replace"], list[Any]]]
    choices = [("replace", texts), ("strict", whole)]
    for errors, some in choices:
        wanted = [TOK.encode(text, errors=errors) for text in some]
        assert TOK.encode_batch(some, errors=errors, threads=threads) == wanted
        flat, ends = TOK.encode_batch_arrays(some, errors=errors, threads=threads)
        assert [ids.tolist() for ids in np.split(flat, ends[1:-1])] == wanted
        assert TOK.count_batch(some, errors=errors, threads=threads) == [*map(len, wanted)]


def test_of_two_wrong_texts_the_first_is_told() -> None:
    for call in BATCHES:
        with pytest.raises(TextError):
            call(["é", "x\ud800", 5])
        with pytest.raises(TypeError):
            call(["é", 5, "x\ud800"])


@pytest.mark.parametrize("texts", ["low", b"low"])
def test_one_text_is_no_batch(texts: Any) -> None:
    for call in BATCHES:
        with pytest.raises(TypeError) as caught:
            call(texts)
        found = type(texts).__name__
        assert str(caught.value) == f"texts must be a sequence of texts, not one {found}"


def test_a_batch_may_be_any_iterable_and_empty() -> None:
    ids = TOK.encode("low")
    assert TOK.encode_batch(iter(["low"])) == [ids]
    assert TOK.encode_batch({"low": 1}.keys()) == [ids]
    assert TOK.encode_batch([]) == []
    assert TOK.count_batch([]) == []
    flat, ends = TOK.encode_batch_arrays([])
    assert (flat.tolist(), ends.tolist()) == ([], [0])


def test_an_error_in_a_batch_of_texts_is_raised() -> None:
    def broken() -> Any:
        yield "low"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        TOK.encode_batch(broken())
    with pytest.raises(ZeroDivisionError):
        list(TOK.encode_iter(broken()))


def test_other_arguments_are_checked() -> None:
    for number in [-1, -(2**70)]:
        with pytest.raises(ValueError, match="limit") as caught:
            TOK.count("low", limit=number)
        assert str(caught.value) == f"limit must be at least 0, not {number}"
        with pytest.raises(ValueError, match="cache_bytes") as caught:
            Tokenizer.from_ranks(RANKS, pattern="gpt2", cache_bytes=number)
        assert str(caught.value) == f"cache_bytes must be at least 0, not {number}"
    with pytest.raises(ValueError, match="unit") as caught:
        TOK.encode_offsets("low", unit="words")  # type: ignore[arg-type]
    assert str(caught.value) == 'unit must be "chars" or "bytes", not "words"'


def test_a_byte_without_a_token_is_an_error_with_its_place() -> None:
    vocab = {i: bytes([i]) for i in range(256) if i not in (0xC0, 0xC1) and i < 0xF5}
    tok = Tokenizer(vocab, [])
    assert tok.encode("é😀") == [*"é😀".encode()]
    for text, position in [(b"low \xff", 4), (b"\xc0", 0)]:
        with pytest.raises(TextError) as caught:
            tok.encode(text)
        byte = text[position]
        assert str(caught.value) == (
            f"the model has no token for byte 0x{byte:02X} at position {position}"
        )


def test_empty_text_has_no_ids() -> None:
    everything: list[Special] = ["text", "encode", "error", {END}]
    for special in everything:
        assert TOK.encode("", special=special) == TOK.encode(b"", special=special) == []
        assert TOK.encode_array("", special=special).shape == (0,)
        assert TOK.encode_offsets(b"", special=special) == ([], [])
        assert TOK.count("", special=special, limit=0) == 0
        assert list(TOK.encode_iter(["", b""], special=special)) == []
