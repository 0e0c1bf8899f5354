"""`tokenizer_config.json`: what transformers knows of a tokenizer besides its vocabulary.

    {"tokenizer_class": "RobertaTokenizer", "add_prefix_space": false, "bos_token": "<s>",
     "added_tokens_decoder": {"50264": {"content": "<mask>", "lstrip": true, ...}}, ...}

Read are the class, the added tokens with their flags, which tokens stand around a text, and whether
a space is put before it. What is about models and training is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subword._errors import ModelFormatError

NAME = "tokenizer_config.json"

#: Larger files are refused: the largest published one, with a chat template, has half a megabyte.
MOST_BYTES = 1 << 26

#: The flags of an added token.
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class AddedToken:
    """A token that is matched before anything is merged."""

    id: int
    content: str
    flags: dict[str, bool]


@dataclass(frozen=True)
class Config:
    """What one file says."""

    path: Path
    values: dict[str, Any]
    added_tokens: list[AddedToken]

    @classmethod
    def beside(cls, path: Path) -> Config | None:
        """The configuration in the folder of a file, if there is one."""
        beside = path.with_name(NAME)
        return cls.read(beside) if beside.is_file() else None

    @classmethod
    def read(cls, path: Path) -> Config:
        """What a file says."""
        if path.stat().st_size > MOST_BYTES:
            raise ModelFormatError(str(path), f"expected at most {MOST_BYTES} bytes, found more")
        try:
            values = json.loads(path.read_bytes())
        except ValueError as error:
            raise ModelFormatError(str(path), f"the JSON cannot be read: {error}") from None
        if not isinstance(values, dict):
            raise ModelFormatError(str(path), "expected an object")
        listed = values.get("added_tokens_decoder") or {}
        if not isinstance(listed, dict):
            raise ModelFormatError(str(path), "expected an object under 'added_tokens_decoder'")
        return cls(path, values, [_added(path, id, token) for id, token in listed.items()])

    @property
    def tokenizer_class(self) -> str:
        """The name of the class in transformers, without the ending of its fast form."""
        name = self.values.get("tokenizer_class")
        return name.removesuffix("Fast") if isinstance(name, str) else ""

    def flag(self, key: str, default: bool) -> bool:
        """A setting that is true or false."""
        found = self.values.get(key)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise ModelFormatError(str(self.path), f"expected true or false under {key!r}")
        return found

    def token(self, key: str, default: str) -> str:
        """The text of a token, which is written as it is or as an object."""
        found = self.values.get(key)
        content = found.get("content") if isinstance(found, dict) else found
        if content is None:
            return default
        if not isinstance(content, str):
            raise ModelFormatError(str(self.path), f"expected a token under {key!r}")
        return content


def _added(path: Path, id: str, token: Any) -> AddedToken:
    place = f"added_tokens_decoder[{id!r}]"
    if not (id.isascii() and id.isdecimal() and len(id) <= 9):
        raise ModelFormatError(str(path), f"expected an id, found {place}")
    content = token.get("content") if isinstance(token, dict) else None
    if not isinstance(content, str) or not content:
        raise ModelFormatError(str(path), f"expected a token with its content in {place}")
    flags = {flag: token.get(flag, False) for flag in FLAGS}
    if not all(isinstance(value, bool) for value in flags.values()):
        raise ModelFormatError(str(path), f"expected flags that are true or false in {place}")
    return AddedToken(int(id), content, flags)
