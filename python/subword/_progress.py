"""How far a call is: a bar on a terminal or in a notebook, lines elsewhere, or a function.

progress    on a terminal    in a notebook    elsewhere
None        a bar            a bar            nothing
True        a bar            a bar            a line every ten seconds
"bar"       a bar            a bar            a bar
"lines"     lines            lines            lines
False       nothing          nothing          nothing
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from subword._types import Progress

#: A bar that would be gone before it is seen is not shown.
DELAY_SECONDS = 0.5

#: How often a function is told how far we are.
TELL_SECONDS = 1.0

#: How often a line is printed.
LINE_SECONDS = 10.0


class Shown(Protocol):
    """What shows how much is done."""

    def update(self, done: int, note: str = "") -> None:
        """Tell how much is done in all."""

    def close(self) -> None:
        """Show nothing more."""


@contextmanager
def showing(
    progress: Progress, what: str, total: int | None = None, unit: str = "B"
) -> Iterator[Callable[[int], None] | None]:
    """A function to call with how much is done, or None if nothing is shown."""
    shown = _shown(progress, what, total, unit)
    if shown is None:
        yield None
        return
    try:
        yield shown.update
    finally:
        shown.close()


@contextmanager
def showing_files(
    progress: Progress | Callable[[dict[str, float]], None], total: int, done: int
) -> Iterator[Callable[[int, int, int, int], None] | None]:
    """A function to call with documents, tokens, bytes read and documents left out so far.

    ``progress`` is as for `showing`, or a function that is called every second with these numbers
    by name.
    """
    if callable(progress):
        yield _telling(progress, total)
        return
    shown = _shown(progress, "encoding", total, "B", done)
    if shown is None:
        yield None
        return

    def show(documents: int, tokens: int, read: int, skipped: int) -> None:
        left_out = f", {skipped} skipped" if skipped else ""
        shown.update(read, f"{tokens / 1e6:.1f}M tokens{left_out}")

    try:
        yield show
    finally:
        shown.close()


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


def _shown(
    progress: Progress, what: str, total: int | None, unit: str, done: int = 0
) -> Shown | None:
    """A bar or lines that start at ``done``, or None if nothing is shown."""
    if progress not in (None, True, False, "bar", "lines"):
        raise ValueError(f'progress must be True, False, None, "bar" or "lines", not {progress!r}')
    if progress is False or sys.stderr is None:
        return None
    seen = sys.stderr.isatty() or in_notebook()
    if progress == "lines" or (progress is True and not seen):
        return _Lines(what, total, unit, done)
    return _Bar(what, total, unit, done) if seen or progress == "bar" else None


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook, whose output is a page."""
    return "ipykernel" in sys.modules


class _Bar:
    """A bar by tqdm, in a notebook by its widget."""

    def __init__(self, what: str, total: int | None, unit: str, done: int) -> None:
        self._bar: Any = _tqdm()(
            desc=what,
            total=total,
            initial=done,
            unit=unit,
            unit_scale=True,
            delay=DELAY_SECONDS,
            leave=False,
        )

    def update(self, done: int, note: str = "") -> None:
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def _tqdm() -> Any:
    """The class of bars: a widget in a notebook, text elsewhere."""
    import tqdm

    if not in_notebook():
        return tqdm.tqdm
    with warnings.catch_warnings():  # without ipywidgets, the bar is text there, too
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm as automatic
    return automatic


class _Lines:
    """Lines on standard error, for logs: ``counting: 35%, 1,200 of 3,400 MB, 120 MB/s``."""

    def __init__(self, what: str, total: int | None, unit: str, done: int) -> None:
        self.what, self.total, self.unit, self.first = what, total, unit, done
        self.begun = self.told = time.perf_counter()

    def update(self, done: int, note: str = "") -> None:
        now = time.perf_counter()
        if now - self.told >= LINE_SECONDS:
            self.told = now
            print(self.line(done, now - self.begun, note), file=sys.stderr, flush=True)

    def line(self, done: int, seconds: float, note: str) -> str:
        """What is printed after some seconds."""
        divisor, unit = (1e6, "MB") if self.unit == "B" else (1.0, f"{self.unit}s")
        amount = f"{done / divisor:,.0f}"
        parts = [f"{amount} {unit}"]
        if self.total:
            part = f"{amount} of {self.total / divisor:,.0f} {unit}"
            parts = [f"{min(1.0, done / self.total):.0%}", part]
        parts.append(f"{(done - self.first) / divisor / max(seconds, 1e-9):,.0f} {unit}/s")
        return f"{self.what}: {', '.join([*parts, *[note] * bool(note)])}"

    def close(self) -> None:
        pass
