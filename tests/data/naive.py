"""Trains BPE by its definition, on plain ASCII: what the CS336 assignment asks for.

The course publishes its text and the merges that must come out, but no package holds them. Here the
same question is put to another text, and the answer is worked out by the definition of the
assignment: count all pairs, merge the most frequent one, ties to the pair whose bytes sort last,
and begin again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise

from tests.data.convert import spelled

Pair = tuple[bytes, bytes]

#: GPT-2's pattern for ASCII, which the standard library can express.
PATTERN = re.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
)


def train(text: str, num_merges: int) -> list[Pair]:
    """The merges in the order in which they are learned.

    Example:
        >>> train("low low lower", 2)
        [(b'o', b'w'), (b'l', b'ow')]
    """
    if not text.isascii():
        raise ValueError("the pattern is that of ASCII alone")
    counts = Counter(PATTERN.findall(text))
    words = {tuple(bytes([byte]) for byte in word.encode()): n for word, n in counts.items()}
    merges: list[Pair] = []
    for _ in range(num_merges):
        pairs: Counter[Pair] = Counter()
        for word, number in words.items():
            for pair in pairwise(word):
                pairs[pair] += number
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = {merged(word, best): number for word, number in words.items()}
    return merges


def merged(word: tuple[bytes, ...], pair: Pair) -> tuple[bytes, ...]:
    """The word with the pair merged wherever it stands, from the left.

    Example:
        >>> merged((b"a", b"a", b"a"), (b"a", b"a"))
        (b'aa', b'a')
    """
    found: list[bytes] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            found.append(pair[0] + pair[1])
            at += 2
        else:
            found.append(word[at])
            at += 1
    return tuple(found)


def merges_txt(merges: list[Pair]) -> str:
    return "".join(f"{spelled(left)} {spelled(right)}\n" for left, right in merges)


def vocab_json(merges: list[Pair]) -> str:
    """All tokens with ids: the special token, the bytes, the merges."""
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    names = ["<|endoftext|>", *map(spelled, tokens)]
    return json.dumps({name: id for id, name in enumerate(names)}, ensure_ascii=False)
