"""`subword compare`: trainers on the same counts, whether they agree, and what is shown of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import Counts, count_pieces
from subword._cli import comparing, main
from subword._compare import trainers
from subword._compare.chart import draw, extrapolated_points, text_chart
from subword._compare.process import answer, measured
from subword._compare.report import difference, duration, notes, table
from subword._compare.run import Run
from subword._compare.task import WORDS, in_lower_case, task_of_bytes, task_of_words
from subword._compare.trainers import ENGINE, TOKENIZERS, TRAINERS, places
from subword.reference.training import Pair, Ties

LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
TEXT = "The lowest of the low were slower than the slowest!\nThey flow low, and they follow.\n"


@pytest.fixture(scope="module", autouse=True)
def once() -> Iterator[None]:
    """Nothing is timed here that anybody looks at: once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainers, "TIMES", 1)
        patch.setattr(trainers, "gc", SimpleNamespace(collect=lambda: 0))
        yield


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a corpus."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text(TEXT * 3)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["compare", *args])


def failure(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr


# What is compared


@settings(max_examples=40, deadline=None)
@given(
    counts=st.dictionaries(
        st.text("ab .é", min_size=1, max_size=6), st.integers(1, 9), min_size=1, max_size=8
    ),
    num_merges=st.integers(1, 12),
)
def test_all_trainers_learn_the_same_from_bytes(counts: dict[str, int], num_merges: int) -> None:
    pieces = {piece.encode(): count for piece, count in counts.items()}
    task = task_of_bytes(pieces, num_merges)
    assert difference([run(task) for run in TRAINERS.values()]) is None


@settings(max_examples=40, deadline=None)
@given(
    counts=st.dictionaries(
        st.text("ab</w>é", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=8
    ),
    num_merges=st.integers(1, 12),
)
def test_all_trainers_learn_the_same_from_words(counts: dict[str, int], num_merges: int) -> None:
    task = task_of_words(counts, num_merges)
    assert difference([run(task) for run in TRAINERS.values()]) is None


@pytest.mark.parametrize("ties", get_args(Ties))
def test_a_run_says_what_it_learned_and_what_it_took(ties: Ties) -> None:
    task = task_of_words(LOW, 4, ties)
    expected = {
        "greatest": [(b"t", b"</w>"), (b"s", b"t</w>"), (b"e", b"st</w>"), (b"o", b"w")],
        "smallest-ids": [(b"e", b"s"), (b"t", b"</w>"), (b"es", b"t</w>"), (b"l", b"o")],
    }
    for name, train in TRAINERS.items():
        if ties == "greatest" and name == TOKENIZERS:
            continue
        found = train(task)
        assert (found.name, found.merges, found.done) == (name, expected[ties], True)
        assert (found.points[0][0], found.rounds) == (0, 4)
        times = [seconds for _, seconds in found.points]
        assert times == sorted(times)
        assert found.total >= found.build > 0
        if name == TOKENIZERS:
            assert found.heap_operations is None
        else:
            heap = name in ("index_heap", "linked_multiset", ENGINE)
            assert found.heap_operations is not None
            assert (found.heap_operations > 0) == heap
            assert (found.counting > 0) == (name == ENGINE)


def test_a_trainer_that_takes_too_long_is_stopped_after_a_round() -> None:
    task = replace(task_of_words(LOW, 9), limit=0.0)
    stopped = TRAINERS["naive"](task)
    assert (stopped.done, stopped.rounds, len(stopped.merges)) == (False, 1, 1)
    assert stopped.total == pytest.approx(stopped.build + 9 * stopped.per_round)
    merges, seconds = extrapolated_points(stopped)[-1]
    assert (merges, seconds) == pytest.approx((9, stopped.total))
    complete = TRAINERS["naive"](task_of_words(LOW, 9))
    assert difference([stopped, complete]) is None
    assert extrapolated_points(complete) == []


def test_fewer_merges_than_asked_for_are_all() -> None:
    task = task_of_words({"ab": 1}, 50)
    for train in TRAINERS.values():
        found = train(task)
        assert (found.merges, found.done) == ([(b"b", b"</w>"), (b"a", b"b</w>")], True) or (
            found.merges,
            found.done,
        ) == ([(b"a", b"b"), (b"ab", b"</w>")], True)
        assert found.rounds == 2


def test_a_process_of_its_own_gives_the_same_and_its_memory() -> None:
    task = task_of_words(LOW, 3)
    found = measured("buckets", task)
    assert found.merges == TRAINERS["buckets"](task).merges
    if sys.platform == "linux":
        assert found.peak is not None
        assert 5e6 < found.peak < 1e9


def test_the_text_has_the_counts() -> None:
    task = task_of_bytes({b"a b": 2, b"\n\xff": 3}, 1)
    counts = count_pieces(texts=task.texts(), pattern="whitespace")
    spelled = task.characters()
    for piece, count in task.pieces.items():
        word = "".join(spelled[bytes([byte])] for byte in piece)
        assert counts[word.encode()] == count
    assert [*spelled.values()] == sorted(spelled.values())


def test_words_are_lower_case_and_without_what_stands_between_them() -> None:
    words = in_lower_case(count_pieces(texts=["Who? WHO! It's 3.5 .\tÉté"], pattern=WORDS))
    assert words == {"who": 2, "it's": 1, "3": 1, "5": 1, "été": 1}


def test_points_are_close_together_at_first() -> None:
    assert places(1) == [0, 1]
    assert places(10_000)[0] == 0
    assert places(10_000)[-1] == 10_000
    assert len(places(10_000)) <= trainers.POINTS + 1


# Whether they agree


def made(name: str, *merges: Pair, done: bool = True) -> Run:
    return Run(name, list(merges), 3, done, [(0, 0.1), (len(merges), 0.2)])


A, B, C = (b"a", b"b"), (b"b", b" "), (b"c", b"\xff")


def test_the_first_difference_is_named() -> None:
    assert difference([]) is None
    assert difference([made("x", A, B)]) is None
    assert difference([made("x", A, B), made("y", A, B)]) is None
    found = difference([made("x", A, B, C), made("y", A, C), made("z", B)])
    assert found == "merge 0 differs: x has a+b, z has b+␣"
    found = difference([made("x", A, B), made("y", A, C)])
    assert found == "merge 1 differs: x has b+␣, y has c+\\xff"
    assert difference([made("x", A), made("y", A, B)]) == (
        "merge 1 differs: y has b+␣, x has no more"
    )


def test_a_run_that_was_stopped_agrees_as_far_as_it_goes() -> None:
    assert difference([made("x", A, done=False), made("y", A, B)]) is None
    assert difference([made("x", A, B), made("y", A, done=False), made("z", A, C)]) is not None
    assert difference([made("x", C, done=False), made("y", A, B)]) == (
        "merge 0 differs: y has a+b, x has c+\\xff"
    )


def test_a_disagreement_is_an_error(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"naive": made("naive", A, B), "engine": made("engine", A, C)}
    monkeypatch.setattr(comparing, "measured", lambda name, task: runs[name])
    assert failure("corpus.txt", "--trainer", "naive", "--trainer", "engine") == (
        "error: merge 1 differs: naive has b+␣, engine has c+\\xff: one of them is wrong\n"
    )


# What is shown


def test_the_table_says_what_is_measured_and_what_is_not() -> None:
    task = task_of_words(LOW, 1000)
    slow = replace(
        made("naive", A, done=False), wanted=1000, points=[(0, 0.5), (100, 5.5)], peak=20
    )
    quick = Run("buckets", [A], 1000, True, [(0, 0.01), (1000, 0.11)], 0.0, 7, 1, 31_400_000)
    ours = Run(ENGINE, [A], 1000, True, [(0, 0.002), (1000, 0.003)], 0.005, 9, 2)
    theirs = Run(TOKENIZERS, [A], 1000, True, [(0, 0.1), (1000, 0.12)])
    lines = table(task, [slow, quick, ours, theirs]).splitlines()
    assert lines[0] == "4 different pieces of 16, 24 characters and </w>"
    assert lines[1] == "1 merges, the same from all; of equal counts smallest ids first"
    cells = [line.split() for line in lines[4:8]]
    assert " ".join(cells[0]) == "naive - 500 ms 50.0 ms ~50.5 s - - 0 MB"
    assert " ".join(cells[1]) == "buckets - 10.0 ms 100 µs 110 ms 7 1 31 MB"
    assert " ".join(cells[2]) == "engine 5.00 ms 2.00 ms 1.00 µs 8.00 ms 9 2 -"
    assert " ".join(cells[3]) == "tokenizers in build 100 ms 20.0 µs 120 ms - - -"
    said = "\n".join(lines[9:])
    assert "naive was stopped: its total is extrapolated from the first 100 of 1,000 rounds" in said
    assert "buckets is 459 times as fast as naive" in said
    assert "engine is 15 times as fast as tokenizers, 20 times in the rounds alone." in said
    assert "extrapolated" not in "\n".join(notes(task, [quick, ours]))


def test_a_duration_has_three_digits() -> None:
    shown = [duration(seconds) for seconds in (12_345.0, 99.94, 1.0, 0.9, 1e-3, 9.99e-4)]
    assert shown == ["12,345 s", "99.9 s", "1.00 s", "900 ms", "1.00 ms", "999 µs"]


def test_a_chart_has_a_letter_for_each_run_and_small_ones_for_what_was_not_measured() -> None:
    slow = Run("slow", [], 1000, False, [(0, 1.0), (1, 2.0), (10, 11.0)])
    quick = Run("quick", [], 1000, True, [(0, 0.1), (1, 0.2), (10, 0.3), (1000, 0.5)])
    lines = text_chart([slow, quick]).splitlines()
    assert lines[0].startswith("  1,001 s |")
    assert lines[0].endswith("a")
    assert lines[15].startswith("   200 ms |B")
    assert lines[15].count("B") >= 1
    assert "A" in "".join(lines[:16])
    assert lines[-1].split() == ["A", "slow", "B", "quick"]
    assert lines[-2].split() == ["1", "1,000", "merges"]
    assert text_chart([]) == ""


@pytest.mark.parametrize("name", ["times.svg", "times.png"])
def test_a_picture_is_the_same_for_the_same_runs(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    slow = Run("slow", [], 100, False, [(0, 1.0), (1, 2.0), (10, 11.0)])
    quick = Run("quick", [], 100, True, [(0, 0.1), (1, 0.2), (100, 0.5)])
    first, second = tmp_path / name, tmp_path / "again" / name
    second.parent.mkdir()
    draw([slow, quick], first)
    draw([slow, quick], second)
    assert first.read_bytes() == second.read_bytes()
    if name.endswith("svg"):
        assert "slow" in first.read_text()
        assert len(first.read_bytes()) < 30_000
    else:
        assert first.read_bytes().startswith(b"\x89PNG")


# The command


@pytest.mark.usefixtures("corpus")
def test_the_command_compares_all_that_is_installed() -> None:
    result = run("corpus.txt", "--words", "--num-merges", "5", "--plot", "times.svg")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "13 different pieces of 48, 69 characters and </w>"
    assert [line.split()[0] for line in lines[4 : 4 + len(trainers.available())]] == [
        name for name in TRAINERS if name in trainers.available()
    ]
    assert "merges" in result.stdout
    assert Path("times.svg").read_text().startswith("<?xml")


@pytest.mark.usefixtures("corpus")
def test_the_command_takes_patterns_and_counts_and_both_tie_rules() -> None:
    few = ("--trainer", "buckets", "--trainer", "engine", "--num-merges", "3")
    by_pattern = run("corpus.txt", "--pattern", "whitespace", "--ties", "greatest", *few)
    assert by_pattern.exit_code == 0
    assert "of equal counts greatest first" in by_pattern.stdout
    Counts({b"low": 5, b"lower": 2}).save("low.counts")
    by_counts = run("low.counts", *few)
    assert by_counts.stdout.splitlines()[0] == "2 different pieces of 7, 8 bytes"


@pytest.mark.usefixtures("corpus")
def test_what_makes_no_sense_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*args: str) -> str:
        result = run(*args)
        assert result.exit_code == 2
        return result.stderr.splitlines()[0]

    assert refused("corpus.txt", "--plot", "times.gif") == (
        "error: --plot times.gif: expected a file that ends in .png or .svg"
    )
    assert refused("corpus.txt", "--words", "--pattern", "gpt2") == (
        "error: --words has its own pattern: leave --pattern out"
    )
    assert refused("corpus.txt", "--ties", "greatest", "--trainer", "tokenizers") == (
        "error: tokenizers goes with --ties smallest-ids only"
    )
    Counts({b"low": 5}).save("low.counts")
    assert refused("low.counts", "--words") == (
        "error: --words goes with text, and these are counts"
    )
    Path("empty.txt").touch()
    assert failure("empty.txt") == "error: there are no pieces to learn from\n"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert failure("corpus.txt", "--plot", "times.svg") == (
        "error: --plot needs matplotlib\n  hint: pip install 'subword[plot]'\n"
    )
    assert failure("corpus.txt", "--trainer", "tokenizers") == (
        "error: tokenizers is not installed\n  hint: pip install tokenizers\n"
    )


@pytest.mark.usefixtures("corpus")
def test_without_tokenizers_the_others_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(comparing, "measured", lambda name, task: made(name, A))
    rows = run("corpus.txt").stdout.splitlines()[4:10]
    assert [row.split()[0] for row in rows] == [name for name in TRAINERS if name != TOKENIZERS]


@pytest.mark.usefixtures("corpus")
def test_a_trainer_that_fails_is_named() -> None:
    with pytest.raises(KeyError):
        answer(b"\x80\x04\x8c\x05wrong\x94\x8c\x04task\x94\x86\x94.")
    result = run("missing.txt")
    assert result.exit_code == 1
    assert "missing.txt" in result.stderr
