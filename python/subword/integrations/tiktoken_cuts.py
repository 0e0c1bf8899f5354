"""The parts that Llama 3 and Kimi hand to tiktoken one by one.

    "low " * 200_000    -> two parts of 400,000 characters
    "x" * 60_000        -> 25,000 and 25,000 and 10,000

Their code cuts long texts because tiktoken cannot take them. That changes ids at the cuts, so a
program that wants the same ids has to cut as they do. Our engine needs no cuts, and makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["cuts"]

_RUNS = re.compile(r"\s+|\S+")


def cuts(text: str, *, most: int = 400_000, run: int = 25_000) -> Iterator[str]:
    """The parts of a text that Llama 3 and Kimi encode one by one.

    Args:
        text: The text.
        most: How many characters a part may have. The text is cut there first.
        run: How many characters in a row may be white space, or may be none.

    Returns:
        The parts. Joined, they are the text.

    Example:
        >>> from subword.integrations.tiktoken_cuts import cuts
        >>> [*cuts("low lower", most=6, run=3)]
        ['low lo', 'wer']
        >>> [*cuts("aaaaaaa b", run=3)]
        ['aaa', 'aaa', 'a b']

        The ids of Llama 3's own code:

        >>> from subword import Tokenizer
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> [id for part in cuts("low") for id in tok.encode(part, special="encode")]
        [108, 111, 119]
    """
    for at in range(0, len(text), most):
        part, start = text[at : at + most], 0
        for found in _RUNS.finditer(part):
            for place in range(found.start() + run, found.end(), run):
                yield part[start:place]
                start = place
        yield part[start:]
