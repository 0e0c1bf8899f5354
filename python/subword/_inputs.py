"""`encode_inputs`: the arrays that a model takes. `_rows` fills them, and loads numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import (
        Errors,
        ModelInputs,
        Padding,
        Side,
        Special,
        Texts,
        Truncation,
    )


def encode_inputs(
    tok: Tokenizer,
    texts: Texts,
    pairs: Texts | None = None,
    *,
    max_length: int | None = None,
    truncation: Truncation = "longest_first",
    truncation_side: Side = "right",
    padding: Padding | None = "longest",
    padding_side: Side = "right",
    pad_to_multiple_of: int | None = None,
    pad_token: str | None = None,
    add_special_tokens: bool = True,
    special: Special = "text",
    errors: Errors = "strict",
    threads: int | None = None,
) -> ModelInputs:
    """Encode many texts, or pairs of texts, to the numpy arrays that a model takes.

    Nothing is remembered between calls: the next one does what its own arguments say.

    Args:
        tok: The tokenizer.
        texts: The texts, one for each row.
        pairs: A second text for each row.
        max_length: The most ids of a row, template included; None cuts nothing.
        truncation: Which of two texts is cut where a row is too long: the longer one until they
            fit (``"longest_first"``), ``"only_first"`` or ``"only_second"``.
        truncation_side: At which end a text is cut.
        padding: How long rows are made: as the longest of them (``"longest"``), or ``max_length``
            (``"max_length"``). None pads nothing, and refuses rows of unequal length.
        padding_side: At which end a row is padded.
        pad_to_multiple_of: Make the length of rows a multiple of this number.
        pad_token: The special token to pad with; by default ``[PAD]`` or ``<pad>``.
        add_special_tokens: Whether to put the template around each row.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        threads: How many threads may work; None means one for each core.

    Returns:
        A dictionary of three arrays of ``int64`` with a row for each text: ``input_ids``,
        ``attention_mask`` (1 for ids, 0 for padding) and ``token_type_ids``.

    Raises:
        ValueError: Arguments do not fit together, a row cannot be cut as asked, or there is no
            token to pad with.
        SpecialTokenError: A text spells a special token, with ``special="error"``.
        TextError: A text has a lone surrogate, or something that the model has no token for.

    Example:
        >>> from subword import Tokenizer, encode_inputs
        >>> tok = Tokenizer.wordpiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "low", "##er", "slow"])
        >>> inputs = encode_inputs(tok, ["Lower", "low"], ["slow", "slow lower"], max_length=6)
        >>> inputs["input_ids"].tolist()
        [[2, 4, 5, 3, 6, 3], [2, 4, 3, 6, 4, 3]]
        >>> inputs["token_type_ids"].tolist()
        [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]]
    """
    from subword._rows import model_inputs

    return model_inputs(
        tok,
        texts,
        pairs,
        max_length=max_length,
        truncation=truncation,
        truncation_side=truncation_side,
        padding=padding,
        padding_side=padding_side,
        pad_to_multiple_of=pad_to_multiple_of,
        pad_token=pad_token,
        add_special_tokens=add_special_tokens,
        special=special,
        errors=errors,
        threads=threads,
    )
