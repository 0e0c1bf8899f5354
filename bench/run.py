#!/usr/bin/env python3
"""Measures subword beside other libraries: ``python bench/run.py --help``.

    python bench/run.py                                  everything, into bench/results/ and README
    python bench/run.py --quick                          everything on small texts, in six minutes
    python bench/run.py --only encode/cl100k/en          the paths below that one
    python bench/run.py --only 'encode/*/*/fresh'        the paths that fit
    python bench/run.py --seed 7                         the samples of an earlier run
    python bench/run.py --text FILE...                   encoding of your own texts, nothing else
    python bench/run.py --list                           the paths

Exit codes: 0 measured, also where a target is missed, or where another library's answer differs
(its row says so); 1 subword failed, or its answer differs from that of the path's reference; 2
nothing could be measured.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import publish
from libraries import OURS, Library, wordpiece
from libraries.encoders import ADAPTERS, REFERENCE, use_one_thread
from libraries.trainers import REFERENCE as FIRST_TRAINER
from libraries.trainers import TRAINERS
from measure import corpora, machine
from measure.results import Result, Row
from reports import filed
from reports.markdown import Report, markdown
from reports.targets import judge
from scenarios.catalogue import Scenario, catalogue, in_turn, own_texts, selected
from scenarios.common import QUICK, Bench, Settings, describe

HERE = Path(__file__).resolve().parent

#: Every library by its name: those that encode, and those that train.
PEERS: dict[str, Library] = {**wordpiece.PEERS, **ADAPTERS, **TRAINERS}


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small texts and few rounds")
    parser.add_argument(
        "--only", action="append", default=[], metavar="PATH", help="can be repeated"
    )
    parser.add_argument(
        "--text", nargs="+", default=[], type=Path, metavar="FILE", help="UTF-8 files to encode"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="draws the samples; without it, one is drawn and told"
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
    whole = not (options.quick or options.only or options.peers or options.text)
    return filed.RESULTS if whole else HERE / ".out"


def prepare(options: argparse.Namespace) -> Bench | str:
    """The data and the libraries, or why nothing can be measured."""
    wanted = set(options.peers.split(",")) if options.peers else PEERS.keys()
    if unknown := wanted - PEERS.keys():
        return f"--peers: no adapter for {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}"
    adapters = {n: a for n, a in ADAPTERS.items() if n in wanted | {OURS, REFERENCE}}
    trainers = {n: t for n, t in TRAINERS.items() if n in wanted | {OURS, FIRST_TRAINER}}
    first = {OURS, wordpiece.REFERENCE}
    wordpieces = {n: p for n, p in wordpiece.PEERS.items() if n in wanted | first}
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    print(f"samples are drawn with --seed {seed}", file=sys.stderr)
    settings = replace(QUICK if options.quick else Settings(), seed=seed)
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
    try:
        paths = own_texts(list(map(corpora.own_text, options.text))) or catalogue()
    except corpora.DataError as error:
        print(f"--text {error}", file=sys.stderr)
        return 2
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
    drawn = f"samples of {bench.settings.sample_bytes / 1e6:g} MB, --seed {bench.settings.seed}"
    settings = f"quick, not for quoting: {drawn}, few rounds" if options.quick else drawn
    day, clock = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M").split()
    whole = Report(day, clock, settings, facts, results, judge(results))
    print(markdown(whole))
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
        row.fail("absent", describe(error))
        return Result(path, [row])


def exit_code(results: list[Result]) -> int:
    """1 where subword fails or disagrees with the reference of a path.

    Merges are compared with ours, so a disagreement is told in the row of the reference there.
    """
    wrong = [
        row
        for result in results
        for row in result.rows
        if (row.library == OURS and row.status == "failed")
        or (row.library in (OURS, result.reference) and row.status.endswith("differ"))
    ]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
