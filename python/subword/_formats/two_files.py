"""`vocab.json` and `merges.txt` with a `tokenizer_config.json`: as transformers reads the three.

    GPT2Tokenizer      GPT-2's pattern
    RobertaTokenizer   the same, with <s> and </s> around a text
    Qwen2Tokenizer     NFC, and Qwen's pattern

The class says how text is cut, so a folder of another class is left to the caller, who passes
``pattern=``. Added tokens, their flags and the space before a text are those of the configuration.
The result is the text of a `tokenizer.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from subword._errors import ModelFormatError
from subword._formats.config import FLAGS, Config
from subword._pieces import patterns

#: The special tokens of each class, where the configuration does not name others.
DEFAULTS = {
    "GPT2Tokenizer": dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>"),
    "RobertaTokenizer": {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
    },
    "Qwen2Tokenizer": dict.fromkeys(("unk_token", "eos_token", "pad_token"), "<|endoftext|>"),
}


def read(path: Path) -> bytes | None:
    """The text of a tokenizer.json for a `vocab.json`; None if its folder has no configuration."""
    config, merges = Config.beside(path), path.with_name("merges.txt")
    if config is None or not merges.is_file():
        return None
    name = config.tokenizer_class
    if not name:
        return None
    if name not in DEFAULTS:
        raise ModelFormatError(
            str(config.path),
            f"how {name} cuts text is not known",
            f"pass pattern=; known are {', '.join(DEFAULTS)}",
        )
    try:
        vocab = json.loads(path.read_bytes())
        lines = merges.read_bytes().decode().split("\n")
    except ValueError as error:
        raise ModelFormatError(str(path.parent), f"its files cannot be read: {error}") from None
    if not isinstance(vocab, dict):
        raise ModelFormatError(str(path), "expected an object of tokens and ids")
    prefix = config.flag("add_prefix_space", False)
    level = {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True}
    cut: dict[str, Any] = {**level, "use_regex": True}
    if name == "Qwen2Tokenizer":
        regex = {"Regex": patterns["qwen2"][0]}
        split = {"type": "Split", "pattern": regex, "behavior": "Isolated", "invert": False}
        cut = {"type": "Sequence", "pretokenizers": [split, {**level, "use_regex": False}]}
    tokens = {key: config.token(key, default) for key, default in DEFAULTS[name].items()}
    added = _added(config, vocab, set(tokens.values()))
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "NFC"} if name == "Qwen2Tokenizer" else None,
        "pre_tokenizer": cut,
        "post_processor": _around(name, tokens, added, prefix),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "model": {
            "type": "BPE",
            "vocab": vocab,
            "merges": [line for line in lines if line and not line.startswith("#version")],
        },
    }
    return json.dumps(file, ensure_ascii=False).encode()


def _added(config: Config, vocab: dict[str, Any], special: set[str]) -> list[dict[str, Any]]:
    """The added tokens, by rising id: those of the configuration, and the special tokens."""
    found = {
        token.content: {"id": token.id, "content": token.content, **token.flags}
        for token in config.added_tokens
    }
    for token in sorted(special - found.keys()):
        if token not in vocab:
            message = f"the special token {token!r} has no id"
            hint = "name it in added_tokens_decoder"
            raise ModelFormatError(str(config.path), message, hint)
        flags = {**dict.fromkeys(FLAGS, False), "special": True}
        found[token] = {"id": vocab[token], "content": token, **flags}
    for token, entry in found.items():
        entry["special"] = entry["special"] or token in special
    return sorted(found.values(), key=lambda token: int(token["id"]))


def _around(
    name: str, tokens: dict[str, str], added: list[dict[str, Any]], prefix: bool
) -> dict[str, Any] | None:
    if name != "RobertaTokenizer":
        return None
    ids = {token["content"]: token["id"] for token in added}
    first, last = tokens["cls_token"], tokens["sep_token"]
    return {
        "type": "RobertaProcessing",
        "sep": [last, ids[last]],
        "cls": [first, ids[first]],
        "trim_offsets": True,
        "add_prefix_space": prefix,
    }
