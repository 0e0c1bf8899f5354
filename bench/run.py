#!/usr/bin/env python3
"""Measures subword beside other libraries: ``python bench/run.py --help``.

    python bench/run.py                                  everything, into bench/results/ and README
    python bench/run.py --quick                          everything on small texts, in six minutes
    python bench/run.py --only encode/cl100k/en          the paths below that one
    python bench/run.py --only 'encode/*/*/fresh'        the paths that fit
    python bench/run.py --list                           the paths

Exit codes: 0 measured, also where a target is missed; 1 ids differ from tiktoken's (tokenizers' for
WordPiece), merges differ from a library that learns by our rule, or subword failed; 2 nothing could
be measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

import batches
import corpora
import filed
import files
import loading
import machine
import outputs
import publish
import report
import scenarios
import training
import wordpiece
import wordpiece_peers
from library import OURS, Library
from peers import ADAPTERS, REFERENCE, use_one_thread
from results import Result, Row
from scenarios import QUICK, Bench, Settings
from targets import judge
from trainers import REFERENCE as FIRST_TRAINER
from trainers import TRAINERS

HERE = Path(__file__).resolve().parent

Scenario = Callable[[Bench, str], Result]

#: Every library by its name: those that encode, and those that train.
PEERS: dict[str, Library] = {**wordpiece_peers.PEERS, **ADAPTERS, **TRAINERS}


#: Vocabularies and texts beside cl100k on the first five, and how many rounds they get.
FURTHER = (
    *(("o200k", name, 7) for name in corpora.CORPORA),
    *(("o200k", name, 3) for name in corpora.SMALLER),
    *(("cl100k", name, 3) for name in corpora.SMALLER),
    ("gpt2", "en", 3),
    ("qwen2", "en", 3),
)


def encoding() -> dict[str, Scenario]:
    """The paths of large texts and of batches."""
    paths: dict[str, Scenario] = {}
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/warm"] = partial(scenarios.encode_warm, name=name)
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/fresh"] = partial(scenarios.encode_fresh, name=name)
    for vocab, name, rounds in FURTHER:
        for kind, scenario in (("warm", scenarios.encode_warm), ("fresh", scenarios.encode_fresh)):
            further = partial(scenario, name=name, vocab_name=vocab, rounds=rounds)
            paths[f"encode/{vocab}/{name}/{kind}"] = further
    for name in corpora.CORPORA:
        paths[f"encode/cl100k/{name}/lists"] = partial(outputs.lists, name=name)
    for size in batches.SIZES:
        for kind in ("arrays", "lists"):
            for threads in ("1-thread", "2-threads"):
                paths[f"batch/cl100k/{size}/{kind}/{threads}"] = batches.batch
    for name in ("en", "zh"):
        paths[f"count/cl100k/{name}"] = partial(outputs.count, name=name)
    for name in ("en", "zh"):
        paths[f"decode/cl100k/{name}"] = partial(outputs.decode, name=name)
    for level in batches.LEVELS:
        paths[f"simd/cl100k/en/{level}"] = batches.simd
    paths["cold/cl100k/en"] = partial(loading.cold, corpus="en")
    return paths


def catalogue() -> dict[str, Scenario]:
    """Every path and the function that measures it, in the order of the report."""
    paths = encoding()
    paths["short/cl100k/hello-world"] = scenarios.hello_world
    paths["short/cl100k/100-characters"] = scenarios.hundred_characters
    paths["short/cl100k/100-characters-varied"] = scenarios.thousand_lines
    paths["load/o200k/new-process"] = partial(loading.new_process, name="o200k")
    paths["load/o200k/same-process"] = partial(loading.same_process, name="o200k")
    paths["load/o200k/own-file"] = partial(loading.own_file, name="o200k")
    for kind in corpora.HOSTILE:
        paths[f"hostile/cl100k/{kind}"] = partial(scenarios.hostile, kind=kind)
    for kind in corpora.HOSTILE:
        one = partial(scenarios.hostile, kind=kind, at_most=1_000_000)
        paths[f"hostile/cl100k/{kind}/1MB"] = one
    for path in training.TRAINING:
        paths[path] = training.train
    paths["count/enwiki/threads"] = training.count_threads
    paths["count/enwiki/64MB"] = training.count_bounded
    for name in wordpiece.TEXTS:
        paths[f"wordpiece/{name}/fresh"] = partial(wordpiece.batch_fresh, name=name)
    for name in wordpiece.TEXTS:
        paths[f"wordpiece/{name}/warm"] = partial(wordpiece.batch_warm, name=name)
    paths["wordpiece/en/linear"] = wordpiece.linear
    paths["wordpiece/en/threads"] = wordpiece.threads
    paths["wordpiece/en/words"] = wordpiece.words
    paths["wordpiece/hello-world"] = wordpiece.hello_world
    paths["wordpiece/load"] = wordpiece.load
    for kind in wordpiece.HOSTILE:
        paths[f"wordpiece/hostile/{kind}"] = partial(wordpiece.hostile, kind=kind)
    for score in ("count", "likelihood"):
        paths[f"wordpiece/train/{score}"] = partial(wordpiece.train, score=score)
    paths["files/enwiki/bin"] = files.rate
    paths["files/enwiki/memory"] = files.memory
    paths["files/enwiki/killed"] = files.killed
    return paths


def selected(paths: list[str], only: list[str]) -> list[str]:
    """The paths that fit one of the filters, or lie below it.

    Example:
        >>> selected(["encode/cl100k/en/warm", "short/cl100k/hello-world"], ["encode/*/en"])
        ['encode/cl100k/en/warm']
    """
    if not only:
        return paths
    return [
        path
        for path in paths
        if any(fnmatchcase(path, one) or fnmatchcase(path, f"{one.rstrip('/')}/*") for one in only)
    ]


#: Paths that are over in some seconds, and would show the speed that the machine has just then.
BRIEF = ("short/*", "wordpiece/hello-world", "wordpiece/en/threads", "wordpiece/en/words")


def in_turn(paths: list[str]) -> list[str]:
    """The order of measuring: WordPiece first, brief paths three times.

    After half an hour of other paths tokenizers takes nearly twice as long for a text as in a new
    process, and a machine that others use too has fast minutes and slow ones (2026-11-16).

    Example:
        >>> in_turn(["encode/cl100k/en/warm", "wordpiece/load", "files/enwiki/bin"])
        ['wordpiece/load', 'encode/cl100k/en/warm', 'files/enwiki/bin']
        >>> in_turn(["short/a", "files/b"])
        ['short/a', 'short/a', 'files/b', 'short/a']
    """
    turns = sorted(paths, key=lambda path: not path.startswith("wordpiece/"))
    brief = [path for path in turns if any(fnmatchcase(path, one) for one in BRIEF)]
    middle = len(turns) // 2
    return [*turns[:middle], *brief, *turns[middle:], *brief]


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small texts and few rounds")
    parser.add_argument(
        "--only", action="append", default=[], metavar="PATH", help="can be repeated"
    )
    parser.add_argument("--peers", metavar="NAMES", help="of: " + ",".join(PEERS))
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the files go")
    parser.add_argument("--list", action="store_true", help="print the paths and stop")
    return parser.parse_args(given)


def output_folder(options: argparse.Namespace) -> Path:
    """bench/results/ holds whole runs alone; the others go to bench/.out/, which git ignores."""
    if options.out is not None:
        chosen: Path = options.out
        return chosen
    whole = not (options.quick or options.only or options.peers)
    return filed.RESULTS if whole else HERE / ".out"


def prepare(options: argparse.Namespace) -> Bench | str:
    """The data and the libraries, or why nothing can be measured."""
    wanted = set(options.peers.split(",")) if options.peers else PEERS.keys()
    if unknown := wanted - PEERS.keys():
        return f"--peers: no adapter for {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}"
    adapters = {n: a for n, a in ADAPTERS.items() if n in wanted | {OURS, REFERENCE}}
    trainers = {n: t for n, t in TRAINERS.items() if n in wanted | {OURS, FIRST_TRAINER}}
    first = {OURS, wordpiece_peers.REFERENCE}
    wordpieces = {n: p for n, p in wordpiece_peers.PEERS.items() if n in wanted | first}
    settings = QUICK if options.quick else Settings()
    try:
        bench = Bench(corpora.data_directory(), adapters, trainers, wordpieces, settings)
        ADAPTERS[REFERENCE].load(bench.vocab("cl100k"))
    except corpora.DataError as error:
        return str(error)
    except ImportError as error:
        return (
            f"{REFERENCE} is the reference and does not import: {error}\n"
            "  hint: pip install -r bench/requirements-peers.txt"
        )
    return bench


def main() -> int:
    options = arguments()
    paths = catalogue()
    names = selected(list(paths), options.only)
    if options.list:
        print("\n".join(names))
        return 0
    if not names:
        print(f"--only: no path fits {options.only}\n  hint: --list prints them", file=sys.stderr)
        return 2
    use_one_thread()
    bench = prepare(options)
    if isinstance(bench, str):
        print(bench, file=sys.stderr)
        return 2
    names_used = {*bench.adapters, *bench.trainers, *bench.wordpiece}
    used = [peer for name, peer in PEERS.items() if name in names_used]
    facts = machine.facts(used)
    found: dict[str, Result] = {}
    turns = in_turn(names)
    for number, name in enumerate(turns, 1):
        print(f"[{number}/{len(turns)}] {name}", file=sys.stderr, flush=True)
        result = measured(paths[name], bench, name)
        found[name] = found[name].joined(result) if name in found else result
    results = [found[name] for name in names]
    settings = (
        "quick: small texts and few rounds, not for quoting" if options.quick else "whole texts"
    )
    day, clock = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M").split()
    whole = report.Report(day, clock, settings, facts, results, judge(results))
    print(report.markdown(whole))
    folder = output_folder(options)
    file = filed.write(whole, folder)
    print(f"written: {file} and {file.stem}.md", file=sys.stderr)
    publish.write(filed.Filed(file), in_readme=folder == filed.RESULTS)
    return exit_code(results)


def measured(scenario: Scenario, bench: Bench, path: str) -> Result:
    """What the scenario finds; data that is missing is a row that says so."""
    try:
        return scenario(bench, path)
    except corpora.DataError as error:
        row = Row(OURS)
        row.fail("absent", scenarios.describe(error))
        return Result(path, [row])


def exit_code(results: list[Result]) -> int:
    """1 where any library's ids or merges differ, or subword fails."""
    rows = [row for result in results for row in result.rows]
    differ = any(row.status in ("ids differ", "merges differ") for row in rows)
    return int(differ or any(row.library == OURS and row.status == "failed" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
