"""The trainers that are compared, each as a function from a task to a run.

What is timed, in processor time and on one thread:

* those of `subword.reference`: the pieces and their counts are given. Building ends when the first
  merge is found. A trainer that takes longer than the limit is stopped after the round.
* the engine: counts a text that has these counts, then learns from the counts.
* tokenizers: takes no counts, only the text. What it does before the first merge, counting
  included, is what it takes to learn no merges at all; the rounds take the rest.

What is quick is done three times, and the best time counts.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import TypeVar

from subword import BpeTrainer, Tokenizer, TrainingWarning, count_pieces, training_log
from subword._compare.run import Point, Run
from subword._compare.task import Task
from subword.reference import TRAINERS as REFERENCE
from subword.reference.training import Merge, Pair, Work

ENGINE, TOKENIZERS = "engine", "tokenizers"

#: A run that takes less than so many seconds is done so many times.
QUICK, TIMES = 1.0, 3

#: How many points of a run are kept.
POINTS = 24

T = TypeVar("T")


def in_python(name: str, task: Task) -> Run:
    """A trainer of `subword.reference`."""
    best = learn(name, task)
    for _ in range(TIMES - 1):
        if best.total > QUICK:
            break
        best = min(best, learn(name, task), key=lambda run: run.total)
    return best


def learn(name: str, task: Task) -> Run:
    """Once."""
    work, merges, points = Work(), list[Merge](), list[Point]()
    kept = set(places(task.num_merges))
    gc.collect()  # what the run before has left
    start = time.process_time()
    for merge in REFERENCE[name](
        task.words, task.num_merges, ids=task.ids, ties=task.ties, work=work
    ):
        # So many rounds are done, and the pair of the next one is found.
        rounds, seconds = len(merges), time.process_time() - start
        stopped = rounds > 0 and seconds > task.limit
        if stopped or rounds in kept:
            points.append((rounds, seconds))
        if stopped:
            break
        merges.append(merge)
    else:
        stopped = False
        points.append((len(merges), time.process_time() - start))
    return Run(
        name,
        [merge.pair for merge in merges],
        task.num_merges,
        not stopped,
        points,
        heap_operations=work.heap_operations,
        stale_entries=work.stale_entries,
    )


def by_engine(task: Task) -> Run:
    """The engine: count, then learn."""
    texts, counts = task.texts(), task.counts()
    count = partial(count_pieces, texts=texts, pattern="whitespace", threads=1, progress=False)
    counting = min(timed(count)[1] for _ in range(TIMES))

    def train(num_merges: int) -> Tokenizer:
        trainer = BpeTrainer(
            num_merges=num_merges,
            ties=task.ties,
            initial_vocab="chars" if task.mark else "bytes",
            end_of_word=task.mark,
            threads=1,
            progress=False,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)
            return trainer.train_counts(counts)

    tok, points = best_of(train, task.num_merges)
    log = training_log(tok)
    assert log is not None
    effort = log.phases[-1].details
    return Run(
        ENGINE,
        tok.merges,
        task.num_merges,
        True,
        with_end(points, len(tok.merges)),
        counting,
        heap_operations=effort["queue_operations"],
        stale_entries=effort["stale_candidates"],
    )


def by_tokenizers(task: Task) -> Run:
    """Hugging Face's trainer. The process was told by its environment to use one thread."""
    import tokenizers

    texts, characters = task.texts(), task.characters()

    def train(num_merges: int) -> tokenizers.Tokenizer:
        tok = tokenizers.Tokenizer(tokenizers.models.BPE())
        tok.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=len(task.ids) + num_merges,
            initial_alphabet=list(characters.values()),
            show_progress=False,
        )
        tok.train_from_iterator(texts, trainer)
        return tok

    tok, points = best_of(train, task.num_merges)
    tokens = {character: token for token, character in characters.items()}

    def spelled(token: str) -> bytes:
        return b"".join(tokens[character] for character in token)

    merges: list[Pair] = [
        (spelled(left), spelled(right))
        for left, right in json.loads(tok.to_str())["model"]["merges"]
    ]
    return Run(TOKENIZERS, merges, task.num_merges, True, with_end(points, len(merges)))


def best_of(train: Callable[[int], T], num_merges: int) -> tuple[T, list[Point]]:
    """Learn none, a few and all of the merges, several times in turn; the best time of each."""
    train(0)  # the first call loads what is loaded once
    best: dict[int, float] = {}
    for _ in range(TIMES):
        for merges in sorted({0, num_merges // 100, num_merges // 10, num_merges}):
            learned, seconds = timed(train, merges)
            best[merges] = min(seconds, best.get(merges, seconds))
    # More merges never take less time; where it seems so, the clock was too coarse.
    return learned, list(zip(best, accumulate(best.values(), max), strict=True))


def with_end(points: list[Point], merges: int) -> list[Point]:
    """The same where there were fewer merges to learn than asked for."""
    reached = [point for point in points if point[0] < merges]
    return [*reached, (merges, points[-1][1])]


def timed(call: Callable[..., T], *arguments: object) -> tuple[T, float]:
    """What a call gives, and the processor time that it takes."""
    start = time.process_time()
    answer = call(*arguments)
    return answer, time.process_time() - start


def places(num_merges: int) -> list[int]:
    """Numbers of merges from 0 on, closer together at first.

    Example:
        >>> places(1000)[:6], places(1000)[-2:], places(3)
        ([0, 1, 2, 3, 5, 7], [750, 1000], [0, 1, 2, 3])
    """
    spread = [round((num_merges + 1) ** (at / POINTS)) - 1 for at in range(POINTS + 1)]
    return sorted(set(spread))


def available() -> list[str]:
    """The names of the trainers that can run here."""
    return [name for name in TRAINERS if name != TOKENIZERS or importlib.util.find_spec(name)]


TRAINERS: dict[str, Callable[[Task], Run]] = {
    **{name: partial(in_python, name) for name in REFERENCE},
    ENGINE: by_engine,
    TOKENIZERS: by_tokenizers,
}
