"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: A bar that would be gone before it is seen is not shown.
DELAY_SECONDS = 0.5


@contextmanager
def showing(
    progress: bool | None, what: str, total: int | None = None, unit: str = "B"
) -> Iterator[Callable[[int], None] | None]:
    """A function that is told how much is done; None if nobody looks.

    ``progress`` is True or False, or None to show a bar if standard error is a terminal.
    """
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        yield None
        return
    from tqdm import tqdm

    bar = tqdm(
        desc=what,
        total=total,
        unit=unit,
        unit_scale=True,
        delay=DELAY_SECONDS,
        leave=False,
    )

    def update(done: int) -> None:
        bar.update(done - bar.n)

    with bar:
        yield update
