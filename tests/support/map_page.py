"""The map in ``ARCHITECTURE.md``, as it is written: source files, and rooms in layers.

The page is read in two places. Under "The rooms" a tree names every source file. A line has a
folder or some files, then at least two spaces, then what they are for:

    crates/subword-core/     the engine
      src/lib.rs               the public names
      src/bpe/                 one piece to ids
        pairs.rs scan.rs         pair to rank; merging by a scan

Under "Who may know whom" the rooms stand in layers, the highest first, with two spaces between
names, and behind them a note of several words. In a layer whose note says "none knows another" no
room uses its neighbours:

    tokenizer  trainer       the assemblies
        |
    bpe  pretok              the stages: none knows another
        |
    model  error             plain data
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PAGE = "ARCHITECTURE.md"


@dataclass(frozen=True)
class Layer:
    """Rooms at the same height, and whether they may use each other."""

    rooms: tuple[str, ...]
    strangers: bool


def block_of(page: str, heading: str) -> list[str]:
    """The lines of the first block of text below a heading."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(?:(?!^## ).)*?^```text\n(.*?)^```$", page, re.M | re.S
    )
    if found is None:
        raise ValueError(f'{PAGE}: expected a block of text below the heading "{heading}"')
    return found[1].splitlines()


def layers_of(page: str) -> list[Layer]:
    """The layers of "Who may know whom", the highest first."""
    layers = []
    for line in block_of(page, "Who may know whom"):
        columns = re.split(r" {2,}", line.strip())
        rooms = [column for column in columns if re.fullmatch(r"[\w-]+", column)]
        note = " ".join(column for column in columns if column not in rooms)
        if rooms:
            layers.append(Layer(tuple(rooms), "none knows another" in note))
    return layers


def named_on_map(page: str) -> set[str]:
    """The files and folders (with a slash) of "The rooms", as paths from the root."""
    named: set[str] = set()
    above: list[tuple[int, str]] = []  # how far a line is indented, and the folder of what follows
    for line in block_of(page, "The rooms"):
        text = line.strip()
        names = re.split(r" {2,}", text)[0].split()
        if not names or not all(re.fullmatch(r"[\w./-]+(?:\.\w+|/)", name) for name in names):
            continue  # the rest of a note
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        base = above[-1][1] if above else ""
        first = base + names[0]
        beside = first[: first.rstrip("/").rfind("/") + 1]
        paths = [first, *(beside + name for name in names[1:])]
        named.update(paths)
        above.append((indent, next((path for path in paths if path.endswith("/")), beside)))
    return named
