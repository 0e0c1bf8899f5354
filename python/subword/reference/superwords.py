"""Superwords: merges over the ends of words. This is the definition for the engine.

The idea. Training cuts a text into words first, so no token holds a space inside: "by the way" is
three tokens however often it occurs. Once the vocabulary knows the frequent words, more subwords
buy little, and the next most useful pairs are pairs of words. So learn in two stages:

1. words: merges within the pieces of a pattern of words, as ever;
2. superwords: another pattern, without the boundary at white space, cuts longer pieces. They are
   encoded with the merges of the first stage, and training goes on over them.

    >>> words = [(b"o", b"f"), (b" ", b"of"), (b" ", b"t"), (b" t", b"h"), (b" th", b"e")]
    >>> sentences = {b"one of the few": 3, b"two of them": 2}
    >>> encoded(sentences, words)[1]
    ([b't', b'w', b'o', b' of', b' the', b'm'], 2)
    >>> print(next(learn(sentences, words, 9)))
     of+ the 5

Two forms are published:

* SuperBPE (arXiv 2503.13423): any two tokens may merge, those within a word as well.
* BoundlessBPE (arXiv 2504.00178): only words that are one token merge, with each other and with
  superwords. Here it is the second stage alone: a word of several tokens ends a run, and merges go
  on over the runs.

    >>> cut = lambda piece: re.findall(rb" ?[^ ]+", piece)
    >>> whole_words(sentences, words, cut)
    [([b' of', b' the'], 3), ([b' of'], 2)]

Encoding knows nothing of stages. The tokenizer has the second pattern and all merges in one list,
and encodes as it is defined (`merge_loop`): the lowest rank first. Merges of words come first in
the list, so words are merged before superwords; a tokenizer.json needs nothing new for it.

The cost. Words recur and sentences do not: the table that training looks at is the corpus itself,
one entry for every sentence. The engine keeps it as tokens in one array.

The traps.

* In BoundlessBPE's own encoding ` of the` is a token of "of the few" alone; here and in a
  tokenizer.json also of "of them": by rank ` the` is merged there before `m` is looked at.
* A merge of the first stage may apply over the end of a word, where the second pattern does not
  cut: `;` and `;` of "a; ;b" do not, but `)` and `.` of two pieces may. That is the definition, and
  it is why the second stage starts from pieces of the second pattern, encoded whole.
* Two words that are a merge of the first stage may stand side by side in a run. They merge when
  their turn comes, and are not recorded twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from subword.reference.merge_loop import merge_by_list
from subword.reference.naive import apply, count_pairs
from subword.reference.training import BYTES, Merge, Pair, Rule, Ties, Word

__all__ = ["encoded", "learn", "re", "whole_words"]


def learn(
    pieces: Mapping[bytes, int],
    words: Sequence[Pair],
    num_merges: int,
    *,
    cut: Callable[[bytes], Sequence[bytes]] | None = None,
    ties: Ties = "greatest",
    min_count: int = 1,
) -> Iterator[Merge]:
    """Yield the merges of the second stage.

    ``pieces`` are those of the second pattern with their counts, ``words`` the merges of the first
    stage. With ``cut``, the pattern of words, only whole words merge.

    Example:
        >>> list(learn({b"abab": 2}, [(b"a", b"b")], 9))
        [Merge(pair=(b'ab', b'ab'), count=2)]
    """
    rule = Rule([*BYTES, *(left + right for left, right in words)], ties)
    rule.merged.update(words)
    runs = encoded(pieces, words) if cut is None else whole_words(pieces, words, cut)
    while len(rule.merged) < len(words) + num_merges:
        pairs = count_pairs(runs)
        most = max(pairs.values(), default=0)
        if most < max(min_count, 1):
            return
        pair = max((pair for pair, count in pairs.items() if count == most), key=rule.key)
        if rule.is_new(pair):
            yield Merge(pair, most)
        for tokens, _ in runs:
            apply(pair, tokens)


def encoded(pieces: Mapping[bytes, int], words: Sequence[Pair]) -> list[Word]:
    """Every piece as the tokens that the first stage makes of it."""
    ranks = {pair: rank for rank, pair in enumerate(words)}
    return [(merge_by_list(piece, ranks), count) for piece, count in pieces.items()]


def whole_words(
    pieces: Mapping[bytes, int],
    words: Sequence[Pair],
    cut: Callable[[bytes], Sequence[bytes]],
) -> list[Word]:
    """The runs of words that the first stage makes one token each."""
    ranks = {pair: rank for rank, pair in enumerate(words)}
    runs: list[Word] = []
    for piece, count in pieces.items():
        run: list[bytes] = []
        for word in cut(piece):
            tokens = merge_by_list(word, ranks)
            if len(tokens) == 1:
                run += tokens
            elif run:
                runs.append((run, count))
                run = []
        if run:
            runs.append((run, count))
    return runs
