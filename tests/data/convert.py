"""Vocabularies in another form: ranks, merges and pieces become a ``tokenizer.json``.

This is the library's own definition of each model, written down once more without our engine, so
that a parity test still compares two independent readings. The result of each conversion has a
known sha256 (`packages`).
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from typing import Any

from tests.support import gguf

Json = dict[str, Any]


def byte_alphabet() -> list[str]:
    """GPT-2's characters for the 256 bytes.

    Example:
        >>> byte_alphabet()[32], byte_alphabet()[65]
        ('Ġ', 'A')
    """
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


ALPHABET = byte_alphabet()


def spelled(token: bytes) -> str:
    return "".join(ALPHABET[byte] for byte in token)


def ranks_of(tiktoken: bytes) -> dict[bytes, int]:
    """The tokens of a ``.tiktoken`` file with their ranks, in rising order."""
    pairs = (line.split() for line in tiktoken.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def halves(ranks: dict[bytes, int], token: bytes) -> tuple[bytes, bytes]:
    """The two tokens that merge to this one: what merging its bytes by lower ranks leaves.

    Example:
        >>> halves({b"a": 0, b"b": 1, b"ab": 2, b"abb": 3}, b"abb")
        (b'ab', b'b')
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        ranked = [ranks.get(parts[at] + parts[at + 1], 1 << 32) for at in range(len(parts) - 1)]
        at = ranked.index(min(ranked))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    left, right = parts
    return left, right


def added(content: str, id: int, *, special: bool = True, normalized: bool = False) -> Json:
    """An entry of ``added_tokens``."""
    return {
        "id": id,
        "content": content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": normalized,
        "special": special,
    }


def byte_level(**options: bool) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, **options}


#: The decoder of OpenAI's models, whose files ask for a prefix that decoding never uses.
DECODER = byte_level(add_prefix_space=True)


def split(regex: str, behavior: str, invert: bool) -> Json:
    """A pre-tokenizer that cuts by a regular expression, then spells bytes."""
    cut = {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}
    return {"type": "Sequence", "pretokenizers": [cut, byte_level(use_regex=False)]}


def bpe(vocab: dict[str, int], merges: list[str], **options: Any) -> Json:
    """The model without its "type", which GPT-2's own file lacks."""
    return {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        **options,
        "vocab": vocab,
        "merges": merges,
    }


def tokenizer_json(model: Json, added_tokens: list[Json], **parts: Json) -> bytes:
    """A whole file; a part that is not named is null."""
    whole: Json = {"version": "1.0", "truncation": None, "padding": None}
    whole["added_tokens"] = added_tokens
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        whole[name] = parts.get(name)
    whole["model"] = model
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def gpt2(vocab: bytes, merges: bytes) -> bytes:
    """GPT-2, from ``encoder.json`` and ``vocab.bpe``."""
    lines = merges.decode().splitlines()[1:]
    return tokenizer_json(
        bpe(json.loads(vocab), lines),
        [added("<|endoftext|>", 50256, normalized=True)],
        pre_tokenizer=byte_level(),
        post_processor=byte_level(add_prefix_space=True, trim_offsets=False),
        decoder=DECODER,
    )


def roberta_frame(vocab: bytes) -> bytes:
    """GPT-2's tokens in the frame of RoBERTa: its special tokens, and an order that is not by rank.

    RoBERTa orders them by how often they came up in its corpus, and no package says how often. Here
    they are in the order of their spelling. What is tested stays the same: merges do not depend on
    the order of ids.
    """
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    unused = [f"madeupword{n:04}" for n in range(3)]
    names = [*special, *sorted(json.loads(vocab)), *unused, "<mask>"]
    return json.dumps({token: id for id, token in enumerate(names)}, ensure_ascii=False).encode()


def ranked(
    tiktoken: bytes, special: list[Json], pre_tokenizer: Json, *, listed: bool, **parts: Json
) -> bytes:
    """A model of ranks; ``listed`` says whether the vocabulary holds the special tokens, too."""
    ranks = ranks_of(tiktoken)
    vocab = {spelled(token): rank for token, rank in ranks.items()}
    pairs = (halves(ranks, token) for token in ranks if len(token) > 1)
    merges = [f"{spelled(left)} {spelled(right)}" for left, right in pairs]
    if listed:
        vocab |= {token["content"]: token["id"] for token in special}
    model = bpe(vocab, merges, byte_fallback=False)
    parts = {"decoder": {**DECODER, "use_regex": True}, **parts}
    return tokenizer_json({"type": "BPE", **model}, special, pre_tokenizer=pre_tokenizer, **parts)


CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def word_pattern(digits: str) -> str:
    """The pattern of cl100k as Hugging Face spells it, and with other digits that of Qwen 2."""
    return (
        rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|"
        + SPACES
    )


def cl100k(tiktoken: bytes) -> bytes:
    names = ["endoftext", "fim_prefix", "fim_middle", "fim_suffix"]
    ids = dict(zip(names, range(100257, 100261), strict=True))
    ids |= {"endofprompt": 100276, "im_start": 100264, "im_end": 100265}
    special = [added(f"<|{name}|>", id) for name, id in ids.items()]
    return ranked(
        tiktoken, special, split(word_pattern(r"\p{N}{1,3}"), "Removed", True), listed=True
    )


def o200k(tiktoken: bytes) -> bytes:
    upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    before = r"[^\r\n\p{L}\p{N}]?"
    regex = (
        rf"{before}{upper}*{lower}+{CONTRACTIONS}?|{before}{upper}+{lower}*{CONTRACTIONS}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{SPACES}"
    )
    special = [added("<|endoftext|>", 199999), added("<|endofprompt|>", 200018)]
    return ranked(tiktoken, special, split(regex, "Removed", True), listed=True)


def qwen2(tiktoken: bytes) -> bytes:
    ranges = ["object_ref", "box", "quad", "vision"]
    special = ["endoftext", "im_start", "im_end"]
    special += [f"{name}_{side}" for name in ranges for side in ("start", "end")]
    special += [f"{name}_pad" for name in ("vision", "image", "video")]
    ordinary = ["fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "repo_name", "file_sep"]
    tools = ["<tool_call>", "</tool_call>"]
    names = [*(f"<|{name}|>" for name in special), *tools, *(f"<|{name}|>" for name in ordinary)]
    tokens = [added(name, 151643 + at, special=at < len(special)) for at, name in enumerate(names)]
    plain = byte_level(use_regex=False, trim_offsets=False)
    cut = split(word_pattern(r"\p{N}"), "Isolated", False)
    cut["pretokenizers"][1] = plain
    return ranked(
        tiktoken,
        tokens,
        cut,
        listed=False,
        normalizer={"type": "NFC"},
        post_processor=plain,
        decoder=plain,
    )


def clip(merges: bytes) -> bytes:
    """CLIP, from its list of merges: bytes, bytes that end a word, merges, two special tokens."""
    lines = merges.decode().splitlines()[1 : 49152 - 256 - 2 + 1]
    order = sorted(range(256), key=lambda byte: (ord(ALPHABET[byte]) > 255, byte))
    letters = [ALPHABET[byte] for byte in order]
    start, end = "<|startoftext|>", "<|endoftext|>"
    tokens = [*letters, *(f"{letter}</w>" for letter in letters)]
    tokens += [*(line.replace(" ", "") for line in lines), start, end]
    vocab = {token: id for id, token in enumerate(tokens)}
    words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    regex = rf"<\|startoftext\|>|<\|endoftext\|>|{words}"
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    cut = split(regex, "Removed", True)
    cut["pretokenizers"][1] = byte_level()
    return tokenizer_json(
        {"type": "BPE", **bpe(vocab, lines, unk_token=end, end_of_word_suffix="</w>")},
        [added(start, 49406, normalized=True), added(end, 49407)],
        normalizer={
            "type": "Sequence",
            "normalizers": [{"type": "NFC"}, spaces, {"type": "Lowercase"}],
        },
        pre_tokenizer=cut,
        post_processor={
            "type": "RobertaProcessing",
            "sep": [end, 49407],
            "cls": [start, 49406],
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        decoder=DECODER,
    )


def bert(vocab: bytes, *, lowercase: bool) -> bytes:
    """BERT, from ``vocab.txt``; as in the official files its model has no "type"."""
    tokens = vocab.decode().removesuffix("\n").split("\n")
    ids = {token: id for id, token in enumerate(tokens)}
    special = [added(name, ids[name]) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]

    def part(kind: str, name: str, type_id: int) -> Json:
        return {kind: {"id": name, "type_id": type_id}}

    single = [part("SpecialToken", "[CLS]", 0), part("Sequence", "A", 0)]
    single.append(part("SpecialToken", "[SEP]", 0))
    second = [part("Sequence", "B", 1), part("SpecialToken", "[SEP]", 1)]
    names = {
        name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")
    }
    return tokenizer_json(
        {
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
        special,
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": lowercase,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor={
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, *second],
            "special_tokens": names,
        },
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )


def fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a protocol buffer: their numbers, and bytes or integers.

    Example:
        >>> list(fields(bytes([0x0A, 2]) + b"hi" + bytes([0x18, 7])))
        [(1, b'hi'), (3, 7)]
    """
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            size = number() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            yield key >> 3, message[at : at + size]
            at += size


def mistral(model: bytes) -> bytes:
    """Mistral 7B v0.1, from sentencepiece's ``tokenizer.model``.

    Every way to put a piece together from two others is a merge, ordered by the score of the piece
    and then by the ids of the two, as Hugging Face converts such files.
    """
    pieces: list[tuple[str, float]] = []
    for field, message in fields(model):
        if field == 1 and isinstance(message, bytes):
            entry = dict(fields(message))
            text, packed = entry[1], entry.get(2, bytes(4))
            assert isinstance(text, bytes)
            assert isinstance(packed, bytes)
            pieces.append((text.decode(), struct.unpack("<f", packed)[0]))
    vocab = {piece: id for id, (piece, _) in enumerate(pieces)}
    found: list[tuple[str, str, float]] = []
    for piece, score in pieces:
        cuts = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        pairs = [(a, b) for a, b in cuts if a in vocab and b in vocab]
        found += [(a, b, score) for a, b in sorted(pairs, key=lambda p: (vocab[p[0]], vocab[p[1]]))]
    found.sort(key=lambda merge: -merge[2])
    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    merges = [f"{left} {right}" for left, right, _ in found]
    model_json = bpe(vocab, merges, continuing_subword_prefix=None, end_of_word_suffix=None)
    start = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    again = {"SpecialToken": {"id": "<s>", "type_id": 1}}
    first, second = ({"Sequence": {"id": name, "type_id": n}} for n, name in enumerate("AB"))
    space = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    return tokenizer_json(
        {"type": "BPE", **model_json, **options, "ignore_merges": False},
        [added(name, id) for id, name in enumerate(("<unk>", "<s>", "</s>"))],
        pre_tokenizer={
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "first",
            "split": False,
        },
        post_processor={
            "type": "TemplateProcessing",
            "single": [start, first],
            "pair": [start, first, again, second],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        decoder={
            "type": "Sequence",
            "decoders": [space, {"type": "ByteFallback"}, {"type": "Fuse"}, strip],
        },
    )


def gemma_4(content: bytes) -> bytes:
    """Gemma 4, from the GGUF file of llama.cpp, in the shape of the published file."""
    return gguf.tokenizer_json(gguf.read(content), "T3").encode()
