"""`tekken.json`: the ids of mistral-common's Tekkenizer, which is tiktoken with shifted ids."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from subword import ModelFormatError, Tokenizer, with_template

from tests.parity.test_sentencepiece_files import random_texts
from tests.support.published import CORPORA, file, sample

PATHS = ["vocabs/tekken/tekken_240718.json", "vocabs/tekken/tekken_240911.json"]

#: What the Tekkenizer of mistral-common 1.13.1 answers for both files.
ANSWERS = {
    "Hello world": [22177, 4304],
    "<s>[INST]x": [1060, 1115, 110391, 3174, 3074, 1093, 1120],
    " In 2024, DON'T-stop: 中文 ☃\n\n x": [
        *(1656, 1032, 1050, 1048, 1050, 1052, 1044, 119801, 1039, 1084, 81709, 1058, 30549),
        *(11449, 90614, 1131, 1267, 2460),
    ],
}


@cache
def pair(name: str) -> tuple[tiktoken.Encoding, int, Tokenizer]:
    """A file by tiktoken, as mistral-common sets it up, the shift of the ids, and by us."""
    content = json.loads(file(name).read_bytes())
    config = content["config"]
    shift = config["default_num_special_tokens"]
    tokens = content["vocab"][: config["default_vocab_size"] - shift]
    real = tiktoken.Encoding(
        name,
        pat_str=config["pattern"],
        mergeable_ranks={base64.b64decode(token["token_bytes"]): token["rank"] for token in tokens},
        special_tokens={},
    )
    return real, shift, Tokenizer.load(file(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", PATHS)
def test_ids_are_those_of_tiktoken_and_the_shift(name: str) -> None:
    real, shift, tok = pair(name)
    texts = [text for corpus in CORPORA[:8] for text in sample(corpus, 2, 20_000)]
    for text in [*texts, *random_texts(5, 200), "<s>[INST] Hi [/INST]</s>"]:
        ids = [id + shift for id in real.encode_ordinary(text)]
        assert tok.encode(text) == ids, text
        assert tok.decode(ids) == text


def test_known_ids_of_the_tekkenizer() -> None:
    tok = Tokenizer.load(file(PATHS[0]))
    for text, ids in ANSWERS.items():
        assert tok.encode(text) == ids


def test_special_tokens_come_first_and_are_filled_up() -> None:
    _, shift, tok = pair(PATHS[1])
    assert (shift, tok.vocab_size) == (1000, 131_072)
    assert [tok.special_tokens[name] for name in ("<unk>", "<s>", "[INST]", "<pad>")] == [
        0,
        1,
        3,
        11,
    ]
    assert tok.special_tokens["<SPECIAL_20>"] == 20
    assert tok.special_tokens["<SPECIAL_999>"] == 999
    assert len(tok.special_tokens) == 1000
    ids = [1, 3, *tok.encode("Hi"), 4]
    assert tok.decode(ids) == "<s>[INST]Hi[/INST]"
    assert tok.decode(ids, skip_special_tokens=True) == "Hi"
    with_bos = with_template(tok, bos="<s>")
    assert with_bos.encode("Hi", add_special_tokens=True) == [1, *tok.encode("Hi")]


def small(**changes: Any) -> dict[str, Any]:
    """A file of the bytes and two tokens, of which the last does not fit."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(tokens)
    ]
    config = {
        "pattern": r"\w+|\W+",
        "num_vocab_tokens": 258,
        "default_vocab_size": 260,
        "default_num_special_tokens": 3,
        "version": "v11",
    }
    special = [{"rank": 0, "token_str": "<unk>", "is_control": True}]
    file: dict[str, Any] = {"config": config, "vocab": vocab, "special_tokens": special}
    for key, value in changes.items():
        if key in config:
            config[key] = value
        else:
            file[key] = value
    return file


def test_only_as_many_tokens_count_as_fit() -> None:
    tok = Tokenizer.load(json.dumps(small()).encode())
    assert tok.special_tokens == {"<unk>": 0, "<SPECIAL_1>": 1, "<SPECIAL_2>": 2}
    assert tok.encode("abc") == [259, 3 + ord("c")]
    assert tok.vocab_size == 260


def test_the_caller_adds_special_tokens_and_may_say_the_pattern() -> None:
    content = json.dumps(small()).encode()
    tok = Tokenizer.load(content, special_tokens=["<mine>"], pattern="gpt2")
    assert (tok.special_tokens["<mine>"], tok.pattern) == (260, "gpt2")


def test_a_folder_with_a_tekken_json_is_read(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text("{}")
    (tmp_path / "tekken.json").write_text(json.dumps(small()))
    assert Tokenizer.load(tmp_path) == Tokenizer.load(tmp_path / "tekken.json")


BYTES = small()["vocab"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "v99"}, "expected a version of v1, v2, v3, v7, v11, v13, v15, found 'v99'"),
        ({"pattern": 3}, "expected a string under 'pattern', found 3"),
        ({"default_vocab_size": 262}, "expected at least 262 tokens, found 258 and 3 special"),
        ({"default_num_special_tokens": -1}, "expected at least 260 tokens, found 258 and -1"),
        (
            {"vocab": [*BYTES[:9], *BYTES[10:], BYTES[9]]},
            r"expected rank 9 in vocab\[9\], found 10",
        ),
        (
            {"vocab": [*BYTES[:7], {**BYTES[7], "token_bytes": "?"}, *BYTES[8:]]},
            r'expected a token in base64 in vocab\[7\], found "\?"',
        ),
        (
            {"vocab": [*BYTES[:7], {**BYTES[7], "token_bytes": "AA=="}, *BYTES[8:]]},
            r"the token in vocab\[7\] is that of vocab\[0\]",
        ),
        (
            {"vocab": [*BYTES[:7], {**BYTES[7], "token_bytes": "YWJj"}, *BYTES[8:]]},
            "the vocabulary has no token for byte 0x07",
        ),
        ({"special_tokens": None}, "a file of version v11 names its special tokens"),
        (
            {"special_tokens": [{"rank": 5, "token_str": "x"}]},
            "a special token for each id below 3",
        ),
        ({"special_tokens": [{"rank": 0, "token_str": 1}]}, "a string under 'token_str', found 1"),
        (
            {"special_tokens": [{"rank": at, "token_str": "x"} for at in range(2)]},
            "a special token is there twice",
        ),
    ],
)
def test_a_malformed_file_is_refused_by_name(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(small(**changes)))
    with pytest.raises(ModelFormatError, match=message) as caught:
        Tokenizer.load(path)
    assert caught.value.place == str(path)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(small())[:-9])
    with pytest.raises(ModelFormatError, match="the JSON cannot be read"):
        Tokenizer.load(path)
