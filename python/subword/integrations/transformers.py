"""A tokenizer as transformers has them: a `PreTrainedTokenizerFast` with the same ids.

    from subword.integrations.transformers import fast_tokenizer

    fast = fast_tokenizer(subword.Tokenizer.load("tok.json"))
    fast(["low", "lower"], padding=True, return_tensors="pt")
    fast.save_pretrained("my-model")             # AutoTokenizer.from_pretrained reads it

The ids of `fast_tokenizer` come from Hugging Face's engine, at its speed: it gets the tokenizer as
its own kind of file (`tokenizer.json`) and is held against ours by the tests. What that file cannot
hold is an error. `accelerate` puts our engine into this one, or into any other fast tokenizer:

    fast = accelerate(AutoTokenizer.from_pretrained("my-model"))
    fast(["low", "lower"], padding=True, return_tensors="pt")     # the same, by our engine

`install` makes `AutoTokenizer.from_pretrained` give accelerated tokenizers, `uninstall` takes that
back.

Two defaults are transformers', and differ from ``tok.encode(text)``:

* special tokens are recognised in every text (``special="encode"``);
* the template stands around a text (``add_special_tokens=True``), where the tokenizer has one.
"""

from __future__ import annotations

import json
import tempfile
import warnings
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


def accelerate(tokenizer: PreTrainedTokenizerFast) -> PreTrainedTokenizerFast:
    """The same tokenizer, run by our engine.

    It is of the same class family, has the same settings, and shares its backend with the tokenizer
    that it was made from. Calls, ``encode``, ``decode``, ``tokenize``, ``convert_ids_to_tokens``,
    ``convert_tokens_to_ids`` and ``train_new_from_iterator`` give what they gave before. What our
    engine cannot do is left to Hugging Face's for that call: a `FallbackWarning` says so once for
    each reason, and ``accelerated.fallbacks`` counts.

    Args:
        tokenizer: A fast tokenizer of transformers.

    Returns:
        The accelerated tokenizer.

    Raises:
        TypeError: It is no fast tokenizer.
        ModelFormatError: Our engine does not run it, or gives something else for a sample of texts.

    Example:
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> tok = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], ["<|endoftext|>"])
        >>> fast = accelerate(fast_tokenizer(tok, pad_token="<|endoftext|>"))
        >>> inputs = fast(["low lower", "low"], padding=True, return_tensors="np")
        >>> inputs["input_ids"].tolist()
        [[257, 32, 257, 101, 114], [257, 258, 258, 258, 258]]
        >>> inputs.word_ids(0), inputs.char_to_token(0, 7)
        ([0, 1, 1, 1, 1], 3)
        >>> dict(fast.fallbacks)
        {}
    """
    load("transformers")
    from subword.integrations._accelerated import accelerated

    fast: PreTrainedTokenizerFast = accelerated(tokenizer)
    return fast


def install() -> None:
    """Make transformers give accelerated tokenizers wherever it loads a fast one.

    That is every ``from_pretrained``: of ``AutoTokenizer``, of a class of tokenizers, of processors
    that have one. A tokenizer that cannot be accelerated comes as it is, with a `FallbackWarning`.

    Example:
        >>> from subword.integrations.transformers import install, uninstall
        >>> install()
        >>> uninstall()
    """
    fast = load("transformers").PreTrainedTokenizerFast
    if "from_pretrained" in vars(fast):
        return
    inherited = fast.from_pretrained.__func__
    from subword.integrations._accelerated import FallbackWarning, accelerated

    def from_pretrained(cls: type, *args: Any, **kwargs: Any) -> Any:
        tokenizer = inherited(cls, *args, **kwargs)
        try:
            return accelerated(tokenizer)
        except (ModelFormatError, TypeError) as error:
            text = f"this tokenizer is not accelerated: {error}"
            warnings.warn(text, FallbackWarning, stacklevel=2)
            return tokenizer

    # All of them call the method of this class, which inherits it.
    fast.from_pretrained = classmethod(from_pretrained)


def uninstall() -> None:
    """Make transformers give what it gave before `install`."""
    fast = load("transformers").PreTrainedTokenizerFast
    if "from_pretrained" in vars(fast):
        del fast.from_pretrained
