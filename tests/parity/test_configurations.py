"""GPT-2's two files with `tokenizer_config.json`: the ids of transformers' own classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import BpeTrainer, ModelFormatError, Tokenizer

TEXTS = [
    "",
    "the lowest low",
    " the low",
    "low<mask> lower <|endoftext|>the",
    "a <mask>  b<tool>c",
    "don't DON'T 12345\n\n x",
    "Ame\u0301lie \u2603 \u4e2d\u6587",
]


def written(folder: Path, name: str, special: list[str], config: dict[str, Any]) -> None:
    """A small vocabulary in the files of a class."""
    pattern = "qwen2" if name == "Qwen2Tokenizer" else "gpt2"
    trained = BpeTrainer(vocab_size=280, pattern=pattern).train_iter(
        ["the lowest of the low were slower, don't they flow low"] * 9
    )
    trained.save(folder / "tokenizer.json")
    model = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    vocab = model["vocab"] | {token: 280 + at for at, token in enumerate(special)}
    pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    (folder / "vocab.json").write_text(json.dumps(vocab))
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *pairs, ""]))
    (folder / "config.json").write_text("{}")
    content = {"tokenizer_class": name, **config}
    (folder / "tokenizer_config.json").write_text(json.dumps(content))


MASK = {"content": "<mask>", "lstrip": True, "special": True}
TOOL = {"content": "<tool>", "rstrip": True, "normalized": True, "special": False}

CASES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "gpt2": ("GPT2Tokenizer", ["<|endoftext|>"], {}),
    "gpt2 with a space": ("GPT2Tokenizer", ["<|endoftext|>"], {"add_prefix_space": True}),
    "roberta": (
        "RobertaTokenizer",
        ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        {"added_tokens_decoder": {"284": MASK}, "mask_token": "<mask>"},
    ),
    "qwen2": (
        "Qwen2Tokenizer",
        ["<|endoftext|>"],
        {"added_tokens_decoder": {"281": TOOL}, "pad_token": "<|endoftext|>"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_folder_has_the_ids_that_transformers_gives_it(case: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    name, special, config = CASES[case]
    written(tmp_path, name, special, config)
    real = getattr(transformers, name).from_pretrained(str(tmp_path))
    tok = Tokenizer.load(tmp_path)
    for text in TEXTS:
        for around in (False, True):
            ids = real(text, add_special_tokens=around)["input_ids"]
            found = tok.encode(text, special="encode", add_special_tokens=around)
            assert found == ids, (text, around)


def test_a_class_whose_pattern_is_not_known_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "MineTokenizer", [], {})
    with pytest.raises(ModelFormatError, match="how MineTokenizer cuts text is not known"):
        Tokenizer.load(tmp_path)
    assert Tokenizer.load(tmp_path, pattern="cl100k").pattern == "cl100k"


def test_a_special_token_without_an_id_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "GPT2Tokenizer", [], {})
    with pytest.raises(ModelFormatError, match=r"the special token '<\|endoftext\|>' has no id"):
        Tokenizer.load(tmp_path)


def test_without_a_class_the_two_files_are_read_alone(tmp_path: Path) -> None:
    written(tmp_path, "GPT2Tokenizer", ["<|endoftext|>"], {})
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert Tokenizer.load(tmp_path).pattern == "gpt2"
    assert subword.patterns["gpt2"]
