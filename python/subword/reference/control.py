r"""Merges that are ruled out, and tokens that must be there.

Three wishes that plain training does not know, each as it is defined.

A veto. A pair is left out if the token that it makes is vetoed. The next best pair takes its place:

    >>> words = [([b"l", b"o", b"w"], 5), ([b"n", b"o", b"w"], 4)]
    >>> ids = [b"l", b"n", b"o", b"w"]
    >>> [merge.pair for merge in learn(words, 2, ids=ids)]
    [(b'o', b'w'), (b'l', b'ow')]
    >>> [merge.pair for merge in learn(words, 2, ids=ids, vetoes=lambda token: token == b"ow")]
    [(b'l', b'o'), (b'lo', b'w')]

Whole characters. Bytes know nothing of characters, and a merge may take the last byte of one and
the first of the next. Such a token is no text, and models that meet it say strange things (arXiv
2410.23684). So a token is whole characters, or the start of a single one: `中` has three bytes, and
needs a token of its first two to become one.

    >>> first, second, third = (bytes([byte]) for byte in "中".encode())
    >>> keeps_characters(first, second), keeps_characters(first + second, third)
    (True, True)
    >>> keeps_characters(second, third), keeps_characters(b" ", first)
    (False, False)
    >>> keeps_characters("中".encode(), "国".encode())
    True

Required tokens. Some of them come out of the training. Those that are missing need merges, and the
last ones of the training are taken back to make room:

    >>> merges = [(b"o", b"w"), (b"l", b"ow"), (b"e", b"r"), (b"low", b"er")]
    >>> with_required(merges, [b"wow", b"low"])
    [(b'o', b'w'), (b'l', b'ow'), (b'e', b'r'), (b'w', b'ow')]

They come last, and not first, because the rank of a merge is its right of way: `w+o` at rank 0
would take the `o` out of every `ow`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence

from subword.reference import superwords
from subword.reference.naive import apply, count_pairs
from subword.reference.training import Merge, Pair, Rule, Ties, Word


def learn(
    words: Iterable[Word],
    num_merges: int,
    *,
    ids: Sequence[bytes],
    vetoes: Callable[[bytes], bool] = lambda _: False,
    whole_characters: bool = False,
    ties: Ties = "greatest",
    min_count: int = 1,
) -> Iterator[Merge]:
    """Yield the merges of pairs that are not ruled out."""
    words = [(list(tokens), count) for tokens, count in words]
    rule = Rule(ids, ties)
    while len(rule.merged) < num_merges:
        pairs = {
            (left, right): count
            for (left, right), count in count_pairs(words).items()
            if not vetoes(left + right) and (not whole_characters or keeps_characters(left, right))
        }
        most = max(pairs.values(), default=0)
        if most < max(min_count, 1):
            return
        pair = max((pair for pair, count in pairs.items() if count == most), key=rule.key)
        if rule.is_new(pair):
            yield Merge(pair, most)
        for tokens, _ in words:
            apply(pair, tokens)


def keeps_characters(left: bytes, right: bytes) -> bool:
    """Whether two tokens make one of whole characters, or a longer start of a single one."""
    if is_text(left) and is_text(right):
        return True
    joined = left + right
    return is_start(left) and len(right) == 1 and (is_start(joined) or is_text(joined))


def is_text(token: bytes) -> bool:
    """Whether a token is whole characters."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_start(token: bytes) -> bool:
    """Whether a token is the start of a single character, and not all of it.

    Example:
        >>> is_start("é".encode()[:1]), is_start("é".encode()[1:]), is_start(b"e")
        (True, False, False)
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return token != b"" and decoder.decode(token) == ""
    except UnicodeDecodeError:
        return False


def with_required(
    merges: Sequence[Pair], required: Iterable[bytes], ties: Ties = "greatest"
) -> list[Pair]:
    """As many merges as before, and all required tokens among what they make.

    Where that cannot be, there are too few merges, and it is an error. There may be fewer than
    before: as many are taken back as are too many, which can be more than the tokens then need.
    """
    pieces = dict.fromkeys(required, 1)
    kept = len(merges)
    while True:
        more = superwords.learn(pieces, merges[:kept], 1 << 30, ties=ties)
        needed = [merge.pair for merge in more]
        too_many = kept + len(needed) - len(merges)
        if too_many <= 0:
            return [*merges[:kept], *needed]
        if too_many > kept:
            raise ValueError("the required tokens need more merges than there are")
        kept -= too_many
