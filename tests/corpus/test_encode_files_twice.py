"""Two runs with one output: the second one is refused, and the first one loses nothing.

The first run is a process of its own that reads a compressed file, which is a named pipe. Opening
the pipe for writing waits until that process opens it for reading, which it does after it has taken
the lock: from there on to the last byte that we write, it is at work.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import subword
from subword import CorpusError, encode_files

from tests.support.repository import ROOT
from tests.support.token_files import END, SMALL, encode, expected, joined

FIRST = "low lower lowest "
SECOND = "the widest "

#: A run with the options of `encode`, which prints how many tokens it has written.
CHILD = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.token_files import encode
print(encode(sys.argv[1], sys.argv[2], overwrite="again" in sys.argv).tokens)
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


class Running:
    """A run that waits for the rest of its corpus."""

    def __init__(self, process: subprocess.Popen[str], pipe: IO[bytes]) -> None:
        self.process = process
        self.pipe = pipe
        self.packer = zlib.compressobj(wbits=31)

    def write(self, text: str) -> None:
        """Write some of the corpus, which the run can read at once."""
        packed = self.packer.compress(text.encode()) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        self.pipe.write(packed)
        self.pipe.flush()

    def finish(self, text: str) -> int:
        """Write the rest; how many tokens the run says that it has written."""
        self.write(text)
        self.pipe.write(self.packer.flush())
        self.pipe.close()
        said, wrong = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, wrong
        return int(said)


@contextmanager
def running(folder: Path, out: str, *options: str) -> Iterator[Running]:
    pipe = folder / "pipe.txt.gz"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(pipe), f"{folder}/{out}", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            with pipe.open("wb") as stream:
                yield Running(process, stream)
        finally:
            process.kill()


def documents(text: str) -> str:
    """Enough documents for some shards."""
    return (text * 100 + END) * 5


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("out", ["ids.bin", "ids.idx", "ids.parquet", "shards/"])
def test_a_second_run_is_refused_and_the_first_one_is_whole(
    out: str, overwrite: bool, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("other")
    with running(tmp_path, out) as first:
        first.write(documents(FIRST))
        before = sorted(path.name for path in tmp_path.iterdir())
        with pytest.raises(CorpusError, match="another run is writing these files") as error:
            encode(other, f"{tmp_path}/{out}", overwrite=overwrite)
        assert f": process {first.process.pid} on {platform.node()}\n" in str(error.value)
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        tokens = first.finish(documents(SECOND))
    ids = joined(expected([FIRST * 100] * 5 + [SECOND * 100] * 5))
    found = subword.open_tokens(f"{tmp_path}/{out}")
    assert (len(found), tokens) == (len(ids), len(ids))
    assert found[:].tolist() == ids


def test_the_same_command_twice_leaves_the_first_run_alone(tmp_path: Path) -> None:
    with running(tmp_path, "shards/") as first:
        first.write(documents(FIRST))
        again = [sys.executable, "-c", CHILD, str(tmp_path / "pipe.txt.gz"), f"{tmp_path}/shards/"]
        second = subprocess.run(again, capture_output=True, text=True, check=False, timeout=60)
        assert second.returncode == 1
        assert f"process {first.process.pid} on" in second.stderr
        first.finish(documents(SECOND))
    found = subword.open_tokens(tmp_path / "shards")
    assert found[:].tolist() == joined(expected([FIRST * 100] * 5 + [SECOND * 100] * 5))


def test_outputs_that_share_a_file_share_a_lock(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("other")
    with running(tmp_path, "ids.idx") as first:
        with pytest.raises(CorpusError, match=r"ids.bin: another run is writing"):
            encode(other, tmp_path / "ids.bin")
        encode(other, tmp_path / "ids.npy")
        first.finish(FIRST)
    assert subword.open_tokens(tmp_path / "ids.idx")[:].tolist() == expected([FIRST])[0]


def test_a_run_that_starts_again_keeps_others_out(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("other")
    encode(other, tmp_path / "ids.bin")
    with running(tmp_path, "ids.bin", "again") as first:
        with pytest.raises(CorpusError, match="another run is writing these files"):
            encode(other, tmp_path / "ids.bin")
        first.finish(FIRST)
    assert subword.open_tokens(tmp_path / "ids.bin")[:].tolist() == expected([FIRST])[0]


def test_a_killed_run_leaves_no_lock_behind(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("other")
    with running(tmp_path, "ids.bin") as first:
        first.process.kill()
        first.process.wait()
    lock = tmp_path / "ids.bin.lock"
    assert lock.read_text() == f"process {first.process.pid} on {platform.node()}\n"
    inode = lock.stat().st_ino
    made = encode(other, tmp_path / "ids.bin", overwrite=True)
    assert made.tokens == len(expected(["other"])[0])
    # The same file, for as long as runs may exist: whoever opened it has the lock of all.
    assert lock.stat().st_ino == inode
    assert lock.read_text() == ""


def test_threads_of_one_process_are_two_runs_too(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("low " * 100_000)
    refused: list[str] = []

    def second(_: dict[str, float]) -> None:
        if not refused:
            with pytest.raises(CorpusError) as error:
                encode_files(SMALL, other, tmp_path / "ids.bin")
            refused.append(str(error.value))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subword._progress.TELL_SECONDS", 0)
        encode_files(SMALL, other, tmp_path / "ids.bin", progress=second)
    assert f"process {os.getpid()} on" in refused[0]


def test_a_file_system_without_locks_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / "c.txt").write_text("low")
    with pytest.raises(OSError, match="No locks available") as error:
        encode(tmp_path / "c.txt", tmp_path / "ids.bin")
    assert error.value.filename == str(tmp_path / "ids.bin.lock")


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("low")
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "ids.bin.lock").symlink_to("victim")
    with pytest.raises(OSError, match=r"ids\.bin\.lock"):
        encode(tmp_path / "c.txt", tmp_path / "ids.bin")
    assert (tmp_path / "victim").read_text() == "precious"
