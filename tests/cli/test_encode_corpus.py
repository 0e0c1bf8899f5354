"""`subword encode-corpus`: what it prints, for people and for machines."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from subword._cli import main
from subword._progress import showing_files

from tests.support.token_files import DOCUMENTS, END, SMALL, expected, joined, read_raw


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SMALL.save("tok.json")
    Path("corpus.txt").write_bytes(END.join(DOCUMENTS).encode())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["encode-corpus", "tok.json", *arguments])


def test_a_corpus_becomes_a_file_and_a_summary() -> None:
    options = ("corpus.txt", "--out", "ids.bin", "--split", END, "--append", END, "--verify")
    done = run(*options)
    assert done.exit_code == 0, done.output
    ids = joined(expected(DOCUMENTS))
    assert read_raw(Path("ids.bin")) == ids
    size = Path("corpus.txt").stat().st_size
    lines = done.stdout.splitlines()
    assert lines[:5] == [
        "documents       8",
        f"tokens          {len(ids):,} (uint16)",
        f"read            {size:,} bytes",
        f"wrote           ids.bin, {2 * len(ids):,} bytes",
        "skipped         0",
    ]
    assert re.fullmatch(r"seconds         \d+\.\d\d \(\d+ MB/s\)", lines[5])
    assert lines[6] == "verified        all check sums are right"


def test_every_option_reaches_the_engine() -> None:
    Path("c.jsonl").write_text('{"body": "low"}\n{"body": 1}\n')
    done = run(
        *("c.jsonl", "--out", "shards/", "--field", "body", "--dtype", "uint32"),
        *(
            "--shard-size",
            "1KB",
            "--max-document",
            "1MB",
            "--on-error",
            "skip",
            "--special",
            "text",
            "--threads",
            "1",
        ),
    )
    assert done.exit_code == 0, done.output
    assert np.fromfile("shards/00000.bin", np.uint32).tolist() == SMALL.encode("low")
    assert "wrote           shards, 4 bytes" in done.stdout.splitlines()
    words = 'skipped c.jsonl:2: expected a string in the field "body", found 1\n'
    assert done.stderr == words


def test_machines_read_a_line_each() -> None:
    Path("c.jsonl").write_text('{"text": "low"}\nnonsense\n')
    done = run("c.jsonl", "--out", "ids.npy", "--on-error", "skip", "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary.pop("seconds") >= 0
    assert summary.pop("skipped")[0]["place"] == "c.jsonl:2"
    assert summary == {
        "event": "done",
        "out": "ids.npy",
        "format": "npy",
        "dtype": "uint16",
        "files": ["ids.npy"],
        "documents": 1,
        "tokens": 1,
        "read": 25,
        "resumed_at": 0,
        "was_complete": False,
    }


def test_machines_are_told_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subword._progress.TELL_SECONDS", 0)
    done = run("corpus.txt", "--out", "ids.npy", "--json")
    first = json.loads(done.stdout.splitlines()[0])
    assert sorted(first) == [
        *("documents", "event", "read", "seconds", "skipped", "tokens", "total")
    ]
    assert (first["event"], first["total"]) == ("progress", Path("corpus.txt").stat().st_size)


def test_a_bar_shows_tokens_and_the_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("subword._progress.DELAY_SECONDS", 0)
    with showing_files("bar", total=4_000_000, done=1_000_000) as show:
        assert show is not None
        time.sleep(0.15)  # a bar is drawn ten times a second
        show(3, 1_500_000, 2_000_000, 2)
    shown = capsys.readouterr().err
    assert "encoding" in shown
    assert "1.5M tokens, 2 skipped" in shown
    assert "2.00M/4.00M" in shown
    with showing_files(None, total=1, done=0) as show:
        assert show is None  # standard error is no terminal here


def test_what_goes_wrong_is_told_in_a_line() -> None:
    assert run("corpus.txt", "--out", "ids.bin").exit_code == 0
    changed = run("corpus.txt", "--out", "ids.bin", "--split", "line")
    assert (changed.exit_code, changed.stderr) == (
        1,
        "error: ids.bin.manifest.jsonl: the run that began here was another one: "
        "split was 'file', it is 'line' now\n  hint: pass --overwrite to start again\n",
    )
    Path("bad.txt").write_bytes(b"low\n\xff")
    bad = run("bad.txt", "--out", "bad.bin")
    assert (bad.exit_code, bad.stderr) == (
        1,
        "error: bad.txt:2: not UTF-8 at position 4\n"
        "  hint: pass --errors replace to put U+FFFD in its place\n",
    )
    assert run("corpus.txt", "--out", "ids.json").exit_code == 2
    assert run("corpus.txt", "--out", "i.bin", "--shard-size", "many").exit_code == 2
    missing = run("missing.txt", "--out", "i.bin")
    assert (missing.exit_code, missing.stderr) == (
        1,
        "error: missing.txt: No such file or directory\n",
    )
