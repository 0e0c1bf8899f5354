"""Pictures that a command is asked to draw."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from subword._cli.arguments import OutputFile
from subword._cli.group import Failure

ENDINGS = (".png", ".svg")

PLOT = OutputFile("plot.svg")


def check_plot(path: Path) -> None:
    """Refuse a picture that cannot be drawn, before anything is measured."""
    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"--plot {path}: expected a file that ends in .png or .svg")
    if importlib.util.find_spec("matplotlib") is None:
        raise Failure("--plot needs matplotlib", "pip install 'subword[plot]'")
