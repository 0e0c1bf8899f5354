"""Examples run in an empty folder; those of *.md files have the `subword` command at hand.

A run ends with what it skipped, and why.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

# Spark for tests: workers run this Python, and nothing is made ready for a long life.
SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
CONFIGURED = " ".join(f"--conf '{name}={value}'" for name, value in SPARK.items())
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("PYSPARK_SUBMIT_ARGS", f"{CONFIGURED} pyspark-shell")

# Ray for tests: it tells nobody, and leaves no token in the home directory.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

# What the examples of a page or a module need that may be missing.
NEEDS = {
    "cluster.md": ("pyspark", "ray"),
    "datasets.py": ("datasets",),
    "datatrove.py": ("datatrove",),
    "duckdb.py": ("duckdb",),
    "polars.py": ("polars",),
    "transformers.md": ("datasets", "datatrove", "duckdb", "polars", "transformers"),
    "transformers.py": ("transformers",),
}

# It stands below a class of that library, so it cannot even be imported.
collect_ignore_glob = [] if importlib.util.find_spec("datatrove") else ["*/datatrove.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The examples of a page that starts a cluster are marked as the tests that do."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for name, mark in (("pyspark", "spark"), ("ray", "ray")):
                if name in NEEDS.get(item.path.name, ()):
                    item.add_marker(mark)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped for each reason, also in a quiet run."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.getreports("skipped"):
        # The place and the reason, as pytest keeps them.
        words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[words.removeprefix("Skipped: ").strip()] += 1
    if reasons:
        terminalreporter.section("skipped, and why")
    for reason, number in reasons.most_common():
        terminalreporter.write_line(f"{number:5}  {reason}")


@pytest.fixture(autouse=True)
def _examples_run_in_a_folder_of_their_own(request: pytest.FixtureRequest) -> None:
    if not isinstance(request.node, pytest.DoctestItem):
        return
    for name in NEEDS.get(request.node.path.name, ()):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}")
        if name == "pyspark" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            pytest.skip("Spark needs Java")
    folder: Path = request.getfixturevalue("tmp_path")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
