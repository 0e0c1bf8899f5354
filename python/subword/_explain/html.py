"""Tokens as HTML, for notebooks: every text is escaped, and nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from subword._explain.visible import visible

#: Backgrounds in turn, which dark and light text can be read on.
COLOURS = ("#8ecae680", "#ffb70380", "#b7e4c780", "#f4acb780")

CHIP = "white-space:nowrap;border-radius:3px;padding:1px 2px;margin:1px;display:inline-block"


def chips(tokens: Iterable[tuple[bytes, int]]) -> str:
    """Tokens beside each other, on backgrounds that alternate; the id shows under the pointer.

    >>> "&lt;b&gt;</span>" in chips([(b"<b>", 7)])
    True
    """
    shown = (
        f'<span style="{CHIP};background:{COLOURS[at % len(COLOURS)]}" title="id {id}">'
        f"{escape(visible(token))}</span>"
        for at, (token, id) in enumerate(tokens)
    )
    return f'<div style="font-family:monospace">{"".join(shown)}</div>'


def table(text: str) -> str:
    """A table that is set in a font of one width."""
    return f"<pre>{escape(text)}</pre>"
