"""`subword train --watch`: every round as it is shown, and the merges are those of the engine."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, Tokenizer, TrainingWarning, training_log
from subword._cli import main, training, watching
from subword._cli.watching import Round, rounds, shown

from tests.support.small import tokenizer_named

LOW = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}


def learned(counts: Counts, **options: Any) -> Tokenizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return BpeTrainer(**options).train_counts(counts)


def watched(counts: Counts, **options: Any) -> list[Round]:
    """The rounds of a training with these settings; they say so if they are not the engine's."""
    tok = learned(counts, **options)
    rules = {
        name: options[name] for name in ("ties", "max_token_length", "base") if name in options
    }
    return list(rounds(counts, tok, **rules))


def test_a_round_says_what_was_best_and_what_changed() -> None:
    first, second, third = watched(Counts(LOW), num_merges=3)
    assert shown(first, "greatest") == (
        "rank 0  s+t, 9 times: 79 -> 70 tokens\n"
        "  pairs   s+t 9 = e+s 9 > w+e 8 > o+w 7 = l+o 7 > n+e 6, and 5 more\n"
        "  tie     2 pairs occur 9 times, and s+t sorts last\n"
        "  pieces       6  n e w e s t  ->  n e w e st\n"
        "               3  w i d e s t  ->  w i d e st"
    )
    assert shown(second, "greatest") == (
        "rank 1  e+st, 9 times: 70 -> 61 tokens\n"
        "  pairs   e+st 9 > w+e 8 > o+w 7 = l+o 7 > n+e 6 = e+w 6, and 4 more\n"
        "  pieces       6  n e w e st  ->  n e w est\n"
        "               3  w i d e st  ->  w i d est"
    )
    assert (third.rank, third.pairs[0]) == (2, ((b"o", b"w"), 7))


def test_the_other_rule_for_ties_is_named() -> None:
    first, *_ = watched(Counts(LOW), num_merges=1, ties="smallest-ids")
    assert shown(first, "smallest-ids").splitlines()[1:3] == [
        "  pairs   e+s 9 = s+t 9 > w+e 8 > l+o 7 = o+w 7 > e+w 6, and 5 more",
        "  tie     2 pairs occur 9 times, and e+s has the smallest ids",
    ]


def test_a_pair_that_overlaps_itself_counts_more_often_than_it_merges() -> None:
    (only,) = watched(Counts({b"aaaaa": 1}), num_merges=1)
    assert shown(only, "greatest") == (
        "rank 0  a+a, 4 times: 5 -> 3 tokens\n"
        "  pairs   a+a 4\n"
        "  pieces       1  a a a a a  ->  aa aa a"
    )


def test_a_long_list_of_pieces_is_cut() -> None:
    counts = Counts({f"ab{at}".encode(): 20 - at for at in range(10)})
    first, *_ = watched(counts, num_merges=1)
    assert shown(first, "greatest").splitlines()[-2:] == [
        "              13  a b 7  ->  ab 7",
        "             and 2 more",
    ]


def test_colours_show_the_best_pair_ties_and_new_tokens() -> None:
    first, *_ = watched(Counts({b"aab": 2, b"bc": 4}), num_merges=1)
    bright, noted, faint, plain = "\x1b[1;32m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
    text = shown(first, "greatest", colour=True)
    assert text == (
        f"rank 0  {bright}b+c{plain}, 4 times: 14 -> 10 tokens\n"
        f"  pairs   {bright}b+c 4{plain} > a+b 2 = a+a 2\n"
        f"  pieces       4  {faint}b c{plain}  ->  {bright}bc{plain}"
    )
    assert re.sub("\x1b.*?m", "", text) == shown(first, "greatest")
    first, *_ = watched(Counts({b"aab": 2}), num_merges=1)
    assert shown(first, "greatest", colour=True).splitlines()[1:] == [
        f"  pairs   {bright}a+b 2{plain} = {noted}a+a 2{plain}",
        f"  tie     {noted}2 pairs occur 2 times, and a+b sorts last{plain}",
        f"  pieces       2  {faint}a a b{plain}  ->  a {bright}ab{plain}",
    ]


SETTINGS = st.fixed_dictionaries(
    {"num_merges": st.integers(0, 12)},
    optional={
        "ties": st.sampled_from(["greatest", "smallest-ids"]),
        "max_token_length": st.integers(1, 5),
        "min_count": st.integers(1, 4),
    },
)
WORDS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"end_of_word": st.sampled_from(["</w>", "bc"])}),
    st.fixed_dictionaries(
        {"initial_vocab": st.just("chars")},
        optional={
            "unk_token": st.just("<unk>"),
            "limit_alphabet": st.integers(1, 4),
            "end_of_word": st.sampled_from(["", "</w>", "c", "bc"]),
        },
    ),
)
PIECES = st.text("abcé</w> ", min_size=1, max_size=9).map(str.encode)


@given(
    pieces=st.dictionaries(PIECES, st.integers(1, 9), min_size=1, max_size=9),
    how_much=SETTINGS,
    words=WORDS,
)
@settings(max_examples=300)
def test_what_is_watched_is_what_the_engine_did(
    pieces: dict[bytes, int], how_much: dict[str, Any], words: dict[str, Any]
) -> None:
    if words and not any(piece.strip() for piece in pieces):
        pieces = {**pieces, b"ab": 1}  # words that are white space are nothing to learn from
    counts = Counts(pieces, pattern="none")
    options = {**how_much, **words}
    tok = learned(counts, **options)
    rules = {key: options[key] for key in ("ties", "max_token_length") if key in options}
    found = list(rounds(counts, tok, **rules))
    log = training_log(tok)
    assert log is not None
    assert [one.pairs[0] for one in found] == [(merge.pair, merge.count) for merge in log.merges]
    saved = [
        sum((len(changed.before) - len(changed.after)) * changed.count for changed in one.changed)
        for one in found
    ]
    assert saved == [merge.saved for merge in log.merges]


@given(
    pieces=st.dictionaries(PIECES, st.integers(1, 9), min_size=1, max_size=9),
    name=st.sampled_from(["merges", "ranks, gpt2", "merges, several for one token"]),
)
def test_a_base_is_watched_as_it_goes_on(pieces: dict[bytes, int], name: str) -> None:
    base = tokenizer_named(name)
    for round_ in watched(Counts(pieces, pattern=base.pattern), num_merges=6, base=base):
        assert round_.rank >= len(base.merges)


# The command


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("low low lower<|end|>low lower lowest\n")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["train", "corpus.txt", "--out", "tok.json", *args])


def test_the_command_shows_rounds_and_then_what_it_always_shows() -> None:
    result = run("--num-merges", "2", "--special-token", "<|end|>", "--watch")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "rank 0  o+w, 6 times: 30 -> 24 tokens\n"
        "  pairs   o+w 6 = l+o 6 > ␣+l 4 > w+e 3 > e+r 2 > s+t 1, and 1 more\n"
        "  tie     2 pairs occur 6 times, and o+w sorts last\n"
        "  pieces       2  ␣ l o w e r  ->  ␣ l ow e r\n"
        "               2  l o w  ->  l ow\n"
        "               1  ␣ l o w  ->  ␣ l ow\n"
        "               1  ␣ l o w e s t  ->  ␣ l ow e s t\n"
        "\n"
        "rank 1  l+ow, 6 times: 24 -> 18 tokens\n"
    )
    rounds_, _, summary = result.stdout.rpartition("\n\n")
    assert rounds_.count("rank") == 2
    assert summary.startswith("pieces          7, of which 5 differ\n")


@pytest.mark.parametrize(
    "options",
    [
        ["--initial-vocab", "chars", "--limit-alphabet", "4"],
        ["--end-of-word", "</w>", "--ties", "smallest-ids"],
        ["--max-token-length", "2", "--min-count", "2", "--pattern", r"\w+|\W"],
    ],
    ids=" ".join,
)
def test_watching_changes_nothing(options: list[str]) -> None:
    assert run("--num-merges", "3", *options).exit_code == 0
    quiet = Path("tok.json").read_bytes()
    result = run("--num-merges", "3", "--watch", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("rank ") == len(Tokenizer.load("tok.json").merges)
    assert Path("tok.json").read_bytes() == quiet


def test_a_large_input_is_trained_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_PIECES", 2)
    result = run("--num-merges", "2", "--watch")
    assert result.exit_code == 0
    assert result.stderr == (
        "note: --watch is for small inputs: 8 different pieces, the most is 2\n"
    )
    assert "rank" not in result.stdout


def test_a_base_of_words_is_not_watched() -> None:
    assert run("--num-merges", "2", "--initial-vocab", "chars").exit_code == 0
    Path("tok.json").rename("base.json")
    result = run("--num-merges", "2", "--base", "base.json", "--watch")
    assert result.exit_code == 2
    assert "--watch goes with a base of bytes, and this one starts from words" in result.stderr
    assert not training.starts_from_words(None)


def test_a_base_of_bytes_is_watched() -> None:
    assert run("--num-merges", "2").exit_code == 0
    Path("tok.json").rename("base.json")
    result = run("--num-merges", "1", "--base", "base.json", "--watch")
    assert result.exit_code == 0
    assert result.stdout.startswith("rank 2  ␣+low, ")
