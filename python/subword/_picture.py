"""Pictures by matplotlib: a figure of one size, written as .png or .svg."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subword._types import StrPath

#: What a picture of each format is told; no date, so that the same data give the same file.
METADATA: dict[str, dict[str, str | None]] = {".png": {}, ".svg": {"Date": None}}


@contextmanager
def picture(path: StrPath) -> Iterator[Any]:
    """Axes to draw on; at the end the picture is written. Needs matplotlib."""
    path = Path(path)
    if path.suffix.lower() not in METADATA:
        raise ValueError(f"{path}: expected a file that ends in .png or .svg")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        yield figure.add_subplot()
        figure.savefig(path, metadata=METADATA[path.suffix.lower()], dpi=150)
