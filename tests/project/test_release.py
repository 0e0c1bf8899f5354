"""What is released agrees with itself: versions, Pythons, platforms, workflows, the lock."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import subword

from tests.support.repository import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    parsed: dict[str, Any] = yaml.safe_load(text)
    return parsed


def supported() -> list[str]:
    """The versions of Python in the classifiers."""
    names = PYPROJECT["project"]["classifiers"]
    return [name.rpartition(" ")[2] for name in names if re.search(r":: 3\.\d+$", name)]


def test_all_versions_are_one() -> None:
    version = CARGO["workspace"]["package"]["version"]
    assert subword.__version__ == version
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f": {version}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_oldest_python_is_the_one_that_pip_asks_for() -> None:
    assert PYPROJECT["project"]["requires-python"] == f">={supported()[0]}"


def test_wheels_are_built_for_every_supported_python_and_platform() -> None:
    matrix = workflow("release")["jobs"]["wheels"]["strategy"]["matrix"]
    assert matrix["python"] == supported()
    assert {platform["name"] for platform in matrix["platform"]} == {
        "manylinux-x86_64",
        "manylinux-aarch64",
        "musllinux-x86_64",
        "musllinux-aarch64",
        "macos-arm64",
        "macos-x86_64",
        "windows-x86_64",
    }


def test_every_supported_python_is_tested_and_the_free_threaded_one() -> None:
    jobs = workflow("test")["jobs"]
    assert jobs["pythons"]["strategy"]["matrix"]["python"] == supported()
    steps = jobs["free-threaded"]["steps"]
    assert any(step.get("with", {}).get("python-version") == "3.14t" for step in steps)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_named_by_its_commit(path: Path) -> None:
    uses = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for action, comment in uses:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v[\d.]+", comment), action


def test_the_lock_holds_everything_that_the_project_asks_for() -> None:
    lock = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", lock, re.MULTILINE))
    groups = PYPROJECT["dependency-groups"]
    wanted = [*PYPROJECT["project"]["dependencies"], *groups["docs"], *groups["test"]]
    wanted += [entry for entry in groups["development"] if isinstance(entry, str)]
    for requirement in wanted:
        name, pinned = re.match(r"([\w-]+)(?:\[\w+\])?(?:==([\d.]+))?", requirement).groups()  # type: ignore[union-attr]
        assert name in locked, requirement
        assert pinned in (None, locked[name]), requirement
    # A package without a hash would be refused by pip, and so would be the whole environment.
    assert len(locked) <= lock.count("--hash=sha256:")


def test_the_engine_that_is_released_is_the_one_that_is_measured_without_its_symbols() -> None:
    profiles = CARGO["profile"]
    assert profiles["wheel"] == {"inherits": "release", "debug": False, "strip": "symbols"}
    assert PYPROJECT["tool"]["maturin"]["profile"] == "wheel"
