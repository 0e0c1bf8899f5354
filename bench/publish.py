#!/usr/bin/env python3
"""Draws the charts of a filed result, and writes its page and the numbers of README.

    python bench/publish.py                                      the newest result
    python bench/publish.py bench/results/2026-11-16-60d3adc.json

A whole run of the benchmark does this by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reports import charts, readme, summary
from reports.filed import Filed, newest


def write(filed: Filed, *, in_readme: bool = True) -> None:
    """The charts go to `charts/` beside the result."""
    charts.write(filed, filed.file.parent / "charts")
    if in_readme:
        summary.write(filed)
        readme.write(filed)


if __name__ == "__main__":
    write(Filed(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else newest())
