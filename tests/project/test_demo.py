"""The demonstration, on a small folder."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import subword
from subword import _demo
from subword._cli.colours import has_colours
from subword._cli.painting import bracketed, coloured
from subword._cli.spans import spans

from tests.support.repository import ROOT

SOURCES = {
    "a.py": b"def low(lower):\n    return lower\n" * 50,
    "b/c.py": "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"),
    "empty.py": b"",
    "notes.txt": b"not Python",
    "site-packages/other.py": b"installed = True\n",
    "b/test/test_c.py": b"assert True\n",
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with little to learn from."""
    monkeypatch.setattr(_demo, "VOCAB_SIZE", 280)
    for name, content in SOURCES.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "source"


@pytest.fixture
def told(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    _demo.run(source, tmp_path / "out")
    return capsys.readouterr().out


def test_it_takes_python_files_without_tests_and_packages(source: Path) -> None:
    files = [str(file.relative_to(source)) for file in _demo.python_files(source)]
    assert files == ["a.py", "b/c.py", "empty.py"]


def test_it_stops_at_the_limit(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_demo, "MOST_BYTES", len(SOURCES["a.py"]))
    assert _demo.python_files(source) == [source / "a.py"]


@pytest.mark.usefixtures("told")
def test_what_is_on_disk_gives_the_files_back(tmp_path: Path) -> None:
    tok = subword.Tokenizer.load(tmp_path / "out/tok.json")
    ids, bounds = np.load(tmp_path / "out/ids.npy"), np.load(tmp_path / "out/bounds.npy")
    assert ids.dtype == np.uint16
    assert bounds.dtype == np.uint64
    parts = [tok.decode_bytes(ids[a:b]) for a, b in itertools.pairwise(bounds)]
    assert parts == [SOURCES["a.py"], SOURCES["b/c.py"], SOURCES["empty.py"]]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "bounds.npy",
        "ids.npy",
        "tok.json",
    ]


def test_it_tells_what_it_did(told: str) -> None:
    names = [line[:12].strip() for line in told.splitlines()]
    assert list(filter(None, names)) == [
        "corpus",
        "training",
        "encoding",
        "on disk",
        "decoding",
        "sample",
    ]
    assert "3 files" in told
    assert "280 tokens from" in told
    assert "merge 0." in told
    assert "MB/s" in told
    assert "bytes per token" in told
    assert "3 files read back, every byte the same" in told


def test_a_file_that_comes_back_changed_is_noticed(source: Path, tmp_path: Path) -> None:
    _demo.run(source, tmp_path / "out")
    with pytest.raises(SystemExit, match="document 1 came back changed"):
        _demo.check([SOURCES["a.py"], b"something else"], tmp_path / "out")


def test_a_folder_without_python_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no \*\.py files there"):
        _demo.run(tmp_path, tmp_path / "out")


def tokenizer() -> subword.Tokenizer:
    ranks = {bytes([i]): i for i in range(256)} | {b"lo": 256, b":\n": 257}
    return subword.Tokenizer.from_ranks(ranks, pattern="cl100k")


def test_tokens_stand_in_brackets_and_characters_stay_whole() -> None:
    assert bracketed(spans(tokenizer(), "lowé:\nlo")) == "[lo][w][é][:↵]\n[lo]"


def test_backgrounds_alternate_and_end_with_the_line() -> None:
    shown = coloured(spans(tokenizer(), "lo:\nlo"))
    yellow, cyan, off = "\x1b[30;43m", "\x1b[30;46m", "\x1b[0m"
    assert shown == f"{yellow}lo{off}{cyan}:↵{off}\n{yellow}lo{off}"


@pytest.mark.parametrize(
    ("terminal", "no_color", "expected"),
    [(True, "", True), (True, "1", False), (False, "", False)],
)
def test_colours_need_a_terminal_and_leave(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, no_color: str, expected: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert has_colours() is expected


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_it_installs_only_what_it_needs(tmp_path: Path) -> None:
    planned = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "demo", f"VENV={tmp_path}/new"],
        cwd=ROOT,
        # The tests may be run by make, which passes its own flags on.
        env={name: value for name, value in os.environ.items() if "MAKE" not in name},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    installed = re.findall(r"pip install --quiet (.*)", planned)
    assert installed == ["--upgrade pip", "'maturin>=1.9,<2'"]
    # The package with what it depends on, and not into an environment that is activated.
    assert f"VIRTUAL_ENV={tmp_path}/new {tmp_path}/new/bin/maturin develop" in planned
    assert planned.endswith("-m subword._demo\n")
