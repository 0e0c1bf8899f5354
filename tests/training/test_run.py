"""How a training runs: settings, progress, interruption, what it says, and the log."""

from __future__ import annotations

import inspect
import json
import random
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from subword import BpeTrainer, Counts, TrainingWarning, training_log
from subword.integrations.cs336 import train_bpe

from tests.support.interrupting import WatchedTerminal, interrupted

TEXTS = ["the lowest of the low were slower than the slowest", "they flow low and they follow"]


# Settings


def test_settings_are_kept_as_they_are_given() -> None:
    special, order = ["<s>"], [bytes([i]) for i in range(256)]
    trainer = BpeTrainer(300, special_tokens=special, initial_vocab=order, ties="smallest-ids")
    assert trainer.vocab_size == 300
    assert trainer.special_tokens is special
    assert trainer.initial_vocab is order
    names = list(inspect.signature(BpeTrainer).parameters)
    assert list(vars(trainer)) == names


def test_a_trainer_shows_what_was_set() -> None:
    trainer = BpeTrainer(300, pattern="cl100k", min_count=2)
    assert repr(trainer) == "BpeTrainer(vocab_size=300, pattern='cl100k', min_count=2)"


def test_a_trainer_can_be_used_again() -> None:
    trainer = BpeTrainer(num_merges=9)
    assert trainer.train_iter(TEXTS) == trainer.train_iter(TEXTS)


# What it says


def test_too_few_pairs_are_said_where_the_caller_is() -> None:
    ways: list[Callable[[], object]] = [
        lambda: BpeTrainer(vocab_size=1000).train_iter(["low lower"]),
        lambda: BpeTrainer(num_merges=1000).train_counts(Counts({b"low": 1}, pattern="gpt2")),
    ]
    words = [
        "vocab_size=1000 is more than the corpus has: no pair is left after 5 merges "
        "(261 tokens in all)",
        "num_merges=1000 is more than the corpus has: no pair is left after 2 merges "
        "(258 tokens in all)",
    ]
    for way, expected in zip(ways, words, strict=True):
        with pytest.warns(TrainingWarning) as said:
            way()
        assert [str(warning.message) for warning in said] == [expected]
        assert said[0].filename == __file__


def test_a_least_count_ends_it_without_a_word() -> None:
    tok = BpeTrainer(num_merges=1000, min_count=3).train_iter(["low low low lower"])
    log = training_log(tok)
    assert log is not None
    assert log.stop == "min_count"
    assert 0 < len(tok.merges) < 1000


def test_nothing_is_printed_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    BpeTrainer(num_merges=9).train_iter(TEXTS)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("progress", "shown"), [(None, True), (True, True), (False, False)])
def test_a_bar_is_shown_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, progress: bool | None, shown: bool
) -> None:
    terminal = WatchedTerminal("merging")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("subword._progress.DELAY_SECONDS", 0)
    BpeTrainer(num_merges=9, progress=progress).train_iter(TEXTS)
    assert terminal.seen.is_set() is shown


# Interruption


@pytest.fixture
def bar_that_shows(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], threading.Event]:
    """An event that is set when the bar of a training shows what an expression finds."""
    monkeypatch.setattr("subword._progress.DELAY_SECONDS", 0)

    def watch(expression: str) -> threading.Event:
        terminal = WatchedTerminal(expression)
        monkeypatch.setattr(sys, "stderr", terminal)
        return terminal.seen

    return watch


def many_pieces() -> Counts:
    """Enough for seconds of merging."""
    dice = random.Random(0)
    letters = [bytes([byte]) for byte in range(97, 123)]
    pieces = {b"".join(dice.choices(letters, k=24)): dice.randint(1, 9) for _ in range(250_000)}
    return Counts(pieces, pattern="none")


@pytest.mark.slow
@pytest.mark.parametrize("point", ["merging: +0%", r"merging.* [1-9][0-9.]*k?/400k"])
def test_training_can_be_stopped(
    point: str, bar_that_shows: Callable[[str], threading.Event]
) -> None:
    """Before the first merge, while pairs are counted; and between two merges."""
    counts = many_pieces()
    with interrupted(bar_that_shows(point)):
        BpeTrainer(num_merges=400_000, progress=True).train_counts(counts)


@pytest.mark.parametrize("memory_limit", [None, "4MB"])
def test_counting_can_be_stopped_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bar_that_shows: Callable[[str], threading.Event],
    memory_limit: str | None,
) -> None:
    """When two percent are counted, 12 MB: with the limit, much of that is on the disk."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where counts go that do not fit
    dice = random.Random(0)
    path = tmp_path / "corpus.txt"
    path.write_bytes(b" ".join(dice.randbytes(8).hex().encode() for _ in range(600_000)))
    trainer = BpeTrainer(num_merges=10, progress=True)
    with interrupted(bar_that_shows("counting: +([2-9]|[1-9][0-9])%")):
        trainer.train([path] * 60, memory_limit=memory_limit)
    assert [entry.name for entry in tmp_path.iterdir()] == ["corpus.txt"]


@pytest.mark.slow
def test_counts_can_be_used_by_other_threads_while_they_train() -> None:
    counts, more = many_pieces(), Counts({b"low": 1}, pattern="none")
    some = len(counts)
    done = threading.Event()

    def add() -> None:
        while not done.is_set():
            counts.__iadd__(more)

    adding = threading.Thread(target=add)
    training = threading.Thread(target=BpeTrainer(300).train_counts, args=[counts])
    adding.start()
    training.start()
    while training.is_alive():
        assert len(counts) in (some, some + 1)
    done.set()
    adding.join()


# The log


def test_the_log_tells_what_happened() -> None:
    log = training_log(BpeTrainer(num_merges=3).train_iter(["low low lower", "aaa"]))
    assert log is not None
    assert [(merge.pair, merge.count, merge.saved) for merge in log.merges] == [
        ((b"o", b"w"), 3, 3),
        ((b"l", b"ow"), 3, 3),
        ((b"a", b"a"), 2, 1),
    ]
    assert (log.pieces, log.different, log.stop) == (4, 4, "full")
    assert [phase.name for phase in log.phases] == ["count", "index", "merge"]
    assert all(phase.seconds >= 0 for phase in log.phases)
    assert log.seconds == sum(phase.seconds for phase in log.phases)
    assert repr(log).startswith("<TrainingLog: count 0.")


def test_training_from_counts_has_no_phase_of_counting() -> None:
    counts = Counts({b"low": 2}, pattern="none")
    log = training_log(BpeTrainer(num_merges=1).train_counts(counts))
    assert log is not None
    assert [phase.name for phase in log.phases] == ["index", "merge"]


def test_the_log_is_json_lines_for_machines(tmp_path: Path) -> None:
    log = training_log(BpeTrainer(num_merges=2).train_iter(["low low lower"]))
    assert log is not None
    log.save(tmp_path / "log.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[0] == {"pieces": 3, "different": 3, "merges": 2, "stop": "full"}
    assert [line["phase"] for line in lines[1:4]] == ["count", "index", "merge"]
    assert all(line["seconds"] >= 0 for line in lines[1:4])
    assert {"queue_operations", "stale_candidates", "stale_places", "scans"} <= set(lines[3])
    assert lines[4:] == [
        {"rank": 0, "left": "6f", "right": "77", "count": 3, "saved": 3},
        {"rank": 1, "left": "6c", "right": "6f77", "count": 3, "saved": 3},
    ]


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the system does not say")
def test_the_log_has_the_peak_of_memory() -> None:
    log = training_log(BpeTrainer(num_merges=2).train_iter(["low low lower"]))
    assert log is not None
    peaks = [phase.peak_bytes for phase in log.phases if phase.peak_bytes is not None]
    assert peaks == sorted(peaks)
    assert peaks[-1] > 10_000_000


# CS336


def test_the_form_of_cs336_takes_the_settings_of_a_trainer(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("low low<|end|>lower")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vocab, merges = train_bpe(path, 259, ["<|end|>"], ties="smallest-ids", threads=1)
    assert merges == [(b"l", b"o"), (b"lo", b"w")]
    assert (vocab[256], vocab[257], vocab[258]) == (b"lo", b"low", b"<|end|>")
    assert len(vocab) == 259
