"""Tokens for the eye."""

from __future__ import annotations

from collections.abc import Sequence

#: On a terminal: bright and green, and the end of that.
BRIGHT, PLAIN = "\x1b[1;32m", "\x1b[0m"


def visible(token: bytes) -> str:
    """A token for the eye: a space is ``␣``, and what is no text or does not print is escaped.

    Args:
        token: The bytes of a token.

    Returns:
        Text that a terminal shows as it is.

    Example:
        >>> from subword import visible
        >>> print(visible(b" low"), visible(b"a\\n"), visible("é".encode()), visible(b"\\xc3"))
        ␣low a\\n é \\xc3
    """
    text = token.replace(b"\\", b"\\\\").decode(errors="backslashreplace").replace(" ", "␣")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def spaced(tokens: Sequence[bytes], made: Sequence[int] = ()) -> str:
    """Tokens with spaces between them; those at the places ``made`` are bright on a terminal."""
    shown = [visible(token) for token in tokens]
    for at in made:
        shown[at] = f"{BRIGHT}{shown[at]}{PLAIN}"
    return " ".join(shown)
