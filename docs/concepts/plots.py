"""Draws the pictures of these chapters: `make concepts`, or `make concepts CORPUS=text.txt`.

Every picture is a measurement on the corpus, made anew: the trainers side by side, encoders by the
length of a piece and the size of a vocabulary, counting by the number of processes, a text that
gets shorter. The table of the trainers is printed. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import pydoc_data
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from subword import count_pieces
from subword.compare import (
    WORDS,
    Line,
    available,
    difference,
    draw,
    draw_lines,
    in_lower_case,
    measured,
    table,
    task_of_words,
    timed,
)
from subword.reference import (
    LongestMatch,
    compression,
    encode_longest,
    merge_by_list,
    merge_with_heap,
)
from subword.reference.buckets import learn
from subword.reference.parallel import count_part, parts
from subword.reference.training import Merge

HERE = Path(__file__).parent

#: The trainers that each chapter is about.
CHAPTERS = {
    "naive": ["naive"],
    "incremental": ["naive", "incremental"],
    "index-heap": ["incremental", "index_heap"],
    "linked-multiset": ["index_heap", "linked_multiset"],
    "buckets": ["linked_multiset", "buckets"],
}


def ladder(corpus: Path, out: Path, num_merges: int, limit: float) -> list[Merge]:
    """All trainers on the words of the corpus; the merges of one of them."""
    counts = in_lower_case(count_pieces(corpus, pattern=WORDS))
    task = task_of_words(counts, num_merges, limit=limit)
    runs = [measured(name, task) for name in available()]
    if (found := difference(runs)) is not None:
        raise SystemExit(found)
    print(table(task, runs))
    draw(runs, out / "ladder.svg")
    for chapter, bright in CHAPTERS.items():
        draw(runs, out / f"{chapter}.svg", bright=bright)
    return list(learn(task.words, num_merges, ids=task.ids, ties=task.ties))


def encoding(corpus: Path, out: Path, merges: list[Merge], longest: int) -> None:
    """Encoding one piece of more and more bytes, by the definition and by a heap."""
    ranks = {merge.pair: rank for rank, merge in enumerate(merges)}
    text = b"".join(corpus.read_bytes().lower().split())[:longest]
    ways = {"merge_loop": merge_by_list, "heap_linked": merge_with_heap}
    lines = []
    for at, (name, encode) in enumerate(ways.items()):
        points = []
        for size in powers(4, len(text)):
            points.append((size, best(lambda: encode(text[:size], ranks))))  # noqa: B023, at once
        lines.append(Line(points, f"C{at}", name))
    draw_lines(lines, out / "encoding.svg", x="bytes in the piece", y="seconds")


def longest_match(corpus: Path, out: Path, merges: list[Merge]) -> None:
    """Encoding a word by the longest token, with larger and larger vocabularies."""
    tokens = [b"".join(merge.pair).decode() for merge in merges]
    words = [
        word + "</w>" for word, _ in Counter(corpus.read_text().lower().split()).most_common(20)
    ]
    lines = [Line([], "C0", "encode_longest"), Line([], "C1", "LongestMatch")]
    for size in powers(16, len(tokens)):
        encoder, some = LongestMatch(tokens[:size]), tokens[:size]
        times = [
            best(lambda: [encode_longest(word, some) for word in words]),  # noqa: B023, at once
            best(lambda: [encoder.encode(word) for word in words]),  # noqa: B023, at once
        ]
        lines = [
            Line([*line.points, (size, seconds / len(words))], line.colour, line.name)
            for line, seconds in zip(lines, times, strict=True)
        ]
    draw_lines(lines, out / "longest-match.svg", x="tokens in the vocabulary", y="seconds per word")


def parallel(corpus: Path, out: Path) -> None:
    """Counting the corpus in parts, cut at line breaks: the slowest part, and adding up.

    One part after the other, in processor time: any machine can tell what eight cores would do.
    """
    text, points = corpus.read_bytes(), []
    for processes in range(1, 9):
        places = parts(text, processes, [b"\n"])
        jobs = [partial(count_part, text, *place, special_tokens=[b"\n"]) for place in places]
        slowest = max(map(best, jobs))
        adding = best(partial(added, [job() for job in jobs]))
        points.append((processes, slowest + adding))
    line = Line(points, "C0", style="o-")
    draw_lines([line], out / "parallel.svg", x="processes", y="seconds", scale="linear")


def added(tables: list[Counter[bytes]]) -> Counter[bytes]:
    """The sum of counts."""
    total: Counter[bytes] = Counter()
    for counts in tables:
        total.update(counts)
    return total


def shorter(corpus: Path, out: Path, size: int) -> None:
    """The first characters of the corpus, compressed step by step."""
    text = corpus.read_text()[:size]
    points = [(0, len(text))]
    points += [(at, len(step[0])) for at, step in enumerate(compression.steps(text), 1)]
    line = Line(points, "C0")
    draw_lines([line], out / "compression.svg", x="new characters", y="length", scale="linear")


def powers(first: int, last: int) -> Iterator[int]:
    """Numbers that double."""
    while first <= last:
        yield first
        first *= 2


def best(call: Callable[[], object]) -> float:
    """The least processor time of a few calls."""
    return min(timed(call)[1] for _ in range(3))


def main() -> None:
    """Draw everything."""
    default = Path(pydoc_data.__path__[0], "topics.py")  # some English that every Python brings
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=default)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--num-merges", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--longest", type=int, default=2048, help="the longest piece, in bytes")
    given = parser.parse_args()
    merges = ladder(given.corpus, given.out, given.num_merges, given.limit)
    encoding(given.corpus, given.out, merges, given.longest)
    longest_match(given.corpus, given.out, merges)
    parallel(given.corpus, given.out)
    shorter(given.corpus, given.out, given.longest)


if __name__ == "__main__":
    main()
