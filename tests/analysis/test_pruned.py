"""`subword.prune`: the same tokens for what was counted, and nothing more than that needs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, CountsError, Tokenizer, count_pieces, explain_text, prune

from tests.support.bert import SMALL
from tests.support.published import sample, tiktoken_pair
from tests.support.small import MAKERS, NORMALISED, SAMPLE, VOCAB, tokenizer_named
from tests.support.strategies import texts

BYTES = {i: bytes([i]) for i in range(256)}


def counts_of(tok: Tokenizer, text: str) -> Counts:
    """The pieces of a text, as `explain_text` finds them."""
    pieces = [found.piece for found in explain_text(tok, text) if found.how != "special"]
    return Counts(dict.fromkeys(pieces, 1), pattern=tok.pattern, normalizer=tok.normalizer)


def check(tok: Tokenizer, text: str, others: Iterable[str] = ()) -> Tokenizer:
    """Prune by a text; that it and its pieces keep their tokens, and all text can be encoded."""
    smaller, new_ids = prune(tok, counts_of(tok, text))
    assert smaller.encode(text) == new_ids[tok.encode(text)].tolist()
    there = new_ids[new_ids >= 0]
    assert there.tolist() == list(range(len(there)))
    assert smaller.max_id + 1 == len(there)
    for id, token in tok.vocab.items():
        assert (new_ids[id] >= 0) == (int(new_ids[id]) in smaller.vocab)
        assert new_ids[id] < 0 or smaller.vocab[int(new_ids[id])] == token
    assert smaller.special_tokens == {
        token: int(new_ids[id]) for token, id in tok.special_tokens.items()
    }
    for other in others:
        assert smaller.decode_bytes(smaller.encode(other)) == tok.decode_bytes(tok.encode(other))
    return smaller


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=10)
@given(text=texts, other=texts)
def test_what_was_counted_keeps_its_tokens(name: str, text: str, other: str) -> None:
    tok = tokenizer_named(name)
    smaller = check(tok, text, [text, other, SAMPLE] if name not in NORMALISED else [text])
    # Nothing stays but bytes, special tokens, what comes out, and what that is made of.
    used = {token for found in explain_text(tok, text) for token in found.tokens}
    used |= {b"".join(step.pair) for found in explain_text(tok, text) for step in found.steps}
    special = {*smaller.special_tokens.values()}
    kept = {token for id, token in smaller.vocab.items() if id not in special and len(token) > 1}
    assert kept <= used


@settings(max_examples=30)
@given(text=st.text("lowerst é", max_size=30), other=st.text("lowerst éx", max_size=30))
@pytest.mark.parametrize("end_of_word", [None, "</w>"])
def test_words_keep_their_characters(end_of_word: str | None, text: str, other: str) -> None:
    trainer = BpeTrainer(
        num_merges=12,
        pattern="whitespace",
        initial_vocab="chars",
        end_of_word=end_of_word,
        special_tokens=["<unk>"],
        unk_token="<unk>",
    )
    tok = trainer.train_iter(["low lower lowest slow slower éé worst rest"])
    smaller = check(tok, text)
    assert smaller.decode(smaller.encode(other)) == tok.decode(tok.encode(other))


@settings(max_examples=30)
@given(text=st.lists(st.sampled_from(["low", "lower", "abc", "abx", "été", "好", "1", " ", "#"])))
def test_wordpiece_gives_up_the_same_words(text: list[str]) -> None:
    tok = Tokenizer.wordpiece([*SMALL, "ab", "a", "##bc", "##b", "##x"])
    smaller = check(tok, "".join(text))
    assert smaller.kind == "wordpiece"
    assert b"##bc" not in check(tok, "abc").vocab.values()
    assert b"ab" in check(tok, "abc").vocab.values()


@settings(max_examples=30)
@given(text=texts, other=texts)
def test_the_longest_tokens_stay_the_longest(text: str, other: str) -> None:
    tok = Tokenizer(VOCAB, [], longest_match=True)
    smaller = check(tok, text, [other])
    outputs = {*smaller.encode(text)}
    assert all(len(token) == 1 or id in outputs for id, token in smaller.vocab.items())


def test_rows_of_a_matrix_that_stay_are_those_of_the_new_ids() -> None:
    tok = Tokenizer(BYTES | {256: b"lo", 257: b"er", 258: b"low"}, [(b"l", b"o"), (b"lo", b"w")])
    smaller, new_ids = prune(tok, count_pieces(texts=["low"]))
    matrix = np.arange(259) * 10
    rows = matrix[new_ids >= 0]
    assert rows.tolist() == [*range(0, 2570, 10), 2580]
    assert len(rows) == smaller.vocab_size
    assert new_ids.dtype == np.int64
    assert (rows[smaller.encode("low lo")] == matrix[tok.encode("low lo")]).all()


def test_the_linear_encoder_stays_linear() -> None:
    tok = Tokenizer.wordpiece(SMALL, linear_time=True)
    smaller, _ = prune(tok, counts_of(tok, "lower"))
    assert smaller._linear
    assert smaller.encode("lower") == [3 + 2, 3 + 3]


def test_pieces_that_another_pattern_cut_are_refused() -> None:
    tok = Tokenizer(BYTES, [])
    with pytest.raises(CountsError) as refused:
        prune(tok, count_pieces(texts=["low"], pattern="o200k"))
    assert str(refused.value) == (
        'the pieces were cut by the pattern "o200k", the tokenizer has "gpt2"\n'
        "  hint: count the text with the tokenizer's own pattern and normalizer"
    )


def test_counts_are_counts() -> None:
    with pytest.raises(TypeError, match="counts must be Counts, not dict"):
        prune(Tokenizer(BYTES, []), {b"low": 1})  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r50k", "cl100k"])
def test_a_published_vocabulary_is_cut_down_to_a_corpus(name: str) -> None:
    tok = tiktoken_pair(name)[1]
    special = list(tok.special_tokens)
    text = sample("en_10mb.txt", 1, 1 << 20)[0]
    counts = count_pieces(texts=[text], pattern=tok.pattern, special_tokens=special)
    smaller, new_ids = prune(tok, counts)
    assert smaller.vocab_size < 25_000
    assert (smaller.encode_array(text) == new_ids[tok.encode_array(text)]).all()
    for other in sample("ru_10mb.txt", 1, 1 << 16):
        assert smaller.decode(smaller.encode(other)) == other
