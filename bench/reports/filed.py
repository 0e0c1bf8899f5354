"""Files the result of a run, and reads it again.

    bench/results/2026-11-16-60d3adc.json    medians, for programs: README and the charts
    bench/results/2026-11-16-60d3adc.md      the report, for people

The name is the date and the commit that was measured; a commit with changes has `-changed` behind
it. INVARIANT: a file that is there is never written again. A second run of the same commit on the
same day gets a name that ends with `-2`.

Only medians are filed: of the seconds, of the ratios of all rounds, of memory. Lists of rounds were
half a megabyte for each run, and nobody read them.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from measure.results import Result, Row
from reports.markdown import Report, markdown

RESULTS = Path(__file__).resolve().parent.parent / "results"


def write(run: Report, folder: Path) -> Path:
    """Write both files under a name that is free; the path of the JSON file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = free(folder, stem(run.date, run.facts["commit"]))
    with file.open("x", encoding="utf-8") as stream:
        stream.write(as_json(run))
    with file.with_suffix(".md").open("x", encoding="utf-8") as stream:
        stream.write(markdown(run))
    return file


def stem(date: str, commit: str) -> str:
    """The name of a result.

    Example:
        >>> stem("2026-11-16", "60d3adc112cd"), stem("2026-11-16", "60d3adc112cd with changes")
        ('2026-11-16-60d3adc', '2026-11-16-60d3adc-changed')
    """
    short, *changed = commit.split(maxsplit=1)
    return f"{date}-{short[:7]}{'-changed' if changed else ''}"


def free(folder: Path, name: str) -> Path:
    """A file of this name that does not exist yet."""
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    files = (folder / f"{one}.json" for one in names)
    return next(file for file in files if not (file.exists() or file.with_suffix(".md").exists()))


def as_json(run: Report) -> str:
    """The medians of a run, with a line for each target and for each row."""
    head = {"date": run.date, "time": run.time, "settings": run.settings, "facts": run.facts}
    lists: dict[str, list[dict[str, object]]] = {
        "targets": [
            {**asdict(one.target), "measured": one.measured, "verdict": one.verdict}
            for one in run.judged
        ],
        "rows": [row_fields(result, row) for result in run.results for row in result.rows],
    }
    parts = [json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")]
    for name, items in lists.items():
        lines = ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in items)
        parts.append(f' "{name}": [\n  {lines}\n ]')
    return ",\n".join(parts) + "\n}\n"


def row_fields(result: Result, row: Row) -> dict[str, object]:
    """A row by its medians.

    ``parts`` are further seconds by name; ``against`` are these divided by the seconds of the row,
    round by round; ``peak`` is in bytes.
    """
    in_rounds = [name for name, found in row.parts.items() if len(found) == len(row.wall)]
    return {
        "path": result.path,
        "library": row.library,
        "status": row.status,
        "note": row.note,
        "size": row.size,
        "rounds": len(row.rounds),
        "seconds": median(row.wall) if row.wall else None,
        "cores": row.cores if row.measured else None,
        "ratio": result.ratio(row),
        "parts": {name: median(found) for name, found in row.parts.items()},
        "against": {name: row.against(name) for name in in_rounds},
        "peak": median(row.peak) if row.peak else None,
    }


class Filed:
    """A result: numbers by path and library; None where a library was not measured."""

    def __init__(self, file: Path) -> None:
        self.file = file
        content = json.loads(file.read_text(encoding="utf-8"))
        self.date: str = content["date"]
        self.time: str = content["time"]
        self.facts: dict[str, str] = content["facts"]
        self.targets: list[dict[str, Any]] = content["targets"]
        self.rows: dict[tuple[str, str], dict[str, Any]] = {
            (row["path"], row["library"]): row
            for row in content["rows"]
            if row["status"] == "timed" and row["seconds"] is not None
        }

    def libraries(self, paths: list[str]) -> list[str]:
        """Those that were measured on one of the paths, in the order of the result."""
        return list(dict.fromkeys(library for path, library in self.rows if path in paths))

    def number(self, path: str, library: str, field: str) -> float | None:
        row = self.rows.get((path, library))
        return row[field] if row else None

    def seconds(self, path: str, library: str) -> float | None:
        return self.number(path, library, "seconds")

    def speed(self, path: str, library: str) -> float | None:
        """Megabytes in a second."""
        row = self.rows.get((path, library))
        return row["size"] / row["seconds"] / 1e6 if row else None

    def ratio(self, path: str, library: str) -> float | None:
        """Times the reference."""
        return self.number(path, library, "ratio")

    def peak(self, path: str, library: str) -> float | None:
        """Megabytes of memory."""
        peak = self.number(path, library, "peak")
        return peak / 1e6 if peak else None

    def against(self, path: str, library: str, part: str) -> float | None:
        """The seconds of a part, divided by those of the row."""
        row = self.rows.get((path, library))
        return row["against"].get(part) if row else None


def newest(folder: Path = RESULTS) -> Filed:
    """The result of the run that ended last."""
    return max(map(Filed, folder.glob("*.json")), key=lambda filed: (filed.date, filed.time))
