"""tiktoken's interface, method by method, beside the real tiktoken on a small vocabulary."""

from __future__ import annotations

import copy
import hashlib
import inspect
import pickle
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken as real
from hypothesis import given
from hypothesis import strategies as st
from subword import ModelFormatError
from subword._names.encodings import CL100K, GPT2, O200K
from subword.integrations import tiktoken as ours
from tiktoken import load as real_load

SAMPLE = """The lowest of the low were slower than the slowest; they'd flow and they'll follow.
  def low(flow):\n\t\treturn flow['low'] + 12345\n\n\n
   Ниже, чем ниже ниже. 你好你好、世界。 héé 😀😀 ½
"""
SPECIAL = {"<|endoftext|>": 400, "<|fim_prefix|>": 401, "<|end|>": 405}


def trained(text: str, size: int) -> dict[bytes, int]:
    """Ranks of a plain trainer on words: enough tokens for characters to be cut in the middle."""
    ranks = {bytes([i]): i for i in range(256)}
    words = [
        [bytes([byte]) for byte in word.encode()] for word in text.replace(" ", "\0 ").split("\0")
    ]
    while len(ranks) < size:
        pairs = Counter(pair for word in words for pair in pairwise(word))
        left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
        ranks[left + right] = len(ranks)
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == (left, right):
                    word[at : at + 2] = [left + right]
                at += 1
    return ranks


RANKS = trained(SAMPLE, 330)
Both = tuple[real.Encoding, ours.Encoding]


def both(pattern: str) -> Both:
    settings: dict[str, Any] = {
        "pat_str": pattern,
        "mergeable_ranks": RANKS,
        "special_tokens": SPECIAL,
    }
    return real.Encoding("small", **settings), ours.Encoding("small", **settings)


ENCODINGS = [both(GPT2), both(CL100K), both(O200K)]
REAL, OURS = ENCODINGS[1]

each = pytest.mark.parametrize(("theirs", "mine"), ENCODINGS, ids=["gpt2", "cl100k", "o200k"])
parts = st.one_of(
    st.text(max_size=8),
    st.text(st.sampled_from("low rs'tdLOW1\u0301\n\t \u00a0\u0130中é😀½"), max_size=8),
    st.sampled_from([*SPECIAL, "<|", "|>", "the ", "slow", "ниже", "你好", "  \n\n  "]),
)
texts = st.lists(parts, max_size=8).map("".join)
broken = st.lists(
    st.one_of(parts, st.sampled_from(["\ud83d\ude00", "\ud800", "\udfff"])), max_size=6
).map("".join)


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """What a call gives: its value, or the builtin type of its exception."""
    builtin = (
        UnicodeEncodeError,
        UnicodeDecodeError,
        OverflowError,
        AssertionError,
        KeyError,
        ValueError,
        TypeError,
    )
    try:
        return "value", call()
    except builtin as error:
        return "error", next(kind for kind in builtin if isinstance(error, kind))


def assert_same(call: Callable[[Any], Any], pairs: Iterable[Both] = ENCODINGS) -> None:
    for theirs, mine in pairs:
        assert outcome(partial(call, mine)) == outcome(partial(call, theirs))


# encoding


@given(text=texts)
def test_ordinary_ids_are_the_same(text: str) -> None:
    assert_same(lambda enc: enc.encode_ordinary(text))


@given(
    text=texts,
    allowed=st.sampled_from(["all", set(), {"<|endoftext|>"}, {"<|end|>", "not one"}]),
    disallowed=st.sampled_from(["all", (), ["<|endoftext|>"], {"slow"}]),
)
def test_special_tokens_are_allowed_and_disallowed_alike(
    text: str, allowed: Any, disallowed: Any
) -> None:
    special = {"allowed_special": allowed, "disallowed_special": disallowed}
    assert_same(lambda enc: enc.encode(text, **special))
    assert_same(lambda enc: enc.encode_to_numpy(text, **special).tolist())
    assert_same(lambda enc: enc.encode_batch([text, "low", text], **special))


@given(text=texts)
def test_the_defaults_are_the_same(text: str) -> None:
    assert_same(lambda enc: enc.encode(text))
    assert_same(lambda enc: enc.encode_batch([text, text]))
    assert_same(lambda enc: enc.encode_ordinary_batch([text, text]))


@given(text=broken)
def test_surrogates_are_repaired_alike(text: str) -> None:
    assert_same(lambda enc: enc.encode(text, disallowed_special=()))
    assert_same(lambda enc: enc.encode(text, allowed_special="all"))
    assert_same(lambda enc: enc.encode_ordinary(text))
    assert_same(lambda enc: enc.encode_ordinary_batch(["low", text]))
    assert_same(lambda enc: enc.encode_to_numpy(text, disallowed_special=()).tolist())


def test_a_disallowed_special_token_names_the_arguments_that_fix_it() -> None:
    with pytest.raises(ValueError, match="disallowed special token") as caught:
        OURS.encode("low <|endoftext|>")
    assert str(caught.value) == (
        "Encountered text corresponding to disallowed special token '<|endoftext|>'.\n"
        "  hint: pass allowed_special={'<|endoftext|>'} to encode it as the special token, "
        "disallowed_special=(enc.special_tokens_set - {'<|endoftext|>'}) to encode it as "
        "ordinary text, or disallowed_special=() to encode all special tokens so"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda enc: enc.encode(b"low"),
        lambda enc: enc.encode(b"low", disallowed_special=()),
        lambda enc: enc.encode(None),
        lambda enc: enc.encode_ordinary(b"low"),
        lambda enc: enc.encode_ordinary(5),
        lambda enc: enc.encode_batch(["low", 5], disallowed_special=()),
        lambda enc: enc.encode_ordinary_batch([b"low"]),
        lambda enc: enc.encode_to_numpy(b"low", disallowed_special=()),
        lambda enc: enc.encode("low", allowed_special=["<|end|>"]),
        lambda enc: enc.encode("low", allowed_special=["<|end|>"], disallowed_special=()),
        lambda enc: enc.encode("low", allowed_special=None),
        lambda enc: enc.encode_batch(["low"], num_threads=0),
        lambda enc: enc.decode_batch([[108]], num_threads=0),
        lambda enc: enc.decode_bytes_batch([[108]], num_threads=-1),
        lambda enc: enc.encode_batch("low"),
        lambda enc: enc.encode_batch([]),
    ],
)
def test_odd_arguments_end_alike(call: Callable[[Any], Any]) -> None:
    assert_same(call)


def test_an_array_has_the_same_type() -> None:
    assert OURS.encode_to_numpy("low").dtype == REAL.encode_to_numpy("low").dtype == np.uint32
    assert OURS.encode_to_numpy("").shape == (0,)


def test_the_number_of_threads_changes_nothing() -> None:
    batch = [SAMPLE, "", "slow", SAMPLE * 3]
    for threads in (1, 2, 9):
        assert OURS.encode_batch(batch, num_threads=threads) == REAL.encode_batch(batch)


# unstable ids


@each
@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            " ",
            "l",
            " lo",
            "low",
            "the lo",
            "low\n",
            "low \n",
            "low\n\n  ",
            "they'l",
            "ни",
            "你",
        ],
        *[
            "fl😀",
            "low<|end|>",
            "low<|end|>sl",
            "<|end|>\n ",
            "1234",
            "héé ",
            " \n\t\n ",
            "the\u3000",
        ],
    ],
)
def test_unstable_ids_are_the_same(theirs: real.Encoding, mine: ours.Encoding, text: str) -> None:
    stable, completions = theirs.encode_with_unstable(text, allowed_special="all")
    found = mine.encode_with_unstable(text, allowed_special="all")
    assert found == (stable, sorted(completions))


def test_unstable_ids_refuse_what_the_others_refuse() -> None:
    assert_same(lambda enc: enc.encode_with_unstable("low<|end|>"))
    assert_same(lambda enc: enc.encode_with_unstable("\ud83d"))
    assert_same(lambda enc: enc.encode_with_unstable(b"low", disallowed_special=()))


# decoding


@given(ids=st.lists(st.sampled_from([*RANKS.values(), *SPECIAL.values()]), max_size=20))
def test_ids_decode_alike(ids: list[int]) -> None:
    assert_same(lambda enc: enc.decode(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode(ids, errors="strict"), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode(ids, errors="ignore"), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_bytes(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_tokens_bytes(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_with_offsets(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_batch([ids, ids]), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_batch([ids], errors="strict"), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_bytes_batch([ids, ids]), [(REAL, OURS)])


@given(text=texts)
def test_offsets_are_the_same(text: str) -> None:
    ids = REAL.encode(text, allowed_special="all")
    assert OURS.decode_with_offsets(ids) == REAL.decode_with_offsets(ids)


@pytest.mark.parametrize(
    "ids", [[9999], [108, 399], [-1], [1 << 40], [1 << 80], ["l"], [1.5], "lo"]
)
def test_what_is_no_id_ends_alike(ids: Any) -> None:
    assert_same(lambda enc: enc.decode(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_bytes(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_single_token_bytes(ids[0]), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_tokens_bytes(ids), [(REAL, OURS)])
    assert_same(lambda enc: enc.decode_batch([ids]), [(REAL, OURS)])


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int64])
def test_arrays_decode(dtype: Any) -> None:
    ids: Any = np.array(OURS.encode(SAMPLE), dtype=dtype)
    assert OURS.decode(ids) == REAL.decode(ids) == SAMPLE


@pytest.mark.parametrize(
    "token", ["low", b"low", "<|end|>", b"<|end|>", "", "nothing", b"\xff", b"\xff\xff", 5, None]
)
def test_single_tokens_are_found_alike(token: Any) -> None:
    assert_same(lambda enc: enc.encode_single_token(token), [(REAL, OURS)])


# the rest


@pytest.mark.parametrize(
    "call",
    [
        lambda enc: enc.name,
        lambda enc: enc.n_vocab,
        lambda enc: enc.max_token_value,
        lambda enc: enc.eot_token,
        lambda enc: enc.special_tokens_set,
        lambda enc: enc.token_byte_values(),
        lambda enc: [enc.is_special_token(id) for id in range(410)],
        lambda enc: enc.is_special_token("<|end|>"),
        lambda enc: (enc._pat_str, enc._mergeable_ranks, enc._special_tokens),
        repr,
    ],
)
def test_the_facts_are_the_same(call: Callable[[Any], Any]) -> None:
    assert_same(call)


@pytest.mark.parametrize(
    "settings",
    [
        {"pat_str": "("},
        {"mergeable_ranks": {}},
        {"explicit_n_vocab": 3},
        {"explicit_n_vocab": len(RANKS), "special_tokens": {}},
        {"special_tokens": {}},
    ],
)
def test_an_encoding_is_refused_alike(settings: dict[str, Any]) -> None:
    given = {"pat_str": GPT2, "mergeable_ranks": RANKS, "special_tokens": SPECIAL} | settings

    def made(kind: Any) -> list[int]:
        enc = kind("small", **given)
        return [*enc.encode("slow"), enc.n_vocab, *outcome(lambda: enc.eot_token)]

    assert outcome(lambda: made(ours.Encoding)) == outcome(lambda: made(real.Encoding))


def test_every_public_method_is_there_with_the_same_arguments() -> None:
    for name in dir(real.Encoding):
        if name.startswith("_"):
            continue
        theirs, mine = getattr(real.Encoding, name), getattr(ours.Encoding, name)
        if inspect.isfunction(theirs):
            wanted, found = inspect.signature(theirs), inspect.signature(mine)
            assert list(found.parameters) == list(wanted.parameters), name
            for parameter, value in wanted.parameters.items():
                assert found.parameters[parameter].kind == value.kind, name
                assert found.parameters[parameter].default == value.default, name


def test_every_public_name_of_the_module_is_there() -> None:
    assert set(ours.__all__) == {
        name
        for name, value in vars(real).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_encoding_survives_pickling(protocol: int) -> None:
    again = pickle.loads(pickle.dumps(OURS, protocol))
    assert again.encode(SAMPLE) == OURS.encode(SAMPLE)
    assert (again.name, again.special_tokens_set) == (OURS.name, OURS.special_tokens_set)
    assert copy.copy(OURS).encode(SAMPLE) == copy.deepcopy(OURS).encode(SAMPLE)


def test_an_encoding_can_be_extended_the_way_people_do_it() -> None:
    extended = ours.Encoding(
        "more",
        pat_str=OURS._pat_str,
        mergeable_ranks=OURS._mergeable_ranks,
        special_tokens={**OURS._special_tokens, "<|start|>": 410},
    )
    assert extended.encode("low<|start|>", allowed_special="all")[-1] == 410


def test_parts_of_tiktoken_are_imported_as_published_code_does(tmp_path: Path) -> None:
    """Llama 3's, Kimi's and Qwen's tokenizers load ranks, and make an Encoding of them."""
    from subword.integrations.tiktoken import core, load, model, registry

    ranks = {bytes([i]): i for i in range(256)} | {b"lo": 256, b"low": 257}
    path = tmp_path / "tokenizer.model"
    load.dump_tiktoken_bpe(ranks, path)
    assert load.load_tiktoken_bpe(str(path)) == real_load.load_tiktoken_bpe(str(path)) == ranks
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load.load_tiktoken_bpe(path, expected_hash=digest) == ranks
    with pytest.raises(ValueError, match=f"expected the sha256 {'0' * 64}, found {digest}"):
        load.load_tiktoken_bpe(path, "0" * 64)
    assert load.read_file(path) == path.read_bytes()
    path.write_bytes(b"bG8= 0\nbG93\n")
    with pytest.raises(ValueError, match="expected a token and a rank, found b'bG93'"):
        load.load_tiktoken_bpe(path)
    assert core.Encoding is ours.Encoding
    assert registry.get_encoding is ours.get_encoding
    assert model.encoding_name_for_model("gpt-4o") == "o200k_base"
    assert model.MODEL_TO_ENCODING["gpt2"] == "gpt2"
    assert ours.__version__ == real.__version__
    enc = core.Encoding("x", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<s>": 258})
    assert enc.encode("low<s>", allowed_special="all") == [257, 258]


def test_an_address_is_read_from_tiktokens_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from subword.integrations.tiktoken import load

    address = "https://example.org/some/own.tiktoken"
    (tmp_path / hashlib.sha1(address.encode()).hexdigest()).write_bytes(b"bG8= 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("SUBWORD_VOCABS", raising=False)
    assert load.load_tiktoken_bpe(address) == {b"lo": 0}
    monkeypatch.setattr(real_load, "read_file_cached", lambda name: b"bG93 1\n")
    assert load.load_tiktoken_bpe("https://example.org/other") == {b"low": 1}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelFormatError, match="neither in SUBWORD_VOCABS nor in tiktoken's cache"):
        load.load_tiktoken_bpe("https://example.org/third")
