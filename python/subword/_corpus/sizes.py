"""Numbers of bytes as a caller writes them: 67108864, or "64MB"."""

from __future__ import annotations

import re

from subword._errors import ArgumentError

#: More bytes than there are.
NO_LIMIT = (1 << 64) - 1

UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


def size_of(size: int | str, name: str) -> int:
    """A number of bytes. ``name`` is that of the argument, for the error.

    >>> size_of("64MB", "memory_limit"), size_of("1.5 gb", "memory_limit"), size_of(1000, "n")
    (67108864, 1610612736, 1000)
    """
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*", size.upper())
    if match is None:
        message = f'{name} must be a number of bytes or like "64MB", not {size!r}'
        raise ArgumentError(name, message)
    number, unit = match.groups()
    return int(float(number) * UNITS[unit if unit.endswith("B") or not unit else unit + "B"])


def at_least_one(size: int | str, name: str) -> int:
    """A number of bytes that is not 0; one that no file can reach means no limit.

    >>> at_least_one("1KB", "max_document"), at_least_one(1 << 70, "max_document") == NO_LIMIT
    (1024, True)
    """
    limit = size_of(size, name)
    if limit < 1:
        raise ArgumentError(name, f"{name} must be at least 1, not {size}")
    return min(limit, NO_LIMIT)
