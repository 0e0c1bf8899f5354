"""The benchmark: it compares before it times, and its numbers are what they say.

Run on a small text with a small vocabulary, in the place of the published ones.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.repository import ROOT

sys.path.append(str(ROOT / "bench"))

pytest.importorskip("tiktoken")

import batch_process
import batches
import charts
import corpora
import filed
import loading
import outputs
import peers
import readme
import report
import run
import scenarios
import targets
from results import Result, Row

TEXT = "The clock of the tower had stopped, and nobody could say in which year.\n" * 300
SETTINGS = scenarios.Settings(
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
def bench(tmp_path_factory: pytest.TempPathFactory) -> scenarios.Bench:
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
    adapters = {name: peers.ADAPTERS[name] for name in ("subword", "tiktoken")}
    return scenarios.Bench(data, adapters, {}, {}, SETTINGS)


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
    "load/o200k/own-file",
    "hostile/cl100k/a/1MB",
]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_measured_and_told(bench: scenarios.Bench, path: str) -> None:
    result = run.measured(run.catalogue()[path], bench, path)
    assert all(row.measured for row in result.rows), result
    assert len(result.rows[0].wall) == (1 if path.startswith("load/") else 2)
    written = report.Report("today", "small", {}, [result], targets.judge([result]))
    assert f"| `{path}` | subword |" in report.markdown(written)
    judged = {one.target.path: one.verdict for one in written.judged if one.measured is not None}
    wanted = {target.path for target in targets.TARGETS if target.kind not in ("fastest", "ratio")}
    assert path not in wanted or judged[path] in ("met", "MISSED")


def test_every_target_has_its_path() -> None:
    assert {target.path for target in targets.TARGETS} <= run.catalogue().keys()


def test_missing_data_is_a_row_that_says_so(bench: scenarios.Bench) -> None:
    path = "encode/o200k/ja/warm"
    (row,) = run.measured(run.catalogue()[path], bench, path).rows
    assert (row.library, row.status) == ("subword", "absent")
    assert "ja_3mb.txt: no such file" in row.note


def test_other_ids_in_a_batch_are_not_timed(
    bench: scenarios.Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "expected", lambda *_: "other ids")
    rows = batches.batch(bench, "batch/cl100k/500B/arrays/1-thread").rows
    assert {row.status for row in rows} == {"ids differ"}
    assert not any(row.wall for row in rows)


def test_bytes_that_are_not_the_text_are_not_timed(
    bench: scenarios.Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = peers.Tiktoken.load

    def load(self: peers.Tiktoken, vocab: corpora.Vocab) -> peers.Loaded:
        loaded = real(self, vocab)
        return peers.Loaded(loaded.to_array, loaded.to_list, lambda _: b"x", loaded.tokenizer)

    monkeypatch.setattr(peers.Tiktoken, "load", load)
    result = outputs.decode(bench, "decode/cl100k/en", "en")
    assert [row.status for row in result.rows] == ["timed", "ids differ"]


def test_a_process_that_fails_says_why(bench: scenarios.Bench) -> None:
    work = batch_process.Work("subword", "cl100k", str(bench.data), "ja", 500, 9, 1, lists=False)
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
    assert both.ratio(both.rows[0]) == (2.0, 2.0, 8.0)
    failed = visit([1.0], [2.0])
    failed.rows[1].fail("failed", "no memory")
    both = both.joined(failed)
    assert [row.status for row in both.rows] == ["timed", "failed"]
    assert both.rows[0].wall == [1.0] * 4
    assert both.joined(visit([1.0], [2.0])).rows[1].wall == []


def test_the_speed_of_a_hostile_text_is_that_of_the_slower() -> None:
    row = Row("subword", 1_000_000, rounds=[0], wall=[0.1], parts={"twice": [0.5]})
    target = targets.Target("hostile/cl100k/a/1MB", "speed", 5)
    judged = targets.judged(target, Result(target.path, [row]))
    assert (judged.measured, judged.verdict) == (4.0, "MISSED")


def test_loading_tells_how_much_the_process_has_grown(bench: scenarios.Bench) -> None:
    result = loading.new_process(bench, "load/o200k/new-process", "o200k")
    assert all(row.measured and len(row.peak) == 1 for row in result.rows)


def test_readme_and_the_charts_are_those_of_the_newest_result() -> None:
    """`python bench/charts.py && python bench/readme.py` makes them anew."""
    newest = filed.Filed(filed.newest())
    page = readme.README.read_text(encoding="utf-8")
    assert page == readme.filled(page, readme.region(newest, readme.README.parent))
    drawn = {one.name: svg for one in charts.CHARTS if (svg := charts.draw(one, newest))}
    assert len(drawn) >= 4
    there = {file.stem: file.read_text() for file in (filed.RESULTS / "charts").glob("*.svg")}
    assert there == drawn


def row(library: str, seconds: list[float], **fields: object) -> dict[str, object]:
    """A row as it is filed."""
    ratio = {"middle": 2.0, "low": 2.0, "high": 2.0}
    measured = {"size": 10_000_000, "status": "timed", "wall": seconds, "ratio": ratio}
    return {"library": library, "parts": {}, "peak": [], **measured, **fields}


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """A filed result of a few paths."""
    rows = {
        "encode/cl100k/en/warm": [
            row("subword", [0.1, 0.05, 0.2]),
            row("fastokens", [0.04], status="ids differ"),
            row("gigatoken", [0.2]),
            row("tiktoken", [1.0]),
        ],
        "batch/cl100k/500B/lists/1-thread": [row("subword", [0.5]), row("gigatoken", [0.25])],
        "files/enwiki/bin": [row("subword", [0.2], parts={"in memory": [0.3]})],
        "files/enwiki/memory": [row("subword", [0.2], peak=[61_000_000])],
    }
    verdicts = {"encode/cl100k/en/warm": "met", "decode/cl100k/en": "not measured"}
    content = {
        "date": "2026-01-02",
        "facts": {"cores": "2 usable of 4", "tiktoken": "0.14.0", "tokenizers": "0.23.3"},
        "targets": [{"path": path, "verdict": told} for path, told in verdicts.items()],
        "results": [{"path": path, "rows": found} for path, found in rows.items()],
    }
    file = tmp_path / "2026-01-02.json"
    file.write_text(json.dumps(content))
    return file


def test_a_chart_has_a_bar_for_each_library_that_was_measured(result: Path) -> None:
    written = charts.write(filed.Filed(result), result.parent / "charts")
    assert [file.stem for file in written] == ["encode-warm", "batches"]
    svg = ElementTree.fromstring(written[0].read_text())
    space = {"": "http://www.w3.org/2000/svg"}
    bars = {bar.findtext("title", "", space): bar for bar in svg.findall("rect", space)[3:]}
    assert list(bars) == [
        "subword, en: 100 MB/s",
        "gigatoken, en: 50.0 MB/s",
        "tiktoken, en: 10.0 MB/s",
    ]
    tall = [float(bar.attrib["height"]) for bar in bars.values()]
    assert tall == pytest.approx([210, 105, 21])


def test_every_library_has_a_colour() -> None:
    assert run.PEERS.keys() <= charts.COLOURS.keys()


def test_a_chart_that_a_result_lacks_is_removed(result: Path) -> None:
    old = result.parent / "charts" / "training.svg"
    old.parent.mkdir()
    old.write_text("of another result")
    charts.write(filed.Filed(result), old.parent)
    assert not old.exists()


def test_readme_names_the_best_other_library_and_the_targets(result: Path) -> None:
    text = readme.region(filed.Filed(result), result.parent)
    assert "| warm, best other | 50.0 (2.00x) gigatoken | — |" in text
    assert "| one thread, best other | — | 40.0 (2.00x) gigatoken |" in text
    assert "at 1.50 times the rate of encoding it in memory, and takes 61.0 MB" in text
    assert text.endswith("Of our 1 targets this run met 1.")


def test_a_page_without_the_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected the marks"):
        readme.filled("# subword\n", "numbers")
