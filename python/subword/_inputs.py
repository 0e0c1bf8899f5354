"""`encode_inputs`: the arrays that a model takes. `_rows` fills them, and loads numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import (
        Errors,
        Extra,
        ModelInputs,
        Padding,
        Saved,
        Side,
        Special,
        Texts,
        Truncation,
    )


def encode_inputs(
    tok: Tokenizer,
    texts: Texts | Sequence[Any],
    pairs: Texts | Sequence[Any] | None = None,
    *,
    max_length: int | Saved | None = "saved",
    truncation: Truncation | Saved | None = "saved",
    truncation_side: Side | Saved = "saved",
    stride: int | Saved = "saved",
    overflow: bool = False,
    padding: Padding | Saved | None = "saved",
    padding_side: Side | Saved = "saved",
    pad_to_multiple_of: int | Saved | None = "saved",
    pad_token: str | None = None,
    add_special_tokens: bool = True,
    words: bool = False,
    also: Sequence[Extra] = (),
    special: Special = "text",
    errors: Errors = "strict",
    threads: int | None = None,
) -> ModelInputs:
    """Encode many texts, or pairs of texts, to the numpy arrays that a model takes.

    Nothing is remembered between calls: the next one does what its own arguments say. What is
    ``"saved"`` is done as the ``tokenizer.json`` says that the tokenizer was loaded from, in its
    ``truncation`` and ``padding``; where it says nothing, nothing is cut, and rows are padded to
    the longest of them. Each argument that is passed wins.

    Args:
        tok: The tokenizer.
        texts: The texts, one for each row; or tuples of two texts, where ``pairs`` is None.
        pairs: A second text for each row.
        max_length: The most ids of a row, template included; None cuts nothing.
        truncation: Which of two texts is cut where a row is too long: the longer one until they
            fit (``"longest_first"``, unless another is saved), ``"only_first"`` or
            ``"only_second"``. None cuts nothing.
        truncation_side: At which end a text is cut: ``"right"``, unless another is saved.
        stride: How many ids a window of a text has in common with the one before it, with
            ``overflow``.
        overflow: Whether what is cut off stands in rows of its own: the text is read in windows of
            the room that it has in its row, and each window is a row.
        padding: How long rows are made: as the longest of them (``"longest"``), or ``max_length``
            (``"max_length"``). ``"ragged"`` pads nothing, and arrays have all rows one after the
            other. None pads nothing, and refuses rows of unequal length.
        padding_side: At which end a row is padded: ``"right"``, unless another is saved.
        pad_to_multiple_of: Make the length of rows a multiple of this number; None makes it none.
        pad_token: The special token to pad with; by default the saved one, or ``[PAD]`` or
            ``<pad>``.
        add_special_tokens: Whether to put the template around each row.
        words: Whether each text is a list of words. Words are encoded one by one, and offsets are
            places in a word.
        also: What else to tell about each id: ``"offsets"``, ``"word_ids"``, ``"sequence_ids"``,
            ``"special_tokens_mask"``.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        threads: How many threads may work; None means one for each core.

    Returns:
        A dictionary of three arrays of ``int64`` with a row for each text: ``input_ids``,
        ``attention_mask`` (1 for ids, 0 for padding) and ``token_type_ids``. Further arrays:
        ``offsets``, where each token starts and ends in its text, in characters, ``(0, 0)`` for
        none; ``word_ids``, the number of the piece or word of its text, -1 for none;
        ``sequence_ids``, 0 for the first text, 1 for the second, -1 for none;
        ``special_tokens_mask``, 1 for what the template and padding add. With ``overflow``,
        ``overflow_to_sample`` is the number of the text of each row. With ``padding="ragged"``,
        ``bounds`` says where rows start and end: row ``i`` is ``bounds[i]`` to ``bounds[i + 1]``.

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

        A long text in windows, with the places of tokens:

        >>> inputs = encode_inputs(
        ...     tok, ["low slow lower"], max_length=5, stride=1, overflow=True, also=["offsets"]
        ... )
        >>> inputs["input_ids"].tolist(), inputs["overflow_to_sample"].tolist()
        ([[2, 4, 6, 4, 3], [2, 4, 5, 3, 0]], [0, 0])
        >>> inputs["offsets"][1].tolist()
        [[0, 0], [9, 12], [12, 14], [0, 0], [0, 0]]
    """
    from subword._rows.model_inputs import model_inputs

    return model_inputs(
        tok,
        texts,
        pairs,
        {
            "max_length": max_length,
            "truncation": truncation,
            "truncation_side": truncation_side,
            "stride": stride,
            "padding": padding,
            "padding_side": padding_side,
            "pad_to_multiple_of": pad_to_multiple_of,
        },
        overflow=overflow,
        pad_token=pad_token,
        add_special_tokens=add_special_tokens,
        words=words,
        also=also,
        special=special,
        errors=errors,
        threads=threads,
    )
