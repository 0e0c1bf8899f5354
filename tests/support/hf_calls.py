"""Random calls of a tokenizer of transformers, and whether two of them gave the same."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

PLAIN = """the Hello world, naïve café 中文字 don't 2026 😀 e\u0301 İ <|endoftext|> [MASK] <mask>
[SEP] </s> <s> a ▁low low unbelievably tokenization! \ufb01ne # ##ing NewTok"""
WORDS = [*PLAIN.split(), "x" * 30, "\n\n", "  ", " <mask> ", "", "\u3000", "don\u2019t"]


def text(chance: random.Random) -> str:
    """A text of some words."""
    words = chance.choices(WORDS, k=chance.choice([0, 1, 2, 5, 12, 30]))
    return chance.choice([" ", "", "  "]).join(words)


def arguments(chance: random.Random) -> dict[str, Any]:
    """The arguments of a random call, of which some are refused."""
    one: Any = lambda: text(chance)  # noqa: E731
    words = chance.random() < 0.2
    if words:
        one = lambda: chance.choices(WORDS, k=chance.choice([0, 1, 3, 9]))  # noqa: E731
    found: dict[str, Any] = {}
    count = chance.choice([1, 1, 2, 3, 5])
    paired = chance.random() < 0.4
    if chance.random() < 0.3:
        found["text"] = one()
        if paired:
            found["text_pair"] = one()
    elif paired and chance.random() < 0.3:
        found["text"] = [(one(), one()) for _ in range(count)]
    else:
        found["text"] = [one() for _ in range(count)]
        if paired:
            found["text_pair"] = [one() for _ in range(chance.choice([count, count, count, 1]))]
    if words:
        found["is_split_into_words"] = True
    options: dict[str, list[Any]] = {
        "padding": [False, True, "longest", "max_length", "do_not_pad"],
        "truncation": [False, True, "longest_first", "only_first", "only_second"],
        "max_length": [None, 0, 1, 2, 3, 4, 5, 8, 13, 40],
        "stride": [0, 0, 1, 2, 5],
        "pad_to_multiple_of": [None, 4, 8],
        "padding_side": [None, "left", "right"],
        "add_special_tokens": [True, False],
        "return_tensors": [None, "np"],
        "return_token_type_ids": [None, True, False],
        "return_attention_mask": [None, True, False],
        "return_overflowing_tokens": [True, False],
        "return_special_tokens_mask": [True, False],
        "return_offsets_mapping": [True, False],
        "return_length": [True, False],
        "split_special_tokens": [True, False],
        "verbose": [False],
    }
    for name, choices in options.items():
        if chance.random() < 0.4:
            found[name] = chance.choice(choices)
    return found


def outcome(tokenizer: Any, call: dict[str, Any]) -> tuple[str, Any]:
    """What a call gives: a result, or an error."""
    try:
        return "result", tokenizer(**call)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of their engine is no Exception
        return "error", (type(error), str(error))


def plain(value: Any) -> Any:
    """A value that `==` compares: arrays with their types."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return "object", [plain(row) for row in value.tolist()]
        return str(value.dtype), value.shape, value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def described(encoding: Any, nested: bool = True) -> dict[str, Any]:
    """All that an encoding says."""
    names = ["ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask"]
    names += ["word_ids", "sequence_ids", "n_sequences"]
    found = {name: getattr(encoding, name) for name in names}
    found["len"] = len(encoding)
    questions = ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
    for name in questions:
        found[name] = [getattr(encoding, name)(at, seq) for at in (0, 1, 4) for seq in (0, 1)]
    for name in ("token_to_chars", "token_to_word", "token_to_sequence"):
        # Of a place after the last token, 0.22 and 0.23 of tokenizers say different things.
        places = {0, 1, len(encoding) - 1} & {*range(len(encoding))}
        found[name] = [getattr(encoding, name)(at) for at in sorted(places)]
    if nested:
        found["overflowing"] = [described(other, False) for other in encoding.overflowing]
    return found


def difference(ours: tuple[str, Any], theirs: tuple[str, Any]) -> str:
    """Where two outcomes differ; empty if they do not."""
    if ours[0] != theirs[0]:
        return f"ours: {ours}\ntheirs: {theirs}"
    if ours[0] == "error":
        return "" if ours[1] == theirs[1] else f"ours: {ours[1]}\ntheirs: {theirs[1]}"
    one, other = ours[1], theirs[1]
    if list(one.keys()) != list(other.keys()):
        return f"ours: {list(one.keys())}\ntheirs: {list(other.keys())}"
    for name in one:
        if plain(one[name]) != plain(other[name]):
            return f"{name}\nours: {one[name]}\ntheirs: {other[name]}"
    if one.n_sequences != other.n_sequences or len(one.encodings) != len(other.encodings):
        return "other numbers of encodings or sequences"
    samples = other.get("overflow_to_sample_mapping")
    samples = range(len(other.encodings)) if samples is None else list(samples)
    for row, (mine, real) in enumerate(zip(one.encodings, other.encodings, strict=True)):
        # An encoding that overflows has none in ours; in theirs it may, with windows again.
        first = row == 0 or samples[row] != samples[row - 1]
        a, b = described(mine, first), described(real, first)
        for name in a:
            if a[name] != b[name]:
                return f"encodings: {name}\nours: {a[name]}\ntheirs: {b[name]}"
    return ""
