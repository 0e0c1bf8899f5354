"""Random files of Hugging Face's kind, and the comparison with its library.

``chain(random)`` makes a ``tokenizer.json`` of random components with a small random model, and
``differences`` compares ids, offsets and decoding of one text.
"""

import json
import random as randomness
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import subword
from tokenizers import Tokenizer as Theirs

Component = dict[str, Any]
Make = Callable[[randomness.Random], Component]

#: What texts and vocabularies are made of: letters, spaces, marks, and what steps look for.
CHARACTERS = (
    "aabbccdeE  ..,-_'12Aéßİǆﬁ①½ \t\n\r▁Ġ\u00a0\u0301\u0327中文ひカー한글"
    "😀👨\u200d👩\u200d👧\u200bй\u0130\u017f<>|/#\u2028\ufeff\ufffd\u3000٣\u0e33\u1100\u1161"
)
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
REGEXES = (
    r"\s+",
    r"\p{L}+",
    r"[a-c]+|\d",
    r"\p{N}{1,2}",
    r" ?\p{L}+",
    r"(?=a)",
    r"b*",
    r"\s(?!\S)",
    r"(?:ab)+",
    r"[^\s\p{L}]+",
    r"^.",
    r"$",
    r"(?i:a|e)",
)
STRINGS = ("a", " ", "ab", "▁", "é", "中", "  ")


def text(random: randomness.Random, most: int = 24) -> str:
    """A short text of characters that matter."""
    return "".join(random.choices(CHARACTERS, k=random.randint(0, most)))


def _pattern(random: randomness.Random) -> Component:
    if random.random() < 0.5:
        return {"String": random.choice(STRINGS)}
    return {"Regex": random.choice(REGEXES)}


def _byte_level(random: randomness.Random) -> Component:
    flags = ("add_prefix_space", "trim_offsets", "use_regex")
    return {"type": "ByteLevel"} | {flag: random.random() < 0.5 for flag in flags}


def _metaspace(random: randomness.Random) -> Component:
    return {
        "type": "Metaspace",
        "replacement": random.choice("▁▁_"),
        "prepend_scheme": random.choice(("first", "never", "always")),
        "split": random.random() < 0.5,
    }


def normalizer(random: randomness.Random) -> Component:
    """One normalizer."""

    def flag() -> bool:
        return random.random() < 0.5

    return random.choice(
        [
            *(
                {"type": kind}
                for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")
            ),
            *({"type": kind} for kind in ("Nmt", "ByteLevel")),
            {"type": "Strip", "strip_left": flag(), "strip_right": flag()},
            {
                "type": "Replace",
                "pattern": _pattern(random),
                "content": random.choice(["", "▁", "x", "éa", "  "]),
            },
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            {"type": "Prepend", "prepend": random.choice(["▁", "ab", " "])},
            {
                "type": "BertNormalizer",
                "clean_text": flag(),
                "handle_chinese_chars": flag(),
                "strip_accents": random.choice([None, True, False]),
                "lowercase": flag(),
            },
        ]
    )


def pre_tokenizer(random: randomness.Random) -> Component:
    """One pre-tokenizer."""
    return random.choice(
        [
            *(
                {"type": kind}
                for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")
            ),
            _byte_level(random),
            _byte_level(random),
            _metaspace(random),
            _metaspace(random),
            {"type": "Punctuation", "behavior": random.choice(BEHAVIORS)},
            {"type": "Digits", "individual_digits": random.random() < 0.5},
            {"type": "CharDelimiterSplit", "delimiter": random.choice("a -▁")},
            {"type": "FixedLength", "length": random.randint(1, 5)},
            {
                "type": "Split",
                "pattern": _pattern(random),
                "behavior": random.choice(BEHAVIORS),
                "invert": random.random() < 0.3,
            },
        ]
    )


def decoder(random: randomness.Random) -> Component:
    """One decoder."""

    def flag() -> bool:
        return random.random() < 0.5

    return random.choice(
        [
            *({"type": kind} for kind in ("Fuse", "ByteFallback")),
            _byte_level(random),
            _metaspace(random),
            {"type": "WordPiece", "prefix": random.choice(["##", "a"]), "cleanup": flag()},
            {"type": "BPEDecoder", "suffix": random.choice(["</w>", "b"])},
            {
                "type": "CTC",
                "pad_token": random.choice(["a", "<pad>"]),
                "word_delimiter_token": "|",
                "cleanup": flag(),
            },
            {
                "type": "Strip",
                "content": random.choice(" a▁"),
                "start": random.randint(0, 2),
                "stop": 0,
            },
            {
                "type": "Replace",
                "pattern": _pattern(random),
                "content": random.choice([" ", "", "x"]),
            },
        ]
    )


def some(random: randomness.Random, make: Make, key: str, most: int = 3) -> Component | None:
    """Nothing, one component, or a Sequence of some, which may be nested."""
    count = random.choice([0, 1, 1, 2, most])
    parts = [make(random) for _ in range(count)]
    if not parts:
        return None
    if count == 1 and random.random() < 0.8:
        return parts[0]
    if count > 2 and random.random() < 0.3:
        parts = [parts[0], {"type": "Sequence", key: parts[1:]}]
    return {"type": "Sequence", key: parts}


def _vocabulary(random: randomness.Random, byte_level: bool) -> list[str]:
    alphabet = sorted(set(CHARACTERS.replace(" ", "")))
    if byte_level:
        from tokenizers.pre_tokenizers import ByteLevel

        alphabet += sorted(set(ByteLevel.alphabet()) - set(alphabet))
    kept = [c for c in alphabet if random.random() < random.choice([0.6, 0.98])]
    return kept or ["a"]


def bpe(random: randomness.Random) -> Component:
    """A BPE model of all kinds."""
    prefix = random.choice([None, None, None, "##"])
    suffix = random.choice([None, None, None, "</w>"])
    words = _vocabulary(random, random.random() < 0.5)
    if prefix:
        words += [prefix + word for word in words]
    if suffix:
        words += [word + suffix for word in words]
    if random.random() < 0.5:
        words += [f"<0x{byte:02X}>" for byte in range(256) if random.random() < 0.97]
    unk = random.choice([None, "<unk>", "<unk>"])
    words = ["<unk>", *words] if unk else words
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words))}
    merges = []
    for _ in range(random.randint(0, 40)):
        left, right = random.choices(list(vocabulary), k=2)
        if prefix and not right.startswith(prefix):
            continue
        made = left + (right.removeprefix(prefix) if prefix else right)
        vocabulary.setdefault(made, len(vocabulary))
        merges.append([left, right])
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unk,
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": random.random() < 0.5,
        "byte_fallback": random.random() < 0.5,
        "ignore_merges": random.random() < 0.2,
        "vocab": vocabulary,
        "merges": merges,
    }


def word_piece(random: randomness.Random) -> Component:
    """A WordPiece model."""
    characters = _vocabulary(random, byte_level=False)
    words = characters + ["##" + c for c in characters] + [a + b for a, b in pairwise(characters)]
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": random.choice([3, 100]),
        "vocab": {word: number for number, word in enumerate(["[UNK]", *words])},
    }


def word_level(random: randomness.Random) -> Component:
    """A WordLevel model."""
    words = [word for word in {text(random, 3) for _ in range(200)} if word]
    words = sorted(set(words + _vocabulary(random, byte_level=False)))
    return {
        "type": "WordLevel",
        "vocab": {word: number for number, word in enumerate(["[UNK]", *words])},
        "unk_token": "[UNK]",
    }


def unigram(random: randomness.Random) -> Component:
    """A Unigram model with ties, entries that are there twice, and scores of odd spelling."""
    words = _vocabulary(random, byte_level=False)
    words += [word for word in (text(random, 4) for _ in range(random.randint(0, 200))) if word]
    words += [word.replace(" ", "▁") for word in words]
    if random.random() < 0.5:
        words += [f"<0x{byte:02X}>" for byte in range(256) if random.random() < 0.97]
    words = words if random.random() < 0.2 else list(dict.fromkeys(words))
    random.shuffle(words)
    unk = random.choice([None, 0, 0, 0, random.randrange(len(words))])
    ties = random.random() < 0.5
    scores = [
        -random.randint(0, 30) / 10 if ties else -random.random() * random.choice([1, 14])
        for _ in words
    ]
    words, scores = (["<unk>", *words], [0.0, *scores]) if unk == 0 else (words, scores)
    return {
        "type": "Unigram",
        "unk_id": unk,
        "vocab": [list(entry) for entry in zip(words, scores, strict=True)],
        "byte_fallback": random.random() < 0.5,
    }


def added_tokens(random: randomness.Random, model: Component) -> list[Component]:
    """Added tokens with all flags, and with the ids that the library gives them."""
    tokens: list[Component] = []
    vocabulary = model["vocab"]
    following = len(vocabulary)
    if model["type"] == "Unigram":
        vocabulary = {entry[0]: number for number, entry in enumerate(vocabulary)}
    for content in random.sample(
        ["<s>", "[UNK]", "A", "ab", "É", "a b", "中", " ", "1", "<unk>", "x▁"],
        k=random.randint(0, 4),
    ):
        number = vocabulary.get(content)
        if number is None:
            number = following
            following += 1
        flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
        token = {"id": number, "content": content} | {flag: random.random() < 0.4 for flag in flags}
        tokens.append(token)
    return sorted(tokens, key=lambda token: int(token["id"]))


def post_processor(random: randomness.Random) -> Component | None:
    """Nothing, or what trims offsets."""
    return random.choice(
        [None, None, _byte_level(random), {"type": "Sequence", "processors": [_byte_level(random)]}]
    )


def chain(random: randomness.Random) -> Component:
    """A random file."""
    model = random.choice([bpe, bpe, bpe, word_piece, word_level, unigram, unigram])(random)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_tokens(random, model),
        "normalizer": some(random, normalizer, "normalizers"),
        "pre_tokenizer": some(random, pre_tokenizer, "pretokenizers"),
        "post_processor": post_processor(random),
        "decoder": some(random, decoder, "decoders"),
        "model": model,
    }


def described(file: Component) -> str:
    """A file without its vocabulary and merges, for a failing test."""
    model = {key: value for key, value in file["model"].items() if key not in ("vocab", "merges")}
    return json.dumps(file | {"model": model}, ensure_ascii=False)


def ours_of(file: Component, folder: Path) -> subword.Tokenizer:
    """A file, loaded by this library."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    return subword.Tokenizer.load(path)


def theirs_of(file: Component) -> Theirs:
    """A file, loaded by Hugging Face's library."""
    return Theirs.from_str(json.dumps(file, ensure_ascii=False))


def _overlong(theirs: Theirs) -> bool:
    """Whether bytes of a prefix or suffix count as text there: then places are behind the end."""
    model = json.loads(theirs.to_str())["model"]
    marked = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    return bool(model.get("byte_fallback") and marked)


def differences(ours: subword.Tokenizer, theirs: Theirs, sample: str) -> str | None:
    """What the two libraries say differently of one text; none if they agree."""
    try:
        expected = theirs.encode(sample, add_special_tokens=False)
    except BaseException as error:  # a panic there: nothing to compare
        if isinstance(error, KeyboardInterrupt):
            raise
        return None
    try:
        ids, offsets = ours.encode_offsets(sample, special="encode")
    except subword.SubwordError as error:
        return f"{sample!r}: {error}, expected {expected.ids}"
    if ids != expected.ids:
        return f"{sample!r}: ids {ids}, expected {expected.ids} {expected.tokens}"
    if ours.encode(sample, special="encode") != ids:
        return f"{sample!r}: encode {ours.encode(sample, special='encode')}, encode_offsets {ids}"
    if offsets != expected.offsets and not _overlong(theirs):
        return f"{sample!r}: offsets {offsets}, expected {expected.offsets} {expected.tokens}"
    for skip in (False, True):
        try:
            decoded = theirs.decode(ids, skip_special_tokens=skip)
        except BaseException as error:  # a panic there: nothing to compare
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        if ours.decode(ids, skip_special_tokens=skip) != decoded:
            found = ours.decode(ids, skip_special_tokens=skip)
            return f"{sample!r}: decoded {found!r}, expected {decoded!r} of {expected.tokens}"
    return None
