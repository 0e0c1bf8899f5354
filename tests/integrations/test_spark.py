"""Real Spark, two tasks at a time: counts, model and ids are those of one machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import subword
from subword import (
    BpeTrainer,
    CorpusError,
    PatternError,
    TrainingError,
    UnigramTrainer,
    WordPieceTrainer,
)
from subword.integrations import spark

from tests.support.clusters import DOCUMENTS, SPECIAL_TOKENS, TEXTS
from tests.support.small import tokenizer_named

pytest.importorskip("pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    made = SparkSession.builder.master("local[2]").getOrCreate()
    made.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def corpus(session: SparkSession) -> DataFrame:
    """More partitions than a thread has, and some without a row."""
    rows = [(at, text) for at, text in enumerate(DOCUMENTS)]
    made = session.createDataFrame(rows, "n int, text string").repartition(7, "n")
    return made.union(made.where("n < 0"))


@pytest.mark.parametrize("memory_limit", ["10KB", None])
def test_counts_are_those_of_one_machine(corpus: DataFrame, memory_limit: str | None) -> None:
    made_by: dict[str, Any] = {"pattern": "cl100k", "special_tokens": SPECIAL_TOKENS}
    one = subword.count_pieces(texts=TEXTS, **made_by)
    pieces = spark.count_pieces(corpus, memory_limit=memory_limit, **made_by)
    assert [tuple(column) for column in pieces.dtypes] == [("piece", "binary"), ("count", "bigint")]
    counts = spark.to_counts(pieces, **made_by)
    assert counts == one
    assert counts.fingerprint == one.fingerprint


def test_the_model_is_that_of_one_machine_bit_for_bit(corpus: DataFrame) -> None:
    settings: dict[str, Any] = {"vocab_size": 500, "special_tokens": SPECIAL_TOKENS}
    one = BpeTrainer(**settings).train_iter(TEXTS)
    assert spark.train_bpe(corpus, "text", **settings).to_bytes() == one.to_bytes()
    trainer = WordPieceTrainer(200, min_count=1, special_tokens=["[UNK]", *SPECIAL_TOKENS])
    pieces = spark.count_pieces(corpus, **trainer.counting())
    made = trainer.train_counts(spark.to_counts(pieces, **trainer.counting()))
    assert made.to_bytes() == trainer.train_iter(TEXTS).to_bytes()
    unigram = UnigramTrainer(400, byte_fallback=True, user_defined_symbols=SPECIAL_TOKENS)
    pieces = spark.count_pieces(corpus, **unigram.counting())
    made = unigram.train_counts(spark.to_counts(pieces, **unigram.counting()))
    assert made.to_bytes() == unigram.train_iter(TEXTS).to_bytes()


@pytest.mark.parametrize("special", ["text", "encode"])
def test_ids_are_those_of_one_machine(corpus: DataFrame, special: Any) -> None:
    tok = tokenizer_named("ranks, cl100k")
    encoded = spark.encode(corpus, tok, special=special)
    assert encoded.dtypes == [("n", "int"), ("text", "string"), ("ids", "array<int>")]
    rows = encoded.orderBy("n").collect()
    assert [row.text for row in rows] == DOCUMENTS
    one = [None if text is None else tok.encode(text, special=special) for text in DOCUMENTS]
    assert [row.ids for row in rows] == one


def test_a_tokenizer_may_travel_with_the_tasks(corpus: DataFrame) -> None:
    """That is how it gets around where there is no broadcast, in Spark Connect."""
    tok = tokenizer_named("ranks, cl100k")
    work = spark._Encoded(tok, "text", "ids", {})
    texts = corpus.where("text is not null")
    rows = texts.mapInArrow(work, "n int, text string, ids array<int>").orderBy("n").collect()
    assert [row.ids for row in rows] == tok.encode_batch(TEXTS)


def test_columns_of_bytes_are_texts_too(session: SparkSession) -> None:
    texts = [*(text.encode() for text in TEXTS), b"\xff low"]
    rows = session.createDataFrame([*((text,) for text in texts), (None,)], "data binary")
    tok = tokenizer_named("template")
    encoded = spark.encode(rows, tok, "data", to="out", add_special_tokens=True).collect()
    one = [*tok.encode_batch(texts, add_special_tokens=True), None]
    assert [row.out for row in encoded] == one
    counts = spark.to_counts(spark.count_pieces(rows, "data", errors="replace"))
    assert counts == subword.count_pieces(texts=texts, errors="replace")
    with pytest.raises(PythonException, match="not UTF-8 at position 0"):
        spark.count_pieces(rows, "data").collect()


def test_what_cannot_work_is_refused_before_a_job_starts(corpus: DataFrame) -> None:
    tok = tokenizer_named("merges")
    with pytest.raises(CorpusError) as caught:
        spark.count_pieces(corpus, "body")
    assert str(caught.value) == "no column \"body\"\n  hint: pass column='n', or another one"
    with pytest.raises(CorpusError) as caught:
        spark.encode(corpus, tok, "n")
    assert str(caught.value) == 'column "n": expected strings or bytes, found int'
    with pytest.raises(CorpusError, match='there is a column "n" already'):
        spark.encode(corpus, tok, to="n")
    with pytest.raises(PatternError):
        spark.count_pieces(corpus, pattern="(")
    with pytest.raises(TrainingError, match="vocab_size=10 is too small"):
        spark.train_bpe(corpus, vocab_size=10)


def test_a_missing_library_is_named_with_what_installs_it(
    corpus: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.functions", None)
    with pytest.raises(ImportError) as caught:
        spark.count_pieces(corpus)
    assert str(caught.value) == "this needs pyspark\n  hint: pip install 'subword[spark]'"
