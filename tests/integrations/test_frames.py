"""polars, DuckDB and datatrove: the ids of columns and documents are those of their texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from subword import MissingPackageError, Tokenizer, with_template

from tests.support.small import SAMPLE

pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("datatrove")

from subword.integrations.datatrove import EncodeDocuments  # noqa: E402
from subword.integrations.duckdb import register  # noqa: E402
from subword.integrations.polars import count, encode  # noqa: E402

VOCAB = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
TOK = with_template(Tokenizer(VOCAB, [(b"l", b"o"), (b"lo", b"w")], ["<s>"]), bos="<s>")
TEXTS: list[str | None] = [*SAMPLE.splitlines(), None, "", "low<s>", None, "é" * 40]


def ids(text: str | None, **options: Any) -> list[int] | None:
    return None if text is None else TOK.encode(text, **options)


def length(text: str | None, **options: Any) -> int | None:
    return None if text is None else TOK.count(text, **options)


OPTIONS: list[dict[str, Any]] = [{}, {"special": "encode"}, {"add_special_tokens": True}]


@pytest.mark.parametrize("options", OPTIONS)
def test_expressions_of_polars(options: dict[str, Any]) -> None:
    frame = pl.DataFrame({"text": TEXTS, "other": range(len(TEXTS))})
    made = frame.with_columns(
        ids=encode("text", TOK, **options), tokens=count(pl.col("text"), TOK, **options)
    )
    assert made.schema["ids"] == pl.List(pl.UInt32)
    assert made.schema["tokens"] == pl.UInt32
    assert made["ids"].to_list() == [ids(text, **options) for text in TEXTS]
    assert made["tokens"].to_list() == [length(text, **options) for text in TEXTS]
    assert made["text"].to_list() == TEXTS


def test_expressions_run_lazily_on_parts_slices_and_nothing() -> None:
    parts = [pl.DataFrame({"text": TEXTS[:3]}), pl.DataFrame({"text": TEXTS[3:]})]
    lazy = pl.concat(parts, rechunk=False).lazy().filter(pl.col("text") != "")
    expected = [ids(text) for text in TEXTS if text]
    assert lazy.select(encode("text", TOK, threads=1)).collect()["text"].to_list() == expected
    sliced = pl.Series("text", TEXTS)[2:5].to_frame()
    assert sliced.select(count("text", TOK))["text"].to_list() == list(map(length, TEXTS[2:5]))
    for empty in (pl.Series("text", [], pl.String), pl.Series("text", [None], pl.String)):
        made = empty.to_frame().select(ids=encode("text", TOK), tokens=count("text", TOK))
        assert made.to_dict(as_series=False) == {"ids": [None] * len(empty)} | {
            "tokens": [None] * len(empty)
        }


def test_an_expression_hands_on_errors() -> None:
    frame = pl.DataFrame({"text": ["a <s>"]})
    with pytest.raises(pl.exceptions.ComputeError, match="<s>"):
        frame.select(encode("text", TOK, special="error"))


@pytest.mark.parametrize("options", OPTIONS)
def test_functions_of_duckdb(options: dict[str, Any]) -> None:
    connection = duckdb.connect()
    register(connection, TOK, count="size", encode="ids", **options)
    connection.execute("CREATE TABLE texts (number INTEGER, text VARCHAR)")
    connection.executemany("INSERT INTO texts VALUES (?, ?)", list(enumerate(TEXTS)))
    rows = connection.execute("SELECT size(text), ids(text) FROM texts ORDER BY number").fetchall()
    assert rows == [(length(text, **options), ids(text, **options)) for text in TEXTS]
    total = connection.execute("SELECT sum(size(text)) FROM texts").fetchone()
    assert total == (sum(length(text, **options) or 0 for text in TEXTS),)


def test_many_rows_of_duckdb_come_in_parts() -> None:
    connection = duckdb.connect()
    register(connection, TOK)
    query = "SELECT bool_and(len(token_ids(t)) = token_count(t)), sum(token_count(t)) FROM "
    found = connection.execute(query + "(SELECT 'low ' || i AS t FROM range(10000) r(i))")
    assert found.fetchone() == (True, sum(TOK.count(f"low {i}") for i in range(10_000)))


def test_a_step_of_datatrove(tmp_path: Path) -> None:
    from datatrove.data import Document
    from datatrove.pipeline.tokens.counter import LengthCounter

    TOK.save(tmp_path / "tok.json")
    texts = [text or "" for text in TEXTS]
    for tok, field, size in ((TOK, None, 2), (tmp_path / "tok.json", "input_ids", 1000)):
        step = EncodeDocuments(tok, ids=field, batch_size=size)
        documents = list(step(Document(text, str(at)) for at, text in enumerate(texts)))
        assert [document.text for document in documents] == texts
        for document in documents:
            assert document.metadata["token_count"] == TOK.count(document.text)
            assert document.metadata.get("input_ids") == (ids(document.text) if field else None)
        list(LengthCounter()(documents))
        assert json.loads(json.dumps(step.stats.to_dict()))["stats"]["tokens"]["total"] == sum(
            map(TOK.count, texts)
        )
    assert list(EncodeDocuments(TOK)(None)) == []


def test_a_step_runs_in_a_pipeline(tmp_path: Path) -> None:
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor

    written: list[Any] = []

    def keep(data: Any, rank: int = 0, world_size: int = 1) -> Any:
        for document in data:
            written.append(document.metadata["token_count"])
            yield document

    documents = [Document(text or "", str(at)) for at, text in enumerate(TEXTS)]
    LocalPipelineExecutor(
        [documents, EncodeDocuments(TOK), keep], logging_dir=str(tmp_path / "log")
    ).run()
    assert written == [TOK.count(text or "") for text in TEXTS]


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingPackageError, match=r"this needs polars\n  hint: .*subword\[polars"):
        encode("text", TOK)
    with pytest.raises(MissingPackageError, match=r"subword\[duckdb"):
        register(None, TOK)
