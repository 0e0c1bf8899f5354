"""What a run may touch in a folder: its own files, and nothing that a link leads to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import subword
from subword import CorpusError

from tests.support.repository import ROOT
from tests.support.token_files import END, OUTS, encode, expected, interrupted, joined, read_raw

STRANGERS = [
    *(
        "2024-backup.bin.gz",
        "7b-model.bin",
        "00000.bin.gz",
        "1.bin",
        "00000.bin.bak",
        "00009.index",
    ),
    *("00000.bin.partial.old", "12345.bin.index.part", "\u0660" * 5 + ".bin", "00007.bin.partial"),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(END.join(["low " * 900, "new " * 900, "last " * 900]))
    return path


def test_starting_again_removes_what_the_manifest_lists_and_nothing_else(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "shards"
    encode(corpus, out)
    for name in STRANGERS:
        (out / name).write_text("precious")
    corpus.write_text("low")
    encode(corpus, out, overwrite=True)
    for name in STRANGERS:
        assert (out / name).read_text() == "precious"
    ours = {"00000.bin", "00000.bin.index", "manifest.jsonl", "manifest.jsonl.lock"}
    assert {path.name for path in out.iterdir()} == {*ours, *STRANGERS}
    assert subword.open_tokens(out)[:].tolist() == expected(["low"])[0]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("name", ["00000.bin", "00002.bin", "00001.bin.index"])
def test_a_shard_that_no_manifest_lists_is_never_replaced(
    name: str, overwrite: bool, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "shards"
    out.mkdir()
    (out / name).write_text("precious")
    with pytest.raises(CorpusError, match=rf"{name}: there is a file already") as error:
        encode(corpus, out, overwrite=overwrite)
    assert "hint: it was not written by a run with this output" in str(error.value)
    assert (out / name).read_text() == "precious"


def test_a_stranger_that_came_since_is_not_replaced(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "shards"
    out.mkdir()
    interrupted(corpus, out)
    (out / "00009.bin").write_text("precious")
    with pytest.raises(CorpusError, match=r"00009.bin: there is a file already"):
        encode(corpus, out, shard_size=60_000)


def test_the_file_that_is_named_may_be_replaced_but_not_its_neighbour(
    corpus: Path, tmp_path: Path
) -> None:
    encode(corpus, tmp_path / "ids.bin")
    raw = (tmp_path / "ids.bin").read_bytes()
    # Megatron would write its ids to ids.bin.
    with pytest.raises(CorpusError, match=r"ids.bin: there is a file already"):
        encode(corpus, tmp_path / "ids.idx", overwrite=True)
    assert (tmp_path / "ids.bin").read_bytes() == raw
    (tmp_path / "ids.npy").write_text("old")
    with pytest.raises(CorpusError, match=r"ids.npy: there is a file already\n.*overwrite=True"):
        encode(corpus, tmp_path / "ids.npy")
    encode(corpus, tmp_path / "ids.npy", overwrite=True)
    assert len(subword.open_tokens(tmp_path / "ids.npy")) == len(raw) // 2


@pytest.mark.parametrize("out", OUTS)
def test_starting_again_leaves_what_a_run_from_the_start_leaves(
    out: str, corpus: Path, tmp_path: Path
) -> None:
    fresh, again = tmp_path / "fresh", tmp_path / "again"
    for folder in (fresh, again):
        folder.mkdir()
    encode(corpus, f"{again}/{out}", shard_size=300, special="text")
    encode(corpus, f"{again}/{out}", overwrite=True)
    encode(corpus, f"{fresh}/{out}")
    names = [sorted(path.name for path in folder.rglob("*")) for folder in (fresh, again)]
    assert names[0] == names[1]


@pytest.mark.parametrize("out", OUTS)
def test_partial_files_are_not_opened_through_links(out: str, corpus: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "shards" if out == "shards/" else tmp_path
    folder.mkdir(exist_ok=True)
    names = ["00000.bin", "00000.bin.index"] if out == "shards/" else [out, "ids.bin", "ids.ends"]
    for name in {*names, "ids.bin.manifest.jsonl", "manifest.jsonl"}:
        (folder / f"{name}.partial").symlink_to(victim)
    encode(corpus, f"{tmp_path}/{out}", verify=True)
    assert victim.read_text() == "precious"
    for path in folder.iterdir():
        assert path.name.endswith(".partial") or not path.is_symlink()


def test_a_run_does_not_go_on_in_a_link(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "ids.bin"
    encode(corpus, out)
    manifest = Path(f"{out}.manifest.jsonl")
    manifest.write_text("".join(manifest.read_text().splitlines(keepends=True)[:2]))
    out.rename(tmp_path / "victim")
    before = (tmp_path / "victim").read_bytes()
    Path(f"{out}.partial").symlink_to("victim")
    with pytest.raises(
        CorpusError, match=r"ids.bin.partial: expected a file, found something else"
    ):
        encode(corpus, out)
    assert (tmp_path / "victim").read_bytes() == before


@pytest.mark.parametrize("out", ["ids.bin", "ids.npy", "ids.parquet"])
def test_a_partial_file_that_was_changed_is_not_taken_up(
    out: str, corpus: Path, tmp_path: Path
) -> None:
    path = tmp_path / out
    encode(corpus, path)
    manifest = Path(f"{path}.manifest.jsonl")
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(lines[:2]))
    [[size, _]] = json.loads(lines[1])["files"]
    whole = path.read_bytes()
    path.unlink()
    partial = Path(f"{path}.partial")
    changed = bytearray(whole)
    changed[size - 1] ^= 1
    partial.write_bytes(changed)
    with pytest.raises(CorpusError, match=rf"{out}.partial: expected the check sum \w+, found \w+"):
        encode(corpus, path)
    assert partial.read_bytes() == changed
    partial.write_bytes(whole[: size - 1])
    with pytest.raises(CorpusError, match=rf"{out}.partial: expected at least {size} bytes, found"):
        encode(corpus, path)
    partial.write_bytes(whole)
    encode(corpus, path, verify=True)
    assert path.read_bytes() == whole


#: Writes to a folder that its process may not read; the administrator becomes somebody else.
IN_A_CLOSED_FOLDER = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.token_files import SMALL, encode
from subword import _progress
folder = sys.argv[1]
if os.geteuid() == 0:
    os.setuid(65534)
SMALL.save(f"{{folder}}/tok.json")
encode(f"{{folder}}/corpus.txt", f"{{folder}}/ids.bin")
encode(f"{{folder}}/corpus.txt", f"{{folder}}/shards")
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names are not synced")
def test_a_new_manifest_is_on_the_disk_before_its_name_is(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def noting(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    encode(corpus, tmp_path / "shards")
    manifest = tmp_path / "shards" / "manifest.jsonl"
    assert synced[:2] == [manifest.stat().st_ino, manifest.parent.stat().st_ino]


@pytest.mark.skipif(os.name != "posix", reason="needs modes")
def test_a_folder_that_may_not_be_read_is_written() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "corpus.txt").write_text(f"low{END}new")
        (folder / "shards").mkdir()
        for closed in (folder / "shards", folder):
            closed.chmod(0o333)
        command = [sys.executable, "-c", IN_A_CLOSED_FOLDER, name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for closed in (folder, folder / "shards"):
            closed.chmod(0o700)
        assert done.returncode == 0, done.stderr
        assert (folder / "tok.json").exists()
        assert read_raw(folder / "ids.bin") == joined(expected(["low", "new"]))
        assert read_raw(folder / "shards" / "00000.bin") == joined(expected(["low", "new"]))


@pytest.mark.parametrize("shard_size", [1 << 63, (1 << 64) - 1, 1 << 80, "99999999TB"])
def test_a_shard_of_any_size_is_one_shard(
    shard_size: int | str, corpus: Path, tmp_path: Path
) -> None:
    corpus.write_text("low " * 300_000)  # a document of several blocks, which may end a shard
    made = encode(corpus, tmp_path / "shards", shard_size=shard_size, split="file")
    assert [path.name for path in made.files] == ["00000.bin"]
