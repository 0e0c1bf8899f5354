"""Tokenizers of transformers, loaded by `AutoTokenizer`: from the published vocabularies, and small
Unigram models that the real trainer made."""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.hf_calls import WORDS
from tests.support.published import file
from tests.support.small import SAMPLE

#: The class and the special tokens that `tokenizer_config.json` names, by vocabulary.
CONFIGS: dict[str, dict[str, Any]] = {
    "bert-base-uncased": {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    },
    "gpt2": {
        "tokenizer_class": "GPT2Tokenizer",
        "pad_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
        "bos_token": "<|endoftext|>",
        "unk_token": "<|endoftext|>",
    },
    "gpt_neox": {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<|padding|>"},
    "clip": {
        "tokenizer_class": "CLIPTokenizer",
        "pad_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
        "bos_token": "<|startoftext|>",
        "unk_token": "<|endoftext|>",
    },
    "mistral_v0.1": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "</s>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
    },
    "qwen2_5": {
        "tokenizer_class": "Qwen2Tokenizer",
        "pad_token": "<|endoftext|>",
        "eos_token": "<|im_end|>",
    },
    "roberta-base": {
        "tokenizer_class": "RobertaTokenizer",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "cls_token": "<s>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": {
            "__type": "AddedToken",
            "content": "<mask>",
            "lstrip": True,
            "rstrip": False,
            "single_word": False,
            "normalized": True,
            "special": True,
        },
    },
    "llama3": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
    },
}

CONFIGS |= {
    "modernbert": CONFIGS["bert-base-uncased"] | {"tokenizer_class": "PreTrainedTokenizerFast"},
    "t5": {
        "tokenizer_class": "T5Tokenizer",
        "extra_ids": 5,
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
    },
    "xlm-roberta": {"tokenizer_class": "XLMRobertaTokenizer"},
    "unigram": {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    },
}
del CONFIGS["modernbert"]["do_lower_case"]

NAMES = list(CONFIGS)

#: The special tokens that a Unigram model of each family begins with.
FIRST = {
    "t5": ["<pad>", "</s>", "<unk>"],
    "xlm-roberta": ["<s>", "<pad>", "</s>", "<unk>"],
    "unigram": ["<unk>", "<pad>", "<mask>"],
}


@cache
def folder_of(name: str) -> Path:
    """A folder as a model has one, with the files of a vocabulary."""
    folder = Path(tempfile.mkdtemp(prefix="subword-hf-"))
    config = json.dumps(CONFIGS[name])
    (folder / "tokenizer_config.json").write_text(config, encoding="utf-8")
    if name == "roberta-base":
        for part in ("vocab.json", "merges.txt"):
            shutil.copy(file(f"vocabs/{name}/{part}"), folder / part)
    elif name == "llama3":
        _like_llama(folder / "tokenizer.json")
    elif name == "modernbert":
        _like_modernbert(folder / "tokenizer.json")
    elif name in FIRST:
        _unigram(name, folder / "tokenizer.json")
    else:
        shutil.copy(file(f"vocabs/{name}/tokenizer.json"), folder / "tokenizer.json")
    return folder


def _like_llama(path: Path) -> None:
    """GPT-4's vocabulary with a template and post-processors like those of Llama 3."""
    from tokenizers import Tokenizer, processors

    tok = Tokenizer.from_file(str(file("vocabs/cl100k_gpt4/tokenizer.json")))
    begin = ("<|im_start|>", tok.token_to_id("<|im_start|>"))
    template = processors.TemplateProcessing(
        single=f"{begin[0]} $A", pair=f"{begin[0]} $A {begin[0]}:1 $B:1", special_tokens=[begin]
    )
    byte_level = processors.ByteLevel(trim_offsets=False)
    tok.post_processor = processors.Sequence([byte_level, template])
    tok.save(str(path))


def _like_modernbert(path: Path) -> None:
    """GPT-NeoX's vocabulary with BERT's template, and runs of spaces that are added tokens."""
    from tokenizers import AddedToken, Tokenizer, processors

    tok = Tokenizer.from_file(str(file("vocabs/gpt_neox/tokenizer.json")))
    tok.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]", AddedToken("[MASK]", lstrip=True)])
    ends = [(token, tok.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends
    )
    tok.save(str(path))


def _unigram(name: str, path: Path) -> None:
    """A small Unigram model of a family, trained by the real trainer, with a real character map."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import UnigramTrainer

    from tests.parity.test_charsmap import charsmap

    tok = Tokenizer(models.Unigram())
    tok.normalizer = normalizers.Precompiled(base64.b64decode(charsmap("nmt_nfkc")))
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    first = FIRST[name]
    trainer = UnigramTrainer(
        vocab_size=1000, special_tokens=first, unk_token="<unk>", show_progress=False
    )
    tok.train_from_iterator([SAMPLE, *WORDS] * 20, trainer)
    tok.decoder = decoders.Metaspace()
    if name == "unigram":
        tok.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    else:  # as the converters write it
        ends = [(token, tok.token_to_id(token)) for token in ("<s>", "</s>") if token in first]
        single, pair = "$A </s>", "$A </s> $B </s>"
        if name == "xlm-roberta":
            single, pair = "<s> $A </s>", "<s> $A </s> </s> $B </s>"
        tok.post_processor = processors.TemplateProcessing(
            single=single, pair=pair, special_tokens=ends
        )
        tok.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
    tok.save(str(path))


def hf_tokenizer(name: str) -> Any:
    """The tokenizer, loaded anew."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder_of(name))


@cache
def hf_pair(name: str) -> tuple[Any, Any]:
    """A tokenizer as transformers has it, and an accelerated one, with backends of their own."""
    from subword.integrations.transformers import accelerate

    return hf_tokenizer(name), accelerate(hf_tokenizer(name))
