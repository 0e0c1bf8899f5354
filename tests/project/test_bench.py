"""The benchmark: it compares before it times, and its numbers are what they say.

Run on a small text with a small vocabulary, in the place of the published ones.
"""

from __future__ import annotations

import base64
import doctest
import json
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.repository import ROOT

sys.path.append(str(ROOT / "bench"))

pytest.importorskip("tiktoken")

import publish
import run
from libraries import encoders
from measure import corpora, machine
from measure.results import Result, Row, Status
from reports import charts, filed, readme, summary, targets
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
    "load/o200k/own-file",
    "hostile/cl100k/a",
]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_measured_and_told(bench: Bench, path: str) -> None:
    result = run.measured(catalogue()[path], bench, path)
    assert all(row.measured for row in result.rows), result
    assert len(result.rows[0].wall) == (1 if path.startswith("load/") else 2)
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


def test_readme_and_the_charts_are_those_of_the_newest_result() -> None:
    """`python bench/publish.py` makes them anew."""
    newest = filed.newest()
    page = readme.README.read_text(encoding="utf-8")
    assert page == readme.filled(page, readme.region(newest, readme.README.parent))
    assert (filed.RESULTS / "README.md").read_text(encoding="utf-8") == summary.page(newest)
    drawn = {one.name: svg for one in charts.CHARTS if (svg := charts.draw(one, newest))}
    assert len(drawn) >= 4
    there = {file.stem: file.read_text() for file in (filed.RESULTS / "charts").glob("*.svg")}
    assert there == drawn


def small_run(facts: dict[str, str]) -> Report:
    """A run of one path and two libraries."""
    ours = Row("subword", 10, rounds=[0, 1, 2], wall=[1.0, 3.0, 2.0], cpu=[1.0, 3.0, 2.0])
    ours.parts, ours.peak = {"in memory": [2.0, 3.0, 1.0], "repeated": [7.0]}, [5, 9, 6]
    other = Row("tiktoken", 10, rounds=[0, 1], wall=[4.0, 6.0], cpu=[4.0, 6.0])
    absent = Row("gigatoken")
    absent.fail("absent", "not installed")
    results = [Result("files/enwiki/bin", [ours, other, absent])]
    return Report("2026-01-02", "10:30", "whole texts", facts, results, [])


def test_only_medians_are_filed(tmp_path: Path) -> None:
    file = filed.write(small_run({"commit": "60d3adc112cd"}), tmp_path)
    content = json.loads(file.read_text())
    assert (content["date"], content["time"]) == ("2026-01-02", "10:30")
    ours, other, absent = content["rows"]
    assert (ours["seconds"], ours["ratio"], ours["peak"], ours["rounds"]) == (2.0, 3.0, 6, 3)
    assert ours["parts"] == {"in memory": 2.0, "repeated": 7.0}
    assert ours["against"] == {"in memory": 1.0}
    assert (other["seconds"], other["peak"]) == (5.0, None)
    assert (absent["status"], absent["note"], absent["seconds"]) == (
        "absent",
        "not installed",
        None,
    )
    assert "[" not in json.dumps([ours, other, absent])[1:-1]
    read = filed.Filed(file)
    assert read.seconds("files/enwiki/bin", "subword") == 2.0
    assert read.libraries(["files/enwiki/bin"]) == ["subword", "tiktoken"]


def test_a_result_is_named_by_date_and_commit_and_never_overwritten(tmp_path: Path) -> None:
    runs = [small_run({"commit": commit}) for commit in ("60d3adc112cd", "60d3adc112cd", "unknown")]
    files = [filed.write(run, tmp_path) for run in runs]
    assert [file.name for file in files] == [
        "2026-01-02-60d3adc.json",
        "2026-01-02-60d3adc-2.json",
        "2026-01-02-unknown.json",
    ]
    assert all(file.with_suffix(".md").is_file() for file in files)
    (tmp_path / "2026-01-02-60d3adc-changed.md").write_text("by hand")
    changed = filed.write(small_run({"commit": "60d3adc112cd with changes"}), tmp_path)
    assert changed.name == "2026-01-02-60d3adc-changed-2.json"
    assert (tmp_path / "2026-01-02-60d3adc-changed.md").read_text() == "by hand"


def test_the_newest_result_is_the_one_that_ended_last(tmp_path: Path) -> None:
    for commit, time in (("fff0000", "09:00"), ("aaa0000", "17:30"), ("bbb0000", "12:00")):
        filed.write(small_run({"commit": commit})._replace(time=time), tmp_path)
    assert filed.newest(tmp_path).facts["commit"] == "aaa0000"


def test_filed_results_have_their_names_and_facts() -> None:
    files = [*filed.RESULTS.glob("*.json")]
    assert files
    for file in files:
        told = filed.Filed(file)
        assert file.stem.startswith(filed.stem(told.date, told.facts["commit"]))
        assert {"processor", "SIMD level", "Python", "tiktoken", "tokenizers"} <= told.facts.keys()
        assert file.with_suffix(".md").is_file()


def test_the_engine_tells_its_simd_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUBWORD_SIMD", raising=False)
    chosen = machine.simd_level()
    assert chosen in machine.LEVELS
    assert machine.accepts(chosen)
    monkeypatch.setenv("SUBWORD_SIMD", "scalar")
    assert machine.simd_level() == "scalar, forced by SUBWORD_SIMD"


def test_an_engine_that_takes_any_name_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUBWORD_SIMD", raising=False)
    monkeypatch.setattr(machine, "accepts", lambda _: True)
    assert machine.simd_level() == "not recorded"


def row(library: str, seconds: float, **fields: object) -> dict[str, object]:
    """A row as it is filed."""
    measured = {"size": 10_000_000, "status": "timed", "seconds": seconds, "ratio": 2.0}
    return {"library": library, "cores": 1.0, "against": {}, "peak": None, **measured, **fields}


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """A filed result of a few paths."""
    rows = {
        "encode/cl100k/en/warm": [
            row("subword", 0.1),
            row("fastokens", 0.04, status="ids differ"),
            row("gigatoken", 0.2),
            row("tiktoken", 1.0),
        ],
        "batch/cl100k/500B/lists/1-thread": [row("subword", 0.5), row("gigatoken", 0.25)],
        "encode/cl100k/zh/lists": [row("subword", 0.5, cores=1.52)],
        "files/enwiki/bin": [row("subword", 0.2, against={"in memory": 1.5})],
        "files/enwiki/memory": [row("subword", 0.2, peak=61_000_000)],
    }
    verdicts = {
        "encode/cl100k/en/warm": "met",
        "encode/cl100k/en/fresh": "MISSED",
        "decode/cl100k/en": "not measured",
    }
    facts = {
        "commit": "60d3adc112cd",
        "processor": "Some Processor",
        "SIMD level": "avx2",
        "cores": "2 usable of 4",
        "tiktoken": "0.14.0",
        "tokenizers": "0.23.3",
    }
    content = {
        "date": "2026-01-02",
        "time": "10:30",
        "facts": facts,
        "targets": [{"path": path, "verdict": told} for path, told in verdicts.items()],
        "rows": [{"path": path, **one} for path, found in rows.items() for one in found],
    }
    file = tmp_path / "2026-01-02-60d3adc.json"
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
    publish.write(filed.Filed(result), in_readme=False)
    assert not old.exists()
    assert (old.parent / "encode-warm.svg").exists()


def test_readme_has_a_short_table_with_the_best_other_library(result: Path) -> None:
    text = readme.region(filed.Filed(result), result.parent)
    assert (
        "| encode English, text seen before | 100 (2.00x) | 50.0 (2.00x) gigatoken "
        "| 10.0 tiktoken 0.14.0 |" in text
    )
    assert text.count("\n| ") == 1 + len(readme.ROWS)
    assert text.count("![") == 1
    words = " ".join(text.split())
    assert "at commit 60d3adc. Processor: Some Processor, " in words
    assert "SIMD level: avx2. [All libraries, texts and threads](./README.md)" in words


def test_every_row_of_readme_was_measured() -> None:
    newest = filed.newest()
    for row in readme.ROWS:
        assert all(cell != "—" for cell in readme.cells(newest, row)), row.path


def test_the_page_of_a_result_names_the_best_other_library_and_the_targets(result: Path) -> None:
    text = summary.page(filed.Filed(result))
    assert "| warm, best other | 50.0 (2.00x) gigatoken | — |" in text
    assert "| one thread, best other | — | 40.0 (2.00x) gigatoken |" in text
    assert "at 1.50 times the rate of encoding it in memory, and takes 61.0 MB" in text
    assert "| lists, 1.5 cores | — | — | — | 20.0 (2.00x) | — |" in text
    words = " ".join(text.split())
    assert "at commit 60d3adc" in words
    assert "Processor: Some Processor. SIMD level of the engine: avx2." in words
    met = "This run met 1 of 2; [the result](./2026-01-02-60d3adc.md#targets) lists them all."
    assert words.endswith(met)
    assert "encode/cl100k" not in text


def test_a_page_without_the_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected the marks"):
        readme.filled("# subword\n", "numbers")
