"""Real Ray, two tasks at a time: counts, model and ids are those of one machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import subword
from subword import BpeTrainer, CorpusError, PatternError, TrainingError, UnigramTrainer
from subword.integrations import ray

from tests.support.clusters import DOCUMENTS, SPECIAL_TOKENS, TEXTS
from tests.support.small import tokenizer_named

real = pytest.importorskip("ray")
data = pytest.importorskip("ray.data")

pytestmark = pytest.mark.ray


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    real.init("local", num_cpus=2, include_dashboard=False, object_store_memory=100 << 20)
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.default_hash_shuffle_parallelism = 2
    yield
    real.shutdown()


@pytest.fixture(scope="module")
def corpus() -> Any:
    """More blocks than there are tasks at a time, and one without a row."""
    rows = [{"n": n, "text": text} for n, text in enumerate(DOCUMENTS)]
    schema = pa.schema({"n": pa.int64(), "text": pa.string()})
    blocks = [*(rows[at::5] for at in range(5)), []]
    return data.from_arrow([pa.Table.from_pylist(block, schema=schema) for block in blocks])


def test_counts_are_those_of_one_machine(corpus: Any) -> None:
    made_by: dict[str, Any] = {"pattern": "cl100k", "special_tokens": SPECIAL_TOKENS}
    one = subword.count_pieces(texts=TEXTS, **made_by)
    pieces = ray.count_pieces(corpus, memory_limit="10KB", **made_by)
    counts = ray.to_counts(pieces, **made_by)
    assert counts == one
    assert counts.fingerprint == one.fingerprint


def test_the_model_is_that_of_one_machine_bit_for_bit(corpus: Any) -> None:
    settings: dict[str, Any] = {"vocab_size": 500, "special_tokens": SPECIAL_TOKENS}
    one = BpeTrainer(**settings).train_iter(TEXTS)
    assert ray.train_bpe(corpus, "text", **settings).to_bytes() == one.to_bytes()


def test_other_models_are_those_of_one_machine_too(corpus: Any) -> None:
    settings: dict[str, Any] = {"initial_vocab": "chars", "byte_fallback": True, "num_merges": 90}
    one = BpeTrainer(**settings).train_iter(TEXTS)
    assert ray.train_bpe(corpus, "text", **settings).to_bytes() == one.to_bytes()
    trainer = UnigramTrainer(400, byte_fallback=True, user_defined_symbols=SPECIAL_TOKENS)
    pieces = ray.count_pieces(corpus, **trainer.counting())
    made = trainer.train_counts(ray.to_counts(pieces, **trainer.counting()))
    assert made.to_bytes() == trainer.train_iter(TEXTS).to_bytes()


def test_superwords_and_fair_training_are_those_of_one_machine(corpus: Any) -> None:
    words = BpeTrainer(400).train_iter(TEXTS)
    settings: dict[str, Any] = {"vocab_size": 440, "base": words, "superwords": "any"}
    one = BpeTrainer(**settings).train_iter(TEXTS)
    assert ray.train_bpe(corpus, "text", **settings).to_bytes() == one.to_bytes()
    trainer = BpeTrainer(400)
    other = subword.count_pieces(texts=["niin naan noin"])
    pieces = ray.count_pieces(corpus, **trainer.counting())
    sources = {"all": ray.to_counts(pieces, **trainer.counting()), "other": other}
    fair = trainer.train_fair({"all": subword.count_pieces(texts=TEXTS), "other": other})
    assert trainer.train_fair(sources).to_bytes() == fair.to_bytes()


def test_ids_are_those_of_one_machine(corpus: Any) -> None:
    tok = tokenizer_named("ranks, cl100k")
    rows = sorted(ray.encode(corpus, tok, special="encode").take_all(), key=lambda row: row["n"])
    assert [row["text"] for row in rows] == DOCUMENTS
    one = [None if text is None else tok.encode(text, special="encode") for text in DOCUMENTS]
    assert [None if row["ids"] is None else list(row["ids"]) for row in rows] == one


def test_columns_of_bytes_are_texts_too() -> None:
    texts = [*(text.encode() for text in TEXTS), b"\xff low"]
    rows = data.from_arrow(pa.table({"data": [*texts, None]}))
    tok = tokenizer_named("template")
    encoded = ray.encode(rows, tok, "data", to="out", add_special_tokens=True, concurrency=1)
    tables = real.get(encoded.to_arrow_refs())
    out = [ids for table in tables for ids in table["out"].to_pylist()]
    assert out == [*tok.encode_batch(texts, add_special_tokens=True), None]
    assert {table.schema.field("out").type for table in tables} == {pa.list_(pa.int32())}


def test_what_cannot_work_is_refused_before_a_task_starts(corpus: Any) -> None:
    tok = tokenizer_named("merges")
    with pytest.raises(CorpusError) as caught:
        ray.count_pieces(corpus, "body")
    assert str(caught.value) == "no column \"body\"\n  hint: pass column='n', or another one"
    with pytest.raises(CorpusError) as caught:
        ray.encode(corpus, tok, "n")
    assert str(caught.value) == 'column "n": expected strings or bytes, found int64'
    with pytest.raises(CorpusError, match='there is a column "n" already'):
        ray.encode(corpus, tok, to="n")
    with pytest.raises(PatternError):
        ray.count_pieces(corpus, pattern="(")
    with pytest.raises(TrainingError, match="vocab_size=10 is too small"):
        ray.train_bpe(corpus, vocab_size=10)


def test_a_worker_refuses_what_only_it_can_know(corpus: Any) -> None:
    unknown = corpus.map_batches(lambda table: table.select(["n"]), batch_format="pyarrow")
    with pytest.raises(real.exceptions.RayTaskError, match='no column "text"'):
        ray.encode(unknown, tokenizer_named("merges"), concurrency=1).take_all()


def test_a_missing_library_is_named_with_what_installs_it(
    corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray.data.aggregate", None)
    with pytest.raises(ImportError) as caught:
        ray.count_pieces(corpus)
    assert str(caught.value) == "this needs ray\n  hint: pip install 'subword[ray]'"
