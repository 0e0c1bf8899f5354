"""Counting, training and encoding on Spark: the counts, the model and the ids of one machine.

    from subword.integrations import spark

    tok = spark.train_bpe(df, "text", vocab_size=32_000, special_tokens=["<|endoftext|>"])
    spark.encode(df, tok, "text").write.parquet("ids")

What travels is small. A task counts the pieces of its whole partition before anything is shuffled,
so the most frequent piece is one row per partition, like the rarest. The sums come to the driver as
a few bytes per piece, and there the merges are learned, as on any machine.

    partition -> Counts -> (piece, count) -> shuffle, sum -> Counts -> driver -> merges

A tokenizer is broadcast: sent to each executor once, and made ready once in each Python worker. A
task uses one thread. Executors need this package and pyarrow, as the driver does.

Invariants
* The result depends on the rows alone, not on partitions, their order, retries or empty ones.
* A null is no document: it is not counted, and its ids are null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from subword import BpeTrainer, Counts, Tokenizer
from subword.integrations._columns import (
    Count,
    Encode,
    Pack,
    check_new,
    check_there,
    no_text,
    remembered,
    unpacked,
)
from subword.integrations._extras import load

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

    from subword._types import Errors, Pattern, Special

TEXT_TYPES = {"string", "varchar", "char", "binary"}


def count_pieces(
    df: DataFrame,
    column: str = "text",
    *,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
    errors: Errors = "strict",
    memory_limit: int | str | None = "256MB",
) -> DataFrame:
    """How often each piece occurs in a column: a DataFrame of ``piece: binary, count: bigint``.

    The arguments are those of `subword.count_pieces`. ``memory_limit`` bounds the table of a task;
    what does not fit is sorted and written to the executor's disk.
    """
    functions = load("pyspark.sql.functions", "spark")
    _check_text(df, column)
    made_by = remembered(pattern, special_tokens, normalizer)
    work = Count(column, made_by, {"errors": errors, "memory_limit": memory_limit})
    counted = df.select(column).mapInArrow(_Batches(work), "piece binary, count bigint")
    return counted.groupBy("piece").agg(functions.sum("count").alias("count"))


def to_counts(
    pieces: DataFrame,
    *,
    pattern: Pattern = "gpt2",
    special_tokens: Iterable[str] = (),
    normalizer: str | None = None,
) -> Counts:
    """The rows of `count_pieces` as `Counts`, on the driver: to save, to prune, to train from.

    The arguments are those that the pieces were counted by. A filter on the way
    (``pieces.where("count >= 2")``) leaves out what a driver has no room for.
    """
    made_by = remembered(pattern, special_tokens, normalizer)
    packed = pieces.select("piece", "count").mapInArrow(_Batches(Pack(made_by)), "counts binary")
    rows = packed.collect()
    return unpacked((bytes(row.counts) for row in rows), made_by)


def train_bpe(
    df: DataFrame,
    column: str = "text",
    *,
    errors: Errors = "strict",
    memory_limit: int | str | None = "256MB",
    **settings: Any,
) -> Tokenizer:
    """Learn byte-pair encoding from a column: counted on the executors, merged on the driver.

    ``settings`` are those of `BpeTrainer`, and the tokenizer is the one that it gives on one
    machine. To learn several, or WordPiece, count once: see `count_pieces` and `to_counts`.
    """
    trainer = BpeTrainer(**settings)
    counting = trainer.counting()
    pieces = count_pieces(df, column, errors=errors, memory_limit=memory_limit, **counting)
    return trainer.train_counts(to_counts(pieces, **counting))


def encode(
    df: DataFrame,
    tok: Tokenizer,
    column: str = "text",
    *,
    to: str = "ids",
    special: Special = "text",
    errors: Errors = "strict",
    add_special_tokens: bool = False,
) -> DataFrame:
    """The DataFrame with the ids of ``column`` in a new column ``to``, an ``array<int>``.

    ``special``, ``errors`` and ``add_special_tokens`` are those of `Tokenizer.encode`. All columns
    pass through Python on the way: select what you need before.
    """
    types = load("pyspark.sql.types", "spark")
    _check_text(df, column)
    check_new(to, df.columns)
    # Spark Connect has no context, and sends the tokenizer with every task.
    context = getattr(df.sparkSession, "sparkContext", None)
    shared = tok if context is None else context.broadcast(tok)
    how = {"special": special, "errors": errors, "add_special_tokens": add_special_tokens}
    ids = types.StructField(to, types.ArrayType(types.IntegerType(), containsNull=False))
    schema = types.StructType([*df.schema.fields, ids])
    return df.mapInArrow(_Encoded(shared, column, to, how), schema)


@dataclass(frozen=True)
class _Batches:
    """Work on the tables of a partition, for `mapInArrow`, which has record batches."""

    work: Callable[[Iterable[pa.Table]], Iterable[pa.Table]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for table in self.work(pa.Table.from_batches([batch]) for batch in batches):
            yield from table.to_batches()


@dataclass(frozen=True)
class _Encoded:
    """The rows of a partition with their ids, for `mapInArrow`."""

    shared: Broadcast[Tokenizer] | Tokenizer
    column: str
    to: str
    how: dict[str, Any]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tok = self.shared if isinstance(self.shared, Tokenizer) else self.shared.value
        encode = Encode(tok, self.column, self.to, self.how)
        return _Batches(partial(map, encode))(batches)


def _check_text(df: DataFrame, column: str) -> None:
    check_there(column, df.columns)
    kind = df.schema[column].dataType
    if kind.typeName() not in TEXT_TYPES:
        raise no_text(column, kind.simpleString())
