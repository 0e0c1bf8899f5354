"""The benchmark: it compares before it times, and its numbers are what they say.

Run on a small text with a small vocabulary, in the place of the published ones.
"""

from __future__ import annotations

import base64
import doctest
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.repository import ROOT

sys.path.append(str(ROOT / "bench"))

pytest.importorskip("tiktoken")

import run
from libraries import encoders
from measure import corpora
from measure.results import Result, Row, Status
from reports import targets
from reports.markdown import Report, markdown
from scenarios import batch_process, batches, loading, outputs
from scenarios.catalogue import catalogue, own_texts
from scenarios.common import Bench, Settings

TEXT = "The clock of the tower had stopped, and nobody could say in which year.\n" * 300
SETTINGS = Settings(
    warm_rounds=2,
    fresh_rounds=2,
    further_rounds=2,
    load_rounds=1,
    hostile_rounds=2,
    documents=20,
    hostile_bytes=2000,
    repeat_seconds=0.0,
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Two libraries, and a folder as the data has it."""
    data = tmp_path_factory.mktemp("data")
    for folder in ("corpora", "vocabs"):
        (data / folder).mkdir()
    for name in ("en", "zh", "multi", "enwiki"):
        (data / "corpora" / corpora.FILES[name]).write_text(TEXT, encoding="utf-8")
    tokens = [*(bytes([byte]) for byte in range(256)), b"th", b"the", b" the", b" of"]
    lines = [f"{base64.b64encode(token).decode()} {i}\n" for i, token in enumerate(tokens)]
    for name in ("cl100k_base", "o200k_base"):
        (data / "vocabs" / f"{name}.tiktoken").write_text("".join(lines))
    adapters = {name: encoders.ADAPTERS[name] for name in ("subword", "tiktoken")}
    return Bench(data, adapters, {}, {}, SETTINGS)


PATHS = [
    "encode/cl100k/en/warm",
    "encode/o200k/en/warm",
    "encode/o200k/zh/fresh",
    "encode/cl100k/en/lists",
    "batch/cl100k/500B/arrays/1-thread",
    "batch/cl100k/2kB/lists/2-threads",
    "count/cl100k/en",
    "decode/cl100k/zh",
    "simd/cl100k/en/scalar",
    "cold/cl100k/en",
    "cold/o200k/en/4KiB",
    "fresh/cl100k/enwiki/1MB",
    "chunks/o200k/en/4KiB",
    "first-call/o200k/enwiki/4KiB",
    "load/o200k/own-file",
    "hostile/cl100k/a",
]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_measured_and_told(bench: Bench, path: str) -> None:
    result = run.measured(catalogue()[path], bench, path)
    assert all(row.measured for row in result.rows), result
    assert len(result.rows[0].wall) == (1 if path.startswith(("load/", "first-call/")) else 2)
    written = Report("today", "now", "small", {}, [result], targets.judge([result]))
    assert f"| `{path}` | subword |" in markdown(written)
    judged = {one.target.path: one.verdict for one in written.judged if one.measured is not None}
    wanted = {target.path for target in targets.TARGETS if target.kind not in ("fastest", "ratio")}
    assert path not in wanted or judged[path] in ("met", "MISSED")


MODULES = [
    f"{file.parent.name}.{file.stem}"
    for folder in ("measure", "libraries", "scenarios", "reports")
    for file in sorted((run.HERE / folder).glob("[a-z]*.py"))
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_every_target_has_its_path() -> None:
    assert {target.path for target in targets.TARGETS} <= catalogue().keys()


def test_missing_data_is_a_row_that_says_so(bench: Bench) -> None:
    path = "encode/o200k/ja/warm"
    (row,) = run.measured(catalogue()[path], bench, path).rows
    assert (row.library, row.status) == ("subword", "absent")
    assert "ja_3mb.txt: no such file" in row.note


def test_a_text_of_the_user_is_measured(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "FILES", dict(corpora.FILES))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.txt").write_text(f"{TEXT}{folder}", encoding="utf-8")
    names = [corpora.own_text(tmp_path / folder / "mine.txt") for folder in ("a", "b", "a")]
    assert names == ["own-mine", "own-mine-", "own-mine"]
    assert corpora.text(bench.data, "own-mine-") == f"{TEXT}b".encode()
    path = "encode/o200k/own-mine/warm"
    result = run.measured(own_texts(names)[path], bench, path)
    assert [row.size for row in result.rows if row.measured] == [len(TEXT) + 1] * 2


def test_a_text_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    with pytest.raises(corpora.DataError, match=r"bad.txt: No such file"):
        corpora.own_text(bad)
    bad.write_bytes(b"low\xff")
    with pytest.raises(corpora.DataError, match=r"bad.txt: not UTF-8 \(byte 3\)"):
        corpora.own_text(bad)


def test_only_our_own_answers_fail_the_run() -> None:
    def code(library: str, status: Status) -> int:
        rows = [Row("subword"), Row("tokenizers"), Row("gigatoken")]
        next(row for row in rows if row.library == library).status = status
        return run.exit_code([Result("train/en/32k", rows, reference="tokenizers")])

    assert code("gigatoken", "merges differ") == code("gigatoken", "failed") == 0
    assert code("tokenizers", "merges differ") == 1, "the reference and subword disagree"
    assert code("subword", "failed") == code("subword", "ids differ") == 1
    assert code("subword", "absent") == code("tokenizers", "absent") == 0


def test_other_ids_in_a_batch_are_not_timed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "expected", lambda *_: "other ids")
    rows = batches.batch(bench, "batch/cl100k/500B/arrays/1-thread").rows
    assert {row.status for row in rows} == {"ids differ"}
    assert not any(row.wall for row in rows)


def test_bytes_that_are_not_the_text_are_not_timed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = encoders.Tiktoken.load

    def load(self: encoders.Tiktoken, vocab: corpora.Vocab) -> encoders.Loaded:
        loaded = real(self, vocab)
        return encoders.Loaded(loaded.to_array, loaded.to_list, lambda _: b"x", loaded.tokenizer)

    monkeypatch.setattr(encoders.Tiktoken, "load", load)
    result = outputs.decode(bench, "decode/cl100k/en", "en")
    assert [row.status for row in result.rows] == ["timed", "ids differ"]


def test_a_process_that_fails_says_why(bench: Bench) -> None:
    work = batch_process.Work("subword", "cl100k", str(bench.data), "ja", 500, 9, 1, False, seed=0)
    with batch_process.worker(work) as worker, pytest.raises(RuntimeError, match="no such file"):
        worker.ask(batch_process.dumps(work))


def test_documents_hold_the_text_and_no_more_than_their_size() -> None:
    content = "Ein Satz über Türme, 塔楼的钟停了 und so weiter.\n".encode() * 40
    found = corpora.documents(content, 50, 1000)
    assert "".join(found).encode() == content
    assert all(0 < len(one.encode()) <= 50 for one in found)
    assert corpora.documents(content, 50, 3) == found[:3]


def test_a_ratio_is_that_of_a_round() -> None:
    ours = Row("subword", 10, rounds=[0, 1, 2], wall=[1.0, 2.0, 4.0])
    other = Row("gigatoken", 10, rounds=[1, 2], wall=[3.0, 4.0])
    target = targets.Target("encode/cl100k/en/warm", "fastest", 1.3)
    judged = targets.judged(target, Result(target.path, [ours, other]))
    assert (judged.measured, judged.verdict) == (1.25, "MISSED")


def test_visits_of_a_path_are_joined_round_by_round() -> None:
    def visit(ours: list[float], theirs: list[float]) -> Result:
        rows = [
            Row(name, rounds=[*range(len(w))], wall=[*w], cpu=[*w], parts={"twice": [*w]})
            for name, w in (("subword", ours), ("tiktoken", theirs))
        ]
        return Result("short/a", rows)

    both = visit([1.0, 1.0], [2.0, 2.0]).joined(visit([1.0], [8.0]))
    assert both.rows[0].wall == [1.0, 1.0, 1.0]
    assert both.rows[1].parts == {"twice": [2.0, 2.0, 8.0]}
    assert both.ratio(both.rows[0]) == 2.0
    failed = visit([1.0], [2.0])
    failed.rows[1].fail("failed", "no memory")
    both = both.joined(failed)
    assert [row.status for row in both.rows] == ["timed", "failed"]
    assert both.rows[0].wall == [1.0] * 4
    assert both.joined(visit([1.0], [2.0])).rows[1].wall == []


def test_the_speed_of_a_hostile_text_is_that_of_the_slower() -> None:
    row = Row("subword", 1_000_000, rounds=[0], wall=[0.1], parts={"twice": [0.5]})
    target = targets.Target("hostile/cl100k/a", "speed", 5)
    judged = targets.judged(target, Result(target.path, [row]))
    assert (judged.measured, judged.verdict) == (4.0, "MISSED")


def test_loading_tells_how_much_the_process_has_grown(bench: Bench) -> None:
    result = loading.new_process(bench, "load/o200k/new-process", "o200k")
    assert all(row.measured and len(row.peak) == 1 for row in result.rows)
