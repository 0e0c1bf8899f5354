"""What measures are made of: the words of a text, and how often each token comes out of it.

    files -> words with counts       once: bytes, words, and what each tokenizer makes of a word
    files -> pieces with counts      once for every pattern; each different piece is encoded once

Both tables go to disk where they are large. What comes out of the pieces is what comes out of the
text, as long as the tokenizer looks for nothing in a text but its control tokens. One that has
other words of its own, which text always becomes, encodes the text itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from subword import _core
from subword._corpus.count import count_pieces
from subword._corpus.encode_files import encode_files
from subword._corpus.open_tokens import open_tokens
from subword._counts import Counts
from subword._encoders import encoded_by
from subword._evaluate.measures import Measures, renyi_efficiency, residue
from subword._tokenizer import Tokenizer

#: How much memory a table may use.
MEMORY_LIMIT = "512MB"

#: How many words, or ids, are worked on at a time, and how many bytes of words.
BATCH = 1 << 16
BATCH_BYTES = 1 << 24


@dataclass
class Tally:
    """What one tokenizer makes of a text; they add up."""

    tokens: npt.NDArray[np.uint64]
    bytes: int = 0
    words: int = 0
    word_tokens: int = 0
    whole_words: int = 0
    fewest: int | None = None

    def __iadd__(self, other: Tally) -> Tally:
        self.tokens = self.tokens + other.tokens
        self.bytes += other.bytes
        self.words += other.words
        self.word_tokens += other.word_tokens
        self.whole_words += other.whole_words
        if self.fewest is not None and other.fewest is not None:
            self.fewest += other.fewest
        return self


class Subject:
    """A tokenizer that is measured, and what has to be known about its tokens."""

    def __init__(self, name: str, tok: Tokenizer, *, fewest: bool = False) -> None:
        tok._require_pieces("tok", "measured")
        self.name = name
        self.tok = tok
        #: The same tokens, the fewest of them, where they are to be measured and can be found.
        self.fewest: Subject | None = None
        merges = tok.kind in ("merges", "ranks")
        if fewest and merges and tok.units == "bytes" and tok.end_of_word is None:
            self.fewest = Subject(name, encoded_by(tok, "fewest"))
        special = tok.special_tokens
        #: Special tokens that ordinary text never becomes.
        self.control = [token for token, id in special.items() if tok.encode(token) != [id]]
        self.adds_words = len(self.control) < len(special)
        unk = tok.unk_token
        self.unk = None if unk is None else tok.token_id(unk)
        space = tok.encode(" ") if not (tok.end_of_word or tok.kind == "wordpiece") else []
        self.space = space[0] if len(space) == 1 else None

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return self.tok.max_id + 1

    @cached_property
    def ordinary(self) -> npt.NDArray[np.bool_]:
        """Which ids are tokens that text may become."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[list(self.tok.vocab)] = True
        found[[self.tok.special_tokens[token] for token in self.control]] = False
        if self.unk is not None:
            found[self.unk] = True
        return found

    @cached_property
    def pairs(self) -> npt.NDArray[np.int64]:
        """The two tokens that each is made of, or -1."""
        return _core.pairs_of_tokens(self.tok).reshape(-1, 2)

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How long each token is, in bytes."""
        found = np.zeros(self.size, dtype=np.int64)
        for id, token in self.tok.vocab.items():
            found[id] = len(token)
        return found

    def measures(self, text: str, tally: Tally) -> Measures:
        """The numbers."""
        tokens, ordinary = tally.tokens, self.ordinary
        merges = self.tok.kind in ("merges", "ranks")
        return Measures(
            tokenizer=self.name,
            text=text,
            vocab_size=self.tok.vocab_size,
            bytes=tally.bytes,
            words=tally.words,
            tokens=int(tokens.sum()),
            unknown=0 if self.unk is None else int(tokens[self.unk]),
            word_tokens=tally.word_tokens,
            whole_words=tally.whole_words,
            renyi_efficiency=renyi_efficiency(tokens, int(ordinary.sum())),
            unused=int((ordinary & (tokens == 0)).sum()),
            residue=residue(tokens, self.pairs, self.lengths) if merges else None,
            fewest=tally.fewest,
        )


@dataclass
class Texts:
    """Files that are measured together."""

    paths: Sequence[Path]
    #: Special tokens of any tokenizer: they are cut out.
    special_tokens: Iterable[str]
    reading: dict[str, Any]
    pieces: dict[tuple[str, str | None], Counts] = field(default_factory=dict)

    @cached_property
    def words(self) -> Counts:
        """The words, and the white space between them."""
        return self.counted(pattern="whitespace")

    def counted(self, **settings: Any) -> Counts:
        return count_pieces(
            self.paths,
            special_tokens=self.special_tokens,
            memory_limit=MEMORY_LIMIT,
            **settings,
            **self.reading,
        )

    def tally(self, subject: Subject) -> Tally:
        """What a tokenizer makes of them."""
        tally = Tally(self.tokens_of(subject))
        if subject.fewest is not None:
            tally.fewest = int(self.tokens_of(subject.fewest).sum())
        for pieces, counts in batches(self.words):
            tally.bytes += int((np.array([*map(len, pieces)], dtype=np.uint64) * counts).sum())
            are_words = np.array([*map(is_word, pieces)])
            words = [b" " + pieces[at] for at in np.flatnonzero(are_words)]
            add_words(tally, subject, words, counts[are_words], self.reading["threads"])
        return tally

    def tokens_of(self, subject: Subject) -> npt.NDArray[np.uint64]:
        """How often each token comes out."""
        return self.encoded(subject) if subject.adds_words else self.pieces_of(subject)

    def pieces_of(self, subject: Subject) -> npt.NDArray[np.uint64]:
        """How often each token comes out, by the pieces of the text."""
        tok = subject.tok
        key = (str(tok.pattern), tok.normalizer)
        if key not in self.pieces:
            self.pieces[key] = self.counted(pattern=tok.pattern, normalizer=key[1])
        return _core.token_counts(tok, self.pieces[key]._counts, threads=self.reading["threads"])

    def encoded(self, subject: Subject) -> npt.NDArray[np.uint64]:
        """How often each token comes out, by encoding the text."""
        found = np.zeros(subject.size, dtype=np.uint64)
        with TemporaryDirectory() as folder:
            out = Path(folder, "ids.bin")
            encode_files(subject.tok, self.paths, out, special=subject.control, **self.reading)
            ids = open_tokens(out)[:]
            for start in range(0, len(ids), BATCH):
                part = np.bincount(ids[start : start + BATCH], minlength=subject.size)
                found += part.astype(np.uint64)
            del ids  # the file is mapped
        found[[subject.tok.special_tokens[token] for token in subject.control]] = 0
        return found


def is_word(piece: bytes) -> bool:
    """Whether a piece of the pattern "whitespace" is none.

    Example:
        >>> is_word(b"low"), is_word(b" "), is_word("\u3000".encode()), is_word(b"\x1f")
        (True, False, False, True)
    """
    separator = b"\x1c" <= piece[:1] <= b"\x1f"  # white space to Python, but not to Unicode
    return separator or not piece.decode()[:1].isspace()


def batches(counts: Counts) -> Iterator[tuple[list[bytes], npt.NDArray[np.uint64]]]:
    """Pieces and their counts, many at a time, but no more than fit in little memory."""
    pieces: list[bytes] = []
    numbers: list[int] = []
    size = 0
    for piece, number in counts:
        pieces.append(piece)
        numbers.append(number)
        size += len(piece)
        if len(pieces) == BATCH or size >= BATCH_BYTES:
            yield pieces, np.array(numbers, dtype=np.uint64)
            pieces, numbers, size = [], [], 0
    if pieces:
        yield pieces, np.array(numbers, dtype=np.uint64)


def add_words(
    tally: Tally,
    subject: Subject,
    words: list[bytes],
    counts: npt.NDArray[np.uint64],
    threads: int | None,
) -> None:
    """Count words that occur so often, each with the space before it."""
    ids, bounds = subject.tok.encode_batch_arrays(words, threads=threads)
    lengths = np.diff(bounds)
    some = lengths > 0
    first = np.full(len(words), -1, dtype=np.int64)
    first[some] = ids[bounds[:-1][some]]
    if subject.space is not None:
        lengths = lengths - ((first == subject.space) & (lengths > 1)).astype(np.uint64)
    whole = lengths == 1
    if subject.unk is not None:
        whole &= first != subject.unk
    tally.words += int(counts.sum())
    tally.word_tokens += int((lengths * counts).sum())
    tally.whole_words += int(counts[whole].sum())
