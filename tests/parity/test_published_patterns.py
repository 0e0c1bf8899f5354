"""The patterns of published tokenizers, as their files spell them: all are read, and cut alike."""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
import subword
import tokenizers
from subword import Tokenizer

from tests.support.cutting import Cutting, split, tokenizer_json

CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}"
START = r"[^\r\n\p{L}\p{N}]?"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def like_cl100k(digits: str, letters: str = r"\p{L}") -> str:
    return rf"{CASES}|{START}{letters}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{LINES}"


def like_o200k(rest: str, cases: str, digits: str, start: str = START) -> str:
    words = (
        f"{start}{UPPER}{rest}]*{LOWER}{rest}]+{cases}|{start}{UPPER}{rest}]+{LOWER}{rest}]*{cases}"
    )
    return rf"{words}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{LINES}"


#: DeepSeek-V3's three, with line breaks as characters: so does its tokenizer.json spell them.
DEEPSEEK_V3 = [
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]
PATTERNS = {
    "gpt2": GPT2,
    "gpt2, possessive": (
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
    ),
    "cl100k": like_cl100k(r"\p{N}{1,3}"),
    "cl100k, tiktoken's": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "qwen2": like_cl100k(r"\p{N}"),
    "qwen3.5": like_cl100k(r"\p{N}", r"[\p{L}\p{M}]"),
    "nanochat": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    ),
    "o200k": like_o200k("", f"{CASES}?", r"\p{N}{1,3}"),
    "tekken": like_o200k("", "", r"\p{N}"),
    "kimi": r"[\p{Han}]+|" + like_o200k(r"&&[^\p{Han}]", f"{CASES}?", r"\p{N}{1,3}"),
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "falcon digits": r"[0-9][0-9][0-9]",
    "minicpm": like_cl100k(r"\p{N}"),
    "clip": (
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    ),
    "deepseek v2 letters": (
        r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿ]+"
    ),
    "deepseek v2 punctuation": r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    "deepseek v2 spaces": r"\s+$",
    "deepseek v2 chinese": "[一-龥ࠀ-一가-퟿]+",
    "deepseek v2 lines": "[\r\n]",
}
CHARACTERS = "aBſé1² \t\r\n'sLl中ひ가\u0301.!/()^…\u00a0-"


@pytest.fixture(scope="module")
def cutting(tmp_path_factory: pytest.TempPathFactory) -> Cutting:
    dice = random.Random(3)
    short = ["".join(pair) for pair in itertools.product(CHARACTERS, repeat=2)]
    longer = ["".join(dice.choices(CHARACTERS, k=dice.randint(3, 12))) for _ in range(250)]
    return Cutting(
        [*short, *longer, "don't I'LL 12345 foo.bar(x)\n\n  y"], tmp_path_factory.mktemp("c")
    )


@pytest.mark.parametrize("name", [*PATTERNS, *(f"deepseek-v3 {i}" for i in range(3))])
def test_the_pattern_of_a_published_tokenizer_is_read_and_cuts_alike(
    cutting: Cutting, name: str
) -> None:
    regex = PATTERNS.get(name) or DEEPSEEK_V3[int(name[-1])]
    assert cutting.agrees(regex)


#: What is read by an automaton, or by several in a row.
AUTOMATA = ["bloom", "falcon digits", "clip"]


@pytest.mark.parametrize("name", PATTERNS)
def test_published_patterns_are_compiled_whether_they_have_a_name_or_not(name: str) -> None:
    explained = subword.explain_pattern(PATTERNS[name])
    if name == "deepseek v2 spaces":
        assert explained.runs == "backtracking"
        return
    plain = name in AUTOMATA or name.startswith("deepseek v2")
    assert explained.runs == ("automaton" if plain else "blocks"), explained
    assert explained.shared == (name != "falcon digits")


@pytest.mark.parametrize("name", ["qwen3.5", "nanochat", "tekken", "kimi"])
def test_a_million_equal_characters_are_encoded_on_any_number_of_threads(
    tmp_path: Path, name: str
) -> None:
    tok, _ = with_parts(tmp_path / "tokenizer.json", [split(PATTERNS[name])])
    for text in (" " * 1_001_000, "a" * 500_000, "中" * 300_000, "don't 12 ab, 你好\n" * 40_000):
        ids = tok.encode_array(text, threads=1)
        assert tok.decode(ids) == text
        assert (tok.encode_array(text, threads=2) == ids).all()


def with_parts(path: Path, parts: list[dict[str, Any]]) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    tokens = [b" " * n for n in (2, 3, 4, 8, 16)] + [b"ab", b" ab", b"12", b"\n\n", "你好".encode()]
    path.write_text(tokenizer_json(parts, tokens), encoding="utf-8")
    return Tokenizer.load(path), tokenizers.Tokenizer.from_file(str(path))


def test_deepseek_v3_is_known_however_its_file_spells_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    escaped = [regex.replace("\r", r"\r").replace("\n", r"\n") for regex in DEEPSEEK_V3]
    assert escaped != DEEPSEEK_V3
    for spelling in (DEEPSEEK_V3, escaped):
        tok, _ = with_parts(path, [split(regex) for regex in spelling])
        assert tok.pattern == "deepseek-v3"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [" " * 1_000_000 + "ab", " " * 100_000, "\n" * 300_000 + "你好 12"]
)
def test_deepseek_v3_encodes_a_million_spaces(tmp_path: Path, text: str) -> None:
    tok, real = with_parts(tmp_path / "tokenizer.json", [split(regex) for regex in DEEPSEEK_V3])
    wanted = real.encode(text).ids
    assert tok.encode(text, threads=1) == wanted
    assert tok.encode(text, threads=2) == wanted


@pytest.mark.parametrize("individual", [True, False])
def test_digits_and_the_pattern_of_gpt2_are_read(tmp_path: Path, individual: bool) -> None:
    """As in Command-R and StarCoder."""
    digits = {"type": "Digits", "individual_digits": individual}
    tok, real = with_parts(tmp_path / "tokenizer.json", [digits, split(GPT2)])
    for text in ("ab 12 ab123 １２ ²", "12", "ab ab"):
        assert tok.encode(text) == real.encode(text).ids
