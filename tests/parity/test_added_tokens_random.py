"""Added tokens of all kinds, in small random models: the ids of Hugging Face's tokenizers, or a
refusal by name; and the same ids from what we save.

The contents overlap each other, words of the vocabulary, white space and what normalisers change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from subword import ModelFormatError, Tokenizer

from tests.support.small import ALPHABET

#: What may be said when a file is refused.
REFUSED = [
    "are the same after normalisation",
    "is empty after normalisation",
    "belongs to the token",  # written like other bytes in the byte alphabet
]

#: What may be said when a tokenizer cannot be saved as tokenizer.json.
NOT_SAVED = ["text would become it", "two of its tokens are written"]

PARTS = [*"ab>AéÉ中ß", "<a>", "hello", "Hello", "##b", "e\u0301", "E\u0301", "\u0301"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\u2001"]
BETWEEN = [*SPACES, "_", "1", "x", "##"]

some = st.sampled_from(PARTS + SPACES)
contents = st.one_of(some, some, st.lists(some, min_size=2, max_size=3).map("".join))
texts = st.lists(st.one_of(st.sampled_from(PARTS + BETWEEN), contents), max_size=10).map("".join)

flags = st.fixed_dictionaries(
    {name: st.booleans() for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
)

bert = st.fixed_dictionaries(
    {
        "type": st.just("BertNormalizer"),
        "clean_text": st.booleans(),
        "handle_chinese_chars": st.booleans(),
        "strip_accents": st.sampled_from([None, True, False]),
        "lowercase": st.booleans(),
    }
)
lowercase = [{"type": "NFC"}, {"type": "Lowercase"}]
normalizers = st.one_of(
    st.none(),
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]).map(lambda name: {"type": name}),
    st.just({"type": "Sequence", "normalizers": lowercase}),
    bert,
)


def byte_level(use_regex: bool) -> dict[str, Any]:
    name = "ByteLevel"
    return {"type": name, "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}


@st.composite
def bpe_models(draw: st.DrawFn, bytes: bool) -> tuple[dict[str, Any], Any, Any]:
    """Model, pre-tokenizer and decoder; some whole contents are in the vocabulary."""
    units = ALPHABET if bytes else ["<unk>", *"abh>Aé <#"]
    merges = [("a", "b"), ("<", "a"), ("<a", ">")]
    written = contents.filter(lambda text: not bytes or set(text) <= set(ALPHABET))
    more = draw(st.lists(written, max_size=3))
    vocab = dict.fromkeys([*units, *map("".join, merges), *more])
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None if bytes else "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": bytes and draw(st.booleans()),
        "vocab": {token: id for id, token in enumerate(vocab)},
        "merges": [list(pair) for pair in merges],
    }
    if bytes:
        return model, byte_level(draw(st.booleans())), byte_level(True)
    return model, None, {"type": "Fuse"}


@st.composite
def word_piece_models(draw: st.DrawFn) -> tuple[dict[str, Any], Any, Any]:
    tokens = ["[UNK]", *"abhx<>", "hell", "hello", "##a", "##b", "##o", "##>", "##\u0301"]
    vocab = dict.fromkeys(tokens + draw(st.lists(contents, max_size=3)))
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {token: id for id, token in enumerate(vocab)},
    }
    kinds = ["BertPreTokenizer", "WhitespaceSplit", "Whitespace"]
    pre_tokenizer = {"type": draw(st.sampled_from(kinds))}
    return model, pre_tokenizer, {"type": "WordPiece", "prefix": "##", "cleanup": False}


@dataclass
class Case:
    """The text of a tokenizer.json, and texts to encode."""

    file: str
    texts: list[str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kinds = st.one_of(bpe_models(bytes=True), bpe_models(bytes=False), word_piece_models())
    model, pre_tokenizer, decoder = draw(kinds)
    vocab = model["vocab"]
    words = st.sampled_from([token for token in vocab if len(token) > 1])
    chosen = draw(st.lists(st.one_of(contents, contents, words), max_size=6, unique=True))
    next_id, added = len(vocab), []
    for content in chosen:
        id = vocab.get(content, next_id)
        next_id += content not in vocab
        added.append({"id": id, "content": content, **draw(flags)})
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": sorted(added, key=lambda token: token["id"]),
        "normalizer": draw(normalizers),
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }
    made = st.lists(st.sampled_from([*chosen, *chosen, *BETWEEN, *PARTS]), max_size=8).map("".join)
    all_texts = draw(st.lists(st.one_of(made, made, texts), min_size=4, max_size=4))
    return Case(json.dumps(file), all_texts)


def real_ids(real: tokenizers.Tokenizer, text: str) -> list[int] | None:
    """Their ids; None where their library panics: white space that two tokens swallow."""
    try:
        ids: list[int] = real.encode(text, add_special_tokens=False).ids
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        return None
    return ids


def check(ours: Tokenizer, real: tokenizers.Tokenizer, texts: list[str]) -> None:
    for text in texts:
        for special in ("encode", "text"):
            real.encode_special_tokens = special == "text"
            expected = real_ids(real, text)
            if expected is not None:
                assert ours.encode(text, special=special) == expected, (text, special)


def refused(error: ModelFormatError, known: list[str]) -> None:
    if not any(words in str(error) for words in known):
        raise error


@given(case=cases())
def test_added_tokens_of_random_models_have_the_same_ids(case: Case) -> None:
    with TemporaryDirectory() as folder:
        path, saved, native = (Path(folder, name) for name in ("a.json", "b.json", "c.json"))
        path.write_text(case.file, encoding="utf-8")
        real = tokenizers.Tokenizer.from_str(case.file)
        try:
            ours = Tokenizer.load(path)
        except ModelFormatError as error:
            refused(error, REFUSED)
            return
        check(ours, real, case.texts)
        ours.save(native, format="native")
        check(Tokenizer.load(native), real, case.texts)
        try:
            ours.save(saved, format="huggingface")
        except ModelFormatError as error:
            refused(error, NOT_SAVED)
            return
        check(Tokenizer.load(saved), real, case.texts)
        check(ours, tokenizers.Tokenizer.from_file(str(saved)), case.texts)
