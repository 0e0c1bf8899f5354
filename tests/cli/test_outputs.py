"""Outputs of commands: one rule for files and folders, checked before any work is done."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import subword
from click.testing import CliRunner, Result
from subword import ModelFormatError, ModelFormatWarning, Tokenizer, count_pieces
from subword._cli import main

VOCAB = {i: bytes([i]) for i in range(256)} | {256: b"lo"}
SPECIAL = ["<|endoftext|>"]

TRAIN = ("train", "corpus.txt", "--vocab-size", "260", "--out")
TRAIN_WORDPIECE = ("train-wordpiece", "corpus.txt", "--vocab-size", "60", "--out")
#: Commands that write a file, without its name.
WRITING = [
    TRAIN,
    TRAIN_WORDPIECE,
    ("train", "corpus.txt", "--vocab-size", "260", "--out", "t.json", "--log"),
    ("count-pieces", "corpus.txt", "--out"),
    ("merge-counts", "a.counts", "--out"),
    ("encode", "tok.json", "corpus.txt", "--out"),
    ("decode", "tok.json", "ids.txt", "--out"),
    ("prune", "tok.json", "corpus.txt", "--out"),
    ("prune", "tok.json", "corpus.txt", "--out", "t.json", "--ids"),
    ("convert", "tok.json"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a corpus, a tokenizer, counts and ids."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("the lowest of the low\n")
    Path("ids.txt").write_text("108 111")
    Tokenizer(VOCAB, [(b"l", b"o")], SPECIAL).save("tok.json")
    subword.count_pieces(texts=["low"]).save("a.counts")
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def refusal(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    return result.stderr


def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reads a corpus or a tokenizer fails from here on."""

    def work(*_: object, **__: object) -> None:
        raise AssertionError("work was done before the output was checked")

    for name in ("training.counts_in", "evaluating.counts_in", "counting.count_pieces"):
        monkeypatch.setattr(f"subword._cli.{name}", work)
    monkeypatch.setattr("subword.Counts.load", work)
    monkeypatch.setattr("subword.Tokenizer.load", work)


@pytest.mark.parametrize("command", WRITING)
def test_a_missing_folder_is_refused_before_any_work(
    command: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_work(monkeypatch)
    before = sorted(folder.iterdir())
    message = "error: no/x.npy: there is no folder no\n  hint: mkdir -p no\n"
    assert refusal(*command, "no/x.npy") == message
    assert sorted(folder.iterdir()) == before


def test_a_missing_folder_of_token_files_is_refused(folder: Path) -> None:
    for out in ("no/ids.bin", "no/shards/"):
        message = refusal("encode-corpus", "tok.json", "corpus.txt", "--out", out)
        assert message == f"error: {out.rstrip('/')}: No such file or directory\n"
    assert not (folder / "no").exists()


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("name", ["new/", "there", "there/"])
def test_a_folder_is_no_file(
    command: tuple[str, ...], name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_work(monkeypatch)
    (folder / "there").mkdir()
    message = refusal(*command, name)
    assert message.startswith(f"error: {name}: this is a folder, ")
    assert "\n  hint: name the file" in message
    assert list((folder / "there").iterdir()) == []
    assert not (folder / "new").exists()


@pytest.mark.parametrize("name", ["new/", "there", "there/"])
@pytest.mark.parametrize(
    ("command", "format_", "files"),
    [
        (TRAIN, "gpt2", ["merges.txt", "vocab.json"]),
        (TRAIN, "huggingface", ["tokenizer.json"]),
        (TRAIN_WORDPIECE, "bert", ["vocab.txt"]),
        (("convert", "tok.json"), "gpt2", ["merges.txt", "vocab.json"]),
        (("prune", "tok.json", "corpus.txt", "--out"), "huggingface", ["tokenizer.json"]),
    ],
)
def test_a_folder_takes_the_files_of_a_format_that_is_named(
    command: tuple[str, ...], format_: str, files: list[str], name: str, folder: Path
) -> None:
    (folder / "there").mkdir()
    done = run(*command, name, "--format", format_)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in (folder / name).iterdir()) == files


@pytest.mark.parametrize("format_", ["native", "tiktoken"])
def test_a_format_of_one_file_of_any_name_does_not_go_into_a_folder(format_: str) -> None:
    end = {"native": "json", "tiktoken": "tiktoken"}[format_]
    assert refusal("convert", "tok.json", "new/", "--to", format_) == (
        "error: new/: this is a folder, and the format is one file of any name\n"
        f"  hint: name the file: new/tok.{end}\n"
    )


def test_a_name_of_a_format_that_cannot_hold_the_tokenizer_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_work(monkeypatch)
    assert refusal(*TRAIN_WORDPIECE, "x.tiktoken").startswith(
        "error: x.tiktoken: the name says tiktoken, and this tokenizer can be written as native, "
    )
    assert refusal(*TRAIN, "vocab.txt").startswith("error: vocab.txt: the name says bert, ")


def test_a_folder_that_may_not_be_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    no_work(monkeypatch)
    monkeypatch.setattr("subword._cli.arguments.os.access", lambda *_: False)
    for command in (TRAIN, ("count-pieces", "corpus.txt", "--out")):
        message = "error: x.json: no permission to write to the folder .\n"
        assert refusal(*command, "x.json") == message


def test_python_follows_the_same_rule(folder: Path) -> None:
    tok = Tokenizer.load("tok.json")
    for place in ("new/", str(folder)):
        with pytest.raises(ModelFormatError, match="this is a folder, which does not say") as told:
            tok.save(place)
        assert 'format="gpt2"' in str(told.value)
    with pytest.raises(FileNotFoundError, match=r"no/x\.json"):
        tok.save("no/x.json")
    with pytest.raises(FileNotFoundError):
        tok.save("no/deep/", format="gpt2")
    tok.save("new/", format="huggingface")
    assert Tokenizer.load("new") == tok


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told_with_the_name_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subword._cli.encoding.write_npy", full_disk)
    assert refusal("encode", "tok.json", "corpus.txt", "--out", "ids.npy") == (
        "error: ids.npy: No space left on device\n"
        "  hint: make room, and give the same command again\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", [("encode", "corpus.txt"), ("decode", "ids.txt")])
def test_a_device_that_takes_no_more_is_named_too(command: tuple[str, str]) -> None:
    Path("ids.txt").write_text("97 98")
    assert refusal(command[0], "tok.json", command[1], "--out", "/dev/full").startswith(
        "error: /dev/full: No space left on device\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_file_does_not_take_the_place_of_a_pipe() -> None:
    os.mkfifo("pipe")
    pattern = "this is a device or a pipe, and a tokenizer is written to a file"
    with pytest.raises(ModelFormatError, match=pattern):
        Tokenizer.load("tok.json").save("pipe")
    assert refusal("train", "corpus.txt", "--num-merges", "3", "-o", "pipe") == (
        f"error: pipe: {pattern}\n  hint: name a file, like tok.json\n"
    )
    replaced = "this is a device or a pipe, which a file would replace"
    assert refusal("count-pieces", "corpus.txt", "-o", "pipe") == f"error: pipe: {replaced}\n"
    with pytest.raises(OSError, match=replaced):
        count_pieces("corpus.txt").to_parquet("pipe")
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize(
    "command",
    [
        ["train", "corpus.txt", "--num-merges", "3", "-o", "-"],
        ["train-wordpiece", "corpus.txt", "-o", "-"],
        ["convert", "tok.json", "-"],
        ["count-pieces", "corpus.txt", "-o", "-"],
        ["prune", "tok.json", "corpus.txt", "-o", "-"],
    ],
)
def test_what_goes_to_a_file_makes_none_that_is_called_like_standard_output(
    command: list[str],
) -> None:
    told = "error: -: what is written here goes to a file, not to standard output\n"
    assert refusal(*command).startswith(told)
    assert not Path("-").exists()


def test_a_refused_file_is_told_by_the_name_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = Path.open

    def refused(path: Path, mode: str = "r", *args: Any, **settings: Any) -> Any:
        if "r" in mode:
            return opened(path, mode, *args, **settings)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("pathlib.Path.open", refused)
    message = refusal("encode", "tok.json", "corpus.txt", "--out", "ids.npy")
    assert message == "error: ids.npy: Permission denied\n"


# What a .tiktoken file does not hold


def test_a_tiktoken_file_without_its_special_tokens_is_a_warning(folder: Path) -> None:
    message = '.tiktoken has no place for special tokens, which are not kept: "<|endoftext|>"'
    with pytest.warns(ModelFormatWarning) as told:
        Tokenizer.load("tok.json").save("x.tiktoken")
    assert (str(told[0].message), told[0].filename) == (f"x.tiktoken: {message}", __file__)
    train = (*TRAIN[:-1], "--special-token", SPECIAL[0], "--out")
    for command in [("convert", "tok.json"), train]:
        done = run(*command, "y.tiktoken")
        assert done.exit_code == 0, done.output
        assert f"warning: y.tiktoken: {message}\n" in done.stderr


def test_a_tiktoken_file_of_a_tokenizer_without_special_tokens_needs_no_warning() -> None:
    Tokenizer(VOCAB, [(b"l", b"o")]).save("plain.tiktoken")  # a warning is an error here


@pytest.mark.parametrize("command", ["train", "train-wordpiece"])
def test_a_special_token_that_is_there_twice_is_refused_by_name(command: str) -> None:
    twice = ["--special-token", "<a>"] * 2
    done = run(command, "corpus.txt", "--vocab-size", "300", *twice, "-o", "x.json")
    message = "error: --special-token: special_tokens has '<a>' twice, and a token has one id\n"
    assert (done.exit_code, done.stderr) == (2, message)
    assert not Path("x.json").exists()


def test_json_names_what_was_written() -> None:
    told = json.loads(run("convert", "tok.json", "new/", "--to", "gpt2", "--json").stdout)
    assert told == {
        "vocab_size": 258,
        "format": "gpt2",
        "out": str(Path("new/vocab.json")),
        "bytes": Path("new/vocab.json").stat().st_size,
    }
