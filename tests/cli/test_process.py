"""The command line in a process of its own: pipes, exit codes, and what importing loads."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from subword import Tokenizer

from tests.cli.test_commands import IDS, MERGES, TEXT, VOCAB


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a tokenizer, `tok.json`, and a text, `text.txt`."""
    monkeypatch.chdir(tmp_path)
    Tokenizer(VOCAB, MERGES, ["<|endoftext|>"]).save("tok.json")
    Path("text.txt").write_bytes(TEXT)
    return tmp_path


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", "from subword._cli import main; main(prog_name='subword')", *args]


@pytest.mark.usefixtures("folder")
def test_the_command_works_in_a_pipe() -> None:
    ids = subprocess.run(command("encode", "tok.json"), input=TEXT, capture_output=True, check=True)
    text = subprocess.run(
        command("decode", "tok.json"), input=ids.stdout, capture_output=True, check=True
    )
    assert (text.stdout, ids.stderr + text.stderr) == (TEXT, b"")


@pytest.mark.usefixtures("folder")
def test_an_array_goes_through_a_pipe() -> None:
    encode = command("encode", "tok.json", "text.txt", "--format", "npy", "--special", "encode")
    printed = subprocess.run(encode, capture_output=True, check=True).stdout
    assert np.load(io.BytesIO(printed)).tolist() == IDS


@pytest.mark.usefixtures("folder")
def test_an_error_has_no_traceback() -> None:
    done = subprocess.run(command("info", "text.txt"), capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: text.txt")
    assert b"Traceback" not in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_reader_that_goes_away_is_not_an_error_message(size: int) -> None:
    Path("text.txt").write_bytes(b"lower " * size)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        encode = command("encode", "tok.json", "text.txt")
        done = subprocess.run(encode, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


INTERRUPTED = """
import io, signal, sys
from subword._cli import main

class Waiting(io.BytesIO):
    def read(self, size=-1):
        signal.raise_signal(signal.SIGINT)
        return b""

# A shell that runs this in the background may have switched the signal off.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.stdin = io.TextIOWrapper(Waiting())
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals work differently there")
@pytest.mark.usefixtures("folder")
def test_an_interrupt_is_exit_code_130_without_a_traceback() -> None:
    interrupted = [sys.executable, "-c", INTERRUPTED, "encode", "tok.json"]
    done = subprocess.run(interrupted, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_importing_the_package_loads_neither_click_nor_tqdm_nor_numpy() -> None:
    code = (
        "import subword, sys; "
        "print([name for name in ('click', 'tqdm', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
