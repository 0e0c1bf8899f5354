"""What all trainers are given: pieces cut into first tokens, their counts, and how much to learn.

Two of them, the engine and tokenizers, can begin with a text, and tokenizers with nothing else. So
there is a text that has these counts. Each first token is one character of it, so that any pieces
can be spelled, those with spaces in them too; and characters are in the order of ids, so that "the
smallest ids" are the same pair everywhere:

    >>> task = task_of_words({"low": 2, "wo": 1}, num_merges=1)
    >>> task.ids
    [b'l', b'o', b'w', b'</w>']
    >>> task.texts()
    ['!"#$ !"#$', '#"$']
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from subword import Counts
from subword.reference.characters import alphabet_of, as_words
from subword.reference.training import BYTES, Ties, Word, as_bytes

#: What ends a word.
MARK = "</w>"

#: Cuts a text into words and what stands between them.
WORDS = r"[^\s.!?]+"
BETWEEN = re.compile(r"[\s.!?]*")


@dataclass(frozen=True)
class Task:
    """Pieces to learn from, whole and cut, and how much to learn."""

    pieces: dict[bytes, int]
    words: list[Word]  #: the pieces as first tokens
    ids: list[bytes]  #: first tokens; the place of each is its id
    num_merges: int
    ties: Ties = "smallest-ids"
    limit: float = 10.0  #: seconds after which a trainer that can stop early does
    mark: str | None = None  #: what ends every piece, if pieces are words of characters

    @property
    def total(self) -> int:
        """How many pieces there are, each as often as it occurs."""
        return sum(self.pieces.values())

    @property
    def tokens(self) -> int:
        """How many first tokens the different pieces have."""
        return sum(len(tokens) for tokens, _ in self.words)

    def counts(self) -> Counts:
        """The pieces for the engine."""
        return Counts(self.pieces, pattern="whitespace" if self.mark else "none")

    def characters(self) -> dict[bytes, str]:
        """For every first token the character that stands for it in `texts`."""
        return dict(zip(self.ids, characters(), strict=False))

    def texts(self) -> list[str]:
        """A text for every piece: the piece as often as it occurs."""
        spelled = self.characters()
        words = [("".join(map(spelled.__getitem__, tokens)), count) for tokens, count in self.words]
        return [" ".join([word] * count) for word, count in words if word]


def task_of_bytes(
    counts: Mapping[bytes, int],
    num_merges: int,
    ties: Ties = "smallest-ids",
    limit: float = 10.0,
) -> Task:
    """Pieces that start as their bytes."""
    return Task(dict(counts), as_bytes(counts), BYTES, num_merges, ties, limit)


def task_of_words(
    counts: Mapping[str, int],
    num_merges: int,
    ties: Ties = "smallest-ids",
    limit: float = 10.0,
) -> Task:
    """Words that start as their characters and a mark, which has the last id."""
    alphabet = alphabet_of(counts, mark=MARK)
    words = as_words(counts, set(alphabet), mark=MARK)
    ids = [character.encode() for character in [*alphabet, MARK]]
    pieces = {word.encode(): count for word, count in counts.items()}
    return Task(pieces, words, ids, num_merges, ties, limit, MARK)


def in_lower_case(counts: Iterable[tuple[bytes, int]]) -> Counter[str]:
    """The words among pieces that `WORDS` has cut, in lower case.

    Example:
        >>> in_lower_case([(b"Go", 1), (b"!\\n", 3), (b"go", 2)])
        Counter({'go': 3})
    """
    words: Counter[str] = Counter()
    for piece, count in counts:
        if not BETWEEN.fullmatch(word := piece.decode()):
            words[word.lower()] += count
    return words


def characters() -> Iterator[str]:
    """All characters from ``!`` on, in their order, but white space and halves of characters."""
    for code in range(ord("!"), sys.maxunicode + 1):
        if not (0xD800 <= code < 0xE000 or chr(code).isspace()):
            yield chr(code)
