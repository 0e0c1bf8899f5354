"""Loads a library that is not needed by all: where it is missing, an error says how to get it."""

from __future__ import annotations

import importlib
from typing import Any

from subword import MissingPackageError


def load(library: str, extra: str | None = None) -> Any:
    """A module of another library; ``extra`` is what installs it, by default of the same name.

    Example:
        >>> load("no_such_library", "spark")
        Traceback (most recent call last):
        subword.MissingPackageError: this needs no_such_library
          hint: pip install 'subword[spark]'
    """
    name = library.partition(".")[0]
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != name:
            raise  # it is there, and something that it needs is missing
        raise MissingPackageError(f"this needs {name}", name, extra or name) from error
