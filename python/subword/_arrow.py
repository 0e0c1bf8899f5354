"""Texts to ids as a column of Arrow: what data frames, SQL and Parquet writers take without a copy.

The other way, columns as texts, needs no function: every call that takes texts takes columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subword._core import IdColumn
    from subword._tokenizer import Tokenizer
    from subword._types import Errors, Special, Texts


def encode_arrow(
    tok: Tokenizer,
    texts: Texts,
    *,
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
    prepend: str | int | None = None,
    append: str | int | None = None,
    threads: int | None = None,
) -> IdColumn:
    """Encode many texts to a column of Arrow, with a null for each null.

    The column is of the type ``large_list<uint32>``, and offers Arrow's C data interface
    (``__arrow_c_array__``): ``pyarrow.array(column)``, ``polars.Series(column)`` and
    ``pandas.Series.from_arrow(column)`` read its memory where it lies. No package is needed here.

    Args:
        tok: The tokenizer.
        texts: A column of strings of Arrow (pyarrow, polars, pandas), of any of its layouts, in
            chunks or not; or any iterable of texts, of which none may be None.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        add_special_tokens: Whether to put the tokens of the model's template around each text.
        prepend: A special token or an id to put before each text.
        append: A special token or an id to put after each text.
        threads: How many threads may work; None means one for each core.

    Returns:
        The column, one list for each text.

    Raises:
        TypeError: The texts are a table, a mapping, or a column of something else.
        ArgumentError: ``prepend`` or ``append`` is no special token. It is a `ValueError`.
        SpecialTokenError: A text spells a special token, with ``special="error"``.
        TextError: A text has a lone surrogate, or something that the model has no token for.

    Example:
        >>> import pyarrow
        >>> from subword import Tokenizer, encode_arrow
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> column = encode_arrow(tok, pyarrow.array(["low", None, "l"]))
        >>> column
        <IdColumn: 3 lists, 1 of them null, 3 ids>
        >>> pyarrow.array(column).to_pylist()
        [[256, 119], None, [108]]
    """
    return tok._encode_arrow(
        texts,
        special=special,
        errors=errors,
        add_special_tokens=add_special_tokens,
        prepend=prepend,
        append=append,
        threads=threads,
    )
