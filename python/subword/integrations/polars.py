"""Expressions for polars: the ids of a column of texts, and how many they are.

    from subword.integrations.polars import count, encode

    frame.with_columns(tokens=count("text", tok))
    frame.lazy().select(encode(pl.col("text"), tok, add_special_tokens=True)).collect()

A null has a null. The texts are read where polars keeps them, and polars takes the ids as they are,
as an Arrow column: nothing is copied row by row. One call of the expression uses all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from subword import SubwordError, Tokenizer
from subword.integrations._columns import counts_of, ids_of
from subword.integrations._extras import load

if TYPE_CHECKING:
    import polars as pl

    from subword._types import Errors, Special


def encode(
    texts: pl.Expr | str,
    tok: Tokenizer,
    *,
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
    threads: int | None = None,
) -> pl.Expr:
    """The ids of texts, as lists of ``UInt32``.

    Args:
        texts: A column, by its name, or an expression of strings.
        tok: The tokenizer.
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        errors: What to do with lone surrogates, as in `Tokenizer.encode`.
        add_special_tokens: Whether to put the template of the model around each text.
        threads: How many threads may work; None means one for each core.

    Returns:
        The expression.

    Example:
        >>> import polars as pl
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> frame = pl.DataFrame({"text": ["low", None, ""]})
        >>> frame.select(encode("text", tok))["text"].to_list()
        [[256, 119], None, []]
    """
    settings = _settings(special, errors, add_special_tokens, threads)
    pl = load("polars")
    return _expression(texts, ids_of, tok, settings, pl.List(pl.UInt32))


def count(
    texts: pl.Expr | str,
    tok: Tokenizer,
    *,
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
    threads: int | None = None,
) -> pl.Expr:
    """How many ids texts have, as ``UInt32``; the arguments are those of `encode`.

    Example:
        >>> import polars as pl
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> frame = pl.DataFrame({"text": ["low", None, ""]})
        >>> frame.select(count(pl.col("text"), tok))["text"].to_list()
        [2, None, 0]
    """
    settings = _settings(special, errors, add_special_tokens, threads)
    return _expression(texts, counts_of, tok, settings, load("polars").UInt32)


def _settings(
    special: Special, errors: Errors, add_special_tokens: bool, threads: int | None
) -> dict[str, Any]:
    return {
        "special": special,
        "errors": errors,
        "add_special_tokens": add_special_tokens,
        "threads": threads,
    }


def _expression(
    texts: pl.Expr | str,
    work: Callable[..., Any],
    tok: Tokenizer,
    settings: dict[str, Any],
    dtype: Any,
) -> Any:
    """An expression that gives a column of Arrow for a column of strings."""
    pl: Any = load("polars")
    load("pyarrow", "polars")
    expression = pl.col(texts) if isinstance(texts, str) else texts

    def batch(column: Any) -> Any:
        try:
            return pl.Series(column.name, work(column.to_arrow(), tok, settings), dtype)
        except SubwordError as error:  # polars makes errors anew, of their message alone
            raise pl.exceptions.ComputeError(str(error)) from error

    return expression.map_batches(batch, return_dtype=dtype)
