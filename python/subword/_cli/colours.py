"""Colours on a terminal."""

from __future__ import annotations

import os
import sys

BRIGHT = "\x1b[1;32m"  #: what is new
NOTED = "\x1b[33m"  #: what deserves a look
FAINT = "\x1b[2m"  #: what is only there for completeness
PLAIN = "\x1b[0m"  #: the end of any of them


def has_colours() -> bool:
    """Whether standard output is a terminal, and the user has nothing against colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def painted(text: str, colour: str, wanted: bool = True) -> str:
    """A text in a colour, if one is wanted."""
    return f"{colour}{text}{PLAIN}" if wanted else text
