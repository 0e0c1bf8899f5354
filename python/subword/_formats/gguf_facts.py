"""The facts of a GGUF file that say what its tokenizer does, each checked when it is asked for.

tokenizer.ggml.tokens       ["!", "\\"", ...]     the place of a token is its id
tokenizer.ggml.token_type   [1, 1, ...]          what it is for
tokenizer.ggml.bos_token_id 1                    the token before a text, if add_bos_token
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from subword._errors import ModelFormatError
from subword._formats import gguf, native

PREFIX = "tokenizer.ggml."

#: The names of the facts that say what a tokenizer does.
NAMES = (
    "model pre tokens scores token_type merges precompiled_charsmap add_space_prefix "
    "remove_extra_whitespaces add_bos_token add_eos_token add_sep_token bos_token_id "
    "eos_token_id cls_token_id unknown_token_id seperator_token_id padding_token_id "
    "mask_token_id normalizer.lowercase normalizer.strip_accents"
)

#: What a token is for: the kinds of sentencepiece.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


class Facts:
    """The facts of one file, each checked when it is asked for."""

    def __init__(self, file: BinaryIO, place: str) -> None:
        facts = gguf.read(file, place, {PREFIX + name for name in NAMES.split()})
        self.facts = {name.removeprefix(PREFIX): fact for name, fact in facts.items()}
        self.place, self.notes = place, list[str]()
        if not facts:
            self.refuse("the file holds no tokenizer", "load the GGUF file that has the vocabulary")
        self.tokens = self.strings("tokens")
        self.kinds = self.numbers("token_type", [NORMAL] * len(self.tokens))

    def refuse(self, message: str, known: str | None = None) -> NoReturn:
        hint = None if known is None else f"subword reads {known}"
        raise ModelFormatError(self.place, message, hint)

    def has(self, name: str) -> bool:
        return name in self.facts

    def text(self, name: str) -> str:
        return str(self._checked(name, str, "a string", None))

    def flag(self, name: str, default: bool) -> bool:
        return bool(self._checked(name, bool, "true or false", default))

    def id(self, name: str, default: int | None) -> int | None:
        """The id of a token; none where the file has none, or one that no token has."""
        found = self._checked(name, int, "an id", None) if self.has(name) else default
        return found if found is not None and 0 <= found < len(self.tokens) else None

    def strings(self, name: str) -> list[str]:
        found: list[str] = self._checked(name, list, "strings", None)
        return found

    def numbers(self, name: str, default: list[Any] | None) -> Any:
        found = self._checked(name, tuple, "numbers", default)
        if len(found) != len(self.tokens):
            count = f"{len(self.tokens)} tokens, found {len(found)}"
            self.refuse(f"expected tokenizer.ggml.{name} to have a number for each of {count}")
        return found

    def _checked(self, name: str, kind: type, expected: str, default: Any) -> Any:
        found = self.facts.get(name, default)
        if found is None:
            self.refuse(f"the fact tokenizer.ggml.{name} is missing")
        if found is not default and not isinstance(found, kind):
            what = type(found).__name__
            self.refuse(f"expected {expected} in tokenizer.ggml.{name}, found {what}")
        return found

    def added(self) -> Iterator[tuple[int, str, bool]]:
        """The control and the user-defined tokens: id, text, and whether it is for every text."""
        unknown = self.id("unknown_token_id", None)
        for id, kind in enumerate(self.kinds):
            added = kind in (CONTROL, USER_DEFINED) or (kind == UNKNOWN and id != unknown)
            if added and self.tokens[id]:
                yield id, self.tokens[id], kind == USER_DEFINED

    def special_tokens(self) -> list[dict[str, Any]]:
        """The same, as a native file has them."""
        added = [*self.added()]
        ids = {text: id for id, text, _ in added}
        return native.special_tokens(ids, [id for id, _, always in added if always])

    def vocab(self) -> dict[str, int]:
        """Every token that is not empty, with its id."""
        vocab = dict(zip(self.tokens, range(len(self.tokens)), strict=True))
        if len(vocab) < len(self.tokens):
            for id, token in enumerate(self.tokens):
                if token and vocab[token] != id:
                    self.refuse(f"the token {token!r} has two ids: {id} and {vocab[token]}")
        vocab.pop("", None)
        return vocab

    def ends(self, *, bos: bool, eos: bool = False) -> tuple[list[int], list[int]]:
        """The ids before and after a text."""
        first, last = self.id("bos_token_id", None), self.id("eos_token_id", None)
        before = [first] if self.flag("add_bos_token", bos) and first is not None else []
        after = [last] if self.flag("add_eos_token", eos) and last is not None else []
        return before, after
