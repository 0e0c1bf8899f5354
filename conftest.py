"""The examples in *.md files run in an empty folder, with the `subword` command at hand."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _pages_run_in_a_folder_of_their_own(request: pytest.FixtureRequest) -> None:
    if request.node.path.suffix != ".md":
        return
    folder: Path = request.getfixturevalue("tmp_path")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
