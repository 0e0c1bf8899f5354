"""The special tokens of a tokenizer, and tokenizers with more of them or with another template.

A template is written as Hugging Face writes it, ``"[CLS] $A [SEP] $B:1 [SEP]:1"``: special tokens
and the texts ``$A`` and ``$B``, with spaces between them, and behind a colon the type of their ids.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import ModelFormatError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import AddedToken, SpecialTokens

#: An id, or "A" or "B" for a text; and its type.
Slot = tuple[int | str, int]


def added_tokens(tok: Tokenizer) -> list[AddedToken]:
    """The tokens that are found in a text before anything is merged, with their settings.

    Args:
        tok: A tokenizer.

    Returns:
        A dictionary for each, as a ``tokenizer.json`` has it, by rising id: ``content``, ``id``,
        ``special`` (false for a word that is found in every text, whatever the caller allows),
        ``normalized``, ``single_word``, ``lstrip`` and ``rstrip``.

    Example:
        >>> from subword import Tokenizer, added_tokens
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<s>"])
        >>> [(token["content"], token["special"]) for token in added_tokens(tok)]
        [('<s>', True)]
    """
    return tok._added_tokens


def with_special_tokens(tok: Tokenizer, special_tokens: SpecialTokens) -> Tokenizer:
    """The same tokenizer with more special tokens.

    Args:
        tok: A tokenizer.
        special_tokens: Strings, which get the ids that they have in the vocabulary or else the
            next free ones; or a mapping of strings to ids. Those that are there stay.

    Returns:
        A new tokenizer; ``tok`` does not change.

    Raises:
        ModelFormatError: An id belongs to another token, or there is none left.

    Example:
        >>> from subword import Tokenizer, with_special_tokens
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<s>"])
        >>> chat = with_special_tokens(tok, ["<|user|>", "<|end|>"])
        >>> chat.special_tokens
        {'<s>': 256, '<|user|>': 257, '<|end|>': 258}
        >>> chat.encode("hi<|end|>", special="encode")
        [104, 105, 258]
    """
    return _like(tok, _core.with_special_tokens(tok, special_tokens))


def with_template(
    tok: Tokenizer,
    *,
    bos: str | None = None,
    eos: str | None = None,
    single: str | None = None,
    pair: str | None = None,
) -> Tokenizer:
    """The same tokenizer with other tokens around a text, for ``add_special_tokens=True``.

    Pass ``bos`` and ``eos``, or ``single`` and perhaps ``pair``; without any of them nothing is
    put around a text.

    Args:
        tok: A tokenizer.
        bos: The special token before every text.
        eos: The special token after every text.
        single: What stands around one text, such as ``"[CLS] $A [SEP]"``.
        pair: What stands around two, such as ``"[CLS] $A [SEP] $B:1 [SEP]:1"``; a number behind
            a colon is the type of the ids, 0 without it. Without ``pair``, each of two texts
            has around it what one has, and the second has type 1.

    Returns:
        A new tokenizer; ``tok`` does not change.

    Raises:
        ModelFormatError: A token is no special token of this tokenizer, or a text is missing.

    Example:
        >>> from subword import Tokenizer, with_template
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<s>", "</s>"])
        >>> around = with_template(tok, bos="<s>", eos="</s>")
        >>> around.encode("hi", add_special_tokens=True)
        [256, 104, 105, 257]
        >>> with_template(tok, single="$A </s>").encode("hi", add_special_tokens=True)
        [104, 105, 257]
    """
    if single is None:
        if pair is not None:
            hint = 'pass single="<s> $A </s>", too'
            raise ModelFormatError("", "a template for two texts needs one for one text", hint)
        one = [(token, 0) for token in (bos, "$A", eos) if token is not None]
    else:
        if bos is not None or eos is not None:
            hint = 'pass single="<s> $A </s>" alone'
            raise ModelFormatError("", "single says what bos and eos would say", hint)
        one = _words(tok, single)
    slots = _slots(tok, one, ("$A",))
    if pair is not None:
        both = _slots(tok, _words(tok, pair), ("$A", "$B"))
    else:
        both = slots + [("B" if part == "A" else part, 1) for part, _ in slots]
    return _like(tok, _core.with_template(tok, slots, both))


def _words(tok: Tokenizer, template: str) -> list[tuple[str, int]]:
    """The parts of a template, each with its type."""
    words = []
    for word in template.split():
        typed = re.fullmatch(r"(.+):(\d{1,9})", word)
        if typed is None or word in tok.special_tokens:
            words.append((word, 0))
        else:
            words.append((typed[1], int(typed[2])))
    return words


def _slots(tok: Tokenizer, words: list[tuple[str, int]], texts: tuple[str, ...]) -> list[Slot]:
    """Ids and the names of texts; every text has to be there once."""
    slots: list[Slot] = []
    for word, type_id in words:
        if word in texts:
            slots.append((word[1:], type_id))
        elif word in tok.special_tokens:
            slots.append((tok.special_tokens[word], type_id))
        elif word.startswith("$"):
            wanted = " and ".join(texts)
            message = f"expected {wanted} or a special token in the template, found {word!r}"
            raise ModelFormatError("", message)
        else:
            raise ModelFormatError(
                "",
                f"the template uses {word!r}, which is no special token of this tokenizer",
                f"add it before: subword.with_special_tokens(tok, [{word!r}])",
            )
    for text in texts:
        found = sum(part == text[1:] for part, _ in slots)
        if found != 1:
            message = f"expected {text} once in the template, found it {found} times"
            hint = 'write it like single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]"'
            raise ModelFormatError("", message, hint)
    return slots


def _like(tok: Tokenizer, model: _core.Model) -> Tokenizer:
    """A tokenizer of another model, which encodes as ``tok`` does."""
    return type(tok)._of(model, tok._cache_bytes, linear_time=tok._linear)
