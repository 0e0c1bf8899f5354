"""Ids and counts do not depend on where a text is cut: by threads, streams, files or blocks.

The tokens are made to show a cut in the wrong place: they span marks that a normaliser makes of a
letter, white space that it makes, and special tokens that overlap.
"""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from itertools import pairwise
from operator import length_hint
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import subword._stream
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import Tokenizer, count_pieces, encode_files
from subword._core import split
from subword._types import Special

from tests.support.published import huggingface_pair
from tests.support.small import from_native, written

#: Characters that compose, decompose, vanish, are sorted, or become several, and plain ones.
UNITS = [
    *["\u00e9,", "e\u0301", "\u0301\u0316", "\u0140!", "\u0938\u095c.com ", "a\n\n", "=\u0338"],
    *[
        "\uac01,",
        "\u1100\u1161\u11a8",
        "\u4e2d\uff0c\u6587",
        "\u0130.",
        "\u03a3 ",
        "\x00a",
        "\u00ad b",
    ],
    *[
        " 1>2",
        "1 ",
        "3 1",
        "it's ",
        " <m>",
        "<m>  ",
        "word",
        "\ufb01!",
        "\u00bd",
        "\u3000",
        " ",
        "x",
    ],
]

#: Tokens across what becomes of them.
SPANNING = [
    "\u0301,",
    "\u0301\u0316,",
    "\u00b7!",
    "\u093c.",
    "\n\n",
    "=\u0338",
    "\u0307.",
    "\u11a8,",
    " \u4e2d",
]

NORMALIZERS: dict[str, str | dict[str, Any] | None] = {
    "none": None,
    **{name: name for name in ("nfc", "nfd", "nfkc", "nfkd", "nfc-lowercase")},
    "bert": {"type": "bert", "clean": True, "cjk": True, "strip_accents": True, "lowercase": True},
    "bert, not cleaned": {"type": "bert", "clean": False, "cjk": False, "strip_accents": False},
}

PATTERNS = ["gpt2", "qwen2", "o200k", "bert", "whitespace", "none"]

#: Tokens of the raw text and of the normalised one, that overlap or look around.
SPECIAL: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "overlapping": [
        {"content": " 1", "id": 900, "normalized": True, "always": True},
        {"content": "1>2", "id": 901, "always": True},
    ],
    "looking around": [
        {"content": "<m>", "id": 902, "lstrip": True, "rstrip": True, "always": True},
        {"content": "word", "id": 903, "single_word": True, "normalized": True, "always": True},
        {"content": "\u00e9", "id": 904, "normalized": True},
    ],
}


@cache
def tokenizer(normalizer: str, pattern: str, tokens: str = "none") -> Tokenizer:
    """Bytes, and the tokens that span, merged from left to right."""
    vocab = {i: bytes([i]) for i in range(256)}
    merges: dict[tuple[bytes, bytes], None] = {}
    for token in map(str.encode, SPANNING):
        for end in range(2, len(token) + 1):
            merges[token[: end - 1], token[end - 1 : end]] = None
    vocab |= dict(enumerate(dict.fromkeys(a + b for a, b in merges), 256))
    kind = NORMALIZERS[normalizer]
    if isinstance(kind, dict):
        kind = {"lowercase": False, "tables": "0.23"} | kind
    return from_native(
        vocab={written(token): id for id, token in vocab.items()},
        merges=[f"{written(a)} {written(b)}" for a, b in merges],
        pattern=pattern,
        special_tokens=SPECIAL[tokens],
        **({"normalizer": kind} if kind else {}),
    )


def large(units: list[str], size: int) -> str:
    """These again and again: enough for several threads and several blocks of a file."""
    unit = "".join(units)
    return unit * (size // len(unit.encode()) + 1)


units = st.lists(st.sampled_from(UNITS), min_size=1, max_size=6)
choices: list[Special] = ["text", "encode"]


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@given(units=units, pattern=st.sampled_from(PATTERNS), tokens=st.sampled_from(list(SPECIAL)))
@example(units=["\u00e9,"], pattern="gpt2", tokens="none")
@example(units=["\u0140!"], pattern="gpt2", tokens="none")
@example(units=["\u0938\u095c.com "], pattern="qwen2", tokens="none")
@example(units=["a\n\n"], pattern="bert", tokens="none")
@settings(max_examples=2)
def test_ids_do_not_depend_on_threads_calls_or_files(
    normalizer: str, units: list[str], pattern: str, tokens: str
) -> None:
    tok, text = tokenizer(normalizer, pattern, tokens), large(units, 300_000)
    special: Special = "encode"
    # A text that is encoded with one thread, and is there as bytes, is not cut at all.
    whole = tok.encode_array(text.encode(), special=special, threads=1)
    for threads in (1, 2, 3, 8):
        assert np.array_equal(tok.encode_array(text, special=special, threads=threads), whole)
    for threads in (1, 2):
        assert tok.count(text, special=special, threads=threads) == len(whole)
        batch, ends = tok.encode_batch_arrays([text, "x"], special=special, threads=threads)
        assert np.array_equal(batch[: ends[1]], whole)
    assert np.array_equal(np.fromiter(tok.encode_iter([text], special=special), "u4"), whole)
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text, encoding="utf-8", newline="")
        out = Path(folder, "ids.npy")
        encode_files(tok, path, out, special=special, threads=2)
        assert np.array_equal(np.load(out), whole)


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@given(
    text=st.lists(st.sampled_from(UNITS), max_size=30).map("".join),
    places=st.lists(st.integers(0, 60)),
    held=st.integers(1, 40),
    pattern=st.sampled_from(PATTERNS),
    tokens=st.sampled_from(list(SPECIAL)),
)
@example(text="3" * 9 + " 1>2" + "3" * 9, places=[13], held=1, pattern="gpt2", tokens="overlapping")
@settings(max_examples=40)
def test_a_stream_of_any_parts_gives_the_ids_of_the_whole(
    normalizer: str, text: str, places: list[int], held: int, pattern: str, tokens: str
) -> None:
    tok = tokenizer(normalizer, pattern, tokens)
    cuts = sorted({0, len(text), *places})
    parts = [text[start:end] for start, end in pairwise(cuts)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subword._stream, "STREAM_BYTES", held)
        for special in choices:
            whole = tok.encode(text, special=special)
            assert list(tok.encode_iter(parts, special=special)) == whole


@pytest.mark.parametrize("normalizer", ["none", "nfc", "nfd", "nfkc", "nfkd"])
@given(units=units, pattern=st.sampled_from(PATTERNS))
@example(units=["\u00e9,"], pattern="gpt2")
@example(units=["\u0938\u095c.com "], pattern="qwen2")
@settings(max_examples=2)
def test_counts_are_those_of_the_normalised_text(
    normalizer: str, units: list[str], pattern: str
) -> None:
    text = large(units, 530_000)
    form: Any = normalizer.upper()
    normal = text if normalizer == "none" else unicodedata.normalize(form, text)
    expected = Counter(split(normal, pattern))
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_text(text, encoding="utf-8", newline="")
        for threads in (1, 3):
            settings: dict[str, Any] = {
                "pattern": pattern,
                "normalizer": normalizer,
                "threads": threads,
            }
            assert dict(count_pieces(texts=[text], **settings)) == expected
            assert dict(count_pieces(path, **settings)) == expected


@pytest.mark.parametrize(
    "unit",
    [
        "\u0938\u095c.com ",
        "\u00e9\u0301, ",
        "e\u0301\u0316=\u0338 \u212b.",
        "\u1100\u1161\u11a8\uac00!",
    ],
)
def test_a_published_model_with_a_normaliser_has_the_ids_of_hugging_face(unit: str) -> None:
    real, ours = huggingface_pair("qwen2_5")
    text = unit * (300_000 // len(unit.encode()))
    wanted = real.encode(text, add_special_tokens=False).ids
    for threads in (None, 1, 2, 3):
        assert ours.encode(text, threads=threads) == wanted
    assert list(ours.encode_iter([text[:70_001], text[70_001:]])) == wanted


@pytest.mark.parametrize(
    "line",
    [
        "It was the best of times, it was the worst of times.\n",
        "Все счастливые семьи похожи друг на друга.\n",
        "道可道，非常道。名可名，非常名。\n",
    ],
)
@pytest.mark.parametrize("normalizer", ["none", "nfc", "nfkc", "bert"])
def test_a_stream_of_ordinary_text_is_encoded_as_it_comes(line: str, normalizer: str) -> None:
    tok = tokenizer(normalizer, "bert" if normalizer == "bert" else "qwen2")
    many = iter([line] * (1_000_000 // len(line.encode())))
    total = length_hint(many)
    first = next(tok.encode_iter(many))
    taken = total - length_hint(many)
    assert first == tok.encode(line)[0]
    # Not much more than what is gathered for a call.
    assert taken * len(line.encode()) < 2 * subword._stream.STREAM_BYTES
