"""What the explorer answers: the ids of the engine, its merges, its vocabulary, its training."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, Tokenizer, explain, training_log
from subword.explorer import Explored
from subword.explorer.building import find, larger, token
from subword.explorer.questions import Question, RefusedError
from subword.explorer.samples import LANGUAGES, built_in
from subword.explorer.text import compared, encoded, named, sampled
from subword.explorer.training import MOST_TRAINING_TEXT, rounds, train
from subword.explorer.vocabulary import vocabulary

from tests.support.exploring import Json, many_tokens
from tests.support.published import file
from tests.support.small import MAKERS, tokenizer_named

WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}


def one(tok: Tokenizer) -> list[Explored]:
    return [Explored("one", tok)]


def bytes_of(raw: bytes, **values: Any) -> Question:
    return Question({"base64": base64.b64encode(raw).decode(), **values})


# Text


@settings(max_examples=50)
@given(raw=st.binary(max_size=60), unit=st.sampled_from(["bytes", "chars"]))
def test_ids_and_places_are_those_of_the_engine(raw: bytes, unit: Any) -> None:
    tok = tokenizer_named("ranks, cl100k")
    answer = encoded(one(tok), bytes_of(raw, unit=unit))
    ids, places = tok.encode_offsets(raw, unit=unit)
    starts = answer["starts"] or [0, *answer["ends"]][: len(ids)]
    assert (answer["ids"], [*zip(starts, answer["ends"], strict=True)]) == (ids, places)
    assert (answer["tokens"], answer["bytes"]) == (len(ids), len(raw))


def test_where_tokens_leave_gaps_their_starts_are_told() -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "##er"])
    answer = encoded(one(tok), Question({"text": "lower  low"}))
    assert (answer["ids"], answer["starts"], answer["ends"]) == ([1, 2, 1], [0, 3, 7], [3, 5, 10])


def test_special_tokens_are_text_until_they_are_asked_for() -> None:
    explored = built_in()
    as_text = encoded(explored, Question({"text": "<|endoftext|>"}))
    as_token = encoded(explored, Question({"text": "<|endoftext|>", "special": "encode"}))
    assert as_text["tokens"] > 1
    assert as_token["ids"] == [599]


def test_ids_are_told_as_tokens() -> None:
    explored = one(Tokenizer.wordpiece(["[UNK]", "low", "##er"]))
    assert named(explored, Question({"ids": [2, 1]})) == {"tokens": [b"##er".hex(), b"low".hex()]}
    with pytest.raises(RefusedError, match="ids: no token has id 3"):
        named(explored, Question({"ids": "1,3"}))
    with pytest.raises(RefusedError, match="ids: expected at most 300,000, found 300,001"):
        named(explored, Question({"ids": [1] * 300_001}))


# Compare


def test_a_token_is_different_where_another_tokenizer_has_not_the_same_bytes() -> None:
    vocab = {i: bytes([i]) for i in range(256)}
    plain = Tokenizer(vocab, [], pattern="none")
    low = Tokenizer(vocab | {256: b"lo"}, [(b"l", b"o")], pattern="none")
    explored = [Explored("plain", plain), Explored("low", low)]
    first, second = compared(explored, Question({"text": "a low"}))["compared"]
    assert (first["different"], second["different"]) == ([2, 3], [2])
    (alone,) = compared(explored, Question({"text": "a low", "tokenizers": [1]}))["compared"]
    assert alone["different"] == []
    assert compared(explored, Question({"tokenizers": []})) == {"compared": []}


def test_every_language_is_counted_by_every_tokenizer() -> None:
    explored = built_in()
    rows = sampled(explored, Question({}))["samples"]
    assert [row["language"] for row in rows] == [*LANGUAGES]
    for row in rows:
        assert row["tokens"] == [each.tok.count(row["text"]) for each in explored]
        assert row["tokens"][0] <= row["tokens"][1] <= row["bytes"]
        assert row["unknown"] == [0, 0]
    (alone, *_) = sampled(explored, Question({"tokenizers": [1]}))["samples"]
    assert alone["tokens"] == rows[0]["tokens"][1:]


def test_text_that_is_lost_is_counted() -> None:
    explored = one(Tokenizer.wordpiece(["[UNK]", "a", "text"]))
    assert explored[0].about()["unk_id"] == 0
    rows = {row["language"]: row for row in sampled(explored, Question({}))["samples"]}
    assert (rows["English"]["tokens"], rows["English"]["unknown"]) == ([18], [15])


# Merge tree


def replayed(answer: Json) -> list[str]:
    """The tokens after all steps."""
    tokens: list[str] = answer["first"]
    for step in answer["steps"]:
        at = step["at"]
        assert tokens[at : at + 2] == [step["left"], step["right"]]
        tokens = [*tokens[:at], step["token"], *tokens[at + 2 :]]
    return tokens


@pytest.mark.parametrize("name", MAKERS)
def test_the_steps_of_every_token_end_in_it(name: str) -> None:
    tok = tokenizer_named(name)
    explored = one(tok)
    for id, content in tok.vocab.items():
        answer = token(explored, Question({"id": id}))
        assert replayed(answer) == [content.hex()]
        ranks = [step["rank"] for step in answer["steps"]]
        if answer["how"] == "merged" and name != "merges, several for one token":
            assert ranks == sorted(ranks)
        assert (answer["how"] == "special") == (id in tok.special_tokens.values())


def test_the_steps_are_those_that_explain_shows() -> None:
    tok = BpeTrainer(num_merges=25).train_iter(["the lowest of the newest and widest lower newer"])
    explored = one(tok)
    for id in range(256, tok.vocab_size):
        explained = explain(tok, tok.token_bytes(id))
        steps = token(explored, Question({"id": id}))["steps"]
        assert [(step["rank"], step["at"]) for step in steps] == [
            (step.rank, step.at) for step in explained.steps
        ]


def test_counts_are_those_of_the_training() -> None:
    tok = BpeTrainer(num_merges=4).train_counts(Counts(WORDS))
    log = training_log(tok)
    assert log is not None
    explored = one(tok)
    for rank, merge in enumerate(log.merges):
        answer = token(explored, Question({"id": 256 + rank}))
        assert (answer["rank"], answer["count"]) == (rank, merge.count)
    assert larger(explored, Question({"id": 256})) == {
        "total": 1,
        "larger": [{"id": 257, "token": b"est".hex()}],
    }
    assert larger(explored, Question({"id": 257})) == {"total": 0, "larger": []}


def test_a_token_that_merging_does_not_give_is_unreachable() -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {256: b"ab", 257: b"bc", 258: b"abc", 259: b"xyz"}
    # bc merges first, and then nothing makes abc of a and bc.
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]
    explored = one(Tokenizer(vocab, merges, pattern="none"))
    hows = {id: token(explored, Question({"id": id}))["how"] for id in (97, 256, 257, 258, 259)}
    assert hows == {
        97: "first",
        256: "merged",
        257: "merged",
        258: "unreachable",
        259: "unreachable",
    }


def test_words_have_first_tokens_with_and_without_the_mark() -> None:
    trainer = BpeTrainer(
        num_merges=3, initial_vocab="chars", unk_token="<unk>", special_tokens=["<unk>"]
    )
    tok = trainer.train_iter(["low low lower"])
    explored = one(tok)
    hows = {tok.token_bytes(id): token(explored, Question({"id": id}))["how"] for id in tok.vocab}
    assert hows[b"l"] == hows[b"</w>"] == "first"
    assert hows[b"low"] == "merged"
    assert hows[b"<unk>"] == "special"
    assert "unreachable" not in hows.values()


def test_what_does_not_merge_has_no_steps() -> None:
    explored = one(Tokenizer.wordpiece(["[UNK]", "low", "##er"]))
    answer = token(explored, Question({"id": 1}))
    assert (answer["how"], answer["steps"], answer["rank"]) == ("listed", [], None)


def test_a_text_is_found_as_the_token_that_it_is_or_as_its_tokens() -> None:
    explored = built_in()
    tok = explored[0].tok

    def told(answer: list[Json]) -> list[tuple[int, bytes]]:
        return [(entry["id"], bytes.fromhex(entry["token"])) for entry in answer]

    words = find(explored, Question({"text": " words"}))
    assert told(words["exact"]) == [(tok.token_id(" words"), b" words")]
    assert told(words["tokens"]) == told(words["exact"])
    bare = find(explored, Question({"text": "words"}))  # a token with a space before it, too
    assert told(bare["exact"])[-1] == (tok.token_id(" words"), b" words")
    assert [id for id, _ in told(bare["tokens"])] == tok.encode("words")
    several = find(explored, Question({"text": "words, words"}))
    assert several["exact"] == []
    assert [id for id, _ in told(several["tokens"])] == tok.encode("words, words")
    inside = find(one(Tokenizer.wordpiece(["[UNK]", "low", "##er"])), Question({"text": "er"}))
    assert told(inside["exact"]) == [(2, b"##er")]
    special = find(explored, Question({"text": "<|endoftext|>"}))
    assert told(special["exact"]) == told(special["tokens"]) == [(599, b"<|endoftext|>")]
    assert find(explored, Question({})) == {"exact": [], "tokens": []}


@pytest.mark.parametrize("name", MAKERS)
def test_one_token_alone_is_told_as_among_all(name: str) -> None:
    tok = tokenizer_named(name)
    alone, among = Explored("alone", tok), Explored("among", tok)
    unreachable, listed = among.merges.unreachable, among.merges.listed
    for content, id in alone.ids.items():
        assert alone.merges.made(content) == (listed.get(content) if len(content) > 1 else None)
        assert alone.merges.is_unreachable(content) == (id in unreachable)


def test_one_token_of_many_is_shown_without_the_list_of_all() -> None:
    tok = Tokenizer.from_ranks({b: id for id, b in many_tokens().vocab.items()}, pattern="gpt2")
    (explored,) = one(tok)
    assert explored.about()["kind"] == "ranks"
    rows = vocabulary([explored], Question({"text": "the low", "sort": "count", "order": "down"}))
    assert len(rows["rows"]) == 100
    assert token([explored], Question({"text": "the low"}))["steps"]
    assert not explored.merges.__dict__.keys() & {"listed", "larger", "unreachable"}
    assert not explored.vocabulary.__dict__.keys() & {"scripts", "flags"}
    # A token that is too long to be merged in Python is looked up in the list.
    long = {b"a" * 2**n: 256 + n for n in range(1, 12)}
    ranks = Explored("long", Tokenizer.from_ranks(bytes_and(long), pattern="gpt2"))
    assert ranks.merges.made(b"a" * 2048) == (267, (b"a" * 1024, b"a" * 1024))
    assert "listed" in ranks.merges.__dict__


@pytest.mark.parametrize("answer", [encoded, token, vocabulary])
def test_the_first_look_at_two_hundred_thousand_tokens_takes_half_a_second(
    answer: Callable[[Sequence[Explored], Question], Any],
) -> None:
    tok = Tokenizer.load(file("vocabs/o200k_base.tiktoken"), pattern="o200k")
    question = Question({"text": "Tokens are not words."})
    started = time.process_time()  # which does not count what others do on this machine
    answer(one(tok), question)
    assert time.process_time() - started < 0.5


def bytes_and(more: dict[bytes, int]) -> dict[bytes, int]:
    return {bytes([byte]): byte for byte in range(256)} | more


def test_without_an_id_a_good_token_is_told() -> None:
    explored = built_in()
    good = token(explored, Question({"text": "12 -- and words, and the"}))
    assert bytes.fromhex(good["token"]) == b" words"
    assert good["steps"]
    # Without a word in the text it is one of the built-in text, which this tokenizer learned from.
    assert len(bytes.fromhex(token(explored, Question({"text": "--"}))["token"])) > 5
    bare = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    assert token(one(bare), Question({}))["how"] == "first"
    letters = Tokenizer({0: b"a"}, [], units="chars", pattern="whitespace")
    assert token(one(letters), Question({"text": "xyz"}))["id"] == 0


def test_where_nothing_merges_a_token_has_shorter_and_longer_ones() -> None:
    words = ["[UNK]", "i", "in", "inter", "international", "##in", "##inter", "internet"]
    explored = one(Tokenizer.wordpiece(words))
    good = token(explored, Question({"text": "an international i"}))
    assert bytes.fromhex(good["token"]) == b"international"
    told = [bytes.fromhex(entry["token"]) for entry in good["shorter"]]
    assert told == [b"i", b"in", b"inter"]
    longer = larger(explored, Question({"id": 3}))
    assert [bytes.fromhex(entry["token"]) for entry in longer["larger"]] == [
        b"international",
        b"internet",
    ]
    inside = token(explored, Question({"id": 6}))["shorter"]
    assert [bytes.fromhex(entry["token"]) for entry in inside] == [b"##in"]
    assert larger(explored, Question({"id": 0})) == {"total": 0, "larger": []}


def test_a_token_that_is_too_wide_is_refused() -> None:
    vocab = {i: bytes([i]) for i in range(256)} | {256 + n: b"a" * 2 ** (n + 1) for n in range(11)}
    tok = Tokenizer(vocab, [(b"a" * 2**n, b"a" * 2**n) for n in range(11)], pattern="none")
    with pytest.raises(RefusedError, match="made of more than 1000 first tokens"):
        token(one(tok), Question({"id": 266}))


# Train


def test_the_rounds_are_those_of_the_first_paper() -> None:
    told = rounds(WORDS, 4, "greatest")
    first, second, *_, last = told["rounds"]
    assert [round_["pair"] for round_ in told["rounds"]] == [
        [b"s".hex(), b"t".hex()],
        [b"e".hex(), b"st".hex()],
        [b"o".hex(), b"w".hex()],
        [b"l".hex(), b"ow".hex()],
        None,
    ]
    assert (first["count"], first["equal"], first["tokens"], second["tokens"]) == (9, 2, 79, 70)
    assert (told["stop"], told["different"], last["count"]) == ("full", 4, None)
    assert [bucket["count"] for bucket in first["buckets"]] == [9, 8, 7, 6, 3, 2]
    low = {"count": 5, "tokens": [b"l".hex(), b"o".hex(), b"w".hex()], "more": 0}
    assert first["pieces"][0] == low


@settings(max_examples=30)
@given(
    counts=st.dictionaries(
        st.binary(min_size=1, max_size=6).map(lambda raw: bytes(byte % 4 + 97 for byte in raw)),
        st.integers(1, 5),
        max_size=6,
    ),
    ties=st.sampled_from(["greatest", "smallest-ids"]),
)
def test_buckets_and_pairs_tell_the_same_in_every_round(
    counts: dict[bytes, int], ties: Any
) -> None:
    told = rounds(counts, 12, ties)  # and are the engine's merges, or it is an error
    for round_ in told["rounds"]:
        pairs = [pair["pair"] for pair in round_["pairs"]]
        falling = [pair["count"] for pair in round_["pairs"]]
        assert falling == sorted(falling, reverse=True)
        if round_["pair"] is not None:
            assert pairs[0] == round_["pair"]
        assert round_["pairs_total"] >= len(pairs)
        assert sum(bucket["total"] for bucket in round_["buckets"]) <= round_["pairs_total"]
    sizes = [round_["tokens"] for round_ in told["rounds"]]
    assert all(after < before for before, after in pairwise(sizes))


def test_a_text_is_cut_by_the_pattern_before_it_is_learned() -> None:
    question = Question({"text": "low low", "pattern": "none", "num_merges": 1})
    told = train([], question)
    assert (told["different"], told["rounds"][0]["tokens"]) == (1, 7)
    assert train([], Question({"text": ""}))["stop"] == "no pair left"
    long = Question({"text": "low new " * (MOST_TRAINING_TEXT // 8), "num_merges": 300})
    assert train([], long)["stop"] == "no pair left"
