"""The chapters on the algorithms: one command draws all of their pictures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

CONCEPTS = Path(__file__).parent.parent / "docs" / "concepts"
TEXT = "The lowest of the low were slower than the slowest!\nThey flow low, and they follow.\n"


def pictures() -> set[str]:
    """The pictures that the chapters show."""
    found = [re.findall(r"\]\(([\w-]+\.svg)\)", page.read_text()) for page in CONCEPTS.glob("*.md")]
    return {name for names in found for name in names}


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


def test_every_picture_is_small_and_shown() -> None:
    there = {path.name: path.stat().st_size for path in CONCEPTS.glob("*.svg")}
    assert set(there) == pictures()
    assert all(size < 25_000 for size in there.values())
