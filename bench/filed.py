"""Reads a result that was filed: `bench/results/<date>.json`.

Charts and README are made from it, so a number that people read can be followed to its rounds.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


class Filed:
    """A result: numbers by path and library; None where a library was not measured."""

    def __init__(self, file: Path) -> None:
        self.file = file
        content = json.loads(file.read_text(encoding="utf-8"))
        self.date: str = content["date"]
        self.facts: dict[str, str] = content["facts"]
        self.targets: list[dict[str, Any]] = content["targets"]
        self.rows: dict[tuple[str, str], dict[str, Any]] = {
            (result["path"], row["library"]): row
            for result in content["results"]
            for row in result["rows"]
            if row["status"] == "timed" and row["wall"]
        }

    def libraries(self, paths: list[str]) -> list[str]:
        """Those that were measured on one of the paths, in the order of the result."""
        return list(dict.fromkeys(library for path, library in self.rows if path in paths))

    def seconds(self, path: str, library: str) -> float | None:
        row = self.rows.get((path, library))
        return median(row["wall"]) if row else None

    def speed(self, path: str, library: str) -> float | None:
        """Megabytes in a second."""
        row = self.rows.get((path, library))
        return row["size"] / median(row["wall"]) / 1e6 if row else None

    def ratio(self, path: str, library: str) -> float | None:
        """Times the reference."""
        row = self.rows.get((path, library))
        return row["ratio"]["middle"] if row and row["ratio"] else None

    def peak(self, path: str, library: str) -> float | None:
        """Megabytes of memory."""
        row = self.rows.get((path, library))
        return median(row["peak"]) / 1e6 if row and row["peak"] else None

    def against(self, path: str, library: str, part: str) -> float | None:
        """The seconds of a part, divided by those of the row, round by round."""
        row = self.rows.get((path, library))
        if row is None or part not in row["parts"]:
            return None
        rounds = zip(row["wall"], row["parts"][part], strict=True)
        return float(median(beside / seconds for seconds, beside in rounds))


def newest(folder: Path = RESULTS) -> Path:
    """The result that was filed last: their names are dates."""
    return max(folder.glob("*.json"))
