"""Several sources, one vocabulary, and every merge for the one that is worst off.

The idea. Training on a mixture helps whoever has the most text: each merge saves the most tokens in
all, and a language that is a tenth of the mixture waits. It then needs more tokens to say the same,
and its readers pay for them. Parity-aware BPE (arXiv 2508.04796) looks at the sources one by one:

1. which source is worst off: it has the most tokens for its size;
2. which pair occurs most often in that source: it is merged, in all sources.

    >>> sources = [{b"low": 5, b"lower": 2}, {b"niin": 2, b"naan": 1}]
    >>> for merge in learn(sources, 4):
    ...     print(merge.pair, merge.count, merge.source)
    (b'o', b'w') 7 0
    (b'n', b'i') 2 1
    (b'ni', b'i') 2 1
    (b'l', b'ow') 7 0

At the start both have one token for each byte, and of equals the first source is taken. After its
merge it has 18 tokens for 25 bytes, and the second is worst off until it has 8 for 12.

The rules.

* The size of a source is the number of its bytes, unless the caller says otherwise: a letter of
  Russian takes two bytes and one of Chinese three, so characters are another choice. Where the
  sources are translations of one text, the same size for all asks for the same number of tokens.
* Sources with as many tokens for their size: the first of them is taken. Pairs that occur equally
  often in it: the tie rules of `training`.
* A source without a pair that occurs ``min_count`` times in it is passed over. It is looked at
  again after every merge, for merges of others change it, too.

How much text a source has decides nothing, only what stands in it: twice the same counts give the
same merges.

The traps.

* Counts of different sources are never compared. What is frequent in a small source may be rare in
  all together.
* A source that no merge helps much stays worst off, and takes merge after merge for little. To
  begin with merges for all, train on the mixture first, and go on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from subword.reference.naive import apply, count_pairs
from subword.reference.training import BYTES, Pair, Rule, Ties, Word, as_bytes


@dataclass(frozen=True)
class Helped:
    """A merge, how often its pair stood in all sources, and the source that it was taken for."""

    pair: Pair
    count: int
    source: int


def learn(
    sources: Sequence[Mapping[bytes, int]],
    num_merges: int,
    *,
    sizes: Sequence[int] | None = None,
    ties: Ties = "greatest",
    min_count: int = 1,
) -> Iterator[Helped]:
    """Yield the merges one by one; fewer than ``num_merges`` where no source has a pair left.

    Example:
        >>> alike = [{b"ab": 1}, {b"yz": 9}]
        >>> [merge.pair for merge in learn(alike, 2)]
        [(b'a', b'b'), (b'y', b'z')]
        >>> [merge.pair for merge in learn(alike, 2, sizes=[2, 1])]
        [(b'y', b'z'), (b'a', b'b')]
    """
    texts = [as_bytes(source) for source in sources]
    sizes = [length(text) for text in texts] if sizes is None else sizes
    rule = Rule(BYTES, ties)
    while len(rule.merged) < num_merges:
        pairs = [first(text, rule, min_count) for text in texts]
        worst = next((source for source in order(texts, sizes) if pairs[source]), None)
        if worst is None:
            return
        pair = pairs[worst]
        assert pair is not None  # it is why the source was taken
        rule.is_new(pair)
        yield Helped(pair, sum(count_pairs(text)[pair] for text in texts), worst)
        for text in texts:
            for tokens, _ in text:
                apply(pair, tokens)


def order(texts: Sequence[Sequence[Word]], sizes: Sequence[int]) -> list[int]:
    """The sources, the worst off first.

    Example:
        >>> order([as_bytes({b"ab": 1}), as_bytes({b"abc": 1})], [1, 1])
        [1, 0]
    """
    rate = [Fraction(length(text), max(size, 1)) for text, size in zip(texts, sizes, strict=True)]
    return sorted(range(len(texts)), key=lambda source: -rate[source])


def length(text: Sequence[Word]) -> int:
    """How many tokens a source has."""
    return sum(len(tokens) * count for tokens, count in text)


def first(text: Sequence[Word], rule: Rule, min_count: int) -> Pair | None:
    """The pair that occurs most often in a source; none if none occurs often enough."""
    pairs = count_pairs(text)
    most = max(pairs.values(), default=0)
    if most < max(min_count, 1):
        return None
    return max((pair for pair, count in pairs.items() if count == most), key=rule.key)
