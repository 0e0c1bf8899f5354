"""Writes ``src/bert/table.rs``: what BERT's normaliser and word split do with every character.

The definition is what Hugging Face's library does, old Unicode tables and odd ranges included, so
it is asked. A WordPiece vocabulary that holds every character, alone and after ``##``, shows in its
tokens what became of a character between two letters.

    pip install tokenizers==0.23.3
    python bert_table.py ask answers.json
    python bert_table.py write answers.json > ../src/bert/table.rs
"""

import json
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)
OPTIONS = ["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"]
# Marks that stripping keeps, with the combining classes 9, 216 and 224: they change places.
LOW, MIDDLE, HIGH = "\u1b44", "\U0001d165", "\u302e"

Ask = Callable[[str], list[str]]


def tokenizer(*on: str) -> Ask:
    """The words of a text, each with its characters, after the normaliser with these options."""
    from tokenizers import Tokenizer

    vocab = {"[UNK]": 0}
    for c in CHARACTERS[1:]:
        for token in (chr(c), "##" + chr(c)):
            vocab.setdefault(token, len(vocab))
    tokens = list(vocab)
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
    description = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", **{name: name in on for name in OPTIONS}},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": model | {"max_input_chars_per_word": 100, "vocab": vocab},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(json.dumps(description), encoding="utf-8")
        loaded = Tokenizer.from_file(str(path))

    def ask(text: str) -> list[str]:
        words: list[str] = []
        for i in loaded.encode(text).ids:
            if len(tokens[i]) == 3 and tokens[i].startswith("##"):
                words[-1] += tokens[i][2:]
            else:
                words.append(tokens[i])
        return words

    return ask


def ask_all() -> dict[str, Any]:
    """What every character becomes, an option at a time."""
    answers: dict[str, Any] = {}
    plain = tokenizer()
    words = {c: plain(f"a{chr(c)}b") for c in CHARACTERS[1:]}
    answers["punctuation"] = [c for c in words if words[c] == ["a", chr(c), "b"]]
    answers["white"] = [c for c in words if words[c] == ["a", "b"]]
    clean = tokenizer("clean_text")
    words = {c: clean(f"a{chr(c)}b") for c in CHARACTERS[1:]}
    answers["deleted"] = [0] + [c for c in words if words[c] == ["ab"]]
    answers["spaces"] = [c for c in words if words[c] == ["a", "b"] and c != 0x20]
    cjk = tokenizer("handle_chinese_chars")
    every = set(answers["punctuation"])
    spaced = [c for c in CHARACTERS[1:] if cjk(f"a{chr(c)}b") == ["a", chr(c), "b"]]
    answers["cjk"] = [c for c in spaced if c not in every]
    answers["lower"] = changes("lowercase")
    answers["strip"] = changes("strip_accents")
    answers |= orders(tokenizer("strip_accents"), answers["strip"])
    return answers


def changes(option: str) -> dict[int, str]:
    """What a character becomes by one option, where that is something else.

    The word split drops white space, so the normaliser alone is asked what becomes of it.
    """
    from tokenizers.normalizers import BertNormalizer

    ask = tokenizer(option)
    made = {c: "".join(ask(f"a{chr(c)}b"))[1:-1] for c in CHARACTERS[1:] if chr(c).strip()}
    normalizer = BertNormalizer(**{name: name == option for name in OPTIONS})
    spaces = (c for c in CHARACTERS if not chr(c).strip())
    made |= {c: normalizer.normalize_str(chr(c)) for c in spaces}
    return {c: text for c, text in made.items() if text != chr(c)}


def orders(strip: Ask, stripped: dict[int, str]) -> dict[str, Any]:
    """The marks that stripping keeps and that change places, in their order; and the marks that it
    drops and that keep others apart."""

    def swaps(first: str, second: str) -> bool:
        return "".join(strip(f"a{first}{second}b")) == f"a{second}{first}b"

    kept = [chr(c) for c in CHARACTERS[1:] if c not in stripped]
    marks = [c for c in kept if c in LOW + HIGH or swaps(c, LOW) or swaps(HIGH, c)]
    below = {c: sum(swaps(c, other) for other in marks) for c in marks}
    ranks = {count: rank for rank, count in enumerate(sorted(set(below.values())), 1)}
    dropped = [chr(c) for c, text in stripped.items() if not text]
    apart = [c for c in dropped if "".join(strip(f"a{HIGH}{c}{MIDDLE}b"))[1] == HIGH]
    return {
        "marks": {ord(c): ranks[below[c]] for c in marks},
        "apart": [ord(c) for c in apart],
    }


def ranges(characters: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for c in sorted(characters):
        if found and found[-1][1] == c - 1:
            found[-1] = (found[-1][0], c)
        else:
            found.append((c, c))
    return found


def write_array(name: str, meaning: str, kind: str, parts: Iterable[str]) -> None:
    lines = textwrap.wrap(", ".join(parts), 96, break_long_words=False, break_on_hyphens=False)
    print(f"/// {meaning}\n#[rustfmt::skip]\npub(super) const {name}: &[{kind}] = &[")
    print("\n".join(f"    {line}" for line in lines) + "\n];\n")


def write_ranges(name: str, meaning: str, characters: Iterable[int]) -> None:
    parts = (f"({a:#x},{b:#x})" for a, b in ranges(characters))
    write_array(name, meaning, "(u32, u32)", parts)


def write_strings(name: str, meaning: str, strings: dict[int, str]) -> None:
    def literal(text: str) -> str:
        return "".join(f"\\u{{{ord(c):x}}}" for c in text)

    parts = (f'({c:#x},"{literal(text)}")' for c, text in sorted(strings.items()))
    write_array(name, meaning, "(u32, &str)", parts)


def write_marks(name: str, marks: dict[int, int]) -> None:
    parts = (
        f"({a:#x},{b:#x},{rank})"
        for rank in sorted(set(marks.values()))
        for a, b in ranges(c for c in marks if marks[c] == rank)
    )
    meaning = "Marks that stripping keeps, and their order: adjacent ones are sorted by it."
    write_array(name, meaning, "(u32, u32, u8)", parts)


def write_pattern(punctuation: Iterable[int]) -> None:
    def character(c: int) -> str:
        return ("\\" if chr(c) in "[]^-&~\\" else "") + chr(c) if c < 0x80 else f"\\x{{{c:x}}}"

    parts = [character(a) + (f"-{character(b)}" if b > a else "") for a, b in ranges(punctuation)]
    lines = ["".join(parts[i : i + 5]) for i in range(0, len(parts), 5)]
    print("macro_rules! pattern {\n    () => {\n        concat!(")
    print("\n".join(f'            r##"{line}"##,' for line in lines))
    print("        )\n    };\n}\n")
    print("/// White space, words, and punctuation.")
    concat = 'concat!(r"\\s+|[", pattern!(), r"]|[^\\s", pattern!(), "]+")'
    print(f"pub(crate) const PATTERN: &str = {concat};")


def algorithmic(c: int) -> str:
    """The letters of a Korean syllable."""
    syllable = c - 0xAC00
    tail = syllable % 28
    letters = [0x1100 + syllable // 588, 0x1161 + syllable % 588 // 28]
    return "".join(map(chr, letters + [0x11A7 + tail] * (tail > 0)))


def write(answers: dict[str, Any]) -> None:
    for key in ("lower", "strip", "marks"):
        answers[key] = {int(c): text for c, text in answers[key].items()}
    strip = answers["strip"]
    assert all(strip.pop(c) == algorithmic(c) for c in HANGUL)
    print("// Made by `examples/bert_table.py` from tokenizers 0.23.3. Do not edit.\n")
    write_ranges("WHITE", "The white space between words.", answers["white"])
    write_ranges("DELETED", "What cleaning deletes.", answers["deleted"])
    write_ranges("SPACES", "What cleaning makes a space.", answers["spaces"])
    write_ranges("CJK", "What gets spaces around it.", answers["cjk"])
    dropped = [c for c, text in strip.items() if not text]
    write_ranges("DROPPED", "Marks that stripping drops.", dropped)
    write_ranges("APART", "Those of them that keep other marks apart.", answers["apart"])
    stripped = {c: text for c, text in strip.items() if text}
    write_strings("STRIPPED", "What stripping leaves of others, Korean aside.", stripped)
    write_strings("LOWER", "Lower case.", answers["lower"])
    write_ranges("PUNCTUATION", "The punctuation.", answers["punctuation"])
    write_marks("MARKS", answers["marks"])
    write_pattern(answers["punctuation"])


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        Path(sys.argv[2]).write_text(json.dumps(ask_all()), encoding="utf-8")
    else:
        write(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
