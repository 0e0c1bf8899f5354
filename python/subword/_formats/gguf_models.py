"""The tokenizer in the facts of a GGUF file, as the text of a file that the engine reads.

    tokenizer.ggml.model   gpt2     byte-level BPE         a native file
                           llama    SentencePiece's BPE    a native file
                           bert     WordPiece              a native file
                           t5       Unigram                a tokenizer.json
                           gemma4   BPE of characters      a tokenizer.json

The ids are those of the tokenizer that the file was converted from: `tokenizers` and
`sentencepiece` decide, and the texts and ids that llama.cpp publishes beside its vocabularies.
Where llama.cpp itself answers otherwise, docs/formats.md says so.

A control token is a special token. A user-defined one is matched in every text, as in llama.cpp.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any, BinaryIO

from subword._formats import native
from subword._formats.gguf_facts import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Facts,
)
from subword._formats.gguf_patterns import DEFAULT, PRE_TOKENIZERS, PreTokenizer
from subword._pieces import patterns

#: The same in a native file.
KINDS = {
    NORMAL: "normal",
    UNKNOWN: "unknown",
    CONTROL: "control",
    USER_DEFINED: "user-defined",
    UNUSED: "unused",
    BYTE: "byte",
}

#: A token of bytes, as files write it; and one that is written as its text.
SPELLED, SPELLED_ALIKE = re.compile("[!-~¡-¬®-Ń]+"), re.compile("[!-~]+")

#: The bytes of UTF-8.
UTF8 = {native.ALPHABET[byte] for byte in range(256) if byte not in (0xC0, 0xC1) and byte < 0xF5}

#: The mark of a space at the start of a word.
MARK = "▁"


def read(file: BinaryIO, place: str, has_pattern: bool) -> tuple[bytes, list[str]]:
    """The text of a file that says what the GGUF file says, and what is to be told about it.

    With ``has_pattern`` the caller says how text is cut.
    """
    facts = Facts(file, place)
    model = facts.text("model")
    if model != "gpt2" and model not in MODELS:
        known = ", ".join(["gpt2", *MODELS])
        facts.refuse(f'a GGUF file with tokenizer.ggml.model "{model}" is not supported', known)
    if model == "gpt2":
        return byte_level(facts, has_pattern), facts.notes
    made = MODELS[model](facts)
    if has_pattern:
        facts.refuse("a GGUF file of this kind says itself how text is cut, and takes no pattern")
    return made, facts.notes


def byte_level(facts: Facts, has_pattern: bool) -> bytes:
    """BPE of GPT-2's kind; with ``has_pattern`` the pattern does not matter."""
    name = facts.text("pre") if facts.has("pre") else "default"
    if name in RAW:
        return characters(facts)
    if name not in PRE_TOKENIZERS and not has_pattern:
        facts.refuse(f'the pre-tokenizer "{name}" of a GGUF file is not supported', KNOWN)
    known = PRE_TOKENIZERS.get(name, DEFAULT)
    if name == "default" and not has_pattern:
        facts.notes.append(
            f"{facts.place}: the file does not say how text is cut, so it is cut as llama.cpp does "
            'then, which is hardly as the model was trained; pass pattern="gpt2", or its own'
        )
    vocab = facts.vocab()
    for _, text, _ in facts.added():
        # Merging makes it only if its spelling in GPT-2's alphabet is its text.
        if not SPELLED_ALIKE.fullmatch(text):
            del vocab[text]
    strange = [token for token in vocab if not SPELLED.fullmatch(token)]
    for token in strange:
        del vocab[token]
    if strange:
        facts.notes.append(
            f"{facts.place}: {len(strange)} tokens are not spelled in GPT-2's alphabet, such as "
            f"{strange[0]!r}; no text becomes one of them, and their ids are unknown"
        )
    if not UTF8.issubset(vocab):
        if has_pattern:
            facts.refuse("a vocabulary that lacks some bytes takes no pattern from the caller")
        return bpe_without_some_bytes(facts, vocab, known)
    ranked = known.ranked and not facts.has("merges")
    return native.bpe(
        known.patterns,
        vocab,
        "ranked" if ranked else facts.strings("merges"),
        facts.special_tokens(),
        whole=known.ignore_merges or ranked,
        around=facts.ends(bos=known.add_bos),
    )


def bpe_without_some_bytes(facts: Facts, vocab: dict[str, int], known: PreTokenizer) -> bytes:
    """What has no token is dropped, by tokenizers as by llama.cpp."""
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    regexes = [regex for pattern in known.patterns for regex in patterns.get(pattern, [pattern])]
    cuts = [
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
        for regex in regexes
    ]
    model = {
        "type": "BPE",
        "ignore_merges": known.ignore_merges,
        "vocab": vocab,
        "merges": pairs(facts),
    }
    return tokenizer_json(
        facts,
        None,
        {"type": "Sequence", "pretokenizers": [*cuts, {**level, "use_regex": False}]},
        level,
        model,
        facts.ends(bos=known.add_bos),
    )


def pairs(facts: Facts) -> list[str] | list[list[str]]:
    """The merges, as lines of two tokens, or as pairs where a token has a space."""
    lines = facts.strings("merges")
    if all(line.count(" ") == 1 for line in lines):
        return lines
    found = []
    for at, line in enumerate(lines):
        cut = line.find(" ", 1)
        if cut < 0:
            facts.refuse(f"expected two tokens in tokenizer.ggml.merges[{at}], found {line!r}")
        found.append([line[:cut], line[cut + 1 :]])
    return found


def sentencepiece(facts: Facts) -> bytes:
    """BPE of SentencePiece, which merges by score."""
    scores = facts.numbers("scores", None)
    rank_of = {score: at for at, score in enumerate(sorted(set(scores), reverse=True))}
    unknown = facts.id("unknown_token_id", 0)
    pieces: list[tuple[str, int, str]] = []
    for id, (text, score, kind) in enumerate(zip(facts.tokens, scores, facts.kinds, strict=True)):
        name = KINDS.get(kind, "normal")
        if name == "unknown" and id != unknown:
            name = "control"
        if id == unknown:
            name = "unknown"
        # llama.cpp's name for a token without text.
        pieces.append((text or f"[EMPTY_{id}]", rank_of[score], name if text else "unused"))
    special = {piece[0]: id for id, piece in enumerate(pieces) if piece[2] == "control"}
    return native.written(
        {
            "type": "sentencepiece",
            "add_dummy_prefix": facts.flag("add_space_prefix", True),
            "remove_extra_whitespaces": facts.flag("remove_extra_whitespaces", False),
            "escape_whitespaces": True,
            "whitespace_as_suffix": False,
            "byte_fallback": BYTE in facts.kinds,
            "unk_surface": " ⁇ ",
            "charsmap": "",
            "special_tokens": native.special_tokens(special),
            "template": native.template(*facts.ends(bos=True)),
            "pieces": pieces,
        }
    )


def wordpiece(facts: Facts) -> bytes:
    """BERT's WordPiece. The file marks the start of a word, where BERT marks what goes on."""
    unknown = facts.id("unknown_token_id", 100)
    vocab = {}
    for token, id in facts.vocab().items():
        if token.startswith(MARK):
            written = token[1:]
        elif facts.kinds[id] == NORMAL and not (token[0] == "[" and token[-1] == "]"):
            written = "##" + token
        else:
            written = token
        vocab[written] = id
    first = facts.id("cls_token_id", facts.id("bos_token_id", 101))
    last = facts.id("seperator_token_id", 102)
    before = [first] if facts.flag("add_bos_token", True) and first is not None else []
    after = [last] if facts.flag("add_sep_token", True) and last is not None else []
    lowercase = facts.flag("normalizer.lowercase", True)
    return native.written(
        {
            "type": "wordpiece",
            "pattern": "bert",
            "normalizer": {
                "type": "bert",
                "clean": True,
                "cjk": True,
                "strip_accents": facts.flag("normalizer.strip_accents", lowercase),
                "lowercase": lowercase,
                "tables": "0.23",
            },
            "prefix": "##",
            "max_word_chars": 100,
            "unknown": "word",
            "cleanup": True,
            "unk": unknown,
            "special_tokens": facts.special_tokens(),
            "template": native.template(before, after),
            "vocab": {native.spelled(token.encode()): id for token, id in vocab.items()},
        }
    )


def unigram(facts: Facts) -> bytes:
    """Unigram of the usual components: those of XLM-R and T5."""
    scores = facts.numbers("scores", None)
    steps: list[dict[str, Any]] = []
    if facts.has("precompiled_charsmap"):
        charsmap = bytes(number & 0xFF for number in facts.facts["precompiled_charsmap"])  # type: ignore[union-attr, operator]
        steps.append(
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
        )
    prepend = "always" if facts.flag("add_space_prefix", True) else "never"
    metaspace = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": prepend, "split": True}
    cut: dict[str, Any] = metaspace
    if facts.flag("remove_extra_whitespaces", False):
        cut = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
    model = {
        "type": "Unigram",
        "unk_id": facts.id("unknown_token_id", 2),
        "vocab": [
            [text or f"[EMPTY_{id}]", float(score)]
            for id, (text, score) in enumerate(zip(facts.tokens, scores, strict=True))
        ],
        "byte_fallback": False,
    }
    normalizer = {"type": "Sequence", "normalizers": steps} if steps else None
    around = facts.ends(bos=False, eos=True)
    return tokenizer_json(facts, normalizer, cut, metaspace, model, around)


def characters(facts: Facts) -> bytes:
    """BPE of characters with byte fallback, as Gemma 4 has it."""
    space = {"String": " "}
    decoders = [
        {"type": "Replace", "pattern": {"String": MARK}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    unknown = facts.id("unknown_token_id", None)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None if unknown is None else facts.tokens[unknown],
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": True,
        "ignore_merges": False,
        "vocab": facts.vocab(),
        "merges": pairs(facts),
    }
    return tokenizer_json(
        facts,
        {"type": "Replace", "pattern": space, "content": MARK},
        {"type": "Split", "pattern": space, "behavior": "MergedWithPrevious", "invert": False},
        {"type": "Sequence", "decoders": decoders},
        model,
        facts.ends(bos=True),
    )


def tokenizer_json(
    facts: Facts,
    normalizer: dict[str, Any] | None,
    pre_tokenizer: dict[str, Any],
    decoder: dict[str, Any],
    model: dict[str, Any],
    around: tuple[list[int], list[int]],
) -> bytes:
    """All of a tokenizer.json."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    before, after = ([facts.tokens[id] for id in ids] for ids in around)

    def slots(text: str, type_id: int) -> list[dict[str, Any]]:
        token = [{"SpecialToken": {"id": token, "type_id": type_id}} for token in (*before, *after)]
        middle = {"Sequence": {"id": text, "type_id": type_id}}
        return [*token[: len(before)], middle, *token[len(before) :]]

    names = {facts.tokens[id]: id for ids in around for id in ids}
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": id, "content": text, **flags, "special": not always}
            for id, text, always in facts.added()
        ],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": slots("A", 0),
            "pair": [*slots("A", 0), *slots("B", 1)],
            "special_tokens": {
                token: {"id": token, "ids": [id], "tokens": [token]} for token, id in names.items()
            },
        },
        "decoder": decoder,
        "model": model,
    }
    return json.dumps(file, ensure_ascii=False).encode()


MODELS: dict[str, Callable[[Facts], bytes]] = {
    "llama": sentencepiece,
    "bert": wordpiece,
    "t5": unigram,
    "gemma4": characters,
}

#: Pre-tokenizers whose tokens are text as it is.
RAW = {"gemma4", "granite-embed-multi-311m"}

KNOWN = ", ".join(PRE_TOKENIZERS)
