"""The results of the benchmark: what is filed, and the pages and charts that show it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.repository import ROOT

sys.path.append(str(ROOT / "bench"))

pytest.importorskip("tiktoken")

import publish
import run
from measure import machine
from measure.results import Result, Row
from reports import charts, filed, readme, summary
from reports.markdown import Report


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
