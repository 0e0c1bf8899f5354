"""The gallery: every trainer gives the answer of the naive one and of the engine, and says how."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, Tokenizer, TrainingWarning, _core, count_pieces
from subword.reference import (
    TRAINERS,
    Work,
    compress,
    count_file,
    expand,
    naive,
    train_bpe,
    train_file,
)
from subword.reference.buckets import Buckets
from subword.reference.characters import alphabet_of, as_words
from subword.reference.compression import steps
from subword.reference.linked_multiset import POSITION, Multiset
from subword.reference.parallel import PATTERN, count_part, overlap, parts
from subword.reference.training import (
    BYTES,
    Merge,
    Pair,
    Rule,
    Ties,
    Word,
    as_bytes,
    as_characters,
    first_tokens,
)

FASTER = [name for name in TRAINERS if name != "naive"]
ENOUGH = settings(max_examples=10 * settings().max_examples)

rules: st.SearchStrategy[Ties] = st.sampled_from(get_args(Ties))
numbers = st.one_of(st.integers(1, 3), st.integers(1, 1 << 40))
lengths = st.none() | st.integers(1, 6)

#: Repeated tokens, ties, pieces of one token and of none; first tokens that merges make as well.
words: st.SearchStrategy[list[Word]] = st.sampled_from(
    [[b"a"], [b"a", b"b"], [b"a", b"b", b"c"], [b"a", b"b", b"ab", b"aa"]]
).flatmap(
    lambda tokens: st.lists(
        st.tuples(st.lists(st.sampled_from(tokens), max_size=9), numbers), max_size=8
    )
)


def learned(name: str, words: list[Word], num_merges: int, **settings: Any) -> list[Merge]:
    settings = {"ids": first_tokens(words)} | settings
    return list(TRAINERS[name](words, num_merges, **settings))


# Every trainer is the naive one


@pytest.mark.slow
@ENOUGH
@given(
    words=words,
    num_merges=st.integers(0, 20),
    ties=rules,
    min_count=st.integers(1, 4),
    max_token_length=lengths,
)
# A token that exists before it is made: the places of ab+ab are not found from left to right.
@example([([b"a", b"b", b"ab", b"ab"], 1)], 9, "greatest", 1, None)
# ... and a pair that rises above all others when a+b has merged.
@example([([b"a", b"b", b"c"], 5), ([b"ab", b"c"], 5)], 9, "smallest-ids", 1, None)
def test_all_trainers_learn_the_same_merges(
    words: list[Word], num_merges: int, ties: Ties, min_count: int, max_token_length: int | None
) -> None:
    given: dict[str, Any] = {"ties": ties, "min_count": min_count}
    given["max_token_length"] = max_token_length
    before = [(list(tokens), count) for tokens, count in words]
    expected = learned("naive", words, num_merges, **given)
    for name in FASTER:
        assert learned(name, words, num_merges, **given) == expected, name
        assert words == before, f"{name} changed its input"


@pytest.mark.slow
@ENOUGH
@given(
    counts=st.dictionaries(
        st.one_of(st.text("ab", min_size=1, max_size=12).map(str.encode), st.binary(min_size=1)),
        numbers,
        min_size=1,
        max_size=10,
    ),
    num_merges=st.integers(0, 25),
    ties=rules,
)
def test_all_trainers_learn_what_the_engine_learns_from_bytes(
    counts: dict[bytes, int], num_merges: int, ties: Ties
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trainer = BpeTrainer(num_merges=num_merges, ties=ties)
        expected = trainer.train_counts(Counts(counts, pattern="none")).merges
    for name in TRAINERS:
        merges = learned(name, as_bytes(counts), num_merges, ids=BYTES, ties=ties)
        assert [merge.pair for merge in merges] == expected, name


@given(
    counts=st.dictionaries(st.text("abé中", min_size=1, max_size=8), numbers, min_size=1),
    num_merges=st.integers(0, 15),
    ties=rules,
)
def test_all_trainers_learn_what_the_engine_learns_from_characters(
    counts: dict[str, int], num_merges: int, ties: Ties
) -> None:
    encoded = {piece.encode(): count for piece, count in counts.items()}
    model, _ = _core.train_bpe(
        Counts(encoded, pattern="whitespace")._counts,
        num_merges=num_merges,
        initial_vocab="chars",
        end_of_word="</w>",
        unk_token="<unk>",
        ties=ties,
    )
    expected = Tokenizer._of(model, 1 << 20).merges
    alphabet = alphabet_of(counts)
    first = [*(character.encode() for character in alphabet), b"</w>"]
    cut = as_words(counts, set(alphabet))
    assert cut == as_characters(counts, mark="</w>")
    for name in TRAINERS:
        merges = learned(name, cut, num_merges, ids=first, ties=ties)
        assert [merge.pair for merge in merges] == expected, name


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("ties", get_args(Ties))
def test_nothing_comes_of_nothing(name: str, ties: Ties) -> None:
    cases: list[list[Word]] = [[], [([], 5)], [([b"a"], 5)], [([b"a"], 1), ([b"b"], 1 << 60)]]
    for nothing in cases:
        assert learned(name, nothing, 5, ties=ties) == []
    assert learned(name, [([b"a", b"b"], 1)], 0, ties=ties) == []


# Known answers


@pytest.mark.parametrize("name", TRAINERS)
def test_three_times_the_same_token(name: str) -> None:
    """Merging the first a+a of `aaa` destroys an a+a that is not merged itself."""
    pairs = [str(merge) for merge in learned(name, as_bytes({b"aaa": 2, b"baaaaab": 1}), 9)]
    assert pairs == ["a+a 8", "aa+a 3", "b+aa 1", "baa+aaa 1", "baaaaa+b 1"]


@pytest.mark.parametrize("name", TRAINERS)
def test_hug_pug_pun_bun_hugs(name: str) -> None:
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    for ties in get_args(Ties):
        merges = learned(name, as_characters(counts), 3, ties=ties)
        assert [str(merge) for merge in merges] == ["u+g 20", "u+n 16", "h+ug 15"]
    marked = learned(name, as_characters(counts, mark="</w>"), 4)
    assert [str(merge) for merge in marked] == ["u+g 20", "u+n 16", "un+</w> 16", "ug+</w> 15"]


@pytest.mark.parametrize("name", TRAINERS)
def test_low_lower_newest_widest(name: str) -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    merges = learned(name, as_characters(counts, mark="</w>"), 4)
    assert [str(merge) for merge in merges] == ["t+</w> 9", "s+t</w> 9", "e+st</w> 9", "o+w 7"]
    numbered = learned(name, as_characters(counts, mark="</w>"), 4, ties="smallest-ids")
    assert [str(merge) for merge in numbered] == ["e+s 9", "t+</w> 9", "es+t</w> 9", "l+o 7"]


def test_the_classic_example_takes_the_pair_that_was_counted_first() -> None:
    """Fifteen merges that are printed in many places; the rule behind them is dictionary order."""
    cut = as_characters({"low": 5, "lower": 2, "newest": 6, "widest": 3}, mark="</w>")
    made = []
    while pairs := naive.count_pairs(cut):
        pair = max(pairs, key=pairs.__getitem__)
        made.append(b"".join(pair).decode())
        for tokens, _ in cut:
            naive.apply(pair, tokens)
    assert " ".join(made) == (
        "es est est</w> lo low ne new newest</w> low</w> wi wid widest</w> lowe lower lower</w>"
    )


# What they did


@given(words=words, num_merges=st.integers(0, 20), ties=rules)
def test_the_work_adds_up(words: list[Word], num_merges: int, ties: Ties) -> None:
    rounds = set()
    for name in TRAINERS:
        work = Work()
        merges = learned(name, words, num_merges, ties=ties, work=work)
        rounds.add(work.rounds)
        assert len(merges) <= work.rounds <= work.visits or not merges
        assert 0 <= work.stale_visits <= work.visits
        assert 0 <= work.stale_entries <= work.heap_operations
        if name in ("naive", "incremental", "buckets"):
            assert work.heap_operations == 0
    assert len(rounds) == 1


def test_each_rung_does_less() -> None:
    counts = Counter(Path(__file__).read_bytes().split())
    work = {name: Work() for name in TRAINERS}
    for name in TRAINERS:
        learned(name, as_bytes(counts), 300, ids=BYTES, work=work[name])
    assert work["naive"].visits == 300 * len(counts)
    for name in FASTER:
        assert work[name].visits < work["naive"].visits / 10
    assert work["linked_multiset"].stale_entries == 0 < work["index_heap"].stale_entries


# The parts of trainers

changes = st.lists(
    st.tuples(
        st.tuples(st.sampled_from([b"a", b"b", b"c"]), st.sampled_from([b"a", b"b", b"c"])),
        st.integers(-3, 4),
    )
)


@given(changes=changes, ties=rules)
def test_a_multiset_and_buckets_always_know_the_best_pair(
    changes: list[tuple[Pair, int]], ties: Ties
) -> None:
    rule = Rule([b"c", b"a", b"b"], ties)
    pairs, buckets, plain = Multiset(rule.key), Buckets(rule), Counter[Pair]()
    for pair, by in changes:
        by = max(by, -plain[pair])
        plain[pair] += by
        if by:
            pairs.change(pair, by)
            buckets.change(pair, by)
        plain += Counter()  # forgets those that are 0
        assert [entry[POSITION] for entry in pairs.heap] == [*range(len(plain))]
        best = max(plain, key=lambda pair: (plain[pair], rule.key(pair)), default=None)
        assert buckets.best() == best
        assert best is None or (pairs.heap[0][2], buckets.highest) == (best, plain[best])
    while plain:
        best, count = pairs.pop()
        assert (plain.pop(best), buckets.best()) == (count, best)
        buckets.change(best, -count)
    assert (pairs.heap, pairs.entries, buckets.best()) == ([], {}, None)


def test_a_multiset_has_no_less_than_nothing() -> None:
    pairs = Multiset(Rule(BYTES).key)
    pairs.change((b"a", b"a"), 2)
    assert pairs.pop() == ((b"a", b"a"), 2)
    with pytest.raises(KeyError):
        pairs.change((b"a", b"a"), -1)


# Counting in parallel

fragments = st.sampled_from(
    [b"low", b" lower", b"<|end|>", b"<|", b"|>", b"  ", b"\n", b"12", b"!?", b"\xc3\xa9", b"\xff"]
)
corpora = st.lists(fragments, max_size=30).map(b"".join)


@given(text=corpora, wanted=st.integers(1, 9))
@example(b"<|end|>" * 5, 3)
def test_parts_of_a_text_count_like_the_whole(text: bytes, wanted: int) -> None:
    special = [b"<|end|>", b"|>low"]
    for tokens in (special[:1], special, []):
        total: Counter[bytes] = Counter()
        for start, end in parts(text, wanted, tokens):
            total += count_part(text, start, end, PATTERN, tokens)
        assert total == count_part(text, 0, len(text), PATTERN, tokens)
        if not tokens:
            assert sum(len(piece) * count for piece, count in total.items()) == len(text)
    assert overlap(special)


@given(text=corpora.map(lambda text: text.decode("ascii", errors="ignore")))
def test_parts_count_like_the_engine(text: str) -> None:
    pattern = r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
    engine = count_pieces(texts=[text], pattern=pattern, special_tokens=["<|end|>"])
    assert count_part(text.encode(), 0, len(text), PATTERN, [b"<|end|>"]) == dict(engine)


def test_what_a_pattern_does_not_match_is_counted() -> None:
    assert count_part(b"a1b--", 0, 5, b"[a-z]*") == {b"a": 1, b"1": 1, b"b": 1, b"--": 1}


def test_a_file_counts_the_same_in_any_number_of_processes(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"low lower lowest<|endoftext|>new newer<|endoftext|>wide" * 50)
    counts = count_file(path, processes=1)
    assert counts[b" lower"] == 50
    assert counts[b"widelow"] == 49
    assert count_file(path, processes=2) == counts
    assert train_file(path, 9, processes=2) == train_bpe(counts, 9)


def test_an_empty_file_has_no_pieces(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    assert count_file(path) == Counter()
    assert train_file(path, 3) == []


# Compression


def test_compression_as_it_began() -> None:
    text, table = compress("aaabdaaabac")
    assert (text, table) == ("XdXac", {"Z": "aa", "Y": "ab", "X": "ZY"})
    assert expand(text, table) == "aaabdaaabac"


@given(text=st.text("abcXYZ", max_size=60) | st.text(max_size=40))
def test_compression_comes_back_and_leaves_no_pair_twice(text: str) -> None:
    short, table = compress(text)
    assert expand(short, table) == text
    assert not set(table) & set(text)
    assert all(short.count(short[at : at + 2]) == 1 for at in range(len(short) - 1))
    lengths = [len(text), *(len(shorter) for shorter, _, _ in steps(text))]
    assert all(after <= before - 2 for before, after in pairwise(lengths))
