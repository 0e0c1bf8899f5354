"""The measures of a tokenizer on a text: what each number is.

    text            "low lower slowest"                 words  low lower slowest
    tokens          low ␣ low er ␣ s low est            8 tokens, 17 bytes
    bytes_per_token 17 / 8
    fertility       (1 + 2 + 3) / 3                     the tokens of a word, spaces left out
    whole           1 / 3                               words that are one token

A token is *unused* if it never comes out. It is *residue* if merging makes it and nearly always
merges it on: it has an id, and next to nothing is ever written with it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

#: The order of the entropy, as Zouhar et al. (2023) chose it.
ALPHA = 2.5

#: A token is residue if it comes out at most once in so many times that merging makes it.
RESIDUE = 100


@dataclass(frozen=True)
class Measures:
    """What one tokenizer makes of one text."""

    tokenizer: str
    text: str
    #: How many tokens there are, special tokens included.
    vocab_size: int
    #: The text, without special tokens.
    bytes: int
    words: int
    #: What the text becomes; how much of it stands for what the tokenizer does not know.
    tokens: int
    unknown: int
    #: The tokens of the words, without spaces; how many words are one token.
    word_tokens: int
    whole_words: int
    #: The entropy of the tokens as a share of what it could be.
    renyi_efficiency: float
    #: How many tokens of the vocabulary never come out, special tokens not counted.
    unused: int
    #: How many are made by merges, and nearly always merged on; None where nothing merges.
    residue: int | None
    #: What the text becomes where pieces are cut into the fewest tokens; None where nobody asked.
    fewest: int | None = None

    @property
    def bytes_per_token(self) -> float:
        """How much text a token stands for."""
        return ratio(self.bytes, self.tokens)

    @property
    def fertility(self) -> float:
        """Tokens per word."""
        return ratio(self.word_tokens, self.words)

    @property
    def whole(self) -> float:
        """The share of words that are one token."""
        return ratio(self.whole_words, self.words)

    @property
    def over_fewest(self) -> float:
        """How many more tokens there are than the fewest, as a share of those."""
        return math.nan if self.fewest is None else ratio(self.tokens - self.fewest, self.fewest)

    def as_dict(self) -> dict[str, Any]:
        """All numbers by their names, for JSON: what there is not is None."""
        names = ("bytes_per_token", "fertility", "whole", "over_fewest")
        numbers = asdict(self) | {name: getattr(self, name) for name in names}
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in numbers.items()
        }


def ratio(part: int, whole: int) -> float:
    """A share; of nothing it is no number."""
    return part / whole if whole else math.nan


def renyi_efficiency(counts: npt.NDArray[np.uint64], vocab_size: int) -> float:
    """The Rényi entropy of tokens that occur so often, as a share of the largest that there is.

    It is 1 if all tokens of the vocabulary occur equally often, and 0 if there is only one.

    Example:
        >>> renyi_efficiency(np.array([3, 3, 3, 3], dtype=np.uint64), 4)
        1.0
        >>> round(renyi_efficiency(np.array([6, 2, 0, 0], dtype=np.uint64), 4), 4)
        0.316
    """
    total = float(counts.sum())
    if not total or vocab_size < 2:
        return math.nan
    shares = counts[counts > 0].astype(np.float64) / total
    entropy = math.log(float((shares**ALPHA).sum())) / (1 - ALPHA)
    return min(1.0, abs(entropy) / math.log(vocab_size))


def made(
    counts: npt.NDArray[np.uint64], pairs: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """How often merging makes each token, if they come out so often.

    ``pairs`` has the two tokens that each is made of, or -1; ``lengths`` is how long tokens are. A
    token is made when it comes out, and whenever one is made that it is part of.

    Example:
        >>> pairs = np.array([[-1, -1], [-1, -1], [0, 1], [2, 2]])  # a, b, ab, abab
        >>> made(np.array([0, 1, 1, 5], dtype=np.uint64), pairs, np.array([1, 1, 2, 4])).tolist()
        [11, 12, 11, 5]
    """
    times = counts.copy()
    merged = np.flatnonzero(pairs[:, 0] >= 0)
    for length in np.unique(lengths[merged])[::-1]:
        tokens = merged[lengths[merged] == length]
        for side in (0, 1):
            np.add.at(times, pairs[tokens, side], times[tokens])
    return times


def residue(
    counts: npt.NDArray[np.uint64], pairs: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> int:
    """How many tokens merging makes only to merge them on."""
    times = made(counts, pairs, lengths)
    step = (pairs[:, 0] >= 0) & (times > 0) & (counts <= times // np.uint64(RESIDUE))
    return int(step.sum())
