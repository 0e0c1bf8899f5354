"""GGUF files of llama.cpp: the ids beside them, and those of the libraries they were made with.

llama.cpp publishes texts with the ids that Hugging Face's tokenizers gives them. Beyond these texts
each vocabulary is held against the real tokenizers or sentencepiece, with the steps that the
model's own `tokenizer.json` has.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import ModelFormatWarning, Tokenizer
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from tests.data.llama_cpp import HASHES
from tests.parity.test_sentencepiece_files import random_texts
from tests.support import gguf
from tests.support.published import CORPORA, file, sample

WITH_IDS = [name for name, hashes in HASHES.items() if len(hashes) == 3]

SMALL = CORPORA[:8]

#: Qwen 3.5's pattern, as its `tokenizer.json` has it.
QWEN35 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = QWEN2.replace(r"|\p{N}| ?", r"|\p{N}{1,3}| ?")

LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False)
LEVEL_ONLY = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def split(regex: str) -> Any:
    return pre_tokenizers.Split(Regex(regex), "isolated")


#: How the `tokenizer.json` of each model cuts a text.
STEPS: dict[str, list[Any]] = {
    "command-r": [pre_tokenizers.Digits(individual_digits=True), LEVEL],
    "deepseek-coder": [
        split("[\r\n]"),
        split(r"\s?\p{L}+"),
        split(r"\s?\p{P}+"),
        split("[一-龥\u0800-一가-\ud7ff]+"),
        pre_tokenizers.Digits(individual_digits=True),
        LEVEL_ONLY,
    ],
    "falcon": [
        pre_tokenizers.Punctuation("contiguous"),
        LEVEL,
        split("[0-9][0-9][0-9]"),
    ],
    "gpt-2": [LEVEL],
    "gpt-neox": [LEVEL],
    "llama-bpe": [split(LLAMA3), LEVEL_ONLY],
    "mpt": [LEVEL],
    "qwen2": [split(QWEN2), LEVEL_ONLY],
    "qwen35": [split(QWEN35), LEVEL_ONLY],
    "refact": [pre_tokenizers.Digits(individual_digits=True), LEVEL],
    "starcoder": [pre_tokenizers.Digits(individual_digits=True), LEVEL],
}


def path_of(name: str) -> Path:
    return file(f"vocabs/gguf/ggml-vocab-{name}.gguf")


@cache
def facts_of(name: str) -> dict[str, Any]:
    return gguf.read(path_of(name).read_bytes())


def loaded(name: str, pattern: str | None = None) -> Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFormatWarning)
        return Tokenizer.load(path_of(name), pattern=pattern)


def texts_for(seed: int) -> list[str]:
    texts = [text for name in SMALL for text in sample(name, 2, 4_000)]
    return [*texts, *random_texts(seed, 200)]


def byte_level(name: str) -> tokenizers.Tokenizer:
    """A vocabulary in Hugging Face's library, with the steps of the model."""
    facts = facts_of(name)
    tokens, kinds = facts["tokens"], facts["token_type"]
    vocab = {token: id for id, token in enumerate(tokens)}
    pairs = [(left, right) for left, right in gguf.merges(facts)]
    model = models.BPE(vocab, pairs, ignore_merges=name == "llama-bpe")
    real = tokenizers.Tokenizer(model)
    real.pre_tokenizer = pre_tokenizers.Sequence(STEPS[name])
    real.decoder = decoders.ByteLevel()
    named = zip(tokens, kinds, strict=True)
    for token, kind in named:
        if kind == gguf.CONTROL:
            real.add_special_tokens([token])
        elif kind == gguf.USER_DEFINED:
            real.add_tokens([tokenizers.AddedToken(token, normalized=False)])
    return real


@pytest.mark.parametrize("name", WITH_IDS)
def test_the_texts_beside_a_vocabulary_have_the_ids_beside_it(name: str) -> None:
    tok = loaded(name)
    texts = gguf.expected(path_of(name))
    assert len(texts) > 40
    for text, ids in texts:
        assert tok.encode(text) == ids, text


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_byte_level_vocabularies_are_what_tokenizers_makes_of_them(name: str) -> None:
    tok = loaded(name, pattern="gpt2" if name == "gpt-neox" else None)
    real = byte_level(name)
    for text in texts_for(1):
        ids = real.encode(text).ids
        assert tok.encode(text, special="encode") == ids, text
        assert tok.decode(ids) == real.decode(ids, skip_special_tokens=False), text


@pytest.mark.slow
def test_gpt_neox_is_its_tokenizer_json_where_the_text_is_normalised() -> None:
    tok = loaded("gpt-neox", pattern="gpt2")
    real = tokenizers.Tokenizer.from_file(str(file("vocabs/gpt_neox/tokenizer.json")))
    for text in texts_for(2):
        normal = normalizers.NFC().normalize_str(text)
        assert tok.encode(normal, special="encode") == real.encode(normal).ids, text


@pytest.mark.slow
def test_aquila_is_what_tokenizers_makes_of_it() -> None:
    facts = facts_of("aquila")
    tok = loaded("aquila", pattern="gpt2")
    vocab = {token: id for id, token in enumerate(facts["tokens"])}
    real = tokenizers.Tokenizer(models.BPE(vocab, [(a, b) for a, b in gguf.merges(facts)]))
    real.pre_tokenizer = LEVEL
    for text in texts_for(3):
        assert tok.encode(text) == real.encode(text).ids, text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["baichuan", "llama-spm"])
def test_vocabularies_with_scores_are_what_sentencepiece_makes_of_them(
    name: str, tmp_path: Path
) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    path = tmp_path / "tokenizer.model"
    path.write_bytes(gguf.tokenizer_model(facts_of(name)))
    real = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tok = loaded(name)
    for text in texts_for(4):
        ids = real.encode(text)
        assert tok.encode(text) == ids, text
        assert tok.decode(ids) == real.decode(ids), text


@pytest.mark.slow
def test_the_unigram_vocabulary_is_what_sentencepiece_makes_of_it(tmp_path: Path) -> None:
    """Where both libraries read the character map alike, which is in most texts."""
    sentencepiece = pytest.importorskip("sentencepiece")
    path = tmp_path / "tokenizer.model"
    path.write_bytes(gguf.tokenizer_model(facts_of("nomic-bert-moe"), unigram=True))
    real = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tok = loaded("nomic-bert-moe")
    texts = [line for name in SMALL for text in sample(name, 4, 2_000) for line in text.split("\n")]
    texts += [text for text, _ in gguf.expected(path_of("llama-bpe"))]
    alike = sum(tok.encode(text) == real.encode(text) for text in texts)
    assert alike > 0.99 * len(texts)
    assert tok.encode("Hello world", add_special_tokens=True) == [0, 35378, 8999, 2]


def test_what_stands_around_a_text_is_what_the_file_says() -> None:
    ends = {
        "bert-bge": ([101], [102]),
        "llama-spm": ([1], []),
        "gpt-2": ([], []),
        "llama-bpe": ([128000], []),
        "command-r": ([5], []),
        "gemma-4": ([2], []),
    }
    for name, (before, after) in ends.items():
        tok = loaded(name)
        middle = tok.encode("Hello")
        assert tok.encode("Hello", add_special_tokens=True) == [*before, *middle, *after], name


def test_control_tokens_are_special_and_user_defined_ones_are_always_found() -> None:
    tok = loaded("qwen2")
    assert tok.encode("<|im_start|>", special="encode") == [151644]
    assert len(tok.encode("<|im_start|>")) > 1
    gemma = loaded("gemma-4")
    user = facts_of("gemma-4")["token_type"].index(gguf.USER_DEFINED)
    assert gemma.encode(facts_of("gemma-4")["tokens"][user]) == [user]


def test_a_file_without_a_pre_tokenizer_is_cut_as_llama_cpp_does_and_warns() -> None:
    with pytest.warns(ModelFormatWarning, match="does not say how text is cut"):
        tok = Tokenizer.load(path_of("gpt-neox"))
    assert tok.pattern == [r"[\p{P}\$\+<=>\^~\|]+", "gpt2", r"\p{N}+", "[0-9][0-9][0-9]"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Tokenizer.load(path_of("gpt-neox"), pattern="gpt2").pattern == "gpt2"


def test_bytes_and_a_folder_are_read_as_the_file_is(tmp_path: Path) -> None:
    path = path_of("bert-bge")
    (tmp_path / "model.gguf").write_bytes(path.read_bytes())
    assert Tokenizer.load(path) == Tokenizer.load(path.read_bytes()) == Tokenizer.load(tmp_path)
