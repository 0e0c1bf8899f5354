"""Encode one piece: bytes in, tokens out. This is the definition; everything else must agree.

The idea. Training has learned an ordered list of merges, the most useful first. To encode a piece,
start with one token per byte and apply the earliest learned merge that is possible anywhere:

    rank 0: l+o    rank 1: e+r    rank 2: lo+w    rank 3: low+er

    l o w e r      the pairs l+o (rank 0) and e+r (rank 1) are known: the lowest rank goes first
    lo w e r       now lo+w (rank 2) and e+r (rank 1)
    lo w er        only lo+w is left
    low er         a pair that did not exist at the start
    lower          one token: nothing left to pair

The data structures. A list of tokens, and a dictionary from a pair to its rank. The dictionary
turns "walk through all merges in order and apply each" (50,000 passes over every word) into "look
at the few pairs that this word has".

Two meanings. What "a pair has a rank" means depends on where the tokenizer comes from:

* by list (Hugging Face, `merges.txt`): a pair has a rank if it is in the list of merges;
* by rank (tiktoken): a pair has a rank if its concatenation is a token; the rank is that token's.

They agree on most text, and not on all of it. Here the token `abc` was learned as a+bc:

    >>> merge_by_list(b"abc", {(b"a", b"b"): 0, (b"b", b"c"): 1, (b"a", b"bc"): 2})
    [b'ab', b'c']
    >>> merge_by_rank(b"abc", {b"ab": 0, b"bc": 1, b"abc": 2})
    [b'abc']

The cost. A piece of n bytes has up to n - 1 merges, each found by a scan over what is left: O(n²).
For a word that is nothing. For 10 MB without a space it is months: see `heap_linked`.

The traps.

* Leftmost first. `aaa` holds the pair a+a twice, and the two overlap: it is `aa a`, never `a aa`.
* One merge at a time. Joining all occurrences of the best pair in one sweep gives the same tokens
  only as long as no merge makes a pair of lower rank; in a hand-written list that can happen.
* A merge removes a boundary, never a byte: joined, the tokens always spell the piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

RankOf = Callable[[bytes, bytes], "int | None"]


def merge_by_list(piece: bytes, ranks: Mapping[tuple[bytes, bytes], int]) -> list[bytes]:
    """Encode a piece where only the listed pairs merge, the lowest rank first.

    Example:
        >>> ranks = {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2, (b"low", b"er"): 3}
        >>> merge_by_list(b"lower", ranks)
        [b'lower']
        >>> merge_by_list(b"slow", ranks)
        [b's', b'low']
        >>> merge_by_list(b"", ranks)
        []
    """
    return _merge(piece, lambda left, right: ranks.get((left, right)))


def merge_by_rank(piece: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Encode a piece where any two tokens merge whose concatenation is a token, lowest rank first.

    Single bytes may be in ``ranks``, as they are in a published vocabulary, or not: a byte is never
    the result of a merge, so its rank is never asked for.

    Example:
        >>> ranks = {b"lo": 256, b"er": 257, b"low": 258, b"lower": 259}
        >>> merge_by_rank(b"lower", ranks)
        [b'lower']
        >>> merge_by_rank(b"aaaaa", {b"aa": 256})
        [b'aa', b'aa', b'a']
    """
    return _merge(piece, lambda left, right: ranks.get(left + right))


def _merge(piece: bytes, rank_of: RankOf) -> list[bytes]:
    tokens = [piece[i : i + 1] for i in range(len(piece))]
    while (at := _lowest(tokens, rank_of)) is not None:
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens


def _lowest(tokens: list[bytes], rank_of: RankOf) -> int | None:
    """Where the pair with the lowest rank starts, the leftmost of equals; None without any."""
    best: tuple[int, int] | None = None
    for at, (left, right) in enumerate(pairwise(tokens)):
        rank = rank_of(left, right)
        if rank is not None and (best is None or (rank, at) < best):
            best = (rank, at)
    return None if best is None else best[1]
