"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

#: A bar that would be gone before it is seen is not shown.
DELAY_SECONDS = 0.5

#: How often a function is told how far we are.
TELL_SECONDS = 1.0


@contextmanager
def showing(
    progress: bool | None, what: str, total: int | None = None, unit: str = "B"
) -> Iterator[Callable[[int], None] | None]:
    """A function to call with how much is done, or None if no bar is shown.

    ``progress`` is True or False, or None to show a bar if standard error is a terminal.
    """
    bar = _bar(progress, what, total, unit)
    if bar is None:
        yield None
        return

    def update(done: int) -> None:
        bar.update(done - bar.n)

    with bar:
        yield update


@contextmanager
def showing_files(
    progress: bool | Callable[[dict[str, float]], None] | None, total: int, done: int
) -> Iterator[Callable[[int, int, int, int], None] | None]:
    """A function to call with documents, tokens, bytes read and documents left out so far.

    ``progress`` is as for `showing`, or a function that is called every second with these numbers
    by name.
    """
    if callable(progress):
        yield _telling(progress, total)
        return
    bar = _bar(progress, "encoding", total, "B", done)
    if bar is None:
        yield None
        return

    def show(documents: int, tokens: int, read: int, skipped: int) -> None:
        left_out = f", {skipped} skipped" if skipped else ""
        bar.set_postfix_str(f"{tokens / 1e6:.1f}M tokens{left_out}", refresh=False)
        bar.update(read - bar.n)

    with bar:
        yield show


def _telling(
    progress: Callable[[dict[str, float]], None], total: int
) -> Callable[[int, int, int, int], None]:
    begun = told = time.perf_counter()

    def tell(documents: int, tokens: int, read: int, skipped: int) -> None:
        nonlocal told
        now = time.perf_counter()
        if now - told < TELL_SECONDS:
            return
        told = now
        about = {"documents": documents, "tokens": tokens, "read": read, "skipped": skipped}
        progress({**about, "total": total, "seconds": round(now - begun, 3)})

    return tell


def _bar(
    progress: bool | None, what: str, total: int | None, unit: str, done: int = 0
) -> tqdm[Any] | None:
    """A bar that starts at ``done``, or None if none is shown."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return None
    from tqdm import tqdm

    return tqdm(
        desc=what,
        total=total,
        initial=done,
        unit=unit,
        unit_scale=True,
        delay=DELAY_SECONDS,
        leave=False,
    )
