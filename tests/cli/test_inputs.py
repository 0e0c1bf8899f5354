"""Inputs of commands: the same files everywhere, standard input, numbers, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import subword
from click.testing import CliRunner, Result
from subword import Tokenizer, _core, count_pieces
from subword._cli import main
from subword._cli.arguments import Number

from tests.support.small import STEPS

DOCUMENTS = ["the lowest of the low", "", "they flow <|endoftext|>\nslow"]
TEXT = "\n".join(DOCUMENTS)


@pytest.fixture(autouse=True)
def tok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tokenizer:
    """A tokenizer, saved in the working directory, where the same documents are in all formats."""
    monkeypatch.chdir(tmp_path)
    made = subword.BpeTrainer(num_merges=9, special_tokens=["<|endoftext|>"]).train_iter([TEXT])
    made.save("tok.json")
    Path("a.txt").write_text(TEXT)
    Path("a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    lines = "\n".join(json.dumps({"text": text, "other": 1}) for text in DOCUMENTS)
    Path("b.jsonl").write_text(lines)
    Path("b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    Path("body.jsonl").write_text(lines.replace('"text"', '"body"'))
    return made


class Terminal:
    def isatty(self) -> bool:
        return True


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, args, input=stdin)


def output(*args: str, stdin: str | bytes | None = None) -> str:
    result = run(*args, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def parquet() -> str:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": DOCUMENTS}), "c.parquet")
    return "c.parquet"


# The files of a corpus


@pytest.mark.parametrize("name", ["b.jsonl", "b.jsonl.gz", "parquet"])
def test_encode_and_count_read_documents_as_training_does(name: str, tok: Tokenizer) -> None:
    file = parquet() if name == "parquet" else name
    expected = [tok.encode(text) for text in DOCUMENTS]
    lines = output("encode", "tok.json", file).split("\n")
    assert [[int(id) for id in line.split()] for line in lines[:-1]] == expected
    told = json.loads(output("count", "tok.json", file, "--json"))
    size = sum(len(text.encode()) for text in DOCUMENTS)
    assert told["files"][0]["tokens"] == sum(map(len, expected))
    assert told["files"][0]["bytes"] == size
    assert told["total"] == {key: told["files"][0][key] for key in told["total"]}


def test_a_compressed_text_is_the_text() -> None:
    assert output("encode", "tok.json", "a.txt.gz") == output("encode", "tok.json", "a.txt")
    told = json.loads(output("count", "tok.json", "a.txt", "a.txt.gz", "--json"))
    plain, packed = told["files"]
    assert plain.pop("file") == "a.txt"
    assert packed.pop("file") == "a.txt.gz"
    assert plain == packed


def test_zstandard_is_read_too() -> None:
    pa = pytest.importorskip("pyarrow")
    Path("a.txt.zst").write_bytes(pa.compress(TEXT.encode(), "zstd", asbytes=True))
    assert output("encode", "tok.json", "a.txt.zst") == output("encode", "tok.json", "a.txt")


def test_all_ids_of_documents_are_one_array(tok: Tokenizer) -> None:
    import numpy as np

    output("encode", "tok.json", "b.jsonl", "-o", "ids.npy")
    assert np.load("ids.npy").tolist() == [id for text in DOCUMENTS for id in tok.encode(text)]


def test_the_field_can_be_chosen_and_a_wrong_one_is_named() -> None:
    by_text = output("encode", "tok.json", "b.jsonl")
    assert output("encode", "tok.json", "body.jsonl", "--field", "body") == by_text
    for command in ("encode", "count"):
        wrong = run(command, "tok.json", "body.jsonl")
        assert (wrong.exit_code, wrong.stderr) == (
            1,
            'error: body.jsonl:1: no field "text"\n  hint: pass --field body, or another one\n',
        )


def test_a_text_that_is_not_utf8_is_read_compressed_or_not() -> None:
    Path("any.bin.gz").write_bytes(gzip.compress(b"low\xff\xfe"))
    ids = output("encode", "tok.json", "any.bin.gz")
    assert (
        CliRunner().invoke(main, ["decode", "tok.json"], input=ids).stdout_bytes == b"low\xff\xfe"
    )


def test_many_lines_come_in_their_order() -> None:
    Path("many.jsonl").write_text("".join(f'{{"text": "{n}"}}\n' for n in range(30_000)))
    blocks = [*_core.DocumentReader(Path("many.jsonl"), "text")]
    assert len(blocks) > 1
    assert [int(text) for block in blocks for text in block] == [*range(30_000)]


# The commands that count


def test_pieces_are_counted_by_a_command_of_their_own() -> None:
    output("count-pieces", "a.txt", "b.jsonl", "-o", "x.counts", "--pattern", "cl100k")
    counted = count_pieces(["a.txt", "b.jsonl"], pattern="cl100k")
    assert subword.Counts.load("x.counts") == counted


@pytest.mark.parametrize(
    "old",
    [
        ["a.txt", "--out", "x.counts"],
        ["a.txt", "-o", "x.counts"],
        ["a.txt", "--normalizer", "nfc", "--out", "x.counts"],
        ["a.txt", "--special-token", "<a>", "--out", "x.counts"],
    ],
)
def test_the_old_spelling_says_what_to_type(old: list[str]) -> None:
    done = run("count", *old)
    assert (done.exit_code, done.stderr) == (
        2,
        "error: subword count counts tokens, and writes no file\n"
        "  hint: subword count-pieces CORPUS... --out FILE counts the pieces of a corpus\n",
    )


# Standard input


def test_every_command_that_reads_text_reads_standard_input() -> None:
    train = ("train", "--num-merges", "9", "-o")
    output(*train, "piped.json", "-", stdin=TEXT)
    output(*train, "read.json", "a.txt")
    assert Tokenizer.load("piped.json") == Tokenizer.load("read.json")
    output("count-pieces", "-", "-o", "x.counts", stdin=TEXT)
    assert subword.Counts.load("x.counts") == count_pieces("a.txt")
    output("encode-corpus", "tok.json", "-", "-o", "piped.npy", stdin=TEXT)
    output("encode-corpus", "tok.json", "a.txt", "-o", "read.npy")
    assert Path("piped.npy").read_bytes() == Path("read.npy").read_bytes()
    piped = json.loads(output("evaluate", "tok.json", "-", "--json", stdin=TEXT))["rows"][0]
    read = json.loads(output("evaluate", "tok.json", "a.txt", "--json"))["rows"][0]
    assert piped | {"text": "a.txt"} == read | {"text": "a.txt"}
    prune = ("prune", "tok.json", "-o", "smaller.json", "--json")
    assert output(*prune, "-", stdin=TEXT) == output(*prune, "a.txt")


@pytest.mark.parametrize("command", ["tokens", "explain"])
def test_a_text_that_is_left_out_is_standard_input(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = output(command, "tok.json", "low")
    assert output(command, "tok.json", "-", stdin="low") == expected
    assert output(command, "tok.json", stdin="low") == expected
    monkeypatch.setattr("subword._cli.arguments.sys", SimpleNamespace(stdin=Terminal()))
    done = run(command, "tok.json")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: there is no TEXT, and none comes by standard input\n"
        f"  hint: main {command} --help shows what it takes\n",
    )


def test_nothing_of_standard_input_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    output("count-pieces", "-", "-o", "x.counts", stdin=TEXT)
    bad = run("count-pieces", "-", "-o", "x.counts", stdin=b"low\n\xff")
    assert bad.exit_code == 1
    assert bad.stderr.startswith("error: standard input: not UTF-8 at position 4\n")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_standard_input_can_be_read_once() -> None:
    done = run("count-pieces", "-", "-", "-o", "x.counts", stdin=TEXT)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: - is standard input, and can be read once only\n")


# What is refused


@pytest.mark.parametrize(
    "command",
    [
        ["train", ".", "--num-merges", "9", "-o", "x.json"],
        ["count-pieces", ".", "-o", "x.counts"],
        ["encode-corpus", "tok.json", ".", "-o", "x.bin"],
        ["encode", "tok.json", "."],
        ["count", "tok.json", "."],
        ["evaluate", "tok.json", "."],
    ],
)
def test_a_folder_of_texts_is_refused_with_a_hint(command: list[str]) -> None:
    done = run(*command)
    message = "error: .: this is a folder\n  hint: pass the files in it, like '*.txt'\n"
    assert (done.exit_code, done.stderr) == (1, message)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all files")
def test_a_file_that_may_not_be_read_is_told_as_a_missing_one_is() -> None:
    Path("a.txt").chmod(0)
    for command in (["encode", "tok.json", "a.txt"], ["info", "a.txt"]):
        done = run(*command)
        assert (done.exit_code, done.stderr) == (1, "error: a.txt: Permission denied\n")


def test_click_does_not_look_at_files_before_they_are_opened() -> None:
    """It would tell an unreadable file in its own words, and with another exit code."""
    import click

    for command in main.commands.values():
        for parameter in command.params:
            if isinstance(parameter.type, click.Path):
                assert not parameter.type.readable, command.name
                assert not parameter.type.exists, command.name


def test_a_command_that_is_nearly_one_is_named() -> None:
    done = run("trian", "a.txt")
    message = "error: there is no command 'trian'\n  hint: did you mean train?\n"
    assert (done.exit_code, done.stderr) == (2, message)
    done = run("xyzzy")
    assert done.stderr == "error: there is no command 'xyzzy'\n  hint: subword --help lists all\n"


def test_errors_of_the_command_line_look_like_all_errors() -> None:
    done = run("encode", "--nonsense")
    first, hint = done.stderr.splitlines()
    assert (done.exit_code, first) == (2, "error: No such option '--nonsense'.")
    assert hint == "  hint: main encode --help shows what it takes"


def test_an_unknown_id_is_told_without_the_names_of_python() -> None:
    done = run("decode", "tok.json", stdin="99999")
    assert "tok.max_id" not in done.stderr
    assert "subword info" in done.stderr


def test_parquet_without_pyarrow_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("subword._corpus.parquet", "subword._corpus.parquet_rows"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    Path("c.parquet").touch()
    message = "error: Parquet files need pyarrow\n  hint: pip install 'subword[parquet]'\n"
    for command in (
        ["train", "c.parquet", "--num-merges", "9", "-o", "x.json"],
        ["encode", "tok.json", "c.parquet"],
        ["count", "tok.json", "c.parquet"],
        ["encode-corpus", "tok.json", "c.parquet", "-o", "x.bin"],
    ):
        done = run(*command)
        assert (done.exit_code, done.stderr) == (1, message)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["explain", "steps.json", "low"], "TOKENIZER: {} cannot be explained"),
        (["prune", "steps.json", "a.txt", "-o", "x.json"], "TOKENIZER: {} cannot be pruned"),
        (["prune", "steps.json", "x.counts", "-o", "x.json"], "TOKENIZER: {} cannot be pruned"),
        (["evaluate", "steps.json", "a.txt"], "TOKENIZER: {} cannot be measured"),
        (
            ["train", "a.txt", "--base", "steps.json", "-o", "x.json"],
            "--base: {} cannot be continued",
        ),
    ],
)
def test_what_cannot_be_done_with_a_tokenizer_of_steps_is_told(
    command: list[str], told: str
) -> None:
    Path("steps.json").write_bytes(STEPS)
    output("count-pieces", "a.txt", "-o", "x.counts")
    done = run(*command, *["--num-merges", "9"] * (command[0] == "train"))
    message = told.format("a tokenizer that runs by the plain chain")
    assert (done.exit_code, done.stderr) == (2, f"error: {message}\n")
    assert output("tokens", "steps.json", "low") == "[low]\n1\n1 token\n"


def test_streams_that_are_closed_are_empty_ones() -> None:
    def closed(streams: str, *args: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-m", "subword", *args]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = closed("<&-", "encode", "tok.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
    done = closed("<&- >&- 2>&-", "count", "tok.json", "a.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = closed(">&-", "count", "nofile.json", "a.txt")
    assert (done.returncode, done.stderr) == (1, "error: nofile.json: No such file or directory\n")


def test_a_file_that_is_no_zstandard_is_told_in_words() -> None:
    Path("a.txt.zst").write_bytes(b"low lower")
    done = run("count", "tok.json", "a.txt.zst")
    assert (done.exit_code, done.stderr) == (1, "error: a.txt.zst: this is no Zstandard file\n")


# Numbers


@pytest.mark.parametrize(
    ("written", "number"),
    [("32000", 32_000), ("32k", 32_000), ("32K", 32_000), ("1.5M", 1_500_000), ("32,000", 32_000)],
)
def test_numbers_may_be_written_short(written: str, number: int) -> None:
    assert Number(min=1).convert(written, None, None) == number


@pytest.mark.parametrize("written", ["32x", "k", "-1", "0", "1.2345k5", "many", "0.0001k"])
def test_what_is_no_number_is_refused(written: str) -> None:
    done = run("train", "a.txt", "--vocab-size", written, "-o", "x.json")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: Invalid value for '--vocab-size': ")


def test_a_vocabulary_of_so_many_thousands_is_trained() -> None:
    told = run("train", "a.txt", "--vocab-size", "0.26k", "-o", "x.json", "--json")
    assert json.loads(told.stdout)["vocab_size"] == 260


# The module


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "subword", "info", "tok.json", "--json"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(done.stdout)["vocab_size"] == Tokenizer.load("tok.json").vocab_size
