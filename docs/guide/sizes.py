"""Draws the picture of the guide on measuring: `make concepts`, or this file with a corpus.

A vocabulary is learned from seven of eight files and measured, at all its sizes, on the eighth.
Without files it is the source of Python's standard library. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path

from subword import BpeTrainer, evaluate
from subword._demo import python_files

HERE = Path(__file__).parent


def main() -> None:
    """Learn, measure, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--vocab-size", type=int, default=32_768)
    given = parser.parse_args()
    files = given.corpus or python_files(Path(sysconfig.get_paths()["stdlib"]))
    unseen = files[::8]
    seen = [file for file in files if file not in unseen] or files
    tok = BpeTrainer(given.vocab_size, pattern="cl100k").train(seen, errors="replace")
    texts = {"text that it has not seen": unseen, "text that it was learned from": seen}
    found = evaluate(tok, texts, sizes="auto", errors="replace")
    parts = type(found)([row for row in found.rows if row.text in texts])
    print(parts)
    parts.plot(given.out / "evaluate.svg")


if __name__ == "__main__":
    main()
