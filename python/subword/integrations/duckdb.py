"""Functions for DuckDB: the ids of a text, and how many they are.

    from subword.integrations.duckdb import register

    register(connection, tok)
    connection.sql("SELECT sum(token_count(text)) FROM 'corpus.parquet'")
    connection.sql("SELECT id, token_ids(text) AS ids FROM documents")

They take columns as Arrow arrays and give Arrow arrays back, some thousands of rows at a time. A
null has a null. DuckDB runs functions of Python one after the other, so each call uses all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from subword import Tokenizer
from subword.integrations._columns import counts_of, ids_of
from subword.integrations._extras import load

if TYPE_CHECKING:
    import duckdb

    from subword._types import Special


def register(
    connection: duckdb.DuckDBPyConnection,
    tok: Tokenizer,
    *,
    count: str = "token_count",
    encode: str = "token_ids",
    special: Special = "text",
    add_special_tokens: bool = False,
    threads: int | None = None,
) -> None:
    """Make two functions of SQL: how many ids a text has, and which.

    Args:
        connection: The connection that gets the functions.
        tok: The tokenizer.
        count: The name of the function from VARCHAR to UINTEGER.
        encode: The name of the function from VARCHAR to UINTEGER[].
        special: What to do where a text spells a special token, as in `Tokenizer.encode`.
        add_special_tokens: Whether to put the template of the model around each text.
        threads: How many threads may work; None means one for each core.

    Example:
        >>> import duckdb
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> connection = duckdb.connect()
        >>> register(connection, tok)
        >>> connection.sql("SELECT token_count('low'), token_ids('low')").fetchall()
        [(2, [256, 119])]
    """
    load("duckdb")
    load("pyarrow", "duckdb")
    settings: dict[str, Any] = {
        "special": special,
        "add_special_tokens": add_special_tokens,
        "threads": threads,
    }
    for name, work, result in ((count, counts_of, "UINTEGER"), (encode, ids_of, "UINTEGER[]")):
        connection.create_function(
            name,
            _bound(work, tok, settings),
            ["VARCHAR"],
            result,
            type="arrow",
            null_handling="special",
        )


def _bound(work: Callable[..., Any], tok: Tokenizer, settings: dict[str, Any]) -> Any:
    """A function of a column alone, without types, which DuckDB would evaluate."""
    return lambda column: work(column, tok, settings)
