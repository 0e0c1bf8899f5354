"""A megabyte of one character, by every published vocabulary: what is quadratic never ends here.

Libraries in the field fail on such texts: they take minutes, or their regular expressions give up.
"""

from __future__ import annotations

import warnings

import pytest
from subword import ModelFormatWarning, TextError, Tokenizer, UnknownTokenError

from tests.data.llama_cpp import HASHES
from tests.support.published import file

FILES = [
    "vocabs/r50k_base.tiktoken",
    "vocabs/cl100k_base.tiktoken",
    "vocabs/o200k_base.tiktoken",
    "vocabs/whisper/multilingual.tiktoken",
    "vocabs/llama3/tokenizer.model",
    "vocabs/llama4/tokenizer.model",
    "vocabs/tekken/tekken_240911.json",
    "vocabs/gpt2/vocab.json",
    "vocabs/gpt2/tokenizer.json",
    "vocabs/cl100k_gpt4/tokenizer.json",
    "vocabs/o200k_gpt4o/tokenizer.json",
    "vocabs/qwen2_5/tokenizer.json",
    "vocabs/gpt_neox/tokenizer.json",
    "vocabs/clip/tokenizer.json",
    "vocabs/mistral_v0.1/tokenizer.json",
    "vocabs/mistral_v0.1/tokenizer.model",
    "vocabs/mistral_v7/tokenizer.model",
    "vocabs/gemma_4/tokenizer.json",
    "vocabs/bert-base-uncased/tokenizer.json",
    "vocabs/bert-base-cased/vocab.txt",
    "vocabs/bert-base-chinese/vocab.txt",
    "vocabs/bert-base-multilingual-cased/vocab.txt",
]

GGUF = [f"vocabs/gguf/ggml-vocab-{name}.gguf" for name in HASHES]

#: A letter, a digit, a symbol, white space, CJK, an emoji, SentencePiece's mark, a combining mark,
#: a byte that is never UTF-8, and NUL.
CHARACTERS: list[str | bytes] = ["a", "7", "-", "\n", "中", "😀", "▁", "\u0301", b"\xff", "\0"]


def texts() -> list[bytes]:
    found = [char.encode() if isinstance(char, str) else char for char in CHARACTERS]
    runs = [char * (1_000_000 // len(char)) for char in found]
    return [b" " * 1_001_000, *runs]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FILES, *GGUF])
def test_a_megabyte_of_one_character_is_encoded(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFormatWarning)
        tok = Tokenizer.load(file(name))
    merged = tok.kind in ("ranks", "merges")
    lossless = merged and tok.normalizer is None and "clip" not in name
    for text in texts():
        if merged and text[:1] == b"\xff" and not has(tok, b"\xff"):
            # GPT-NeoX and others lack the bytes that UTF-8 never uses.
            with pytest.raises(TextError, match="no token for byte 0xFF"):
                tok.encode(text)
            continue
        ids = tok.encode(text, threads=1)
        assert tok.count(text) == len(ids)
        if lossless:
            assert tok.decode_bytes(ids) == text, text[:4]
        else:
            # An invalid byte is U+FFFD, which byte fallback spells in three tokens.
            assert len(ids) <= 3 * len(text) + 1


def has(tok: Tokenizer, token: bytes) -> bool:
    try:
        tok.token_id(token)
    except UnknownTokenError:
        return False
    return True
