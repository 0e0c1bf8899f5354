"""Count the pieces of a large file in several processes, and learn from the sum.

The idea. Learning looks at every different piece; counting looks at every byte, and on a large file
it is what takes the time. But counts simply add up. So cut the file into parts, give each part to a
process, and let each send back its counts: map and reduce.

    file      Once there was ... the end.<|endoftext|>Tom had a ... and so.<|endoftext|>...
    parts     |------- process 1 -------||------------ process 2 ----------||-- process 3

Where to cut. Not anywhere: a cut within a word would count two halves. A special token is a place
where every tokenizer cuts, so a part ends where one begins, and no piece can tell the difference:

    >>> text = b"low lower<|endoftext|>low slow<|endoftext|>low"
    >>> [text[start:end] for start, end in parts(text, 2, [b"<|endoftext|>"])]
    [b'low lower<|endoftext|>low slow', b'<|endoftext|>low']
    >>> count_part(text, 0, 30)
    Counter({b'low': 2, b' lower': 1, b' slow': 1})

The data structures. Of the file nothing but a memory map: the pages that are looked at are read by
the operating system, and every process maps the file for itself, so that no text is sent between
them. `finditer` finds one piece after the other in the map, where `findall` would make a list of
all pieces of the corpus. Back comes a Counter, as large as there are different pieces.

The cost. Reading once, divided by the processes, and adding up the Counters, which is not divided.

The traps.

* Special tokens come first: a pattern that is let loose on the text takes `<|` for punctuation
  and glues it to what stands before. The text is cut at them, and then each span is cut by itself.
* Special tokens that overlap. In `aXaXa` the token `aXa` stands once, at 0. Who starts to look in
  the middle finds it at 2. Such tokens are no place to cut, and the file stays in one part.
* An empty file cannot be mapped.
* What the pattern does not match is a piece too. Otherwise bytes get lost without a word.
* A process is started anew (`spawn`), and loads the main module: a script that counts needs its
  `if __name__ == "__main__":`.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from subword.reference import buckets
from subword.reference.training import BYTES, Pair, Ties, as_bytes

#: Words, numbers, punctuation, each with the space before it, and white space. Bytes that are not
#: ASCII count as letters: this needs no tables of Unicode, and is near enough for a lesson.
PATTERN = rb" ?[A-Za-z\x80-\xff]+| ?[0-9]+| ?[^\sA-Za-z0-9\x80-\xff]+|\s+(?!\S)|\s+"

END_OF_TEXT = (b"<|endoftext|>",)

Buffer = bytes | mmap.mmap


def train_file(
    path: str | Path,
    num_merges: int,
    *,
    ties: Ties = "greatest",
    special_tokens: Sequence[bytes] = END_OF_TEXT,
    processes: int | None = None,
) -> list[Pair]:
    """Learn merges from a file.

    Example:
        >>> _ = Path("corpus.txt").write_text("low low lower<|endoftext|>lowest low")
        >>> train_file("corpus.txt", 2, processes=1)
        [(b'o', b'w'), (b'l', b'ow')]
    """
    counts = count_file(path, special_tokens=special_tokens, processes=processes)
    merges = buckets.learn(as_bytes(counts), num_merges, ids=BYTES, ties=ties)
    return [merge.pair for merge in merges]


def count_file(
    path: str | Path,
    *,
    pattern: bytes = PATTERN,
    special_tokens: Sequence[bytes] = END_OF_TEXT,
    processes: int | None = None,
) -> Counter[bytes]:
    """The pieces of a file and their counts; the same for any number of processes.

    Example:
        >>> _ = Path("corpus.txt").write_text("low low<|endoftext|>low")
        >>> count_file("corpus.txt", processes=1)
        Counter({b'low': 2, b' low': 1})
    """
    if Path(path).stat().st_size == 0:
        return Counter()
    processes = processes or os.cpu_count() or 1
    with Path(path).open("rb") as file, _map(file.fileno()) as text:
        jobs = [
            (path, start, end, pattern, special_tokens)
            for start, end in parts(text, processes, special_tokens)
        ]
    if len(jobs) == 1:
        return _count_job(*jobs[0])
    total: Counter[bytes] = Counter()
    with multiprocessing.get_context("spawn").Pool(min(processes, len(jobs))) as pool:
        for counts in pool.starmap(_count_job, jobs):
            total.update(counts)
    return total


def parts(text: Buffer, wanted: int, special_tokens: Sequence[bytes]) -> list[tuple[int, int]]:
    """Cut a text into about as many parts as wanted, each but the first at a special token.

    Example:
        >>> parts(b"aXaXa", 5, [b"aXa"])
        [(0, 5)]
    """
    size = len(text)
    cuts = {0, size}
    if special_tokens and not overlap(special_tokens):
        for part in range(1, wanted):
            found = [text.find(token, size * part // wanted) for token in special_tokens]
            cuts.add(min((at for at in found if at >= 0), default=size))
    return list(pairwise(sorted(cuts)))


def overlap(special_tokens: Sequence[bytes]) -> bool:
    """Whether one of the tokens can begin within another, or within itself.

    Example:
        >>> overlap([b"<a>", b"<b>"]), overlap([b"aXa"]), overlap([b"<a>", b"a"])
        (False, True, True)
    """
    return any(
        inner.startswith(outer[at:]) or outer.startswith(inner, at)
        for outer in special_tokens
        for inner in special_tokens
        for at in range(1, len(outer))
    )


def count_part(
    text: Buffer,
    start: int,
    end: int,
    pattern: bytes = PATTERN,
    special_tokens: Sequence[bytes] = END_OF_TEXT,
) -> Counter[bytes]:
    """Count the pieces between two places of a text."""
    cut = re.compile(pattern)
    return Counter(
        piece
        for first, last in spans(text, start, end, special_tokens)
        for piece in pieces(text, first, last, cut)
    )


def spans(text: Buffer, start: int, end: int, tokens: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """What is between special tokens; of those that begin at one place the longest counts."""
    longest_first = sorted(filter(None, tokens), key=len, reverse=True)
    if longest_first:
        special = re.compile(b"|".join(map(re.escape, longest_first)))
        for match in special.finditer(text, start, end):
            yield start, match.start()
            start = match.end()
    yield start, end


def pieces(text: Buffer, start: int, end: int, cut: re.Pattern[bytes]) -> Iterator[bytes]:
    """What the pattern matches, and what is between."""
    for match in cut.finditer(text, start, end):
        if match.start() == match.end():
            continue
        if start < match.start():
            yield text[start : match.start()]
        yield text[match.start() : match.end()]
        start = match.end()
    if start < end:
        yield text[start:end]


def _map(file: int) -> mmap.mmap:
    return mmap.mmap(file, 0, access=mmap.ACCESS_READ)


def _count_job(
    path: str | Path, start: int, end: int, pattern: bytes, special_tokens: Sequence[bytes]
) -> Counter[bytes]:
    """What a process does: map the file, count a part."""
    with Path(path).open("rb") as file, _map(file.fileno()) as text:
        return count_part(text, start, end, pattern, special_tokens)
