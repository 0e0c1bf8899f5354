"""Sort all suffixes of a text in linear time, and say what neighbours share.

The idea. `banana` has the suffixes a, ana, anana, banana, na, nana, in this order. Comparing two
of them can take as long as the text is. But places are related: if it is known which of the
suffixes one letter on comes first, one letter decides. The skew algorithm uses that:

1. sort the suffixes at two of three places, where at % 3 is 1 or 2. Give each three letters a name,
   in their order; the names, one after the other, are a text of two thirds the length. Where two
   names are alike, sort the suffixes of that text, by this algorithm;
2. the suffix at another place is its first letter and a suffix that is sorted: one stable sort by
   that letter;
3. merge the two lists. Two suffixes are compared by one or two letters and what is sorted already.

    >>> suffix_array([ord(letter) for letter in "banana"])
    [5, 3, 1, 0, 4, 2]

What neighbours share (LCP) is found by walking through the text and not through the list: if the
suffix at a place shares five letters with its neighbour, the suffix one place on shares four at
least with its own (Kasai and others).

    >>> letters = [ord(letter) for letter in "banana"]
    >>> common_prefixes(letters, suffix_array(letters))  # a|ana, ana|anana, ...
    [1, 3, 0, 0, 2]

The data structures. Lists of numbers. Sorting is by buckets, one for each letter.

The cost. Linear: one pass is linear, and the next has two thirds of the letters. In memory about
twenty numbers for each letter.

The traps.

* Letters are small numbers, because there is a bucket for each: `suffix_array` numbers them first.
* Where the last three letters reach behind the end, they are filled up with zeros. If the text has
  3n + 1 letters, a place behind its end must be named too: otherwise the last place of one third
  would run on into the next third.
* A bucket sort must keep the order of equals. That is what makes one letter at a time enough.
"""

from __future__ import annotations

from collections.abc import Sequence


def suffix_array(letters: Sequence[int]) -> list[int]:
    """Where the suffixes of a text start, in their order.

    Example:
        >>> suffix_array([7, 7, 7])
        [2, 1, 0]
    """
    number = {letter: n for n, letter in enumerate(sorted({*letters}), 1)}
    return _skew([number[letter] for letter in letters])


def _skew(letters: list[int]) -> list[int]:
    size = len(letters)
    if size < 2:
        return [*range(size)]
    padded = [*letters, 0, 0, 0]
    # First the places where at % 3 is 1, then those where it is 2.
    places = [*range(1, size + (size % 3 == 1), 3), *range(2, size, 3)]
    order = places
    for letter in (2, 1, 0):
        order = _bucket_sort(order, [padded[at + letter] for at in order])
    name_of, name, last = {}, 0, [-1]
    for at in order:
        if (three := padded[at : at + 3]) != last:
            name, last = name + 1, three
        name_of[at] = name
    if name < len(order):
        order = [places[at] for at in _skew([name_of[at] for at in places])]
    rank = [0] * (size + 3)
    for place, at in enumerate(order, 1):
        rank[at] = place
    others = [at - 1 for at in order if at % 3 == 1]
    others = _bucket_sort(others, [padded[at] for at in others])
    return _merge([at for at in order if at < size], others, padded, rank)


def _bucket_sort(places: list[int], keys: list[int]) -> list[int]:
    """Places by their keys; of equal keys as they were."""
    buckets: list[list[int]] = [[] for _ in range(max(keys, default=0) + 1)]
    for place, key in zip(places, keys, strict=True):
        buckets[key].append(place)
    return [place for bucket in buckets for place in bucket]


def _merge(thirds: list[int], others: list[int], letters: list[int], rank: list[int]) -> list[int]:
    """All places: those of two thirds, whose rank is known, and the others."""
    merged: list[int] = []
    two, one = thirds[::-1], others[::-1]
    while two and one:
        i, j = two[-1], one[-1]
        if i % 3 == 1:
            before = (letters[i], rank[i + 1]) < (letters[j], rank[j + 1])
        else:
            ends = [(*letters[at : at + 2], rank[at + 2]) for at in (i, j)]
            before = ends[0] < ends[1]
        merged.append(two.pop() if before else one.pop())
    return merged + two[::-1] + one[::-1]


def common_prefixes(letters: Sequence[int], order: Sequence[int]) -> list[int]:
    """How many letters each suffix shares with the one before it in the order, from the second on.

    Example:
        >>> common_prefixes([7, 7, 7], [2, 1, 0])
        [1, 2]
    """
    place = [0] * len(order)
    for n, at in enumerate(order):
        place[at] = n
    shared, length = [0] * len(order), 0
    for at in range(len(order)):
        other = order[place[at] - 1] if place[at] > 0 else len(letters)
        end = len(letters) - max(at, other)
        while length < end and letters[at + length] == letters[other + length]:
            length += 1
        shared[place[at]] = min(length, end)
        length = max(0, shared[place[at]] - 1)
    return shared[1:]
