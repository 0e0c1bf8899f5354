"""Byte-pair encoding as it began: to make a text shorter.

The idea. Take the pair of characters that occurs most often, write one character for it that the
text does not have, and put down what it stands for. Go on until no pair occurs twice (P. Gage, "A
New Algorithm for Data Compression", 1994). What is written down is also a list of merges, and
that is how a tokenizer came to be made of it.

    >>> text, table = compress("aaabdaaabac")
    >>> text
    'XdXac'
    >>> table
    {'Z': 'aa', 'Y': 'ab', 'X': 'ZY'}
    >>> expand(text, table)
    'aaabdaaabac'

Step by step:

    >>> for step in steps("aaabdaaabac"):
    ...     print(*step)
    ZabdZabac Z aa
    ZYdZYac Y ab
    XdXac X ZY

The data structures. A string, and a dictionary from each new character to its pair. A pair may hold
new characters, so the dictionary is a tree: X is Z and Y, and they are `aa` and `ab`.

The cost. The text times the number of new characters. It is a small program, not a good compressor.

The traps.

* A new character must not occur in the text, or it would be expanded as well.
* Expanding goes backwards: the last pair holds the characters of those before it.
* `aaa` holds `aa` twice, and one of them can be replaced. Counted as in training (twice), the pair
  would be written down and nothing saved. So it must occur twice *side by side or apart*, without
  overlap, which is what `str.count` counts. Which pair comes first is decided as in training: by
  all occurrences, and of equals by the greatest pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain


def compress(text: str) -> tuple[str, dict[str, str]]:
    """A shorter text, and what its new characters stand for.

    Example:
        >>> compress("abcabcabc")
        ('YYY', {'Z': 'bc', 'Y': 'aZ'})
        >>> compress("aaa")
        ('aaa', {})
    """
    table = {}
    for shorter, character, pair in steps(text):
        text, table[character] = shorter, pair
    return text, table


def expand(text: str, table: dict[str, str]) -> str:
    """The text that was compressed.

    Example:
        >>> expand("YYY", {"Z": "bc", "Y": "aZ"})
        'abcabcabc'
    """
    for character, pair in reversed(table.items()):
        text = text.replace(character, pair)
    return text


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """One replacement after the other: the text after it, the new character, and its pair."""
    unused = new_characters(text)
    while True:
        pairs = Counter(text[at : at + 2] for at in range(len(text) - 1))
        twice = [pair for pair in pairs if pairs[pair] > 1 and text.count(pair) > 1]
        if not twice:
            return
        pair = max(twice, key=lambda pair: (pairs[pair], pair))
        character = next(unused)
        text = text.replace(pair, character)
        yield text, character, pair


def new_characters(text: str) -> Iterator[str]:
    """Characters that a text does not have: Z to A, then those from U+0100 on.

    Example:
        >>> unused = new_characters("XYZ")
        >>> next(unused), next(unused)
        ('W', 'V')
    """
    taken = set(text)
    capitals = "ZYXWVUTSRQPONMLKJIHGFEDCBA"
    for character in chain(capitals, map(chr, range(0x100, 0xD800))):
        if character not in taken:
            yield character
