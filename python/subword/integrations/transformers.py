"""A tokenizer as transformers has them: a `PreTrainedTokenizerFast` with the same ids.

    from subword.integrations.transformers import fast_tokenizer

    fast = fast_tokenizer(subword.Tokenizer.load("tok.json"))
    fast(["low", "lower"], padding=True, return_tensors="pt")
    fast.save_pretrained("my-model")             # AutoTokenizer.from_pretrained reads it

The ids come from Hugging Face's engine, at its speed: it gets the tokenizer as its own kind of file
(`tokenizer.json`) and is held against ours by the tests. What that file cannot hold is an error.

Two defaults are transformers', and differ from ``tok.encode(text)``:

* special tokens are recognised in every text (``special="encode"``);
* the template stands around a text (``add_special_tokens=True``), where the tokenizer has one.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword import ModelFormatError, Tokenizer
from subword.integrations._extras import load

if TYPE_CHECKING:
    from tokenizers import AddedToken
    from transformers import PreTrainedTokenizerFast

#: The parts that a special token can play, and how a token is spelled that plays it.
SPELLINGS = {
    "bos_token": ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>"),
    "eos_token": ("</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>"),
    "unk_token": ("<unk>", "[UNK]"),
    "pad_token": ("<pad>", "[PAD]", "<|pad|>"),
    "cls_token": ("<cls>", "[CLS]"),
    "sep_token": ("<sep>", "[SEP]"),
    "mask_token": ("<mask>", "[MASK]"),
}


def fast_tokenizer(tok: Tokenizer, **settings: Any) -> PreTrainedTokenizerFast:
    """The tokenizer for transformers.

    ``settings`` are those of `PreTrainedTokenizerFast`: ``model_max_length``, ``padding_side``,
    and so on. Of special tokens ``bos_token``, ``eos_token``, ``unk_token``, ``pad_token``,
    ``cls_token``, ``sep_token`` and ``mask_token`` are known where they are spelled as usual; name
    one to say otherwise, or None for no such token. A token that the tokenizer does not have is an
    error: it would need an id. Special tokens without a part are ``additional_special_tokens``,
    unless you name these, so that ``all_special_tokens`` has them too.

    Example:
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
        >>> fast = fast_tokenizer(tok, pad_token="<|endoftext|>")
        >>> fast(["low lower", "low"], padding=True)["input_ids"]
        [[257, 32, 257, 101, 114], [257, 258, 258, 258, 258]]
        >>> fast.eos_token, fast.eos_token_id
        ('<|endoftext|>', 258)
    """
    transformers = load("transformers")
    named = parts(tok) | {part: settings.pop(part) for part in SPELLINGS if part in settings}
    special = tok.special_tokens
    for part, token in named.items():
        if token is not None and str(token) not in special:
            message = f"{part}={str(token)!r} is not a special token of this tokenizer"
            hint = f"it has {', '.join(special)}" if special else "it has none"
            raise ModelFormatError("", message, hint)
    if tok.kind == "wordpiece":  # what BERT takes
        names = ["input_ids", "token_type_ids", "attention_mask"]
        settings = {"model_input_names": names, **settings}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        try:
            tok.save(path, format="huggingface")
        except ModelFormatError as error:
            raise ModelFormatError("", error.message) from None  # nobody asked for that path
        if not {"additional_special_tokens", "extra_special_tokens"} & settings.keys():
            settings["additional_special_tokens"] = without_part(path, named)
        fast: PreTrainedTokenizerFast = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(path), **named, **settings
        )
    return fast


def without_part(path: Path, named: dict[str, Any]) -> list[AddedToken]:
    """The special tokens of a `tokenizer.json` that play no part, with their flags."""
    from tokenizers import AddedToken

    playing = {str(token) for token in named.values() if token is not None}
    tokens = json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
    return [
        AddedToken(**{name: value for name, value in token.items() if name != "id"})
        for token in tokens
        if token["special"] and token["content"] not in playing
    ]


def parts(tok: Tokenizer) -> dict[str, str | None]:
    """Which special token plays which part, as far as their spelling tells.

    Example:
        >>> tok = Tokenizer.wordpiece(["[UNK]", "[CLS]", "[SEP]", "low"])
        >>> {part: token for part, token in parts(tok).items() if token is not None}
        {'unk_token': '[UNK]', 'cls_token': '[CLS]', 'sep_token': '[SEP]'}
    """
    special = tok.special_tokens
    found = {
        part: next((token for token in tokens if token in special), None)
        for part, tokens in SPELLINGS.items()
    }
    return found | {"unk_token": tok.unk_token or found["unk_token"]}
