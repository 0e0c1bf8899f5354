"""A manifest is checked field by field: it decides which files are opened, renamed and removed."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import subword
from subword import CorpusError

from tests.support.token_files import END, OUTS, SMALL, encode, expected, joined

HUGE = 1 << 63

#: What numpy knows besides integers, and what it does not know.
OTHER_TYPES = [
    *("O", "|O", "object", "?", "bool", "f2", "float32", "f8", "g", "c8", "complex128", "S8"),
    *("U4", "str", "bytes", "V8", "void", "M8[s]", "datetime64", "m8", "u2,u2", "O,O", "(2,)u2"),
    *("f4", "longdouble", "nope", "", "uint16 ", "{'names': ['a'], 'formats': ['O']}"),
]


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """Files of a run that is complete: of three shards."""
    (tmp_path / "corpus.txt").write_text(END.join(["low " * 900, "new " * 900, "last " * 900]))
    encode(tmp_path / "corpus.txt", tmp_path / "shards")
    return tmp_path / "shards"


def lines_of(shards: Path) -> list[Any]:
    return [json.loads(line) for line in (shards / "manifest.jsonl").read_text().splitlines()]


def write(shards: Path, lines: list[Any]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (shards / "manifest.jsonl").write_text(text)


def refusals(shards: Path) -> list[str]:
    """What all that reads a manifest says about this one."""
    corpus = shards.parent / "corpus.txt"
    before = {path.name: path.read_bytes() for path in shards.iterdir()}
    calls: list[Callable[[], Any]] = [
        lambda: subword.open_tokens(shards),
        lambda: encode(corpus, shards),
        lambda: encode(corpus, shards, overwrite=True),
    ]
    said = []
    for call in calls:
        with pytest.raises(CorpusError) as error:
            call()
        said.append(str(error.value))
    assert {path.name: path.read_bytes() for path in shards.iterdir()} == before
    return said


@pytest.mark.parametrize("dtype", OTHER_TYPES)
def test_only_integers_are_ids(dtype: str, shards: Path) -> None:
    lines = lines_of(shards)
    lines[0]["dtype"] = dtype
    write(shards, lines)
    for said in refusals(shards):
        assert said.startswith(f"{shards}/manifest.jsonl:1: not a manifest: dtype must be uint16")
    with pytest.raises(CorpusError, match="dtype must be a type of integers"):
        subword.open_tokens(shards / "00000.bin", dtype=dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "<u2", ">u2", "u4", "int64", "Q", np.uint16])
def test_a_caller_may_ask_for_any_integers(dtype: str, tmp_path: Path) -> None:
    numbers = np.arange(16, dtype=dtype)
    numbers.tofile(tmp_path / "raw.bin")
    found = subword.open_tokens(tmp_path / "raw.bin", dtype=dtype)
    assert found[:].tolist() == numbers.tolist()


#: A field of the first line, and what it may not be.
HEADERS: list[tuple[str, Any]] = [
    *[("subword", value) for value in ("tokens", None, 1)],
    *[("version", value) for value in (0, 2, "1", True, None)],
    *[("format", value) for value in ("tar", None, 1, ["bin"])],
    *[("dtype", value) for value in ("uint8", "int64", None, 2, ["uint16"], {"O": 1})],
    *[("tokenizer", value) for value in (None, 1, ["a"])],
    ("options", None),
    ("options", []),
    ("options", {}),
    ("options", {"split": 1}),
    ("sources", None),
    ("sources", {}),
    ("sources", ["x"]),
    ("sources", [{}]),
    ("sources", [{"path": 1, "bytes": 1, "modified": 1}]),
    ("sources", [{"path": "x", "bytes": -1, "modified": 0}]),
    ("sources", [{"path": "x", "bytes": 1, "modified": "now"}]),
]

NUMBERS = (-1, HUGE, 10**400, 1.5, "1", None, True, [1])

#: A field of a record, and what it may not be.
RECORDS: list[tuple[str, Any]] = [
    *[(name, value) for name in ("documents", "tokens", "read", "skipped") for value in NUMBERS],
    *[("place", value) for value in (None, [], [0] * 4, [0] * 6, [-1, 0, 0, 0, 0], "01234")],
    *[("place", [*[0] * at, value, *[0] * (4 - at)]) for at in range(5) for value in NUMBERS],
    *[("place", value) for value in ([9, 0, 0, 0, 0], [0, 0, 0, 0, 2])],
    *[("files", value) for value in (None, [[1, 2]], [[1, 2]] * 3, [1, 2], [[-1, 0], [0, 0]])],
    *[("files", [[2, value], [0, 0]]) for value in (*NUMBERS, 1 << 32)],
    *[("group", value) for value in (None, [0] * 4, [HUGE] * 5, {"rows": 1})],
    *[("bad", value) for value in (None, ["a"], [["a"]], [["a", 1]], [["a", "b", "c"]])],
    *[("complete", value) for value in (False, 1, "yes", None)],
    ("finished", None),
    ("finished", {}),
    ("finished", ["00000.bin"]),
    ("finished", [{}]),
    ("finished", [{"name": "00000.bin"}]),
]

NAMES = [
    *("/etc/passwd", "../corpus.txt", "..", ".", "", "a/b", "a/", "./a", "a\0b", "\ud800"),
    *(1, None, ["00000.bin"]),
]


@pytest.mark.parametrize(("field", "value"), HEADERS)
def test_every_field_of_the_first_line_is_checked(field: str, value: Any, shards: Path) -> None:
    lines = lines_of(shards)
    lines[0][field] = value
    write(shards, lines)
    for said in refusals(shards):
        assert said.startswith(f"{shards}/manifest.jsonl:1: not a manifest: ")
    del lines[0][field]
    write(shards, lines)
    assert refusals(shards)[0].startswith(f"{shards}/manifest.jsonl:1: not a manifest: ")


@pytest.mark.parametrize("at", [1, -1])
def test_every_field_of_a_record_is_checked(at: int, shards: Path) -> None:
    whole = lines_of(shards)
    number = range(len(whole))[at] + 1
    for field, value in RECORDS:
        lines = [dict(line) for line in whole]
        lines[at][field] = value
        write(shards, lines)
        with pytest.raises(CorpusError) as error:
            subword.open_tokens(shards)
        place, said, _ = error.value.args
        assert place == f"{shards}/manifest.jsonl:{number}", (field, value)
        assert said.startswith("not a manifest: ")
    for field in ("documents", "tokens", "read", "skipped", "place", "files"):
        lines = [dict(line) for line in whole]
        del lines[at][field]
        write(shards, lines)
        assert f":{number}: not a manifest: no field '{field}'" in refusals(shards)[0]


@pytest.mark.parametrize("name", NAMES)
def test_names_lead_to_no_other_folder(name: Any, shards: Path) -> None:
    lines = lines_of(shards)
    at = next(at for at, line in enumerate(lines) if line.get("finished"))
    lines[at]["finished"][0]["name"] = name
    write(shards, lines)
    for said in refusals(shards):
        assert f"manifest.jsonl:{at + 1}: not a manifest: name must be the plain name" in said


@pytest.mark.parametrize("field", ["bytes", "crc32", "tokens", "documents"])
def test_what_is_said_about_a_file_is_checked(field: str, shards: Path) -> None:
    whole = (shards / "manifest.jsonl").read_text()
    for value in NUMBERS:
        lines = [json.loads(line) for line in whole.splitlines()]
        at = next(at for at, line in enumerate(lines) if line.get("finished"))
        lines[at]["finished"][0][field] = value
        write(shards, lines)
        assert f"{shards}/manifest.jsonl:{at + 1}: not a manifest: " in refusals(shards)[0]


@pytest.mark.parametrize(
    "line", ["", "null", "[]", "1", "NaN", "{", '"x"', "[" * 100_000, "\ufeff{}", '{"a": \xff}']
)
def test_lines_that_are_no_objects_are_named(line: str, shards: Path) -> None:
    path = shards / "manifest.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([whole[0], line.encode("latin-1", "replace"), b"\n", *whole[1:]]))
    assert all(f"{path}:2: not a manifest: " in said for said in refusals(shards))
    path.write_bytes(line.encode("latin-1", "replace") + b"\n")
    assert all(f"{path}:1: not a manifest: " in said for said in refusals(shards))
    path.write_bytes(b"")
    assert all(f"{path}: not a manifest: it has no line" in said for said in refusals(shards))


def test_files_that_hold_less_than_was_written_are_found(shards: Path) -> None:
    lines = lines_of(shards)
    # As after a second run that cut off lines of the first one: the last record knows better.
    at = next(at for at, line in enumerate(lines) if line.get("finished"))
    del lines[at]
    write(shards, lines)
    for said in refusals(shards):
        assert "not a manifest: the files hold " in said


def test_records_go_forward_and_end(shards: Path) -> None:
    lines = lines_of(shards)
    write(shards, [*lines, lines[-1]])
    assert "it comes after the record that says that all is complete" in refusals(shards)[0]
    forward = {"tokens": 1, "documents": 0, "read": 0, "skipped": 0, "place": [0] * 5, "files": []}
    write(
        shards,
        [
            lines[0] | {"format": "parquet"},
            forward | {"files": [[9, 9]], "group": [0] * 4 + [1]},
            forward | {"tokens": 0},
        ],
    )
    assert ":3: not a manifest: tokens is 0, it was 1 before" in refusals(shards)[0]


def test_a_manifest_of_another_format_is_refused(shards: Path) -> None:
    lines = lines_of(shards)
    lines[0]["format"] = "bin"
    empty = {"tokens": 0, "documents": 0, "read": 0, "skipped": 0, "place": [0] * 5, "files": []}
    write(shards, [lines[0], empty | {"complete": True}])
    with pytest.raises(CorpusError, match="expected files in the format 'shards', found 'bin'"):
        subword.open_tokens(shards)


def test_a_run_renames_only_its_own_files(shards: Path) -> None:
    (shards / "config").write_text("important")
    (shards / "config.partial").write_text("bad")
    lines = lines_of(shards)
    lines[-1].setdefault("finished", []).append({"name": "config", "bytes": 3, "crc32": 0})
    write(shards, lines)
    with pytest.raises(CorpusError, match="it lists 'config', which is no file of"):
        encode(shards.parent / "corpus.txt", shards)
    assert (shards / "config").read_text() == "important"
    encode(shards.parent / "corpus.txt", shards, overwrite=True)
    assert (shards / "config").read_text() == "important"


@pytest.mark.parametrize("name", ["00001.bin", "00001.bin.index"])
def test_a_file_of_another_size_is_not_opened(name: str, shards: Path) -> None:
    data = (shards / name).read_bytes()
    (shards / name).write_bytes(data[:-2])
    with pytest.raises(CorpusError, match=rf"{name}: expected {len(data)} bytes, found"):
        subword.open_tokens(shards)


@pytest.mark.parametrize("out", OUTS)
def test_a_renamed_output_is_still_opened(out: str, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(f"low{END}new")
    encode(tmp_path / "corpus.txt", f"{tmp_path}/{out}")
    other = tmp_path / "other"
    other.mkdir()
    for path in tmp_path.glob("ids.*"):
        path.rename(other / path.name.replace("ids", "x"))
    if out == "shards/":
        (tmp_path / "shards").rename(other / "x")
    found = subword.open_tokens(other / out.replace("ids", "x").replace("shards/", "x"))
    assert found[:].tolist() == joined(expected(["low", "new"]))


#: A run of the first version that was killed after its third commit: its manifest and its file.
OLD_MANIFEST = (
    '{"subword": "token files", "version": 1, "format": "bin", "dtype": "uint16", "tokenizer": '
    '"FINGERPRINT", "options": {"split": "<|endoftext|>", "field": "text", "append": 262, '
    '"special": "encode", "errors": "strict", "shard_bytes": 2000}, "sources": [{"path": '
    '"corpus.txt", "bytes": BYTES, "modified": 1700000000000000000}]}\n'
)


def test_a_run_of_the_first_version_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    documents = [f"low lower {number} " * 40 for number in range(9)]
    Path("corpus.txt").write_text(END.join(documents))
    os.utime("corpus.txt", ns=(0, 1_700_000_000_000_000_000))
    header = OLD_MANIFEST.replace("FINGERPRINT", SMALL.fingerprint)
    header = header.replace("BYTES", str(Path("corpus.txt").stat().st_size))
    ids = expected(documents)
    data = np.array(joined(ids[:4]), np.uint16).tobytes()
    record = (
        f'{{"documents":4,"tokens":{len(data) // 2},"read":0,"skipped":0,"place":[0,0,1,4,0],'
        f'"files":[[{len(data)},{zlib.crc32(data)}]]}}\n'
    )
    Path("ids.bin.manifest.jsonl").write_text(header + record + record[:30])
    Path("ids.bin.partial").write_bytes(data + b"more")
    made = encode("corpus.txt", "ids.bin", verify=True)
    assert made.resumed_at == len(data) // 2
    assert subword.open_tokens("ids.bin")[:].tolist() == joined(ids)
