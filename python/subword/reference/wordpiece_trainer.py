"""Learn a WordPiece vocabulary from counted words. This is the definition, for both scores.

The idea. As in byte-pair encoding (`naive`), pairs of tokens that stand side by side become one
token, and so on, until the vocabulary is full. Only the vocabulary is kept: `wordpiece` encodes
without merges. A word starts as its characters, the first one plain, the others with the prefix:

    low 5, lower 2, new 3   ->   l ##o ##w | l ##o ##w ##e ##r | n ##e ##w

    >>> counts = {"low": 5, "lower": 2, "new": 3}
    >>> train_wordpiece(counts, 13, score="count", special_tokens=["[UNK]"])
    ... # doctest: +NORMALIZE_WHITESPACE
    ['[UNK]', 'e', 'l', 'n', 'o', 'r', 'w', '##e', '##o', '##r', '##w', 'lo', 'low']

Which pair goes first, is a matter of score:

* "count": the pair that occurs most often, as in byte-pair encoding. It is what Hugging Face's
  trainer does under the name of WordPiece.
* "likelihood": the pair that occurs more often than chance would have it, count(ab) / (count(a) *
  count(b)). n+##e stands there three times, where n has 3 places and ##e 5: 3 / (3 * 5). l+##o is
  seven times there, and 7 / (7 * 7) is less.

    >>> train_wordpiece(counts, 13, score="likelihood", special_tokens=["[UNK]"])[-2:]
    ['ne', '##er']

Ties. Of equal scores the pair with the higher count goes first, of those the one with the smaller
ids: first of the left token, then of the right one. Scores are fractions and compared as such:
##e+##r has 2 / (5 * 2), which is what n+##e has, and waits.

The order of the vocabulary, whose places are the ids: special tokens, then the characters by code
point, then those with the prefix that occur within words, then merges.

What teaches nothing. A word that is unknown whatever is learned: longer than `max_word_chars`, or
with a character that is not in the alphabet (see `limit_alphabet`). Pieces of white space.

The data structures. Words as lists of tokens. All is counted anew for every merge.

The cost. All words for every token of the vocabulary. A quick trainer corrects the counts around a
merge. For "likelihood" that is not all: a merge of a+b takes places from a and b, so *every* pair
with an a or a b gets a higher score, wherever it stands. Pairs of one token can share a queue in
which that token's count does not matter; the engine has a queue of such queues.

The traps.

* A rare pair of rare characters has the highest likelihood there is: 1 / (1 * 1). Without
  `min_count`, the vocabulary fills up with what occurs once.
* Two pairs can make one token: ab+##c and a+##bc. It has one id, and both are merges of it.
* The count of a token includes words that are this token and nothing else.
* `aaa` holds ##a+##a once, `aaaa` twice, and merges it once: ##aa ##a.
* If text can spell the prefix, `#` and `###` make `##`, and with `##a` that makes `##a`, which
  exists. Tokens that are spelled alike are one token.
* No merge may spell a special token: text must never become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from subword.reference.characters import WHITE

Score = Literal["count", "likelihood"]
Pair = tuple[str, str]
Word = tuple[list[str], int]

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def train_wordpiece(
    counts: Mapping[str, int],
    vocab_size: int,
    *,
    score: Score = "count",
    special_tokens: Sequence[str] = SPECIAL,
    prefix: str = "##",
    max_word_chars: int = 100,
    min_count: int = 1,
    limit_alphabet: int | None = None,
    max_token_length: int | None = None,
) -> list[str]:
    """The vocabulary that is learned from counted words, in the order of its ids.

    ``max_token_length`` is in characters, the prefix not counted.

    Example:
        >>> train_wordpiece({"ab": 3, "abc": 3}, 9, special_tokens=[], min_count=4)
        ['a', 'b', 'c', '##b', '##c', 'ab']
        >>> train_wordpiece({"ab": 3, "abc": 3}, 9, special_tokens=[], max_token_length=2)
        ['a', 'b', 'c', '##b', '##c', 'ab']
    """
    known = {
        word: count
        for word, count in counts.items()
        if count > 0 and len(word) <= max_word_chars and not WHITE.fullmatch(word)
    }
    alphabet = alphabet_of(known, {*special_tokens}, prefix, limit_alphabet)
    words: list[Word] = [
        ([prefix * (at > 0) + character for at, character in enumerate(word)], count)
        for word, count in known.items()
        if alphabet.issuperset(word)
    ]
    inner = {token for tokens, _ in words for token in tokens[1:]}
    vocab = dict.fromkeys([*special_tokens, *sorted(alphabet), *sorted(inner)])
    while len(vocab) < vocab_size:
        ids = {token: id for id, token in enumerate(vocab)}
        tokens, pairs = count_all(words)
        keys: dict[Pair, tuple[Fraction, int, int, int]] = {}
        for (left, right), count in pairs.items():
            long = length(left, prefix) + length(right, prefix)
            too_long = max_token_length is not None and long > max_token_length
            if count < max(min_count, 1) or too_long or join(left, right, prefix) in special_tokens:
                continue
            chance = 1 if score == "count" else tokens[left] * tokens[right]
            keys[left, right] = (Fraction(count, chance), count, -ids[left], -ids[right])
        if not keys:
            break
        best = max(keys, key=keys.__getitem__)
        vocab[join(*best, prefix)] = None
        for word, _ in words:
            apply(best, word, prefix)
    return [*vocab]


def alphabet_of(
    counts: Mapping[str, int], special_tokens: Set[str], prefix: str, limit: int | None = None
) -> set[str]:
    """The characters of words, or the most frequent of them, of equals the smaller one.

    What is spelled like a special token, alone or with the prefix, is not among them.

    Example:
        >>> sorted(alphabet_of({"low": 5, "ow": 1}, {"w"}, "##"))
        ['l', 'o']
        >>> sorted(alphabet_of({"low": 5, "ow": 1}, set(), "##", limit=2))
        ['o', 'w']
    """
    total: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            if special_tokens.isdisjoint({character, prefix + character}):
                total[character] += count
    return {*sorted(total, key=lambda character: (-total[character], character))[:limit]}


def count_all(words: Iterable[Word]) -> tuple[Counter[str], Counter[Pair]]:
    """How often each token and each pair stands in the text.

    Example:
        >>> count_all([(["l", "##o"], 2), (["l"], 1)])
        (Counter({'l': 3, '##o': 2}), Counter({('l', '##o'): 2}))
    """
    tokens: Counter[str] = Counter()
    pairs: Counter[Pair] = Counter()
    for word, count in words:
        for token in word:
            tokens[token] += count
        for pair in pairwise(word):
            pairs[pair] += count
    return tokens, pairs


def join(left: str, right: str, prefix: str) -> str:
    """The token that a pair makes: the right one goes on, and loses its prefix.

    Example:
        >>> join("lo", "##w", "##"), join("##e", "##r", "##")
        ('low', '##er')
    """
    return left + right.removeprefix(prefix)


def length(token: str, prefix: str) -> int:
    """How many characters of text a token has.

    Example:
        >>> length("low", "##"), length("##er", "##")
        (3, 2)
    """
    return len(token.removeprefix(prefix)) or len(token)


def apply(pair: Pair, tokens: list[str], prefix: str) -> None:
    """Merge every occurrence of a pair in a list of tokens, from left to right.

    Example:
        >>> tokens = ["a", "##a", "##a", "##a"]
        >>> apply(("##a", "##a"), tokens, "##")
        >>> tokens
        ['a', '##aa', '##a']
    """
    at = 0
    while at < len(tokens) - 1:
        if (tokens[at], tokens[at + 1]) == pair:
            tokens[at : at + 2] = [join(*pair, prefix)]
        at += 1
