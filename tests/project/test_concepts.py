"""The chapters on the algorithms: one command draws all of their pictures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import ROOT

CONCEPTS = ROOT / "docs" / "concepts"
GUIDE = CONCEPTS.parent / "guide"
TEXT = "The lowest of the low were slower than the slowest!\nThey flow low, and they follow.\n"


def pictures() -> set[str]:
    """The pictures that the chapters show."""
    found = [re.findall(r"\]\(([\w-]+\.svg)\)", page.read_text()) for page in CONCEPTS.glob("*.md")]
    return {name for names in found for name in names}


@pytest.mark.slow
def test_the_pictures_of_the_chapters_are_made_by_one_command(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(TEXT * 3)
    options = ["--out", str(tmp_path), "--num-merges", "40", "--limit", "1", "--longest", "64"]
    done = subprocess.run(
        [sys.executable, CONCEPTS / "plots.py", corpus, *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "the same from all" in done.stdout
    assert {path.name for path in tmp_path.glob("*.svg")} == pictures()


def test_the_picture_of_the_guide_is_made_by_one_command(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = [tmp_path / name for name in ("one.txt", "two.txt")]
    for file in files:
        file.write_text(TEXT)
    done = subprocess.run(
        [sys.executable, GUIDE / "sizes.py", *files, "--out", tmp_path, "--vocab-size", "280"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("280") == 2
    assert (tmp_path / "evaluate.svg").is_file()
    assert (GUIDE / "evaluate.svg").stat().st_size < 25_000


def test_the_picture_of_fair_training_is_made_by_one_command(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = [tmp_path / name for name in ("en.txt", "fi_3mb.txt")]
    for file, text in zip(files, (TEXT * 30, "hitaammat olivat matalammalla\n" * 20), strict=True):
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, GUIDE / "fairness.py", *files, "--out", tmp_path, "--vocab-size", "280"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "tokens per byte" in done.stdout
    assert (tmp_path / "fairness.svg").is_file()
    assert (GUIDE / "fairness.svg").stat().st_size < 25_000


def test_every_picture_is_small_and_shown() -> None:
    there = {path.name: path.stat().st_size for path in CONCEPTS.glob("*.svg")}
    assert set(there) == pictures()
    assert all(size < 25_000 for size in there.values())
