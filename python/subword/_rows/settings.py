"""The settings of rows: those of the call, or else what the tokenizer's file saved, or else none.

encode_inputs(tok, texts, max_length=128)     max_length 128; stride, sides, padding: as saved
encode_inputs(tok, texts, truncation=None)    nothing is cut, whatever was saved
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from subword._types import Padding, Saved, Side, Truncation

if TYPE_CHECKING:
    from subword._core import Engine

#: The special tokens that are taken to pad with, if neither the caller nor the file names one.
PAD_TOKENS = ("[PAD]", "<pad>")

#: What stands for a setting that the file does not save.
USUAL: dict[str, Any] = {
    "max_length": None,
    "truncation": "longest_first",
    "truncation_side": "right",
    "stride": 0,
    "padding": "longest",
    "padding_side": "right",
    "pad_to_multiple_of": None,
}


@dataclass(frozen=True)
class RowSettings:
    """How texts become rows."""

    #: The most ids of a row; None cuts nothing.
    max_length: int | None
    truncation: Truncation | None
    truncation_side: Side
    stride: int
    #: A number: rows of this length.
    padding: Padding | int | None
    padding_side: Side
    pad_to_multiple_of: int | None
    #: What the file saves about the ids that a row is filled up with.
    pad_id: int | None = None
    pad_type: int = 0

    def pads_to(self) -> Padding | int | None:
        """How long rows are made; None pads nothing."""
        if self.padding == "max_length":
            return self.max_length
        return None if self.padding == "ragged" else self.padding


def row_settings(tokenizer: Engine, given: dict[str, Any], has_pairs: bool) -> RowSettings:
    """What the caller says, checked, and what the file says where the caller does not.

    Raises:
        ValueError: A setting of the caller has no meaning, or two do not fit together.
    """
    saved = tokenizer._saved_rows
    chosen = {
        name: saved.get(name, USUAL[name]) if value == get_args(Saved)[0] else value
        for name, value in given.items()
    }
    settings = RowSettings(**chosen, pad_id=saved.get("pad_id"), pad_type=saved.get("pad_type", 0))
    if settings.truncation is not None:
        one_of("truncation", settings.truncation, Truncation)
    one_of("truncation_side", settings.truncation_side, Side)
    one_of("padding_side", settings.padding_side, Side)
    if settings.padding is not None and not isinstance(settings.padding, int):
        one_of("padding", settings.padding, Padding)
    if given["padding"] == "max_length" and settings.max_length is None:
        raise ValueError('padding="max_length" needs max_length')
    multiple = settings.pad_to_multiple_of
    if multiple is not None and multiple < 1:
        raise ValueError(f"pad_to_multiple_of must be at least 1, not {multiple}")
    if settings.stride < 0:
        raise ValueError(f"stride must not be negative, but is {settings.stride}")
    if given["truncation"] == "only_second" and not has_pairs:
        raise ValueError('truncation="only_second" needs pairs')
    return settings


def one_of(name: str, value: object, choices: Any) -> None:
    """An error if a value is none of the choices of a type."""
    if value not in get_args(choices):
        known = " or ".join(f'"{choice}"' for choice in get_args(choices))
        raise ValueError(f"{name} must be {known}, not {value!r}")


def pad_id(tokenizer: Engine, pad_token: str | None, saved: int | None) -> int:
    """The id that rows are filled up with."""
    if pad_token is None and saved is not None:
        return saved
    special = tokenizer.special_tokens
    for token in PAD_TOKENS if pad_token is None else (pad_token,):
        if token in special:
            return special[token]
    if pad_token is None:
        raise ValueError(
            "rows of unequal length need a token to pad with, and this tokenizer has no [PAD]: "
            "pass pad_token, one of its special tokens"
        )
    raise ValueError(f"pad_token {pad_token!r} is not a special token of this tokenizer")
