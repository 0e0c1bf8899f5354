"""Counting, training and encoding on Ray Data: the counts, the model and the ids of one machine.

    from subword.integrations import ray

    tok = ray.train_bpe(ds, "text", vocab_size=32_000, special_tokens=["<|endoftext|>"])
    ray.encode(ds, tok, "text").write_parquet("ids")

What travels is small. A task counts the pieces of its whole block before anything is shuffled, so
the most frequent piece is one row per block, like the rarest. The sums come to the driver as a few
bytes per piece, and there the merges are learned, as on any machine.

    block -> Counts -> (piece, count) -> shuffle, sum -> Counts -> driver -> merges

A tokenizer is put into the object store: sent to each node once, and made ready once in each actor.
A task uses one thread. Workers need this package, as the driver does.

Invariants
* The result depends on the rows alone, not on blocks, their order, retries or empty ones.
* A null is no document: it is not counted, and its ids are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from subword import BpeTrainer, Counts, Tokenizer
from subword.integrations._columns import (
    Count,
    Encode,
    Pack,
    check_new,
    check_text,
    remembered,
    unpacked,
)
from subword.integrations._extras import load

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

    from subword._types import Errors, Pattern, Special


def count_pieces(
    ds: Dataset,
    column: str = "text",
    *,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
    errors: Errors = "strict",
    memory_limit: int | str | None = "256MB",
) -> Dataset:
    """How often each piece occurs in a column: a Dataset of ``piece: binary, count: int64``.

    The arguments are those of `subword.count_pieces`. ``memory_limit`` bounds the table of a task;
    what does not fit is sorted and written to the worker's disk.
    """
    aggregate = load("ray.data.aggregate", "ray")
    _check_text(ds, column)
    made_by = remembered(pattern, special_tokens, normalizer)
    work = Count(column, made_by, {"errors": errors, "memory_limit": memory_limit})
    texts = ds.select_columns([column])
    counted = texts.map_batches(_Block(work), batch_format="pyarrow", batch_size=None)
    return counted.groupby("piece").aggregate(aggregate.Sum("count", alias_name="count"))


def to_counts(
    pieces: Dataset,
    *,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
) -> Counts:
    """The rows of `count_pieces` as `Counts`, on the driver: to save, to prune, to train from.

    The arguments are those that the pieces were counted by. A filter on the way
    (``pieces.filter(expr="count >= 2")``) leaves out what a driver has no room for.
    """
    made_by = remembered(pattern, special_tokens, normalizer)
    packed = pieces.map_batches(_Block(Pack(made_by)), batch_format="pyarrow", batch_size=None)
    return unpacked((row["counts"] for row in packed.iter_rows()), made_by)


def train_bpe(
    ds: Dataset,
    column: str = "text",
    *,
    errors: Errors = "strict",
    memory_limit: int | str | None = "256MB",
    **settings: Any,
) -> Tokenizer:
    """Learn byte-pair encoding from a column: counted by the workers, merged on the driver.

    ``settings`` are those of `BpeTrainer`, and the tokenizer is the one that it gives on one
    machine. To learn several, or WordPiece, count once: see `count_pieces` and `to_counts`.
    """
    trainer = BpeTrainer(**settings)
    counting = trainer.counting()
    pieces = count_pieces(ds, column, errors=errors, memory_limit=memory_limit, **counting)
    return trainer.train_counts(to_counts(pieces, **counting))


def encode(
    ds: Dataset,
    tok: Tokenizer,
    column: str = "text",
    *,
    to: str = "ids",
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
    **settings: Any,
) -> Dataset:
    """The Dataset with the ids of ``column`` in a new column ``to``, a list of int32.

    ``special``, ``errors`` and ``add_special_tokens`` are those of `Tokenizer.encode`, other
    ``settings`` those of `Dataset.map_batches`: ``concurrency``, ``batch_size``, and so on.
    """
    names = _check_text(ds, column)
    check_new(to, names)
    how = {"special": special, "errors": errors, "add_special_tokens": add_special_tokens}
    return ds.map_batches(
        Encode,
        fn_constructor_args=(tok, column, to, how),
        batch_format="pyarrow",
        **{"batch_size": None, **settings},
    )


@dataclass(frozen=True)
class _Block:
    """Work on tables, for `map_batches`, which has one: a block."""

    work: Callable[[Iterable[pa.Table]], Iterator[pa.Table]]

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        return self.work([table])


def _check_text(ds: Dataset, column: str) -> list[str]:
    """Refuse a column that has no texts, and name all columns, where they are known.

    A dataset that is yet to be computed may not know: there a worker finds out.
    """
    schema = ds.schema(fetch_if_missing=False)
    if schema is None:
        return []
    check_text(column, dict(zip(schema.names, schema.types, strict=True)))
    return list(schema.names)
