"""Each component of a ``tokenizer.json`` alone; some of them on every character there is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from subword import Tokenizer
from tokenizers import Tokenizer as Theirs

#: Every character that a text can hold.
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]

SAMPLES = [
    "",
    " ",
    "Hello, world!  How's 1234 café?",
    " ▁leading  and trailing ",
    "ﬁne ①½ Ǆ İstanbul ẞ e\u0301\u0327 \u1100\u1161\u11a8",
    "中文と日本語ーカナ 한국어 русский العربية",
    "\t\r\n\u2028\u00a0\u3000\u200b\ufeff\ufffd\x00\x7f",
    "😀👨\u200d👩\u200d👧 aaa---bbb...",
]


def file_of(
    normalizer: Any = None,
    pre_tokenizer: Any = None,
    decoder: Any = None,
    post_processor: Any = None,
    model: Any = None,
) -> dict[str, Any]:
    """A file whose model shows the text that it gets: every byte is a token, by byte fallback."""
    vocabulary = {f"<0x{byte:02X}>": byte for byte in range(256)}
    shows = {"type": "BPE", "vocab": vocabulary, "merges": [], "byte_fallback": True}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": post_processor,
        "decoder": decoder,
        "model": model or shows,
    }


def pair(file: dict[str, Any], folder: Path) -> tuple[Tokenizer, Theirs]:
    """A file, loaded by both libraries."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return Tokenizer.load(path), Theirs.from_file(str(path))


def check(file: dict[str, Any], folder: Path, texts: list[str]) -> None:
    """Ids, offsets and decoding of texts."""
    ours, theirs = pair(file, folder)
    for text in texts:
        expected = theirs.encode(text, add_special_tokens=False)
        ids, offsets = ours.encode_offsets(text)
        assert ids == expected.ids, text
        assert offsets == expected.offsets, text
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(expected.ids)


BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
NORMALIZERS = [
    *(
        {"type": kind}
        for kind in ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"]
    ),
    *(
        {"type": "Strip", "strip_left": left, "strip_right": right}
        for left in (True, False)
        for right in (True, False)
    ),
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "aa"}, "content": ""},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "^"}, "content": "▁"},
    {"type": "Prepend", "prepend": "▁"},
    {
        "type": "Sequence",
        "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}],
    },
    *(
        {
            "type": "BertNormalizer",
            "clean_text": a,
            "handle_chinese_chars": b,
            "strip_accents": c,
            "lowercase": d,
        }
        for a, b, c, d in [
            (True, True, None, True),
            (True, False, False, False),
            (False, True, True, False),
        ]
    ),
]
PRE_TOKENIZERS = [
    *(
        {"type": kind}
        for kind in ["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts"]
    ),
    *(
        {"type": "ByteLevel", "add_prefix_space": space, "trim_offsets": True, "use_regex": regex}
        for space in (True, False)
        for regex in (True, False)
    ),
    *(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("first", "never", "always")
        for split in (True, False)
    ),
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "FixedLength", "length": 3},
    *(
        {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
        for pattern in ({"String": "-"}, {"Regex": r"\p{L}+"}, {"Regex": r"(?=a)"})
        for behavior in BEHAVIORS
        for invert in (True, False)
    ),
]


@pytest.mark.parametrize("component", NORMALIZERS, ids=str)
def test_a_normalizer_gives_the_same_text_and_offsets(component: Any, tmp_path: Path) -> None:
    check(file_of(normalizer=component), tmp_path, SAMPLES)


@pytest.mark.parametrize("component", PRE_TOKENIZERS, ids=str)
def test_a_pre_tokenizer_cuts_at_the_same_places(component: Any, tmp_path: Path) -> None:
    vocabulary = {"<unk>": 0} | {
        c: i for i, c in enumerate(sorted(set("".join(SAMPLES)) - {" "}), 1)
    }
    fused = {
        "type": "BPE",
        "vocab": vocabulary,
        "merges": [],
        "unk_token": "<unk>",
        "end_of_word_suffix": "$",
    }
    check(file_of(pre_tokenizer=component), tmp_path, SAMPLES)
    # With a suffix at the end of every piece the places are in the ids.
    check(file_of(pre_tokenizer=component, model=fused), tmp_path, SAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "component", [part for part in NORMALIZERS if "pattern" not in str(part)], ids=str
)
def test_a_normalizer_does_the_same_with_every_character(component: Any, tmp_path: Path) -> None:
    ours, theirs = pair(file_of(normalizer=component), tmp_path)
    # Sixteen to a text: most of the time is spent on texts, not on what is in them.
    texts = ["".join(f"a{c}b" for c in EVERY[at : at + 16]) for at in range(0, len(EVERY), 16)]
    for first in range(0, len(texts), 256):
        block = texts[first : first + 256]
        assert ours.encode_batch(block) == [found.ids for found in theirs.encode_batch_fast(block)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["Whitespace", "BertPreTokenizer", "UnicodeScripts", "Digits", "Punctuation"]
)
def test_a_pre_tokenizer_does_the_same_with_every_character(kind: str, tmp_path: Path) -> None:
    component = {"type": kind} | ({"individual_digits": False} if kind == "Digits" else {})
    model = {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"}
    ours, theirs = pair(file_of(pre_tokenizer=component, model=model), tmp_path)
    for first in range(0, len(EVERY), 2048):
        text = "a".join(EVERY[first : first + 2048]) + " " + "1".join(EVERY[first : first + 2048])
        assert ours.encode_offsets(text)[1] == theirs.encode(text).offsets, hex(first)


DECODERS = [
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "WordPiece", "prefix": "##", "cleanup": False},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": False},
    {"type": "Fuse"},
    {"type": "Strip", "content": "▁", "start": 1, "stop": 0},
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": "x"},
    {"type": "ByteFallback"},
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
    None,
]
WORDS = [
    "▁a▁",
    "b</w>",
    "##c",
    " do not",
    ".",
    "n't",
    "<pad>",
    "|",
    "Ġé",
    "ĠÃ©",
    "<0xC3>",
    "<0xA9>",
    "<0xff>",
    "▁",
]


@pytest.mark.parametrize("component", DECODERS, ids=str)
def test_a_decoder_gives_the_same_text(component: Any, tmp_path: Path) -> None:
    vocabulary = {word: number for number, word in enumerate(["<unk>", *WORDS])}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    ours, theirs = pair(file_of(decoder=component, model=model), tmp_path)
    size = len(vocabulary)
    for first in range(size):
        for second in range(size):
            ids = [first, second, second, (first * second) % size, 11, 12, 12, 11]
            assert ours.decode(ids) == theirs.decode(ids), ids


def test_every_word_piece_and_word_level_option(tmp_path: Path) -> None:
    words = ["[UNK]", "Hello", "wor", "##ld", ",", "a", "##a", "café", "中", "文"]
    vocabulary = {word: number for number, word in enumerate(words)}
    split = {"type": "BertPreTokenizer"}
    for longest in (1, 3, 100):
        model = {
            "type": "WordPiece",
            "vocab": vocabulary,
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": longest,
        }
        check(file_of({"type": "NFKC"}, split, model=model), tmp_path, SAMPLES)
    check(
        file_of(
            {"type": "NFC"},
            split,
            model={"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        ),
        tmp_path,
        SAMPLES,
    )
