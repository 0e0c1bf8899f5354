"""Encode with the fewest tokens of a vocabulary.

The idea. Merging is greedy: the merge that was learned first goes first, whatever becomes of the
rest. The tokens themselves can often spell a piece with fewer:

    merges       b+c   a+b   c+d
    abcd  ->     a [bc] d                    three tokens by merging
    abcd  ->     [ab] [cd]                   two are enough

    >>> tokens = {b"a", b"b", b"c", b"d", b"ab", b"bc", b"cd"}
    >>> encode_fewest(b"abcd", tokens)
    [b'ab', b'cd']

The rule. Of ways with equally few tokens the one whose first token is the longest is taken; of
those the one whose second is the longest, and so on.

    >>> encode_fewest(b"abcda", tokens | {b"abc", b"da"})
    [b'abc', b'da']

How. From right to left: the fewest from a place on are one more than the fewest from where some
token that starts there ends. The piece is then read off from left to right.

    place      a   b   c   d   end
    fewest     2   2   1   1   0

It tells how far merging is from the best that its vocabulary could do. Fewer tokens are not better
tokens: where one is cut says nothing about words any more.
"""

from __future__ import annotations

from collections.abc import Collection


def encode_fewest(piece: bytes, tokens: Collection[bytes]) -> list[bytes]:
    """The fewest tokens that spell a piece; a ValueError if none do.

    Example:
        >>> encode_fewest(b"aaaa", {b"a", b"aaa"})
        [b'aaa', b'a']
    """
    longest = max(map(len, tokens), default=0)
    best: dict[int, tuple[int, int]] = {len(piece): (0, len(piece))}
    for at in range(len(piece) - 1, -1, -1):
        ends = range(min(len(piece), at + longest), at, -1)
        ways = [(best[end][0] + 1, end) for end in ends if end in best and piece[at:end] in tokens]
        if ways:
            best[at] = min(ways, key=lambda way: (way[0], -way[1]))
    if 0 not in best:
        raise ValueError("no tokens spell this piece")
    found, at = [], 0
    while at < len(piece):
        found.append(piece[at : best[at][1]])
        at = best[at][1]
    return found
