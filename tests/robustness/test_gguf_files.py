"""GGUF files that somebody damaged or made up: refused by name, in little time and memory."""

from __future__ import annotations

import re
import struct
import warnings
from pathlib import Path
from typing import Any

import pytest
import subword
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import ModelFormatError, Tokenizer
from subword._formats.gguf_patterns import PRE_TOKENIZERS

from tests.support import gguf


def letters() -> list[str]:
    """Every byte in GPT-2's alphabet."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = iter(range(256, 512))
    return [chr(byte if byte in shown else next(hidden)) for byte in range(256)]


def facts(**changes: Any) -> dict[str, Any]:
    """A small vocabulary of byte-level BPE."""
    found = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": [*letters(), "lo", "low", "<s>"],
        "token_type": [*[1] * 258, 3],
        "merges": ["l o", "lo w"],
        "bos_token_id": 258,
        "add_bos_token": True,
    }
    found |= changes
    return {f"tokenizer.ggml.{name}": fact for name, fact in found.items() if fact is not None}


def test_the_small_file_is_a_tokenizer() -> None:
    for version in (2, 3):
        tok = Tokenizer.load(gguf.written(facts(), version))
        assert tok.encode("low lo<s>", add_special_tokens=True) == [
            258,
            257,
            32,
            256,
            *b"<s>",
        ]
        assert tok.encode("<s>", special="encode") == [258]


def refusal(content: bytes, folder: Path) -> ModelFormatError:
    path = folder / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelFormatError) as caught:
        Tokenizer.load(path)
    assert caught.value.place == str(path)
    return caught.value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "rwkv"}, 'a GGUF file with tokenizer.ggml.model "rwkv" is not supported'),
        ({"model": 3}, "expected a string in tokenizer.ggml.model, found int"),
        ({"model": None}, "the fact tokenizer.ggml.model is missing"),
        ({"pre": "afmoe"}, 'the pre-tokenizer "afmoe" of a GGUF file is not supported'),
        ({"tokens": None}, "the fact tokenizer.ggml.tokens is missing"),
        ({"tokens": "low"}, "expected strings in tokenizer.ggml.tokens, found str"),
        ({"merges": None}, "the fact tokenizer.ggml.merges is missing"),
        ({"token_type": [1]}, "token_type to have a number for each of 259 tokens, found 1"),
        ({"tokens": [*letters(), "lo", "lo", "<s>"]}, "the token 'lo' has two ids: 256 and 257"),
        ({"merges": ["l o", "x y"]}, 'one that makes "xy"'),
        ({"merges": ["l o", "xyz w"]}, 'expected a token of the vocabulary, found "xyz"'),
        ({"merges": ["l o", "low"]}, "expected two tokens separated by one space, found 1"),
        ({"add_bos_token": 1}, "expected true or false in tokenizer.ggml.add_bos_token, found int"),
        ({"model": "llama"}, "the fact tokenizer.ggml.scores is missing"),
        ({"model": "bert", "unknown_token_id": 999}, "a WordPiece model needs an unk token"),
        ({"tokens": [b"\xff", *letters()]}, r"expected UTF-8 in tokenizer.ggml.tokens\[0\]"),
    ],
)
def test_facts_that_do_not_fit_are_named(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    error = refusal(gguf.written(facts(**changes)), tmp_path)
    assert re.search(message, error.message), error.message


def test_a_file_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    error = refusal(gguf.written({"general.name": "weights"}), tmp_path)
    assert error.message == "the file holds no tokenizer"


HEAD = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
NAME = struct.pack("<Q", 21) + b"tokenizer.ggml.tokens"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"GGUF", "the file ends within its version"),
        (b"GGUF" + struct.pack("<I", 1), "expected GGUF of version 2 or 3, found version 1"),
        (b"GGUF" + struct.pack(">I", 3), "expected GGUF of version 2 or 3, found version 50331648"),
        (HEAD, "the file ends within the name of a fact"),
        (HEAD + struct.pack("<Q", 1 << 62), "expected at most 65535 bytes in the name of a fact"),
        (HEAD + NAME + struct.pack("<I", 99), "expected one of the 13 kinds of GGUF"),
        (HEAD + NAME + struct.pack("<IIQ", 9, 8, 1 << 63), "ends within tokenizer.ggml.tokens"),
        (HEAD + NAME + struct.pack("<IIQ", 9, 6, 1 << 62), "at most 268435456 bytes of facts"),
        (HEAD + NAME + struct.pack("<IIQ", 9, 9, 1), "found an array of arrays"),
        (
            HEAD + NAME + struct.pack("<IIQQ", 9, 8, 1, 1 << 40),
            r"expected at most 268435456 bytes of facts, found more within",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + (NAME + struct.pack("<II", 4, 7)) * 2,
            "the fact 'tokenizer.ggml.tokens' is there twice",
        ),
    ],
)
def test_numbers_that_lie_are_refused_before_anything_is_reserved(
    content: bytes, message: str, tmp_path: Path
) -> None:
    assert message in refusal(content, tmp_path).message


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_damage_gives_anything_but_a_refusal(data: st.DataObject) -> None:
    content = bytearray(gguf.written(facts()))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.sampled_from([len(content), len(content) // 2]))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tok = Tokenizer.load(bytes(content))
    except (ModelFormatError, subword.PatternError):
        return
    text = "low lower <s>"
    assert tok.decode(tok.encode(text)) == text or tok.kind == "chain"


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_every_pre_tokenizer_runs_and_cuts_every_text_whole(name: str) -> None:
    cuts = list(PRE_TOKENIZERS[name].patterns)
    text = "Hello World's 12345 x\u0301é 中文ひら\r\n\n  tab\t!? don'T <|a|> \uff13 ☃ 한국어 ﬁ" * 3
    assert "".join(subword.split(text, cuts)) == text
