"""Small tokenizers of every kind, which the battery of contract checks runs on.

They are made by the constructors where those can, and from files of our own format where a setting
has no argument.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from subword import Tokenizer

from tests.support.strategies import CLASSES, WORDS

SAMPLE = """The lowest of the low were slower than the slowest; they'd flow and they'll follow.
  def low(flow):\n\t\treturn flow['low'] + 12345\n\n\n
   Ниже, чем ниже ниже. 你好你好、世界。 héé naïve ne\u0301e\u0301 😀😀 ½ '\u017f 각각 각\u11a8
   helloWorld HELLO hello ... !!!\n -> 123 1234567 漢字かな 한국어
"""

SPECIAL = {"<|endoftext|>": 500, "<|endofprompt|>": 501, "<|endo": 502, "é\n": 510}

#: A tokenizer.json that no fast path runs.
STEPS = json.dumps(
    {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": "x"}, "content": "y"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {"[UNK]": 0, "low": 1, "lower": 2},
            "unk_token": "[UNK]",
        },
    }
).encode()


def trained(text: str, size: int) -> dict[bytes, int]:
    """Ranks of a plain trainer on words: enough tokens for characters to be cut in the middle."""
    ranks = {bytes([i]): i for i in range(256)}
    words = [[bytes([byte]) for byte in word.encode()] for word in text.split(" ")]
    while len(ranks) < size:
        pairs = Counter(pair for word in words for pair in pairwise(word))
        left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
        ranks[left + right] = len(ranks)
        for word in words:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == (left, right):
                    word[at : at + 2] = [left + right]
                at += 1
    return ranks


RANKS = trained(SAMPLE.replace(" ", "  "), 400)
REGEX = r"[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|\s+(?!\S)|\s"
SEQUENCE = [r"\p{N}{1,2}", "gpt2", r"[aeiou]+"]


def split(token: bytes) -> tuple[bytes, bytes]:
    """The last merge of a token of RANKS."""
    tokens = [bytes([byte]) for byte in token]
    while len(tokens) > 2:
        made = [(RANKS.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(pairwise(tokens))]
        _, at = min(made)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens[0], tokens[1]


MERGES = [split(token) for token in RANKS if len(token) > 1]
VOCAB = {id: token for token, id in RANKS.items()}


def by_ranks(pattern: str | list[str], special: dict[str, int] | None = SPECIAL) -> Tokenizer:
    return Tokenizer.from_ranks(RANKS, pattern=pattern, special_tokens=special)


def with_holes() -> Tokenizer:
    ranks = {token: 3 * id + 1 for token, id in RANKS.items()}
    return Tokenizer.from_ranks(ranks, pattern="cl100k", special_tokens={"<|endoftext|>": 300})


def with_other_ids() -> Tokenizer:
    """Merges whose ranks are not the order of the ids."""
    ids = list(range(len(VOCAB)))
    random.Random(0).shuffle(ids)
    vocab = {ids[id]: token for id, token in VOCAB.items()}
    return Tokenizer(vocab, MERGES, ["<|endoftext|>", "low"])


def with_several_merges() -> Tokenizer:
    """``abc`` is made in two ways, ``aaaa`` in three; neither order is that of training."""
    tokens = [b"bc", b"ab", b"abc", b"aa", b"aaa", b"aaaa", b" a", b" abc"]
    merges = [(b"aa", b"aa"), (b"b", b"c"), (b"a", b"b"), (b"a", b"bc"), (b"ab", b"c")]
    merges += [(b"a", b"a"), (b"a", b"aa"), (b"a", b"aaa"), (b"aaa", b"a"), (b" ", b"a")]
    merges += [(b" a", b"bc"), (b" ", b"abc")]
    vocab = {i: bytes([i]) for i in range(256)} | dict(enumerate(tokens, 256))
    return Tokenizer(vocab, merges, {"<|endoftext|>": 300}, pattern="o200k")


def alphabet() -> list[str]:
    """Byte to character, as GPT-2 writes bytes."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    code = {byte: byte for byte in shown} | {byte: 256 + i for i, byte in enumerate(hidden)}
    return [chr(code[byte]) for byte in range(256)]


def written(token: bytes) -> str:
    return "".join(ALPHABET[byte] for byte in token)


ALPHABET = alphabet()


def from_native(**settings: Any) -> Tokenizer:
    """A tokenizer with settings that only a file has."""
    model = {
        "format": "subword",
        "version": 1,
        "type": "bpe",
        "pattern": "cl100k",
        "vocab": {written(token): id for id, token in VOCAB.items()},
        "merges": [f"{written(left)} {written(right)}" for left, right in MERGES],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tok.json")
        path.write_text(json.dumps(model | settings), encoding="utf-8")
        return Tokenizer.load(path)


#: Tokens that no merge of MERGES makes.
WHOLE = {401: b" world", 402: b"lowlow", 403: "слово".encode(), 404: b" 12", 405: b"<|endoftext|>"}
assert not RANKS.keys() & {*WHOLE.values(), *(text.encode() for text in SPECIAL), b"world"}


def with_whole_pieces() -> Tokenizer:
    """A piece that is a token wins, though no merge makes it."""
    vocab = VOCAB | WHOLE
    return from_native(
        vocab={written(token): id for id, token in vocab.items()},
        ignore_merges=True,
        pattern="llama3",
    )


def with_unreachable_tokens() -> Tokenizer:
    return Tokenizer(VOCAB | WHOLE, MERGES, pattern="qwen2")


def with_flags() -> Tokenizer:
    return from_native(
        special_tokens=[
            {"content": "<|endoftext|>", "id": 500, "lstrip": True},
            {"content": "<|endofprompt|>", "id": 501, "rstrip": True},
            {"content": "world", "id": 502, "single_word": True, "always": True},
            {"content": "  ", "id": 503, "always": True},
        ]
    )


def with_normalizer(form: str) -> Tokenizer:
    return from_native(
        normalizer=form,
        special_tokens=[
            {"content": "<|endoftext|>", "id": 500},
            {"content": "ne\u0301", "id": 501, "normalized": True},
            {"content": "각", "id": 502, "normalized": True, "always": True},
            {"content": "zo", "id": 503, "normalized": True, "always": True},
            {"content": "éééé", "id": 504, "normalized": True, "always": True},
        ],
    )


def with_spaces() -> Tokenizer:
    """As GPT-NeoX has them: runs of spaces that are found after normalisation."""
    spaces = [{"content": " " * n, "id": 500 + n} for n in range(2, 7)]
    return from_native(
        normalizer="nfc",
        pattern="gpt2",
        special_tokens=[{**token, "normalized": True, "always": True} for token in spaces],
    )


def with_template() -> Tokenizer:
    return from_native(
        special_tokens=[{"content": "<s>", "id": 500}, {"content": "</s>", "id": 501}],
        template={"prefix": [500, 500], "suffix": [501]},
    )


NAMED = ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "deepseek-v3", "none"]

MAKERS: dict[str, Callable[[], Tokenizer]] = {
    **{f"ranks, {name}": lambda name=name: by_ranks(name) for name in NAMED},  # type: ignore[misc]
    "ranks, regex": lambda: by_ranks(REGEX),
    "ranks, sequence": lambda: by_ranks(SEQUENCE),
    "ranks, no special tokens": lambda: by_ranks("gpt2", None),
    "ranks, bytes only": lambda: Tokenizer.from_ranks(
        {bytes([i]): 255 - i for i in range(256)}, pattern="gpt2", special_tokens={"<|endo": 256}
    ),
    "ranks, holes": with_holes,
    "ranks, a special token that is a token too": lambda: by_ranks("gpt2", {"low": 500}),
    "merges": lambda: Tokenizer(VOCAB, MERGES),
    "merges, regex": lambda: Tokenizer(VOCAB, MERGES, SPECIAL, pattern=REGEX),
    "merges, other ids": with_other_ids,
    "merges, several for one token": with_several_merges,
    "merges, whole pieces": with_whole_pieces,
    "merges, unreachable tokens": with_unreachable_tokens,
    "flags": with_flags,
    "nfc": lambda: with_normalizer("nfc"),
    "nfkd": lambda: with_normalizer("nfkd"),
    "nfc, spaces": with_spaces,
    "template": with_template,
}

#: Those with two tokens of the same bytes, which only our own file can tell apart.
TWICE = ["ranks, a special token that is a token too"]

#: Those that give back another text than they got.
NORMALISED = ["nfc", "nfkd", "nfc, spaces"]


@cache
def tokenizer_named(name: str) -> Tokenizer:
    return MAKERS[name]()


@lru_cache(maxsize=1)
def large_text() -> str:
    """Enough for several threads, with pieces short and long, and special tokens."""
    dice = random.Random(7)
    words = [*WORDS, *SAMPLE.split(" "), *(c * 30 for c in CLASSES), "a" * 300, " ", " ", " "]
    return "".join(dice.choices(words, k=25_000))
