"""`.tiktoken` files of models whose pattern and special tokens are in Python code.

Whisper, Llama 3 and 4, and folders like Kimi's, each beside a `tiktoken.Encoding` that is set up as
the code of the model does it.
"""

from __future__ import annotations

import base64
import json
import string
import sys
from pathlib import Path

import pytest
import subword
import tiktoken
from subword import BpeTrainer, ModelFormatError, Tokenizer, UnknownIdError
from subword._names.models import LANGUAGES
from subword.integrations.tiktoken_cuts import cuts
from tiktoken.load import load_tiktoken_bpe

from tests.parity.test_sentencepiece_files import random_texts
from tests.support.published import CORPORA, file, sample

GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
KIMI = "|".join(
    [
        r"[\p{Han}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


def texts_for(seed: int) -> list[str]:
    texts = [text for corpus in CORPORA[:8] for text in sample(corpus, 2, 10_000)]
    return [*texts, *random_texts(seed, 200)]


def check(tok: Tokenizer, real: tiktoken.Encoding, seed: int) -> None:
    special = "".join(list(real.special_tokens_set)[:3])
    for text in [*texts_for(seed), f"a{special} b"]:
        ids = real.encode_ordinary(text)
        assert tok.encode(text) == ids, text
        assert tok.decode(ids) == real.decode(ids)
        ids = real.encode(text, allowed_special="all")
        assert tok.encode(text, special="encode") == ids, text
        assert tok.decode(ids) == real.decode(ids)
    assert tok.special_tokens == {
        token: real.encode_single_token(token) for token in real.special_tokens_set
    }


def whisper(path: Path, languages: int) -> tiktoken.Encoding:
    """As Whisper sets it up: the ids of special tokens follow those of the file."""
    lines = [line.split() for line in path.read_text().splitlines()]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    tokens = ["endoftext", "startoftranscript", *LANGUAGES[:languages], "translate", "transcribe"]
    tokens += ["startoflm", "startofprev", "nospeech", "notimestamps"]
    tokens += [f"{at * 0.02:.2f}" for at in range(1501)]
    special = {f"<|{token}|>": len(ranks) + at for at, token in enumerate(tokens)}
    return tiktoken.Encoding(
        "whisper",
        explicit_n_vocab=len(ranks) + len(special),
        pat_str=GPT2,
        mergeable_ranks=ranks,
        special_tokens=special,
    )


@pytest.mark.parametrize(
    ("name", "languages"), [("whisper", 99), ("whisper-large-v3", 100), ("whisper-english", 99)]
)
def test_whisper_is_the_encoding_that_whisper_makes(
    name: str, languages: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    english = name == "whisper-english"
    path = file("vocabs/r50k_base.tiktoken" if english else "vocabs/whisper/multilingual.tiktoken")
    target = tmp_path / ("gpt2.tiktoken" if english else path.name)
    target.write_bytes(path.read_bytes())
    monkeypatch.setenv("SUBWORD_VOCABS", str(tmp_path))
    check(Tokenizer.load(name), whisper(path, languages), 6)


def test_whispers_file_is_recognised_and_its_empty_token_is_no_id() -> None:
    tok = Tokenizer.load(file("vocabs/whisper/multilingual.tiktoken"))
    assert tok.pattern == "gpt2"
    assert tok.special_tokens["<|endoftext|>"] == 50257
    assert tok.special_tokens["<|30.00|>"] == 51864
    with pytest.raises(UnknownIdError):
        tok.decode([50256])


def test_whispers_file_is_found_in_the_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file("vocabs/whisper/multilingual.tiktoken")
    (tmp_path / "whisper" / "assets").mkdir(parents=True)
    (tmp_path / "whisper" / "__init__.py").write_text("raise ImportError('it was loaded')")
    (tmp_path / "whisper" / "assets" / path.name).write_bytes(path.read_bytes())
    monkeypatch.delitem(sys.modules, "whisper", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("SUBWORD_VOCABS", raising=False)
    assert Tokenizer.load("whisper") == Tokenizer.load(path)


def llama(path: Path, pattern: str, special: list[str]) -> tiktoken.Encoding:
    ranks = load_tiktoken_bpe(str(path))
    ids = {token: len(ranks) + at for at, token in enumerate(special)}
    return tiktoken.Encoding("llama", pat_str=pattern, mergeable_ranks=ranks, special_tokens=ids)


def test_llama_3_is_known_by_its_file_and_by_the_folder_original(tmp_path: Path) -> None:
    path = file("vocabs/llama3/tokenizer.model")
    tok = Tokenizer.load(path)
    special = sorted(tok.special_tokens, key=tok.special_tokens.__getitem__)
    check(tok, llama(path, LLAMA3, special), 7)
    assert tok.pattern == "llama3"
    assert tok.special_tokens["<|eot_id|>"] == 128009
    assert tok.special_tokens["<|reserved_special_token_245|>"] == 128255
    (tmp_path / "params.json").write_text("{}")
    (tmp_path / "tokenizer.model").write_bytes(path.read_bytes())
    assert Tokenizer.load(tmp_path) == tok


def test_llama_4_is_known_by_its_file() -> None:
    path = file("vocabs/llama4/tokenizer.model")
    tok = Tokenizer.load(path)
    special = sorted(tok.special_tokens, key=tok.special_tokens.__getitem__)
    check(tok, llama(path, subword.patterns["o200k"][0], special), 8)
    ids = [tok.special_tokens[f"<|{name}|>"] for name in ("header_start", "image_start", "patch")]
    assert ids == [200005, 200080, 200092]
    assert tok.special_tokens["<|reasoning_thinking_start|>"] == 201142
    assert tok.vocab_size == 202_048


# Kimi's folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small vocabulary in the files of Kimi's."""
    made = tmp_path_factory.mktemp("kimi")
    texts = ["the low lower 中文 中国 12345 don't DON'T", string.printable] * 20
    BpeTrainer(vocab_size=330, pattern=KIMI).train_iter(texts).save(made / "kimi.tiktoken")
    (made / "kimi.tiktoken").rename(made / "tiktoken.model")
    named = {330: "[BOS]", 331: "[EOS]", 334: "<|im_user|>", 500: "[EOT]"}
    decoder = {str(id): {"content": token, "special": True} for id, token in named.items()}
    config = {
        "tokenizer_class": "TikTokenTokenizer",
        "auto_map": {"AutoTokenizer": ["tokenization_kimi.TikTokenTokenizer", None]},
        "added_tokens_decoder": decoder,
    }
    (made / "tokenizer_config.json").write_text(json.dumps(config))
    (made / "config.json").write_text("{}")
    return made


def kimi(folder: Path) -> tiktoken.Encoding:
    ranks = load_tiktoken_bpe(str(folder / "tiktoken.model"))
    config = json.loads((folder / "tokenizer_config.json").read_text())
    named = {int(id): token["content"] for id, token in config["added_tokens_decoder"].items()}
    first = len(ranks)
    special = {named.get(id, f"<|reserved_token_{id}|>"): id for id in range(first, first + 256)}
    return tiktoken.Encoding("kimi", pat_str=KIMI, mergeable_ranks=ranks, special_tokens=special)


def test_kimis_folder_is_the_encoding_that_kimi_makes(folder: Path) -> None:
    tok = Tokenizer.load(folder)
    assert len(tok.special_tokens) == 256
    check(tok, kimi(folder), 9)
    assert Tokenizer.load(folder / "tiktoken.model") == tok


def test_a_folder_of_another_class_needs_its_pattern(folder: Path, tmp_path: Path) -> None:
    content = (folder / "tiktoken.model").read_bytes()
    (tmp_path / "tiktoken.model").write_bytes(content)
    with pytest.raises(ModelFormatError, match="does not say how text is cut"):
        Tokenizer.load(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "MineTokenizer"}')
    with pytest.raises(ModelFormatError, match="how MineTokenizer cuts text is not known"):
        Tokenizer.load(tmp_path)
    assert Tokenizer.load(tmp_path, pattern="gpt2").pattern == "gpt2"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[]", "expected an object"),
        ("{", "the JSON cannot be read"),
        ('{"added_tokens_decoder": 3}', "expected an object under 'added_tokens_decoder'"),
        ('{"added_tokens_decoder": {"x": {}}}', "expected an id"),
        ('{"added_tokens_decoder": {"3": {}}}', "expected a token with its content"),
        (
            '{"added_tokens_decoder": {"3": {"content": "x", "lstrip": 1}}}',
            "expected flags that are true or false",
        ),
    ],
)
def test_a_malformed_configuration_is_refused(
    config: str, message: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "tiktoken.model").write_bytes((folder / "tiktoken.model").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(config)
    with pytest.raises(ModelFormatError, match=message) as caught:
        Tokenizer.load(tmp_path)
    assert caught.value.place == str(tmp_path / "tokenizer_config.json")


def their_cuts(text: str, most: int, run: int) -> list[str]:
    """The parts that Llama 3 and Kimi encode one by one, written character by character."""
    parts = []
    for at in range(0, len(text), most):
        part, start, length = text[at : at + most], 0, 0
        for place, character in enumerate(part):
            same = place > 0 and character.isspace() == part[place - 1].isspace()
            length = length + 1 if same else 1
            if length > run:
                parts.append(part[start:place])
                start, length = place, 1
        parts.append(part[start:])
    return parts


def test_long_texts_are_cut_as_llama_and_kimi_cut_them(folder: Path) -> None:
    tok, real = Tokenizer.load(folder), kimi(folder)
    runs = ["a" * 60_000 + " " * 30_000 + "b" * 25_000 + "\u00a0c", "x" * 25_001, "low " * 200_000]
    for text in [*runs, "", "the low lower"]:
        expected = their_cuts(text, 400_000, 25_000)
        assert [*cuts(text)] == [part for part in expected if part]
        ids = [id for part in expected for id in real.encode(part, allowed_special="all")]
        ours = [id for part in cuts(text) for id in tok.encode(part, special="encode")]
        assert ours == ids
    for text in random_texts(10, 200):
        parts = [part for part in their_cuts(text, 9, 3) if part]
        assert [*cuts(text, most=9, run=3)] == parts
