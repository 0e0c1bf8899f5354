"""Counts of files, and counts in files."""

from __future__ import annotations

import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from subword import CorpusError, Counts, CountsError, TextError, _core, count_pieces
from subword._cli import main

DOCUMENTS = ["low lower lowest\n", "naïve 漢字 <|endoftext|>low", "", "new's 123"]
SPECIAL = ["<|endoftext|>"]

pieces = st.dictionaries(st.binary(min_size=1, max_size=40), st.integers(1, 1 << 50), max_size=20)
patterns = st.sampled_from(["gpt2", "none", r"\w+", [r"\d", "cl100k"]])
special_tokens = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=3)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expected(documents: list[str] = DOCUMENTS) -> Counts:
    return count_pieces(texts=documents, special_tokens=SPECIAL)


# corpora


@pytest.mark.usefixtures("folder")
def test_files_of_every_kind_hold_the_same_texts() -> None:
    lines = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in DOCUMENTS)
    for at, text in enumerate(DOCUMENTS):
        Path(f"part-{at}.txt").write_text(text, encoding="utf-8", newline="")
        Path(f"part-{at}.txt.gz").write_bytes(gzip.compress(text.encode()))
    Path("all.jsonl").write_text(lines, encoding="utf-8")
    Path("all.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "text": DOCUMENTS}), "all.parquet")
    bytes_table = pa.table({"body": [text.encode() for text in DOCUMENTS]})
    pq.write_table(bytes_table, "bytes.parquet")
    compressed = pa.CompressedOutputStream("all.jsonl.zst", "zstd")
    compressed.write(lines.encode())
    compressed.close()
    corpora: list[str | Path | list[str] | list[Path]] = [
        "part-*.txt",
        ["part-*.txt.gz"],
        [Path(f"part-{at}.txt") for at in (3, 1, 0, 2)],
        "all.jsonl",
        Path("all.jsonl.gz"),
        "all.jsonl.zst",
        "all.parquet",
    ]
    for files in corpora:
        assert count_pieces(files, special_tokens=SPECIAL) == expected(), files
    assert count_pieces("bytes.parquet", special_tokens=SPECIAL, field="body") == expected()
    twice = count_pieces(["all.jsonl", "all.parquet"], special_tokens=SPECIAL, memory_limit=1)
    assert twice == expected() + expected()


@pytest.mark.usefixtures("folder")
def test_a_missing_file_and_a_directory_are_errors_of_the_system() -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'nowhere.txt'"):
        count_pieces("nowhere.txt")
    with pytest.raises(FileNotFoundError, match=r"No file matches: 'nowhere-\*.txt'"):
        count_pieces("nowhere-*.txt")
    with pytest.raises(OSError, match="directory"):
        count_pieces(".")
    assert len(count_pieces([])) == 0


@pytest.mark.usefixtures("folder")
def test_text_that_is_not_utf8_is_named_by_file_and_position() -> None:
    Path("good.txt").write_text("low")
    Path("bad.txt").write_bytes(b"low \xff lower")
    with pytest.raises(TextError) as error:
        count_pieces(["good.txt", "bad.txt"])
    assert str(error.value) == (
        'bad.txt: not UTF-8 at position 4\n  hint: pass errors="replace" to put U+FFFD in its place'
    )
    replaced = count_pieces("bad.txt", errors="replace")
    assert replaced == count_pieces(texts=["low \ufffd lower"])


@pytest.mark.usefixtures("folder")
def test_lines_without_text_are_named() -> None:
    Path("bad.jsonl").write_text('{"text": "low"}\n{"body": "low"}\n')
    with pytest.raises(CorpusError) as error:
        count_pieces("bad.jsonl")
    assert str(error.value) == (
        'bad.jsonl:2: no field "text"\n  hint: pass field="body", or another one'
    )
    with pytest.raises(CorpusError, match=r'bad.jsonl:1: no field "body"'):
        count_pieces("bad.jsonl", field="body")
    Path("bad.jsonl").write_text('{"text": null}')
    with pytest.raises(CorpusError) as error:
        count_pieces("bad.jsonl")
    message = 'bad.jsonl:1: expected a string in the field "text", found null'
    assert str(error.value) == message


@pytest.mark.usefixtures("folder")
def test_tables_without_text_are_named() -> None:
    pq.write_table(pa.table({"body": ["low", None]}), "bad.parquet")
    with pytest.raises(CorpusError) as error:
        count_pieces("bad.parquet")
    assert str(error.value) == (
        "bad.parquet: no column \"text\"\n  hint: pass field='body', or another one"
    )
    with pytest.raises(CorpusError) as error:
        count_pieces("bad.parquet", field="body")
    message = 'bad.parquet: row 1: expected text in the column "body", found NoneType'
    assert str(error.value) == message
    Path("none.parquet").write_text("low")
    with pytest.raises(CorpusError, match=r"none.parquet: not a Parquet file: "):
        count_pieces("none.parquet")


@pytest.mark.usefixtures("folder")
def test_a_damaged_archive_is_an_error_of_the_system() -> None:
    Path("cut.txt.gz").write_bytes(gzip.compress(b"low lower " * 1000)[:-4])
    Path("none.txt.gz").write_bytes(b"low")
    Path("none.txt.zst").write_bytes(b"low")
    for name in ["cut.txt.gz", "none.txt.gz", "none.txt.zst"]:
        with pytest.raises(OSError, match=f"^{name}: "):
            count_pieces(name)


# counts


@given(pieces=pieces, pattern=patterns, special_tokens=special_tokens)
def test_counts_come_back_from_bytes(
    pieces: dict[bytes, int], pattern: str | list[str], special_tokens: list[str]
) -> None:
    counts = Counts(pieces, pattern=pattern, special_tokens=special_tokens)
    again = pickle.loads(pickle.dumps(counts))
    assert dict(again) == pieces
    assert again == counts
    assert (again.pattern, again.special_tokens) == (counts.pattern, counts.special_tokens)
    assert again.fingerprint == counts.fingerprint
    shuffled = Counts(
        dict(reversed(pieces.items())), pattern=pattern, special_tokens=special_tokens
    )
    assert shuffled.fingerprint == counts.fingerprint


def test_counts_come_back_from_files(folder: Path) -> None:
    counts = expected()
    counts.save("c.counts")
    counts.save(folder / "d.counts")
    assert Counts.load("c.counts") == Counts.load(folder / "d.counts") == counts
    spilled = count_pieces(texts=map(str, range(10_000)), memory_limit=1)
    assert spilled.on_disk
    spilled.save("c.counts")
    assert Counts.load("c.counts") == spilled
    assert sorted(path.name for path in folder.iterdir()) == ["c.counts", "d.counts"]


@given(data=st.data())
def test_a_damaged_file_is_noticed(data: st.DataObject) -> None:
    whole = expected()._counts.to_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    other = bytes([whole[at] ^ data.draw(st.integers(1, 255))])
    cut = data.draw(st.integers(0, len(whole) - 1))
    for damaged in [whole[:at] + other + whole[at + 1 :], whole[:cut]]:
        with pytest.raises(CountsError):
            _core.Counts.from_bytes(damaged)


@pytest.mark.usefixtures("folder")
def test_files_that_are_no_counts_are_refused_by_name() -> None:
    Path("tok.json").write_text("{}")
    with pytest.raises(CountsError) as error:
        Counts.load("tok.json")
    assert str(error.value) == "tok.json: expected counts, found a file of another kind"
    expected().save("c.counts")
    Path("c.counts").write_bytes(Path("c.counts").read_bytes()[:-1])
    with pytest.raises(CountsError) as error:
        Counts.load("c.counts")
    assert str(error.value) == "c.counts: the file is cut off\n  hint: copy or download it again"
    with pytest.raises(FileNotFoundError):
        Counts.load("nowhere.counts")
    with pytest.raises(FileNotFoundError):
        expected().save("nowhere/c.counts")


@given(pieces=pieces, pattern=patterns, special_tokens=special_tokens)
def test_counts_come_back_from_parquet(
    tmp_path_factory: pytest.TempPathFactory,
    pieces: dict[bytes, int],
    pattern: str | list[str],
    special_tokens: list[str],
) -> None:
    path = tmp_path_factory.mktemp("parquet") / "c.parquet"
    counts = Counts(pieces, pattern=pattern, special_tokens=special_tokens)
    counts.to_parquet(path)
    assert Counts.from_parquet(path) == counts
    table = pq.read_table(path)
    assert table.schema.field("piece").type == pa.binary()
    assert table.schema.field("count").type == pa.int64()
    assert table.column("piece").to_pylist() == sorted(pieces)
    about = json.loads(table.schema.metadata[b"subword"])
    assert about["fingerprint"] == counts.fingerprint
    assert [entry.name for entry in path.parent.iterdir()] == ["c.parquet"]


def test_what_parquet_cannot_hold_is_an_error(folder: Path) -> None:
    with pytest.raises(CountsError, match=r"a count is over 2\^63 - 1, the limit of Parquet"):
        Counts({b"low": 1 << 63}).to_parquet("c.parquet")
    assert list(folder.iterdir()) == []
    pq.write_table(pa.table({"piece": [b"low"], "count": [1]}), "plain.parquet")
    with pytest.raises(CountsError, match=r"plain.parquet: expected counts, found a file of anot"):
        Counts.from_parquet("plain.parquet")


def test_parquet_without_pyarrow_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import subword\n"
        "try:\n    subword.count_pieces('a.parquet')\n"
        "except ImportError as error:\n    print(error)"
    )
    run = [sys.executable, "-c", program]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed == "Parquet files need pyarrow\n  hint: pip install 'subword[parquet]'\n"


# the command line


def run(*args: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, args)
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.usefixtures("folder")
def test_the_command_line_counts_and_adds() -> None:
    Path("a.txt").write_text("low lower <s>low")
    Path("b.txt").write_text("low")
    printed = run("count-pieces", "a.txt", "--out", "a.counts", "--special-token", "<s>")
    assert printed.splitlines()[:4] == [
        "pieces          4",
        "different       3",
        "pattern         gpt2",
        "special tokens  <s>",
    ]
    run(
        "count-pieces",
        "b.txt",
        "--out",
        "b.counts",
        "--special-token",
        "<s>",
        "--memory-limit",
        "1MB",
    )
    assert "wrote           both.counts, " in run(
        "merge-counts", "a.counts", "b.counts", "--out", "both.counts", "--min-count", "2"
    )
    assert dict(Counts.load("both.counts")) == {b"low": 3}
    run("count-pieces", "a.txt", "b.txt", "--out", "c.counts", "--pattern", "none")
    assert dict(Counts.load("c.counts")) == {b"low lower <s>low": 1, b"low": 1}
    run("count-pieces", "a.txt", "--out", "c.counts", "--min-count", "2", "--threads", "1")
    assert dict(Counts.load("c.counts")) == {b"low": 2}


@pytest.mark.usefixtures("folder")
def test_the_command_line_says_what_is_wrong() -> None:
    Path("a.txt").write_bytes(b"low \xff")
    assert run("count-pieces", "a.txt", "--out", "a.counts", code=1) == (
        "error: a.txt: not UTF-8 at position 4\n"
        "  hint: pass --errors replace to put U+FFFD in its place\n"
    )
    run("count-pieces", "a.txt", "--out", "a.counts", "--errors", "replace")
    run("count-pieces", "a.txt", "--out", "b.counts", "--errors", "replace", "--pattern", "none")
    assert run("merge-counts", "a.counts", "b.counts", "--out", "c.counts", code=1).startswith(
        'error: the counts have different patterns: "gpt2" and "none"\n  hint: '
    )
    wrong = run("count-pieces", "a.txt", "--out", "a.counts", "--memory-limit", "much", code=2)
    assert "--memory-limit: memory_limit must be a number of bytes or like" in wrong
    run("merge-counts", "--out", "c.counts", code=2)
    assert not Path("c.counts").exists()
