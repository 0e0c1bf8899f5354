"""`subword compare`: trainers side by side, with a table and a chart of what they took."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from subword import count_pieces
from subword._cli.arguments import Number, corpus_argument
from subword._cli.files import print_json, say
from subword._cli.group import Failure, json_option, main
from subword._cli.plots import PLOT, check_plot
from subword._cli.training import counts_in
from subword.compare import (
    TOKENIZERS,
    TRAINERS,
    WORDS,
    Run,
    Task,
    available,
    difference,
    draw,
    in_lower_case,
    measured,
    table,
    task_of_bytes,
    task_of_words,
    text_chart,
)


@main.command()
@corpus_argument
@click.option(
    "--trainer",
    "trainers",
    type=click.Choice(list(TRAINERS)),
    multiple=True,
    help="Compare these alone. Can be repeated; without it, all that are installed.",
)
@click.option(
    "--num-merges",
    type=Number(min=1),
    default=1000,
    show_default=True,
    help="How many merges each of them learns.",
)
@click.option(
    "--pattern",
    metavar="NAME",
    help="The split pattern: gpt2 (without it), any other name, or a regular expression. Pieces "
    "start as bytes.",
)
@click.option(
    "--words",
    is_flag=True,
    help="Words in lower case instead, cut at white space and . ! ?, which start as characters "
    "with </w> at their end.",
)
@click.option(
    "--ties",
    type=click.Choice(["smallest-ids", "greatest"]),
    default="smallest-ids",
    show_default=True,
    help="Which of two pairs that occur equally often is merged first. tokenizers knows the "
    "smallest ids only.",
)
@click.option(
    "--limit",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    help="Stop a trainer in Python after so many seconds; the rest of its time is extrapolated "
    "from its rounds so far.",
)
@click.option(
    "--plot",
    "plots",
    metavar="FILE",
    multiple=True,
    type=PLOT,
    help="Draw time against merges into a .png or .svg file (needs matplotlib). Can be repeated.",
)
@json_option
def compare(
    corpus: Sequence[Path],
    trainers: Sequence[str],
    num_merges: int,
    pattern: str | None,
    words: bool,
    ties: Literal["greatest", "smallest-ids"],
    limit: float,
    plots: Sequence[Path],
    as_json: bool,
) -> None:
    """Learn the same merges in several ways, and time them.

    CORPUS is text, .jsonl, .gz, .zst or Parquet, or counts. It is counted once. Every trainer then
    learns from the same counts, in a process of its own and on one thread. If two of them learn
    different merges, the first difference is an error.

    \b
    Examples:
      subword compare corpus.txt
      subword compare corpus.txt --words --num-merges 10000 --plot times.svg
      subword compare corpus.txt --trainer naive --trainer buckets --limit 60
    """
    for path in plots:
        check_plot(path)
    if words and pattern is not None:
        raise click.UsageError("--words has its own pattern: leave --pattern out")
    if ties == "greatest" and TOKENIZERS in trainers:
        raise click.UsageError("tokenizers goes with --ties smallest-ids only")
    names = [*dict.fromkeys(trainers)] or available()
    missing = [name for name in names if name not in available()]
    if missing:
        raise Failure(f"{missing[0]} is not installed", f"pip install {missing[0]}")
    if ties == "greatest":
        names = [name for name in names if name != TOKENIZERS]
    task = task_of(corpus, num_merges, pattern, words, ties, limit)
    if not task.words:
        raise Failure("there are no pieces to learn from")
    runs = run_all(names, task)
    if (found := difference(runs)) is not None:
        raise Failure(f"{found}: one of them is wrong")
    if as_json:
        print_json(facts_of(task, runs))
    else:
        say(table(task, runs))
        say("\n" + text_chart(runs))
    for path in plots:
        draw(runs, path)


def facts_of(task: Task, runs: Sequence[Run]) -> dict[str, Any]:
    """What was compared, for machines; times in seconds."""
    return {
        "different_pieces": len(task.pieces),
        "pieces": task.total,
        "merges": max(len(run.merges) for run in runs),
        "trainers": [
            {
                "name": run.name,
                "complete": run.done,
                "count": round(run.counting, 6),
                "build": round(run.build, 6),
                "per_round": run.per_round,
                "total": round(run.total, 6),
                "heap_operations": run.heap_operations,
                "stale_entries": run.stale_entries,
                "peak_bytes": run.peak,
            }
            for run in runs
        ],
    }


def task_of(
    corpus: Sequence[Path],
    num_merges: int,
    pattern: str | None,
    words: bool,
    ties: Literal["greatest", "smallest-ids"],
    limit: float,
) -> Task:
    """Count the corpus."""
    counts = counts_in(corpus)
    if counts is not None and (words or pattern is not None):
        option = "--words" if words else "--pattern"
        raise click.UsageError(f"{option} goes with text, and these are counts")
    if words:
        lower = in_lower_case(count_pieces(corpus, pattern=WORDS))
        return task_of_words(lower, num_merges, ties, limit)
    if counts is None:
        counts = count_pieces(corpus, pattern=pattern or "gpt2")
    return task_of_bytes(dict(counts), num_merges, ties, limit)


def run_all(names: Sequence[str], task: Task) -> list[Run]:
    """One trainer after the other."""
    from tqdm import tqdm

    runs: list[Run] = []
    for name in tqdm(names, "comparing", unit="trainer", delay=0.5, disable=None, leave=False):
        try:
            runs.append(measured(name, task))
        except subprocess.CalledProcessError as error:
            raise Failure(f"{name} ended with exit code {error.returncode}") from error
    return runs
