"""Learn merges from piece counts. This is the definition; every trainer must agree with it.

The idea. Byte-pair encoding compresses: the two tokens that stand side by side most often become
one token, and so on. Training writes down which pairs these were, in order. What it looks at is not
the text but the table of its pieces and how often each occurs, because a pair that crosses the end
of a piece never merges:

    low 5   lower 2   newest 6   widest 3

    e+s 9   s+t 9   w+e 8   ...      two pairs occur nine times, and of equals the one that sorts
                                     last goes first: s+t
    e+st 9  w+e 8   l+o 7   ...      `st` is a token now; newest is n e w e st
    o+w 7   l+o 7   ...              `est` is a token: the w+e of newest is w+est now, and 6

    >>> counts = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
    >>> for merge in learn(as_bytes(counts), 4, ids=BYTES):
    ...     print(merge)
    s+t 9
    e+st 9
    o+w 7
    l+ow 7

The data structures. Each piece is a list of tokens with a count. For every merge all pairs of all
pieces are counted anew.

Ties. Two pairs with the same count need a rule, or the answer depends on the order of a dictionary:

* "greatest": the pair whose bytes sort last, compared as (left, right);
* "smallest-ids": the pair with the smallest (id, id). Ids number the tokens from 0: the first ones
  in the order given, then those that merges make, as they are made.

    >>> train_bpe({b"ab": 1, b"yz": 1}, 1)
    [(b'y', b'z')]
    >>> train_bpe({b"ab": 1, b"yz": 1}, 1, ties="smallest-ids")
    [(b'a', b'b')]

A third rule is found in many texts on the subject: of equals the pair that was counted first. It is
what `max` does to a dictionary, and depends on the order of the pieces:

    >>> from subword.reference.training import as_characters
    >>> words = as_characters({"low": 5, "lower": 2, "newest": 6, "widest": 3}, mark="</w>")
    >>> for _ in range(3):
    ...     pairs = count_pairs(words)
    ...     pair = max(pairs, key=pairs.__getitem__)
    ...     print(Merge(pair, pairs[pair]))
    ...     for tokens, _ in words:
    ...         apply(pair, tokens)
    e+s 9
    es+t 9
    est+</w> 9

The cost. Merges times the size of the table: 32,000 merges over 200,000 pieces take hours. A merge
changes few pieces, and only the pairs beside it. The other trainers make use of that, each in its
own way (`training` lists them); the answer is the same.

The traps.

* Occurrences merge from left to right without overlap: `aaaaa` holds a+a four times, and two of
  them merge. The count of a+a is four all the same: it is what is counted that matters, not what
  could merge.
* The tie rule compares pairs, not the tokens that they make: (b"ab", b"c") and (b"a", b"bc") make
  the same bytes, and the first one is greater.
* The bytes of a token are compared as a whole: b"a" sorts before b"aa". Comparing ids instead is
  another rule, with another result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from subword.reference.training import BYTES, Merge, Pair, Rule, Ties, Word, Work, as_bytes


def train_bpe(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    ties: Ties = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    ids: Sequence[bytes] = BYTES,
) -> list[Pair]:
    """Learn up to ``num_merges`` merges, the most frequent pair first.

    Example:
        >>> train_bpe({b"low": 5, b"lower": 2}, num_merges=2)
        [(b'o', b'w'), (b'l', b'ow')]
        >>> train_bpe({b"aaaaa": 1}, num_merges=9)
        [(b'a', b'a'), (b'aa', b'aa'), (b'aaaa', b'a')]
        >>> train_bpe({b"low": 5, b"lower": 2}, num_merges=9, min_count=3)
        [(b'o', b'w'), (b'l', b'ow')]
        >>> train_bpe({b"low": 5}, num_merges=9, max_token_length=2)
        [(b'o', b'w')]
    """
    merges = learn(
        as_bytes(counts),
        num_merges,
        ids=ids,
        ties=ties,
        min_count=min_count,
        max_token_length=max_token_length,
    )
    return [merge.pair for merge in merges]


def learn(
    words: Iterable[Word],
    num_merges: int,
    *,
    ids: Sequence[bytes],
    ties: Ties = "greatest",
    min_count: int = 1,
    max_token_length: int | None = None,
    work: Work | None = None,
) -> Iterator[Merge]:
    """Yield the merges one by one: from pieces that have been cut into tokens already.

    It ends before ``num_merges`` where no pair is left, or none that occurs ``min_count`` times and
    makes a token of at most ``max_token_length`` bytes.

    Pieces that are cut otherwise than into bytes can bring two pairs that make the same token. Both
    are merges; the token keeps the id that it got first. They can also bring a pair back after it
    was merged: it merges again, and is not a merge twice.

    Example:
        >>> words = [([b"a", b"b", b"c"], 3), ([b"ab", b"c"], 1)]
        >>> for merge in learn(words, 9, ids=[b"a", b"b", b"c", b"ab"]):
        ...     print(merge)
        b+c 3
        a+bc 3
        ab+c 1
    """
    words = [(list(tokens), count) for tokens, count in words]
    rule, work = Rule(ids, ties, max_token_length), work or Work()
    while len(rule.merged) < num_merges:
        pairs = {pair: n for pair, n in count_pairs(words).items() if rule.allows(pair)}
        most = max(pairs.values(), default=0)
        if most < max(min_count, 1):
            return
        pair = max((pair for pair, count in pairs.items() if count == most), key=rule.key)
        if rule.is_new(pair):
            yield Merge(pair, most)
        work.rounds += 1
        work.visits += len(words)
        for tokens, _ in words:
            apply(pair, tokens)


def count_pairs(words: Iterable[Word]) -> Counter[Pair]:
    """How often each pair stands in the text: in every piece, times the count of the piece.

    Example:
        >>> count_pairs(as_bytes({b"aaa": 2, b"ab": 1}))
        Counter({(b'a', b'a'): 4, (b'a', b'b'): 1})
    """
    pairs: Counter[Pair] = Counter()
    for tokens, count in words:
        for pair in pairwise(tokens):
            pairs[pair] += count
    return pairs


def apply(pair: Pair, tokens: list[bytes]) -> None:
    """Merge every occurrence of a pair in a list of tokens, from left to right.

    Example:
        >>> tokens = [b"a"] * 5
        >>> apply((b"a", b"a"), tokens)
        >>> tokens
        [b'aa', b'aa', b'a']
    """
    at = 0
    while at < len(tokens) - 1:
        if (tokens[at], tokens[at + 1]) == pair:
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        at += 1
