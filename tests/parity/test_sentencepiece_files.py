"""Published vocabularies of SentencePiece's BPE, in every shape in which they are published.

Mistral's files are those of sentencepiece; Llama 2, Phi-3 and Gemma 4 come as GGUF with texts and
their ids. Each is loaded beside the library that the file belongs to.
"""

from __future__ import annotations

import random as randomness
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import subword
from tokenizers import Tokenizer as Theirs

from tests.support import gguf
from tests.support.published import CORPORA, file

sentencepiece = pytest.importorskip("sentencepiece")

MODELS = [
    "vocabs/mistral_v0.1/tokenizer.model",
    "vocabs/mistral_v2/tokenizer.model",
    "vocabs/mistral_v3/tokenizer.model",
    "vocabs/mistral_v7/tokenizer.model",
]
GGUF = {
    "llama-spm": ("vocabs/gguf/ggml-vocab-llama-spm.gguf", ["T1"]),
    "phi-3": ("vocabs/gguf/ggml-vocab-phi-3.gguf", ["T1"]),
    "gemma-4": ("vocabs/gguf/ggml-vocab-gemma-4.gguf", ["T2", "T3"]),
}
#: What random texts are made of: what such files treat specially, and rare characters.
PARTS = [*"   ▁▁▁\n\t\r.,'-=>0123abcxyzAB", "the", " cat", "▁the", "</s>", "[REF]", "é", "e\u0301"]
PARTS += [
    "中文",
    "日本語",
    "한국",
    "кот",
    "😀",
    "👨\u200d👩\u200d👧",
    "☃",
    "\u200b",
    "\ufeff",
    "𐍈",
    "\u3000",
]


def random_texts(seed: int, count: int) -> list[str]:
    random = randomness.Random(seed)
    texts = []
    for _ in range(count):
        rare = [chr(random.choice([random.randrange(0xD800), random.randrange(0xE000, 0x110000)]))]
        texts.append("".join(random.choices(PARTS + rare * 3, k=random.randint(0, 40))))
    return [*texts, *(" " * length for length in range(40)), "x" + " " * 33 + "y"]


@cache
def corpus_lines(most: int) -> list[str]:
    """The first lines of every corpus, up to so many characters of each."""
    lines = []
    for name in CORPORA:
        text = file(f"corpora/{name}").read_bytes()[: 4 * most].decode(errors="ignore")
        lines += text[:most].splitlines(keepends=True)
    return lines


def facts_of(name: str) -> dict[str, Any]:
    return gguf.read(file(GGUF[name][0]).read_bytes())


def written(name: str, shape: str, folder: Path) -> tuple[subword.Tokenizer, Theirs]:
    path = folder / "tokenizer.json"
    path.write_text(gguf.tokenizer_json(facts_of(name), shape), encoding="utf-8")
    return subword.Tokenizer.load(path), Theirs.from_file(str(path))


def check_all(ours: subword.Tokenizer, ids_of: Any, decode: Any, most: int) -> None:
    texts = [*corpus_lines(most), *random_texts(1, 400)]
    for text, found in zip(texts, ours.encode_batch(texts), strict=True):
        ids = ids_of(text)
        assert found == ids, text
        assert ours.decode(ids) == decode(ids), text
    whole = "".join(corpus_lines(most))
    ids = ids_of(whole)
    assert ours.encode(whole, threads=1) == ids
    assert ours.encode(whole, threads=2) == ids


@pytest.mark.parametrize("path", MODELS)
def test_mistral_is_what_sentencepiece_makes_of_it(path: str) -> None:
    ours = subword.Tokenizer.load(file(path))
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(file(path)))
    assert subword.explain_path(ours)[0] == "fused front"
    check_all(ours, theirs.encode, theirs.decode, most=8_000)


@pytest.mark.parametrize("name", ["llama-spm"])
def test_llama_2_is_what_sentencepiece_makes_of_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(gguf.tokenizer_model(facts_of(name)))
    ours = subword.Tokenizer.load(path)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert subword.explain_path(ours)[0] == "fused front"
    check_all(ours, theirs.encode, theirs.decode, most=8_000)
    for text, ids in gguf.expected(file(GGUF[name][0])):
        assert ours.encode(text) == ids, text


@pytest.mark.slow
@pytest.mark.parametrize("shape", gguf.SHAPES)
@pytest.mark.parametrize("name", GGUF)
def test_a_vocabulary_in_every_shape_is_what_tokenizers_makes_of_it(
    name: str, shape: str, tmp_path: Path
) -> None:
    ours, theirs = written(name, shape, tmp_path)
    assert subword.explain_path(ours)[0] == "fused front"

    def ids_of(text: str) -> list[int]:
        ids: list[int] = theirs.encode(text, add_special_tokens=False).ids
        return ids

    texts = [*corpus_lines(3_000), *random_texts(2, 400)]
    for text, found in zip(texts, ours.encode_batch(texts, special="encode"), strict=True):
        ids = ids_of(text)
        assert found == ids, text
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), text
    whole = "".join(corpus_lines(3_000))
    assert ours.encode(whole, special="encode", threads=2) == ids_of(whole)


@pytest.mark.slow
@pytest.mark.parametrize("name", GGUF)
def test_the_texts_beside_a_vocabulary_have_the_ids_beside_it(name: str, tmp_path: Path) -> None:
    path, shapes = GGUF[name]
    texts = gguf.expected(file(path))
    assert len(texts) > 40
    for shape in shapes:
        ours, _ = written(name, shape, tmp_path)
        for text, ids in texts:
            assert ours.encode(text) == ids, (shape, text)
