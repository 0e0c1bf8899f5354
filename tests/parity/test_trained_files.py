"""Files of Hugging Face's own trainers: same ids, offsets and text, also after saving."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import subword
import tokenizers
from tokenizers import (
    AddedToken,
    Regex,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tokenizers.implementations.byte_level_bpe import ByteLevelBPETokenizer
from tokenizers.implementations.char_level_bpe import CharBPETokenizer
from tokenizers.implementations.sentencepiece_bpe import SentencePieceBPETokenizer

from tests.support.published import huggingface_pair, sample

CORPUS = [
    "Hello, y'all! How are you 😁 ? I'm fine; don't worry about the 1234 lower, slower and lowest.",
    "The café naïve façade: Ünïcode ÀÉÎ, ﬁne ① ½. 你好世界。 Привет, мир! こんにちは",
    "  two  spaces\tand\ttabs\n\nand lines ",
] * 4
TEXTS = [
    *CORPUS[:3],
    "",
    " ",
    "a",
    " lower lowest",
    "[MASK]hello[MASK] unseen Ω≈ç√ ​zero​width ▁literal▁ <s>x</s> 'll's",
    "LOWER e\u0301e\u0327 한국어 \u3000 \u00a0x 👨\u200d👩\u200d👧",
]
SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]

Maker = Callable[[], tokenizers.Tokenizer]


def trained(tok: tokenizers.Tokenizer, trainer: trainers.Trainer) -> tokenizers.Tokenizer:
    """A tokenizer of the library, trained on the corpus."""
    tok.train_from_iterator(CORPUS, trainer)
    return tok


def quicktour(cut: pre_tokenizers.PreTokenizer, decoder: decoders.Decoder | None = None) -> Maker:
    """The first example of the library's documentation."""

    def make() -> tokenizers.Tokenizer:
        tok = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
        tok.pre_tokenizer = cut
        if decoder is not None:
            tok.decoder = decoder
        return trained(
            tok, trainers.BpeTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False)
        )

    return make


def pipeline_bpe() -> tokenizers.Tokenizer:
    """The pipeline page of its documentation."""
    tok = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    tok.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    cuts = [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    tok.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tok = trained(
        tok, trainers.BpeTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False)
    )
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return tok


def word_piece(normalizer: normalizers.Normalizer, cut: pre_tokenizers.PreTokenizer) -> Maker:
    """BERT from scratch, as the documentation and the course do it."""

    def make() -> tokenizers.Tokenizer:
        tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tok.normalizer, tok.pre_tokenizer = normalizer, cut
        trained(
            tok,
            trainers.WordPieceTrainer(vocab_size=200, special_tokens=SPECIAL, show_progress=False),
        )
        tok.decoder = decoders.WordPiece(prefix="##")
        return tok

    return make


def byte_level(
    normalizer: normalizers.Normalizer | None = None,
    *,
    space: bool = True,
    trims: bool = False,
    decodes: bool = True,
    **settings: Any,
) -> Maker:
    """Byte-level BPE with the defaults of ByteLevel, or not."""

    def make() -> tokenizers.Tokenizer:
        tok = tokenizers.Tokenizer(models.BPE(**settings))
        if normalizer is not None:
            tok.normalizer = normalizer
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trained(
            tok,
            trainers.BpeTrainer(
                vocab_size=400,
                initial_alphabet=alphabet,
                special_tokens=["<s>"],
                show_progress=False,
            ),
        )
        tok.post_processor = processors.ByteLevel(trim_offsets=trims)
        if decodes:
            tok.decoder = decoders.ByteLevel()
        return tok

    return make


def split_and_bytes() -> tokenizers.Tokenizer:
    """A Split of GPT-4's kind, then bytes; byte_fallback has no effect beside all bytes."""
    tok = tokenizers.Tokenizer(models.BPE(byte_fallback=True))
    split = pre_tokenizers.Split(
        Regex(r"\p{N}{1,2}| ?\p{L}+|\s+(?!\S)|\s+|[^\s\p{L}\p{N}]+"), "isolated"
    )
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return trained(
        tok, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    )


def implementation(make: Callable[[], Any]) -> Maker:
    """One of the ready-made classes, trained."""

    def trains() -> tokenizers.Tokenizer:
        tok = make()
        tok.train_from_iterator(CORPUS, vocab_size=400, show_progress=False)
        real: tokenizers.Tokenizer = tok._tokenizer
        return real

    return trains


def word_level() -> tokenizers.Tokenizer:
    """Words by a table."""
    tok = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    return trained(tok, trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False))


def added() -> tokenizers.Tokenizer:
    """Added tokens of both phases beside a normaliser."""
    tok = byte_level(normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]))()
    tok.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True)])
    tok.add_tokens(
        [
            AddedToken("LOWER", normalized=True),
            AddedToken("fine", single_word=True, normalized=False),
        ]
    )
    return tok


def llama(prepends: bool, cut: pre_tokenizers.PreTokenizer | None) -> Maker:
    """SentencePiece BPE as files of Llama 2, Gemma and Mistral write it."""

    def make() -> tokenizers.Tokenizer:
        tok = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        steps: list[normalizers.Normalizer] = [normalizers.Prepend("▁")] if prepends else []
        if cut is None or not isinstance(cut, pre_tokenizers.Metaspace):
            tok.normalizer = normalizers.Sequence([*steps, normalizers.Replace(" ", "▁")])
        if cut is not None:
            tok.pre_tokenizer = cut
        special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
        trained(
            tok,
            trainers.BpeTrainer(
                vocab_size=500, special_tokens=special, limit_alphabet=60, show_progress=False
            ),
        )
        file = json.loads(tok.to_str())
        for token in file["added_tokens"][1:]:
            token["normalized"] = True
        file["added_tokens"] = file["added_tokens"][:3]
        tok = tokenizers.Tokenizer.from_str(json.dumps(file))
        tok.decoder = decoders.Sequence(
            [
                decoders.Replace("▁", " "),
                decoders.ByteFallback(),
                decoders.Fuse(),
                decoders.Strip(" ", 1, 0),
            ]
        )
        return tok

    return make


accents = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
lower = normalizers.Sequence(
    [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]
)
punctuation = pre_tokenizers.Sequence(
    [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
)
FILES: dict[str, Maker] = {
    "quicktour": quicktour(pre_tokenizers.Whitespace()),
    "quicktour with BPEDecoder": quicktour(pre_tokenizers.Whitespace(), decoders.BPEDecoder()),
    "quicktour with WhitespaceSplit": quicktour(pre_tokenizers.WhitespaceSplit()),
    "pipeline": pipeline_bpe,
    "pipeline, BERT": word_piece(lower, pre_tokenizers.Whitespace()),
    "course, BERT": word_piece(
        normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    ),
    "course, BERT by hand": word_piece(normalizers.BertNormalizer(), punctuation),
    "course, GPT-2": byte_level(space=False),
    "ByteLevel, trimmed offsets": byte_level(space=False, trims=True),
    "ByteLevel()": byte_level(),
    "ByteLevel() with trimmed offsets": byte_level(trims=True),
    "ByteLevel without decoder": byte_level(space=False, decodes=False),
    "ByteLevel, NFKC": byte_level(normalizers.NFKC(), space=False),
    "ByteLevel, Lowercase": byte_level(normalizers.Lowercase()),
    "ByteLevel, NFKC and Lowercase": byte_level(
        normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    ),
    "ByteLevel, accents": byte_level(accents),
    "ByteLevel, byte_fallback": byte_level(byte_fallback=True),
    "Split and ByteLevel": split_and_bytes,
    "ByteLevelBPETokenizer": implementation(ByteLevelBPETokenizer),
    "ByteLevelBPETokenizer, lowercase": implementation(
        lambda: ByteLevelBPETokenizer(lowercase=True)
    ),
    "ByteLevelBPETokenizer, prefix": implementation(
        lambda: ByteLevelBPETokenizer(add_prefix_space=True, trim_offsets=True)
    ),
    "CharBPETokenizer": implementation(CharBPETokenizer),
    "CharBPETokenizer, white space": implementation(
        lambda: CharBPETokenizer(split_on_whitespace_only=True, bert_normalizer=False)
    ),
    "CharBPETokenizer, lowercase": implementation(
        lambda: CharBPETokenizer(lowercase=True, unicode_normalizer="nfkc")
    ),
    "SentencePieceBPETokenizer": implementation(SentencePieceBPETokenizer),
    "SentencePieceBPETokenizer, never": implementation(
        lambda: SentencePieceBPETokenizer(add_prefix_space=False, fuse_unk=False)
    ),
    "dropout": byte_level(dropout=0.1),
    "WordLevel": word_level,
    "added tokens": added,
    "Llama 2": llama(prepends=True, cut=None),
    "Gemma": llama(prepends=False, cut=None),
    "Gemma 2": llama(prepends=False, cut=pre_tokenizers.Split(" ", "merged_with_previous")),
    "Mistral": llama(
        prepends=False, cut=pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    ),
}


def same(ours: subword.Tokenizer, theirs: tokenizers.Tokenizer) -> None:
    """Compares ids, offsets and decoding of all texts."""
    for text in TEXTS:
        expected = theirs.encode(text, add_special_tokens=False)
        ids, offsets = ours.encode_offsets(text, special="encode")
        assert ids == expected.ids, text
        assert offsets == expected.offsets, text
        assert ours.encode(text, special="encode") == ids
        assert ours.count(text, special="encode") == len(ids)
        assert (
            ours.encode(text, add_special_tokens=True, special="encode") == theirs.encode(text).ids
        )
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), text
        assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids), text


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_their_trainers_gives_the_same(name: str, tmp_path: Path) -> None:
    theirs = FILES[name]()
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        ours = subword.Tokenizer.load(path)
    assert bool(warned) == (name == "dropout")
    if name == "dropout":  # at random there, and never here
        file = json.loads(path.read_text(encoding="utf-8"))
        file["model"]["dropout"] = None
        theirs = tokenizers.Tokenizer.from_str(json.dumps(file))
    same(ours, theirs)
    assert pickle.loads(pickle.dumps(ours)) == ours
    saved = tmp_path / "saved.json"
    ours.save(saved, format="huggingface")
    if name != "dropout":
        same(ours, tokenizers.Tokenizer.from_file(str(saved)))
        assert subword.Tokenizer.load(saved) == ours


CORPORA = [
    "en_10mb",
    "zh_10mb",
    "ru_10mb",
    "ja_3mb",
    "ko_3mb",
    "code_clean_10mb",
    "multi_clean_10mb",
]


@pytest.mark.parametrize("corpus", CORPORA)
def test_mistral_gives_the_same_on_every_corpus(corpus: str) -> None:
    theirs, ours = huggingface_pair("mistral_v0.1")
    texts = sample(f"{corpus}.txt", 20, 3000)
    for text in (*texts, f" {texts[0][:300]}▁▁ <s>{texts[1][:100]}</s>\n"):
        expected = theirs.encode(text, add_special_tokens=False)
        assert ours.encode(text, special="encode") == expected.ids
        assert ours.encode_offsets(text, special="encode") == (expected.ids, expected.offsets)
        assert ours.decode(expected.ids) == theirs.decode(expected.ids, skip_special_tokens=False)
