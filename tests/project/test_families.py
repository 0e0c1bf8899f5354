"""The page "Which tokenizers work" against what happens: a file of each family, by its own library.

Where a family works, its file loads and has the ids of the real library; where it does not, its
file is refused. A family that begins to work makes this test fail until the page says so.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sentencepiece
import tokenizers
from subword import BpeTrainer, ModelFormatError, Tokenizer, patterns
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from tests.support import gguf
from tests.support.repository import ROOT

PAGE = ROOT / "docs/guide/which-tokenizers.md"

SAMPLE = ["the lowest of the low were slower", "they flow low and follow the flow, 12345"] * 20
TEXTS = ["", "the lowest", "slower than the flow", "low, 123 lower", "flow é"]

Real = tokenizers.Tokenizer | None


def trained(tok: tokenizers.Tokenizer, trainer: trainers.Trainer) -> tokenizers.Tokenizer:
    tok.train_from_iterator(SAMPLE, trainer)
    return tok


def saved(tok: tokenizers.Tokenizer, folder: Path) -> tuple[Path, Real]:
    tok.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json", tok


def byte_level(folder: Path) -> tuple[Path, Real]:
    tok = tokenizers.Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=280, initial_alphabet=alphabet, show_progress=False)
    return saved(trained(tok, trainer), folder)


def tiktoken_file(folder: Path) -> tuple[Path, Real]:
    BpeTrainer(vocab_size=270).train_iter(SAMPLE).save(folder / "x.tiktoken")
    return folder / "x.tiktoken", None


def tiktoken_model(folder: Path) -> tuple[Path, Real]:
    BpeTrainer(vocab_size=270).train_iter(SAMPLE).save(folder / "x.tiktoken")
    (folder / "x.tiktoken").rename(folder / "tiktoken.model")
    config = '{"tokenizer_class": "TikTokenTokenizer"}'
    (folder / "tokenizer_config.json").write_text(config, encoding="utf-8")
    return folder, None


def tekken(folder: Path) -> tuple[Path, Real]:
    tok = BpeTrainer(vocab_size=270).train_iter(SAMPLE)
    tokens = sorted(range(tok.vocab_size), key=lambda id: (len(tok.token_bytes(id)) > 1, id))
    vocab = [
        {"rank": rank, "token_bytes": b64encode(tok.token_bytes(id)).decode(), "token_str": None}
        for rank, id in enumerate(tokens)
    ]
    sizes = {"default_vocab_size": 300, "default_num_special_tokens": 30}
    config = {"pattern": patterns["gpt2"][0], "version": "v3", **sizes}
    content = json.dumps({"config": config, "vocab": vocab})
    (folder / "tekken.json").write_text(content, encoding="utf-8")
    return folder / "tekken.json", None


def gguf_file(folder: Path) -> tuple[Path, Real]:
    _, tok = byte_level(folder)
    assert tok is not None
    model = json.loads(tok.to_str())["model"]
    facts = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": sorted(model["vocab"], key=model["vocab"].__getitem__),
        "merges": [" ".join(pair) for pair in model["merges"]],
    }
    content = gguf.written({f"tokenizer.ggml.{name}": fact for name, fact in facts.items()})
    (folder / "x.gguf").write_bytes(content)
    return folder / "x.gguf", None


def two_files(folder: Path) -> tuple[Path, Real]:
    _, tok = byte_level(folder)
    assert tok is not None
    (folder / "tokenizer.json").unlink()
    tok.model.save(str(folder))
    return folder / "vocab.json", tok


def wordpiece(folder: Path) -> tuple[Path, Real]:
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=80, special_tokens=special, show_progress=False)
    return saved(trained(tok, trainer), folder)


def word_list(folder: Path) -> tuple[Path, Real]:
    _, tok = wordpiece(folder)
    assert tok is not None
    (folder / "tokenizer.json").unlink()
    tok.model.save(str(folder))
    return folder / "vocab.txt", tok


def characters(folder: Path) -> tuple[Path, Real]:
    tok = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.decoder = decoders.BPEDecoder(suffix="</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=80,
        special_tokens=["<unk>"],
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    return saved(trained(tok, trainer), folder)


def sentencepiece_bpe(folder: Path) -> tuple[Path, Real]:
    """As Llama 2 has it: a space is a character of its own, bytes stand in for what is unknown."""
    letters = sorted({char for text in SAMPLE for char in text.replace(" ", "▁")})
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    merges = [("l", "o"), ("lo", "w"), ("▁", "t"), ("▁t", "h"), ("▁th", "e"), ("▁", "low")]
    tokens += ["".join(pair) for pair in merges]
    vocab = {token: id for id, token in enumerate(tokens)}
    tok = tokenizers.Tokenizer(
        models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tok.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tok.add_special_tokens(["<unk>", "<s>", "</s>"])
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return saved(tok, folder)


def unigram(folder: Path) -> tuple[Path, Real]:
    """As T5 has it."""
    tok = tokenizers.Tokenizer(models.Unigram())
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    tok.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=60, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    return saved(trained(tok, trainer), folder)


def word_level(folder: Path) -> tuple[Path, Real]:
    tok = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False)
    return saved(trained(tok, trainer), folder)


def sentencepiece_file(folder: Path, kind: str = "bpe") -> tuple[Path, Real]:
    with (folder / "tokenizer.model").open("wb") as model:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(SAMPLE),
            model_writer=model,
            model_type=kind,
            vocab_size=320,
            byte_fallback=True,
            hard_vocab_limit=False,
            minloglevel=2,
        )
    return folder / "tokenizer.model", None


def sentencepiece_unigram_file(folder: Path) -> tuple[Path, Real]:
    return sentencepiece_file(folder, "unigram")


MAKERS: dict[str, Callable[[Path], tuple[Path, Real]]] = {
    "byte-level BPE": byte_level,
    "tiktoken's encodings": tiktoken_file,
    "tiktoken's format with a configuration": tiktoken_model,
    "mistral-common's file": tekken,
    "llama.cpp's files": gguf_file,
    "GPT-2's two files": two_files,
    "WordPiece": wordpiece,
    "WordPiece's word list": word_list,
    "BPE of characters with an end-of-word mark": characters,
    "SentencePiece BPE with byte fallback": sentencepiece_bpe,
    "Unigram": unigram,
    "WordLevel": word_level,
    "SentencePiece's own file, BPE": sentencepiece_file,
    "SentencePiece's own file, Unigram": sentencepiece_unigram_file,
}


def families() -> Iterator[tuple[str, str]]:
    """What the table says: a family, and whether it works."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r"\| ([^|]+) \| (yes|not yet) \| [^|]+ \| `[^|]+` \|", line)
        if found:
            yield found[1], found[2]


def test_every_family_of_the_page_is_tried() -> None:
    assert [name for name, _ in families()] == [*MAKERS]


@pytest.mark.parametrize(("name", "works"), [*families()], ids=[name for name, _ in families()])
def test_the_page_says_what_happens(name: str, works: str, tmp_path: Path) -> None:
    path, real = MAKERS[name](tmp_path)
    pattern = "gpt2" if path.suffix == ".tiktoken" else None
    if works == "not yet":
        with pytest.raises(ModelFormatError):
            Tokenizer.load(path, pattern=pattern)
        return
    tok = Tokenizer.load(path, pattern=pattern)
    for text in TEXTS:
        ids = tok.encode(text, special="encode", add_special_tokens=True)
        if real is not None and path.name == "tokenizer.json":
            assert ids == real.encode(text).ids
        elif real is not None:
            assert tok.encode(text) == real.encode(text, add_special_tokens=False).ids
        else:
            assert tok.decode(ids) == text


def test_the_pages_that_name_the_families_agree() -> None:
    """README's table says of every family that is missing that it is."""
    missing = [name for name, works in families() if works == "not yet"]
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.search(r"\*\*Not supported yet:\*\* (.+?)\. ", page.replace("\n", " "))
    if not missing:
        assert told is None
        return
    assert told is not None
    words = {"SentencePiece BPE with byte fallback": "SentencePiece BPE"}
    words |= {"WordLevel": "WordLevel", "SentencePiece's own file, Unigram": "`tokenizer.model`"}
    for name, word in words.items():
        assert (word in told[1]) == (name in missing), name
        row = re.search(rf"^\| {re.escape(word)}: [^|]+ \| (yes|no) \|", page, re.MULTILINE)
        assert row is None or (row[1] == "no") == (name in missing), name
