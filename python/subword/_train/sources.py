"""Mixtures: named sources with weights in, counts that add up; which source paid for which merges.

    {"web": (counts, 1), "code": (counts, 3)}   weights: each count times its weight
    {"web": (counts, .7), "code": (counts, .3)} shares: so many of the bytes of the mixture

With shares, the source that is scaled least keeps its counts and the others grow, so that no rare
piece is rounded away: 1 MB of code that is to be half of a mixture with 3 MB of web counts three
times.

What a source paid: by how many tokens a merge shortened it. Encoding with the trained tokenizer
tells. A token that comes out stands for one merge, and so does each of its parts that a merge made:

    low 5 times   ->   l+ow 5, o+w 5
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from subword import _core
from subword._counts import Counts, exactly
from subword._errors import ArgumentError

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer

#: How often each merge was made in a source.
Paid = dict[str, tuple[int, ...]]


def weighted(counts: Mapping[str, Counts], weights: Mapping[str, Fraction]) -> dict[str, Counts]:
    """Each source times its weight.

    Example:
        >>> web = Counts({b"low": 2})
        >>> dict(weighted({"web": web}, {"web": Fraction(2)})["web"])
        {b'low': 4}
    """
    return {name: of.scaled(weights[name]) for name, of in counts.items()}


def weights_of(counts: Mapping[str, Counts], shares: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The weights that give each source its share of the bytes; the least of them is 1.

    Example:
        >>> web, code = Counts({b"low": 30}), Counts({b"new": 10})
        >>> half = Fraction(1, 2)
        >>> weights_of({"web": web, "code": code}, {"web": half, "code": half})
        {'web': Fraction(1, 1), 'code': Fraction(3, 1)}
    """
    sizes = {name: bytes_of(of) for name, of in counts.items()}
    for name, size in sizes.items():
        if shares[name] > 0 and size == 0:
            raise ArgumentError("sources", f"source {name!r} is empty and cannot have a share")
    weights = {name: shares[name] / sizes[name] for name in shares if sizes[name]}
    least = min((weight for weight in weights.values() if weight), default=Fraction(1))
    return {name: weights.get(name, Fraction(0)) / least for name in shares}


def bytes_of(counts: Counts) -> int:
    """How many bytes the pieces have, each as often as it occurs."""
    return sum(len(piece) * count for piece, count in counts)


def sizes_of(counts: Mapping[str, Counts], given: Mapping[str, int]) -> dict[str, int]:
    """What the tokens of each source are divided by: what the caller gave, or its bytes.

    Example:
        >>> sizes_of({"en": Counts({b"low": 2}), "fi": Counts({"yö".encode(): 1})}, {"fi": 2})
        {'en': 6, 'fi': 2}
    """
    if not counts:
        raise ArgumentError("sources", "sources must name at least one source")
    for name, size in given.items():
        if name not in counts:
            raise ArgumentError("sizes", f"sizes names {name!r}, which is no source")
        if not hasattr(size, "__index__"):
            found = type(size).__name__
            raise TypeError(f"the size of {name!r} must be an integer, not {found}")
        if not 1 <= size < 1 << 63:
            raise ArgumentError("sizes", f"the size of {name!r} must be at least 1, not {size}")
    return {name: given.get(name) or max(bytes_of(of), 1) for name, of in counts.items()}


def numbers_of(sources: Mapping[str, tuple[object, object]]) -> dict[str, Fraction]:
    """The weights or shares that a caller gave, exactly."""
    if not sources:
        raise ArgumentError("sources", "sources must name at least one source")
    numbers = {
        name: exactly(f"the weight of {name!r}", given[1]) for name, given in sources.items()
    }
    if not any(numbers.values()):
        raise ArgumentError("sources", "one source at least must weigh more than 0")
    return numbers


def paid(tok: Tokenizer, counts: Mapping[str, Counts], learned: _core.TrainingLog) -> Paid | None:
    """By how many tokens each merge shortened each source; None where encoding cannot tell.

    It cannot where two merges make the same token, or where the tokenizer encodes otherwise than by
    the merges. What all sources paid must be what the training saved.
    """
    merges = learned.merges()
    ids = [(tok.token_id(a + b), tok.token_id(a), tok.token_id(b)) for a, b, _, _ in merges]
    found: Paid = {}
    for name, of in counts.items():
        used = _core.token_counts(tok, of._counts, threads=None).tolist()
        for token, left, right in reversed(ids):
            used[left] += used[token]
            used[right] += used[token]
        found[name] = tuple(used[token] for token, _, _ in ids)
    saved = tuple(merge[3] for merge in merges)
    return found if tuple(map(sum, zip(*found.values(), strict=True))) == saved else None
