"""A library that is measured, and whether it is there.

Loads nothing itself: a process that measures the memory of a trainer imports this.
"""

from __future__ import annotations

from abc import ABC
from importlib import import_module, metadata
from typing import Any, ClassVar

#: The library whose promises are judged.
OURS = "subword"


class Library(ABC):
    """One library. ``rounds`` keep a slow one bearable."""

    name: ClassVar[str]
    rounds: ClassVar[int | None] = None

    def version(self) -> str | None:
        """The version that is installed, or None."""
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return None

    def start(self) -> Any:
        """Import the library; the module."""
        return import_module(self.name)
