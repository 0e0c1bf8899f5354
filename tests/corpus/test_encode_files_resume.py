"""A run that ends early goes on; one that changed is refused; a full disk loses nothing."""

from __future__ import annotations

import errno
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import CorpusError, encode_files

from tests.support.interrupting import press_while_reading
from tests.support.repository import ROOT
from tests.support.token_files import (
    DOCUMENTS,
    END,
    OUTS,
    SHARD,
    SMALL,
    encode,
    expected,
    interrupted,
    read_raw,
)

#: Encodes until it is killed. It writes a line when it begins, so that the clock can start.
CHILD = """
import sys
from subword import Tokenizer, encode_files
tok = Tokenizer.load(sys.argv[1])
print("begun", flush=True)
encode_files(tok, sys.argv[2], sys.argv[3], split={end!r}, append={end!r}, shard_size={shard})
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough documents for some dozens of commits, one of them of several blocks."""
    folder = tmp_path_factory.mktemp("large")
    words = ["low", "lower", "lowest", "the", "then", "Привет", "你好", "\n", "123", ""]
    dice = random.Random(7)
    documents = [" ".join(dice.choices(words, k=dice.randrange(900))) for _ in range(400)]
    documents[150] = " ".join(dice.choices(words, k=120_000))
    path = folder / "large.txt"
    path.write_text(END.join(documents))
    SMALL.save(folder / "tok.json")
    return path


def contents(out: Path) -> dict[str, bytes]:
    """All that is there, without the manifest, whose lines tell of the interruptions."""
    folder = out if out.is_dir() else out.parent
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.endswith(".jsonl")
    }


def commits(out: Path) -> list[dict[str, Any]]:
    manifest = out / "manifest.jsonl" if out.is_dir() else Path(f"{out}.manifest.jsonl")
    lines = manifest.read_bytes().split(b"\n")[1:-1] if manifest.exists() else []
    return [json.loads(line) for line in lines]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("out", OUTS)
def test_a_killed_run_goes_on_to_the_same_bytes(out: str, large: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole" / out, tmp_path / "killed" / out
    whole.parent.mkdir()
    killed.parent.mkdir()
    begun = time.perf_counter()
    made = encode(large, f"{tmp_path}/whole/{out}", shard_size=SHARD)
    seconds = time.perf_counter() - begun

    child = CHILD.format(end=END, shard=SHARD)
    command = [sys.executable, "-c", child, str(large.parent / "tok.json"), str(large)]
    dice = random.Random(out)
    for _ in range(3):
        with subprocess.Popen(
            [*command, f"{tmp_path}/killed/{out}"], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(dice.uniform(0, 1.2 * seconds))
            process.kill()
    before = commits(killed)
    done = before[-1]["tokens"] if before else 0

    width = 4 if out == "ids.parquet" else 2
    again = encode(large, f"{tmp_path}/killed/{out}", shard_size=SHARD)
    assert again.resumed_at == done
    assert contents(killed) == contents(whole)
    assert (again.documents, again.tokens) == (made.documents, made.tokens)
    # Between two commits lies less than half a shard, and at most one more is on its way.
    marks = [0, *(record["tokens"] for record in commits(whole))]
    gaps = [(late - early) * width for early, late in itertools.pairwise(marks)]
    largest_block = 2 * (1 << 18) * width
    assert max(gaps) < SHARD / 3 + largest_block


def test_the_same_command_again_has_nothing_to_do(tmp_path: Path, large: Path) -> None:
    out = tmp_path / "ids.bin"
    first = encode(large, out, shard_size=SHARD)
    written = out.stat().st_mtime_ns
    second = encode(large, out, shard_size=SHARD, verify=True)
    assert (second.tokens, second.resumed_at) == (first.tokens, first.tokens)
    assert out.stat().st_mtime_ns == written


def test_what_has_changed_is_refused(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus.txt", tmp_path / "ids.bin"
    corpus.write_text(END.join(DOCUMENTS))
    interrupted(corpus, out)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def refused(message: str, **options: Any) -> None:
        with pytest.raises(CorpusError, match="the run that began here was another one") as error:
            encode(options.pop("corpus", corpus), out, **{"shard_size": SHARD, **options})
        assert message in str(error.value)
        assert str(error.value).endswith("\n  hint: pass overwrite=True to start again")

    refused("split was '<|endoftext|>', it is 'line' now", split="line")
    refused("append was 262, it is None now", append=None)
    refused("prepend was None, it is 7 now", prepend=7)
    refused("special was 'encode', it is 'text' now", special="text")
    refused("dtype was 'uint16', it is 'uint32' now", dtype="uint32")
    refused("shard_bytes was 60000, it is 61000 now", shard_size=61_000)
    refused("there was 1 other source", corpus=[corpus, corpus])
    other = subword.Tokenizer(SMALL.vocab, SMALL.merges[:-1], [END])
    with pytest.raises(CorpusError, match=r"tokenizer was '[0-9a-f]{12}', it is"):
        encode_files(other, corpus, out, split=END, append=END, shard_size=SHARD)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}

    corpus.write_text(END.join(reversed(DOCUMENTS)))
    refused("corpus.txt was written since")
    corpus.write_text("low")
    refused("corpus.txt had 4")
    made = encode(corpus, out, shard_size=SHARD, overwrite=True)
    assert read_raw(out) == expected(["low"])[0]
    assert made.resumed_at == 0


def test_a_file_that_we_did_not_write_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("low")
    (tmp_path / "ids.bin").write_text("precious")
    with pytest.raises(CorpusError, match=r"ids.bin: there is a file already"):
        encode(tmp_path / "corpus.txt", tmp_path / "ids.bin")
    assert (tmp_path / "ids.bin").read_text() == "precious"


def test_verify_finds_a_flipped_bit(tmp_path: Path, large: Path) -> None:
    out = tmp_path / "shards"
    made = encode(large, out, shard_size=SHARD, verify=True)
    shard = made.files[1]
    data = bytearray(shard.read_bytes())
    data[77] ^= 4
    shard.write_bytes(data)
    with pytest.raises(CorpusError, match=r"00001.bin: expected the check sum [0-9a-f]{8}, found"):
        encode(large, out, shard_size=SHARD, verify=True)
    shard.write_bytes(data[:-2])
    with pytest.raises(CorpusError, match=r"00001.bin: expected \d+ bytes, found \d+ bytes"):
        encode(large, out, shard_size=SHARD)


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path, large: Path) -> None:
    out = tmp_path / "ids.npy"
    encode(large, out, shard_size=SHARD)
    whole = contents(out)
    manifest = Path(f"{out}.manifest.jsonl")
    lines = manifest.read_bytes().splitlines(keepends=True)
    # The file is what it was at the fifth commit, and more; the sixth was being written.
    manifest.write_bytes(b"".join(lines[:6]) + lines[6][:20])
    out.rename(f"{out}.partial")
    again = encode(large, out, shard_size=SHARD)
    assert again.resumed_at == json.loads(lines[5])["tokens"]
    assert contents(out) == whole


@pytest.mark.parametrize("kind", ["txt.gz", "jsonl.zst", "parquet"])
def test_any_kind_of_source_is_taken_up(kind: str, tmp_path: Path, large: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    documents = large.read_text().split(END)
    sources = [tmp_path / f"{part}.{kind}" for part in range(2)]
    for source, texts in zip(sources, (documents[:170], documents[170:]), strict=True):
        if kind == "parquet":
            pq.write_table(pa.table({"text": texts}), source, row_group_size=60)
            continue
        content = END.join(texts)
        if kind.startswith("jsonl"):
            content = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        packed = pa.output_stream(source, compression="gzip" if kind == "txt.gz" else "zstd")
        with packed as file:
            file.write(content.encode())
    out = tmp_path / "ids.npy"
    made = encode(sources, out, shard_size=SHARD)
    assert (made.documents, made.read) == (400, sum(path.stat().st_size for path in sources))
    whole = contents(out)
    manifest = Path(f"{out}.manifest.jsonl")
    lines = manifest.read_bytes().splitlines(keepends=True)
    for line in range(2, len(lines) - 1, 12):
        manifest.write_bytes(b"".join(lines[:line]))
        out.rename(f"{out}.partial")
        again = encode(sources, out, shard_size=SHARD)
        assert again.resumed_at == json.loads(lines[line - 1])["tokens"]
        assert again.read == made.read
        assert contents(out) == whole


def test_complete_files_without_their_names_get_them(tmp_path: Path, large: Path) -> None:
    out = tmp_path / "shards"
    encode(large, out, shard_size=SHARD)
    whole = contents(out)
    for name in ("00001.bin", "00002.bin.index"):
        (out / name).rename(out / f"{name}.partial")
    encode(large, out, shard_size=SHARD, verify=True)
    assert contents(out) == whole


def test_two_runs_do_not_write_the_same_files(tmp_path: Path, large: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "ids.bin"
    interrupted(large, out)
    with Path(f"{out}.manifest.jsonl").open("rb") as manifest:
        fcntl.flock(manifest, fcntl.LOCK_EX)
        with pytest.raises(CorpusError, match="another process is writing these files"):
            encode(large, out, shard_size=SHARD)
    encode(large, out, shard_size=SHARD)


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A disk with room for 200 kB; skips where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not mounted or mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("out", OUTS)
def test_a_full_disk_is_an_error_and_nothing_is_lost(
    out: str, small_disk: Path, large: Path, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="No space left") as error:
        encode(large, f"{small_disk}/{out}", shard_size=SHARD)
    assert error.value.errno == errno.ENOSPC
    assert ".partial" in str(error.value.filename)
    done = commits(small_disk / out)[-1]["tokens"]
    assert done > 0
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    made = encode(large, f"{small_disk}/{out}", shard_size=SHARD)
    assert made.resumed_at == done
    encode(large, f"{tmp_path}/{out}", shard_size=SHARD)
    assert contents(small_disk / out) == contents(tmp_path / out)


def test_a_file_over_the_limit_is_an_error_too(tmp_path: Path, large: Path) -> None:
    child = f"""
import resource, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.token_files import encode
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try:
    encode(sys.argv[1], sys.argv[2], shard_size={SHARD})
except OSError as error:
    print(error.errno, error.filename)
"""
    out = tmp_path / "ids.bin"
    command = [sys.executable, "-c", child, str(large), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{errno.EFBIG} {out}.partial\n"
    before = commits(out)[-1]["tokens"]
    assert encode(large, out, shard_size=SHARD).resumed_at == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_ends_a_run_at_once(tmp_path: Path) -> None:
    """It reads a corpus that never ends."""
    corpus, out = tmp_path / "endless.txt.gz", tmp_path / "ids.bin"
    os.mkfifo(corpus)
    SMALL.save(tmp_path / "tok.json")
    child = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    child += CHILD.format(end=END, shard=SHARD)
    packer = zlib.compressobj(level=0, wbits=31)
    text = b"the quick brown fox jumps over the lazy dog " * 1_000
    with subprocess.Popen(
        [sys.executable, "-c", child, str(tmp_path / "tok.json"), str(corpus), str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        press_while_reading(process, corpus, map(packer.compress, itertools.repeat(text)))
        assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert process.returncode != 0
    assert not out.exists()
