"""Writes ``cases/golden.toml``: ids of the incumbents, for vocabularies that tests may have.

    PYTHONPATH=. python testdata/make_golden.py

Needs the packages ``tiktoken`` and ``tokenizers``, whose versions are written into the file, and
the published vocabularies (see ``tests/support/published.py``).
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import tiktoken

from tests.support.published import (
    SPECIAL_TOKENS,
    TIKTOKEN_PATTERNS,
    TOKENIZER_JSON,
    huggingface_pair,
)
from tests.support.published import tiktoken_pair as pair

TEXTS = [
    "",
    "hello world",
    "The naïve café's 12345.67 costs — we'll SAY it's fine…",
    "def f(x):\r\n\treturn x[::-1]  # 3.14\n\n\n    \n",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "敏捷的棕色狐狸跳过了懒狗。日本語のテキスト、한국어 텍스트 ไทย हिन्दी",
    "🏳️‍🌈👩‍👩‍👧‍👦 e\u0301\u0302 \u00a0\u3000\u2028 ①②Ⅷ²½ ٣٤٥",
    "'\u017f 'S 'Ll I'M they'RE",
    "a<|endoftext|>b<|endoftext|><|endof",
    "<|fim_prefix|> <|endofprompt|> <|im_start|>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "   leading,  trailing   ",
    "\u1100\u1161\u11a8 각 ﬁ Å \u0378\U000e0041\x00\x7f",
]

#: A vocabulary that needs no file: tokens after the 256 bytes, in the order of their ids.
TINY = ["in", "th", "the", " the", "er", " f", "ll", "hell", "hello", " w", "or", " wor", "aa"]
TINY += ["aaaa", "aaaaaaaa", "\u00e9", "\u0435", "  ", "    ", "12", "123", "'s", "\r\n", "\u4e2d"]
TINY_SPECIAL = {"<|endoftext|>": 300, "<|endof": 302}


def main() -> None:
    ids: dict[str, list[list[int]]] = {}
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token.encode(): id for id, token in enumerate(TINY, 256)}
    tiny = tiktoken.Encoding(
        "tiny",
        pat_str=TIKTOKEN_PATTERNS["cl100k"],
        mergeable_ranks=ranks,
        special_tokens=TINY_SPECIAL,
    )
    ids["tiny"] = [tiny.encode(text, allowed_special="all") for text in TEXTS]
    for name in SPECIAL_TOKENS:
        encoding, _ = pair(name)
        ids[f"tiktoken:{name}"] = [encoding.encode(text, allowed_special="all") for text in TEXTS]
    for name in TOKENIZER_JSON:
        real, _ = huggingface_pair(name)
        found = real.encode_batch(TEXTS, add_special_tokens=False)
        ids[f"tokenizers:{name}"] = [encoding.ids for encoding in found]
    special = [f"{quoted(token)} = {id}" for token, id in TINY_SPECIAL.items()]
    lines = [
        "# Made by: PYTHONPATH=. python testdata/make_golden.py",
        *(f"{name} = {quoted(importlib.metadata.version(name))}" for name in PACKAGES),
        "",
        "texts = [",
        *(f"  {quoted(text)}," for text in TEXTS),
        "]",
        "",
        "[tiny]",
        f"tokens = [{', '.join(map(quoted, TINY))}]",
        f"special_tokens = {{ {', '.join(special)} }}",
        "",
        "[ids]",
    ]
    for name, lists in ids.items():
        lines += [f"{quoted(name)} = [", *(f"  {list_of_ids}," for list_of_ids in lists), "]"]
    path = Path(__file__).parent / "cases" / "golden.toml"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


PACKAGES = ["tiktoken", "tokenizers"]


def quoted(text: str) -> str:
    """A string as TOML and JSON both write it; TOML has no pairs of surrogates."""
    parts = [json.dumps(c) if ord(c) < 0x10000 else f'"\\U{ord(c):08x}"' for c in text]
    return '"' + "".join(part[1:-1] for part in parts).replace("\x7f", "\\u007f") + '"'


if __name__ == "__main__":
    main()
