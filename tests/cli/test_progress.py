"""How far a command is: bars, lines without a terminal, and what an interruption says."""

from __future__ import annotations

import itertools
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from subword import BpeTrainer, _progress, count_pieces, encode_files
from subword._cli import main
from subword._progress import _Lines, showing, showing_files

from tests.support.token_files import DOCUMENTS, END, SMALL


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SMALL.save("tok.json")
    Path("corpus.txt").write_bytes(END.join(DOCUMENTS).encode())


@pytest.fixture
def _ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eleven seconds pass whenever somebody looks at the clock."""
    clock = itertools.count(step=11.0)
    monkeypatch.setattr(_progress, "time", types.SimpleNamespace(perf_counter=lambda: next(clock)))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


ENCODE = ("encode-corpus", "tok.json", "corpus.txt", "-o", "ids.npy")
TRAIN = ("train", "corpus.txt", "--num-merges", "9", "-o", "x.json")


@pytest.mark.usefixtures("_ticking")
@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (TRAIN, ["counting: ", "merging: "]),
        (("train", *TRAIN[1:], "--progress", "lines"), ["counting: ", "merging: "]),
        (("count-pieces", "corpus.txt", "-o", "x.counts"), ["counting: "]),
        (ENCODE, ["encoding: "]),
    ],
)
def test_without_a_terminal_there_is_a_line_every_some_seconds(
    command: tuple[str, ...], begins: list[str]
) -> None:
    done = run(*command)
    assert done.exit_code == 0, done.output
    lines = done.stderr.splitlines()
    for begin in begins:
        assert any(line.startswith(begin) for line in lines), lines


@pytest.mark.usefixtures("_ticking")
def test_nothing_is_shown_if_nothing_is_wanted() -> None:
    for command in (TRAIN, ENCODE, ("count-pieces", "corpus.txt", "-o", "x.counts")):
        assert run(*command, "--progress", "none").stderr == ""


@pytest.mark.parametrize("command", [TRAIN, ENCODE])
def test_a_short_run_prints_no_line(command: tuple[str, ...]) -> None:
    assert run(*command).stderr == ""


def test_a_bar_can_be_asked_for_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "DELAY_SECONDS", 0)
    assert "counting:" in run(*TRAIN, "--progress", "bar").stderr


def test_a_line_says_how_much_of_how_much_and_how_fast() -> None:
    files = _Lines("encoding", 3_400_000_000, "B", 200_000_000)
    assert files.line(1_200_000_000, 10.0, "3.1M tokens") == (
        "encoding: 35%, 1,200 of 3,400 MB, 100 MB/s, 3.1M tokens"
    )
    assert _Lines("merging", 32_000, "merge", 0).line(8_000, 2.0, "") == (
        "merging: 25%, 8,000 of 32,000 merges, 4,000 merges/s"
    )
    assert _Lines("counting", None, "B", 0).line(5_000_000, 1.0, "") == "counting: 5 MB, 5 MB/s"


# In Python


@pytest.mark.usefixtures("_ticking")
def test_python_shows_lines_if_it_is_asked_to(capfd: pytest.CaptureFixture[str]) -> None:
    count_pieces("corpus.txt")
    assert capfd.readouterr().err == ""
    count_pieces("corpus.txt", progress=True)
    BpeTrainer(num_merges=2, progress="lines").train("corpus.txt")
    encode_files(SMALL, "corpus.txt", "ids.bin", progress=True)
    shown = capfd.readouterr().err
    assert all(f"{what}: " in shown for what in ("counting", "merging", "encoding"))


def test_another_word_for_progress_is_refused() -> None:
    with pytest.raises(ValueError, match='progress must be True, False, None, "bar" or "lines"'):
        count_pieces("corpus.txt", progress="yes")  # type: ignore[arg-type]


def test_a_notebook_gets_the_bar_of_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Bar:
        n = 0

        def __init__(self, *, desc: str, **_: object) -> None:
            made.append(desc)

        def update(self, done: int) -> None:
            self.n += done

        def close(self) -> None:
            made.append("closed")

    automatic = types.ModuleType("tqdm.auto")
    automatic.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm.auto", automatic)
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    with showing(None, "counting") as update:
        assert update is not None
        update(5)
    assert made == ["counting", "closed"]


def test_progress_ends_if_the_work_fails() -> None:
    def work() -> Iterator[None]:
        with showing_files("lines", 1, 0) as show:
            assert show is not None
            raise KeyError

    with pytest.raises(KeyError):
        next(work())


# Ends


def test_an_interrupted_run_says_that_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_progress, "TELL_SECONDS", 0)
        patch.setattr("subword._cli.corpus.print_json", interrupt)
        stopped = run(*ENCODE, "--json")
    assert stopped.exit_code == 130
    assert stopped.stderr == "interrupted: the same command goes on from here\n"
    assert run(*ENCODE).exit_code == 0


def test_a_run_that_was_interrupted_before_it_began_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subword._cli.corpus.encode_files", interrupt)
    stopped = run(*ENCODE)
    assert (stopped.exit_code, stopped.stderr) == (130, "")


def test_a_run_on_standard_input_does_not_promise_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subword._cli.corpus.encode_files", interrupt)
    arguments = ["encode-corpus", "tok.json", "-", "-o", "x.bin"]
    stopped = CliRunner().invoke(main, arguments, input="low")
    assert (
        stopped.stderr == "interrupted: standard input is gone, so start again with --overwrite\n"
    )


def test_a_finished_run_says_so() -> None:
    assert run(*ENCODE).exit_code == 0
    again = run(*ENCODE)
    lines = again.stdout.splitlines()
    assert lines[0] == (
        "complete        an earlier run has done it all, and nothing was left to do"
    )
    assert any(line.startswith("already there   ids.npy, ") for line in lines)
    assert "MB/s" not in again.stdout
    assert "wrote" not in again.stdout
    assert json.loads(run(*ENCODE, "--json").stdout)["was_complete"] is True
    assert encode_files(SMALL, "corpus.txt", "ids.npy").was_complete
