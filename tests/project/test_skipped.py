"""The summary of a run says what was skipped and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.repository import ROOT

TESTS = """
import pytest

@pytest.mark.parametrize("n", range(3))
def test_data(n):
    pytest.skip("no data")

@pytest.mark.skipif(True, reason="no browser")
def test_browser():
    pass

def test_that_runs():
    pass
"""


def test_reasons_are_counted_the_most_frequent_first(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    _, _, summary = done.stdout.partition("skipped, and why")
    lines = [line.split(maxsplit=1) for line in summary.splitlines()[1:3]]
    assert lines == [["3", "no data"], ["1", "no browser"]]
