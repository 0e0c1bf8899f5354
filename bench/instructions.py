"""Count the instructions of a warm pass, for each byte of a text: what a clock cannot tell.

    cargo build --release --example passes --target aarch64-unknown-linux-gnu
    python bench/instructions.py PROGRAM tokenizer.json en.txt zh.txt
    python bench/instructions.py --level scalar PROGRAM tokenizer.json en.txt

PROGRAM is ``target/aarch64-unknown-linux-gnu/release/examples/passes``, or that of x86-64. It runs
twice under qemu's user mode (Debian: ``qemu-user``), the second time with a pass more, and the
difference is divided by the bytes of the text. A plugin of qemu, ``emulated/instructions.c``, does
the counting; it is compiled first. The check sum of the ids is printed, too: it is the same for
every processor and level.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path

PLUGIN = Path(__file__).parent / "emulated" / "instructions.c"

#: The emulator of a program, by the machine that its ELF header names.
EMULATORS = {62: ["qemu-x86_64", "-cpu", "max"], 183: ["qemu-aarch64"]}

#: Passes before the one that is counted: the first fills the cache, the second finds it full.
WARM = 2


def emulator(program: Path) -> list[str]:
    """The command that runs a program of another processor."""
    header = program.open("rb").read(20)
    return EMULATORS[int.from_bytes(header[18:20], "little")]


def run(command: list[str], text: Path, level: str | None) -> tuple[int, str]:
    """How many instructions a command executes, and what it prints."""
    environment = os.environ | ({"SUBWORD_SIMD": level} if level else {})
    with text.open("rb") as stdin:
        done = subprocess.run(
            command, stdin=stdin, env=environment, capture_output=True, text=True, check=True
        )
    found = re.search(r"instructions: (\d+)", done.stderr + done.stdout)
    if found is None:
        raise SystemExit(f"{command[0]} did not count: {done.stderr}")
    return int(found[1]), done.stdout.splitlines()[0]


def main() -> None:
    """Count for each text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path, help="the example `passes`, built for any processor")
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("texts", type=Path, nargs="+", metavar="text")
    parser.add_argument("--level", help="what SUBWORD_SIMD is set to; the best level without it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder) / "instructions.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", plugin, PLUGIN], check=True)
        counting = [*emulator(options.program), "-d", "plugin", "-plugin", str(plugin)]
        program = [*counting, str(options.program), str(options.tokenizer)]
        for text in options.texts:
            (before, _), (after, ids) = (
                run([*program, str(times)], text, options.level) for times in (WARM, WARM + 1)
            )
            each = (after - before) / text.stat().st_size
            print(f"{text.name}: {each:.2f} instructions a byte; {ids}", flush=True)


if __name__ == "__main__":
    main()
