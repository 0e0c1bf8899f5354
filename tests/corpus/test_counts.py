"""Counts of texts: equal to a plain count of pieces, however they are counted."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
import subword
from hypothesis import given
from hypothesis import strategies as st
from subword import ArgumentError, Counts, CountsError, TextError, _core, count_pieces

from tests.support.interrupting import interrupted
from tests.support.strategies import texts

SPECIAL = ["<|endoftext|>", "<|endo", "ftext|><|endo"]
PATTERNS = [*subword.patterns, r"\w+|\W"]


def plain_count(documents: list[str], pattern: str, special_tokens: list[str]) -> Counter[bytes]:
    """The definition: cut special tokens out, the longest first, and split what is left."""
    special = "|".join(map(re.escape, sorted(special_tokens, key=len, reverse=True)))
    pieces: Counter[bytes] = Counter()
    for document in documents:
        for text in re.split(special, document) if special else [document]:
            pieces.update(_core.split(text, pattern))
    return pieces


@given(
    documents=st.lists(texts, max_size=5),
    pattern=st.sampled_from(PATTERNS),
    special_tokens=st.lists(st.sampled_from(SPECIAL), max_size=3),
    threads=st.integers(1, 4),
    memory_limit=st.sampled_from([None, 1, 10_000]),
)
def test_pieces_are_counted_by_the_definition(
    documents: list[str],
    pattern: str,
    special_tokens: list[str],
    threads: int,
    memory_limit: int | None,
) -> None:
    counts = count_pieces(
        texts=iter(documents),
        pattern=pattern,
        special_tokens=special_tokens,
        threads=threads,
        memory_limit=memory_limit,
    )
    expected = plain_count(documents, pattern, special_tokens)
    assert dict(counts) == expected
    assert list(counts) == sorted(expected.items())
    assert (len(counts), counts.total) == (len(expected), expected.total())
    assert counts.special_tokens == sorted({*special_tokens})


@given(
    shards=st.lists(st.lists(texts, max_size=3), min_size=1, max_size=4),
    spilled=st.lists(st.booleans(), min_size=4, max_size=4),
    data=st.data(),
)
def test_shards_in_any_order_add_up_to_the_whole(
    shards: list[list[str]], spilled: list[bool], data: st.DataObject
) -> None:
    whole = count_pieces(texts=[text for shard in shards for text in shard])
    limits = [1 if spill else None for spill in spilled]
    parts = [
        count_pieces(texts=shard, memory_limit=limit)
        for shard, limit in zip(shards, limits, strict=False)
    ]
    shuffled = data.draw(st.permutations(parts))
    added = sum(shuffled[1:], shuffled[0])
    assert added == whole
    assert added.fingerprint == whole.fingerprint
    assert sum(parts) == whole
    everything = Counts()
    for part in parts:
        everything += part
    assert everything == whole


def many_pieces() -> list[str]:
    return [f"{'word' * (i % 9)}{i}" for i in range(30_000)]


def test_what_does_not_fit_in_memory_is_counted_all_the_same() -> None:
    whole = count_pieces(texts=many_pieces())
    assert not whole.on_disk
    limits: list[int | str] = [1, 100_000, "0.5MB"]
    for limit in limits:
        counts = count_pieces(texts=many_pieces(), memory_limit=limit)
        assert counts.on_disk
        assert counts == whole
        assert whole == counts
        assert (len(counts), counts.total) == (len(whole), whole.total)
        assert list(counts) == list(whole)
        assert counts.most_common(5) == whole.most_common(5)
        assert counts[b"12345"] == whole[b"12345"] == 1
        assert b"nowhere" not in counts
        copied = counts.copy()
        counts += whole
        assert counts.on_disk
        assert copied.on_disk
        assert copied == whole
        assert counts.total == 2 * whole.total
        counts.prune(3)
        whole_twice = whole + whole
        whole_twice.prune(3)
        assert counts == whole_twice
        assert 0 < len(counts) < len(whole)
        assert pickle.loads(pickle.dumps(counts)) == whole_twice


def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    counts = count_pieces(texts=many_pieces(), memory_limit=1)
    assert counts.on_disk
    del counts
    assert list(tmp_path.iterdir()) == []


def test_counts_behave_like_a_collection() -> None:
    counts = Counts({b"low": 5, b" lower": 2, b"zero": 0}, special_tokens=["<b>", "<a>", "<b>"])
    assert list(counts) == [(b" lower", 2), (b"low", 5)]
    assert (counts[b"low"], counts[b"new"], counts[b""]) == (5, 0, 0)
    assert b"low" in counts
    assert b"zero" not in counts
    assert "low" not in counts
    assert (counts.pattern, counts.special_tokens) == ("gpt2", ["<a>", "<b>"])
    assert repr(counts) == "<Counts: 2 pieces, 7 in all, pattern 'gpt2'>"
    assert len(repr(Counts(pattern="x*" * 100))) < 100
    with pytest.raises(TypeError, match="unhashable"):
        hash(counts)


def test_the_most_common_come_first_and_equals_by_their_bytes() -> None:
    counts = Counts({bytes([i]): i % 5 for i in range(1, 100)})
    expected = sorted(counts, key=lambda entry: (-entry[1], entry[0]))
    assert counts.most_common() == expected
    for n in [0, 1, 7, 1000]:
        assert counts.most_common(n) == expected[:n]
    with pytest.raises(ValueError, match="n must be at least 0, not -1"):
        counts.most_common(-1)


def test_adding_leaves_the_operands_alone() -> None:
    one, two = Counts({b"low": 1}), Counts({b"low": 2, b"new": 1})
    both = one + two
    assert (dict(both), dict(one), dict(two)) == (
        {b"low": 3, b"new": 1},
        {b"low": 1},
        {b"low": 2, b"new": 1},
    )
    one += one
    assert dict(one) == {b"low": 2}
    assert one != both
    assert one != {b"low": 2}
    with pytest.raises(TypeError):
        one += {b"low": 1}  # type: ignore[arg-type]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, Counts.copy])
def test_a_copy_is_equal_and_its_own(again: object) -> None:
    counts = Counts({b"low": 5}, pattern=[r"\d", "gpt2"], special_tokens=["<s>"])
    assert callable(again)
    copied = again(counts)
    assert copied == counts
    copied += copied
    assert copied != counts
    assert counts[b"low"] == 5


def test_counts_go_far_beyond_32_bits() -> None:
    counts = Counts({b"low": 1 << 40, b"new": 1})
    counts += counts
    assert (counts[b"low"], counts.total) == (1 << 41, (1 << 41) + 2)
    most = Counts({b"low": (1 << 64) - 2})
    most += Counts({b"new": 1})
    with pytest.raises(CountsError, match=re.escape("the sum of the counts is over 2^64 - 1")):
        most += Counts({b"x": 1})
    assert most.total == (1 << 64) - 1
    with pytest.raises(CountsError, match="the sum of the counts"):
        Counts({b"a": 1 << 63, b"b": 1 << 63})
    for wrong in [-1, 1 << 64]:
        with pytest.raises(ValueError, match=re.escape("a count is a number from 0 to 2^64 - 1")):
            Counts({b"a": wrong})


def test_counts_that_were_not_made_alike_do_not_add_up() -> None:
    counts = Counts({b"low": 1}, special_tokens=["<s>"])
    with pytest.raises(CountsError) as error:
        counts += Counts({b"low": 1}, pattern="o200k", special_tokens=["<s>"])
    assert str(error.value) == (
        'the counts have different patterns: "gpt2" and "o200k"\n'
        "  hint: counts add up only if they were counted alike: count one of them again"
    )
    with pytest.raises(CountsError) as error:
        counts + Counts({b"low": 1})
    assert error.value.message == 'the counts have different special tokens: ["<s>"] and []'
    assert counts.total == 1
    same = Counts({b"low": 1}, pattern=subword.patterns["gpt2"], special_tokens=["<s>"])
    assert (counts + same)[b"low"] == 2


def test_bytes_and_strings_are_the_same_text() -> None:
    text = "naïve 漢字 low"
    as_bytes = text.encode()
    expected = count_pieces(texts=[text] * 3)
    assert count_pieces(texts=[as_bytes, bytearray(as_bytes), memoryview(as_bytes)]) == expected


def test_a_text_that_is_not_text_is_named() -> None:
    with pytest.raises(TextError) as error:
        count_pieces(texts=["low", b"lo\xffw"])
    assert str(error.value) == (
        'text 1: not UTF-8 at position 2\n  hint: pass errors="replace" to put U+FFFD in its place'
    )
    replaced = count_pieces(texts=["low", b"lo\xffw"], errors="replace")
    assert replaced == count_pieces(texts=["low", "lo\ufffdw"])
    with pytest.raises(TextError, match="the text has a lone surrogate"):
        count_pieces(texts=["lo\ud800w"])
    surrogate = count_pieces(texts=["lo\ud800w"], errors="replace")
    assert surrogate == count_pieces(texts=["lo\ufffdw"])
    with pytest.raises(TypeError, match="text must be str or bytes, not int"):
        count_pieces(texts=["low", 7])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not iterable"):
        count_pieces(texts=7)  # type: ignore[arg-type]


def test_arguments_that_make_no_sense_are_refused() -> None:
    with pytest.raises(TypeError, match="pass files or texts, one of the two"):
        count_pieces()
    with pytest.raises(TypeError, match="pass files or texts, one of the two"):
        count_pieces("a.txt", texts=[])
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        count_pieces(texts=[], threads=0)
    for wrong in ["much", "64 apples", "-1MB"]:
        with pytest.raises(ValueError, match='memory_limit must be a number of bytes or like "64'):
            count_pieces(texts=[], memory_limit=wrong)
    with pytest.raises(ValueError, match="memory_limit must be at least 0, not -1"):
        count_pieces(texts=[], memory_limit=-1)
    with pytest.raises(TypeError, match="special_tokens must be a list of strings, not one"):
        count_pieces(texts=[], special_tokens="<s>")
    with pytest.raises(CountsError, match="a special token is empty"):
        count_pieces(texts=[], special_tokens=[""])
    with pytest.raises(subword.PatternError, match="no pattern has this name"):
        count_pieces(texts=[], pattern="gpt3")
    with pytest.raises(CountsError, match="a piece is empty"):
        Counts({b"": 1})


def test_what_the_texts_raise_comes_out() -> None:
    def failing() -> Iterator[str]:
        yield "low " * 1_000_000
        raise RuntimeError("the network is gone")

    with pytest.raises(RuntimeError, match="the network is gone"):
        count_pieces(texts=failing(), threads=2)


def test_counting_can_be_interrupted() -> None:
    begun = threading.Event()

    def endless() -> Iterator[str]:
        for number in itertools.count():
            if number == 10:
                begun.set()
            yield "low lower " * 100_000

    with interrupted(begun):
        count_pieces(texts=endless(), threads=2)


def test_other_threads_go_on_while_it_counts() -> None:
    corpus = ["low lower lowest " * 100_000] * 20
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    try:
        counts = count_pieces(texts=corpus, threads=1)
    finally:
        done.set()
        other.join()
    assert counts.total == 20 * 300_001
    assert ticks > 3


def test_two_that_are_added_to_each_other_do_not_wait_for_ever() -> None:
    one, two = Counts({b"low": 1}), Counts({b"new": 1})

    def add(left: Counts, right: Counts) -> None:
        for _ in range(20):
            left += right

    threads = [threading.Thread(target=add, args=pair) for pair in [(one, two), (two, one)]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


# Weights


@given(
    pieces=st.dictionaries(st.binary(min_size=1, max_size=3), st.integers(1, 1 << 40), max_size=9),
    weight=st.one_of(
        st.integers(0, 9),
        st.fractions(0, 9, max_denominator=1000),
        st.floats(0, 9).map(lambda weight: round(weight, 3)),
    ),
)
def test_counts_times_a_weight_are_rounded_a_half_upwards(
    pieces: dict[bytes, int], weight: int | float | Fraction
) -> None:
    exact = Fraction(str(weight))
    expected = {
        piece: math.floor(count * exact + Fraction(1, 2)) for piece, count in pieces.items()
    }
    counts = Counts(pieces, pattern="cl100k", special_tokens=["<s>"])
    scaled = counts.scaled(weight)
    assert dict(scaled) == {piece: count for piece, count in expected.items() if count}
    assert (scaled.pattern, scaled.special_tokens) == ("cl100k", ["<s>"])
    assert dict(counts) == pieces


def test_counts_on_disk_are_scaled_like_those_in_memory() -> None:
    disk = count_pieces(texts=many_pieces(), memory_limit=1)
    assert disk.on_disk
    for weight in (0.5, 0.4, 3):
        scaled = disk.scaled(weight)
        assert scaled.on_disk
        assert scaled == count_pieces(texts=many_pieces()).scaled(weight)


def test_weights_that_make_no_sense_are_refused() -> None:
    counts = Counts({b"low": 1 << 63})
    refused: list[tuple[float | Fraction, str]] = [
        (-1, "weight must be at least 0, not -1"),
        (math.inf, "weight must be a number, not inf"),
        (Fraction(1, 1 << 64), f"weight=1/{1 << 64} has more digits than 64 bits hold"),
    ]
    for weight, words in refused:
        with pytest.raises(ArgumentError) as caught:
            counts.scaled(weight)
        assert str(caught.value) == words
    with pytest.raises(TypeError, match="weight must be a number, not str"):
        counts.scaled("0.7")  # type: ignore[arg-type]
    with pytest.raises(CountsError, match=r"over 2\^64 - 1"):
        counts.scaled(2)
