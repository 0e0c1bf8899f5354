"""Learn a Unigram vocabulary from counted words, and encode by it. This is the definition.

The idea. Byte-pair encoding builds a vocabulary up, merge by merge. Unigram begins with far too
many pieces and takes away those that are missed least. Every piece has a score, the logarithm of
its probability, and of all the ways to cut a text the one with the highest sum counts:

    >>> scores = {"lo": -1.0, "w": -1.5, "l": -3.0, "o": -3.0, "low": -2.0}
    >>> best_path("loww", scores), best_path("lox", scores)  # None: no piece has this character
    (['low', 'w'], ['lo', None])

The best cut of a text ends with some piece, before which stands the best cut of the rest. So the
best cuts of all beginnings are found from left to right (Viterbi). Training goes in rounds:

1. Seed: all substrings of the words that occur at least twice, with a guess of their probabilities.
   If `hell` always goes on as `hello`, only the longer one.
2. Fit: cut all words as well as possible; the counts of the pieces are their probabilities. Twice
   at the start, and once more at the end.
3. Prune: how much worse would the text be without a piece? That is its count times the difference
   between its own score and that of the best other way to write it. The least important quarter
   goes, characters never. Back to 2, until the vocabulary is small enough.

    >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    >>> [piece for piece in train_unigram(counts, 13) if len(piece) > 1]
    ['low', 'newest', 'widest']

Fitting by the best cut alone is "hard" expectation-maximisation; the classic trainer weighs all
cuts of a word by their probabilities. This way every count is a whole number, and the result is the
same on any number of threads, in any order of the words.

Ties. Of equal cuts the one whose last piece starts further left counts. Of equally important pieces
the one that sorts first stays. The cost: log(seeds / vocab_size) / log(4/3) rounds, each of which
looks at every substring of every word that is a piece.

The traps.

* Pieces of one character have to stay, or there are words that cannot be cut.
* A piece that the best cut of its own text does not use is never used anywhere.
* The sum of logarithms depends on the order of the summands in its last bit, and ties are common: a
  faster version has to add in this order, from left to right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import inf, log

#: How much lower than the lowest score that of an unknown character is.
UNKNOWN = 10.0


def best_path(
    text: str, scores: Mapping[str, float], *, without: str | None = None
) -> list[str | None]:
    """The pieces of a text whose scores have the highest sum; None for an unknown character.

    >>> best_path("low", {"lo": -1.0, "w": -1.5, "low": -2.0}, without="low")
    ['lo', 'w']
    """
    unknown = min(scores.values(), default=0.0) - UNKNOWN
    longest = max(map(len, scores), default=1)
    best: list[tuple[float, int, str | None]] = [(-inf, 0, None)] * (len(text) + 1)
    best[0] = (0.0, 0, None)
    for start in range(len(text)):
        so_far = best[start][0]
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            piece = text[start:end]
            if piece in scores and piece != without and so_far + scores[piece] > best[end][0]:
                best[end] = (so_far + scores[piece], start, piece)
        if text[start] not in scores and so_far + unknown > best[start + 1][0]:
            best[start + 1] = (so_far + unknown, start, None)
    path: list[str | None] = []
    end = len(text)
    while end > 0:
        _, end, last = best[end]
        path.append(last)
    return path[::-1]


def train_unigram(
    counts: Mapping[str, int],
    vocab_size: int,
    *,
    character_coverage: float = 1.0,
    max_piece_length: int = 16,
    seed_size: int = 1_000_000,
    shrinking_factor: float = 0.75,
    split_digits: bool = False,
) -> dict[str, float]:
    """The pieces that are learned from counted words, and their scores, the highest first.

    ``character_coverage`` is the share of the text whose characters become pieces; a word is cut at
    the others, which teach nothing, and with ``split_digits`` around every digit.

    >>> list(train_unigram({"ab": 9, "c": 1}, 3, character_coverage=0.9))
    ['ab', 'a', 'b']
    """
    characters = alphabet(counts, character_coverage)
    words = segments(counts, {*characters}, split_digits)
    pieces = {**characters, **seed_pieces(words, max_piece_length, seed_size)}
    scores = logarithms({piece: count * len(piece) for piece, count in pieces.items()})
    _, scores = fit(words, scores)  # the guess was rough
    used, scores = fit(words, scores)
    while len(scores) > max(vocab_size, len(characters)):
        size = max(vocab_size, int(len(scores) * shrinking_factor))
        kept = most_important(used, scores, size - len(characters))
        used, scores = fit(words, {piece: scores[piece] for piece in [*characters, *kept]})
    _, scores = fit(words, scores)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def alphabet(counts: Mapping[str, int], coverage: float) -> dict[str, int]:
    """The most frequent characters, as many as make up this share of the text, with their counts.

    Example:
        >>> alphabet({"aab": 3, "c": 1}, 0.9)
        {'a': 6, 'b': 3}
    """
    total: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            total[character] += count
    kept: dict[str, int] = {}
    wanted = coverage * sum(total.values())
    for character in sorted(total, key=lambda character: (-total[character], character)):
        if sum(kept.values()) < wanted:
            kept[character] = total[character]
    return kept


def segments(counts: Mapping[str, int], characters: set[str], digits: bool) -> Counter[str]:
    """The words, cut at other characters, and perhaps around digits.

    Example:
        >>> segments({"ab-a": 2, "a1": 1}, {"a", "b", "1"}, True)
        Counter({'a': 3, 'ab': 2, '1': 1})
    """
    found: Counter[str] = Counter()
    for word, count in counts.items():
        spaced = [f" {c} " if digits and c.isnumeric() else c for c in word]
        for part in "".join(c if c.strip() in characters else " " for c in spaced).split():
            found[part] += count
    return found


def seed_pieces(words: Mapping[str, int], longest: int, most: int) -> dict[str, int]:
    """Substrings that occur at least twice, those that make up the most of the text.

    Example:
        >>> seed_pieces({"hello": 2, "helmet": 1}, 16, 3)
        {'hello': 2, 'hel': 3, 'ello': 2}
    """
    total: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                total[word[start:end]] += count
    always_go_on = {piece[:-1] for piece, count in total.items() if total[piece[:-1]] == count}
    found = [p for p in total if len(p) > 1 and total[p] > 1 and p not in always_go_on]
    found.sort(key=lambda piece: (-total[piece] * len(piece), piece))
    return {piece: total[piece] for piece in found[:most]}


def fit(
    words: Mapping[str, int], scores: Mapping[str, float]
) -> tuple[Counter[str], dict[str, float]]:
    """How often each piece is part of the best cut of a word, and what that makes of the scores."""
    used: Counter[str] = Counter()
    for word, count in words.items():
        for piece in best_path(word, scores):
            used[piece or ""] += count
    return used, logarithms({piece: max(used[piece], 1) for piece in scores})


def logarithms(counts: Mapping[str, int]) -> dict[str, float]:
    """The logarithms of the probabilities that counts stand for."""
    total = log(sum(counts.values()))
    return {piece: log(count) - total for piece, count in counts.items()}


def most_important(used: Counter[str], scores: Mapping[str, float], size: int) -> list[str]:
    """The pieces of several characters that are missed most."""
    total = sum(used.values())
    losses: list[tuple[float, str]] = []
    for piece, count in used.items():
        others = [part or "" for part in best_path(piece, scores, without=piece)]
        if len(piece) == 1 or sum_of([scores[other] for other in others]) >= scores[piece]:
            continue
        total_without = log(total + count * (len(others) - 1))
        without = sum_of([log(used[other] + count) - total_without for other in others])
        losses.append((-count * (log(count) - log(total) - without), piece))
    return [piece for _, piece in sorted(losses)[:size]]


def sum_of(numbers: list[float]) -> float:
    """The sum from left to right; Python's own `sum` corrects rounding errors since 3.12."""
    total = 0.0
    for number in numbers:
        total += number
    return total
