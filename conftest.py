"""Examples run in an empty folder; those of *.md files have the `subword` command at hand."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _examples_run_in_a_folder_of_their_own(request: pytest.FixtureRequest) -> None:
    if not isinstance(request.node, pytest.DoctestItem):
        return
    folder: Path = request.getfixturevalue("tmp_path")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
