"""Where the repository is, for tests that read its files or start a Python of their own."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
