"""Chunks fit and lose nothing; the certain ids of a prompt begin every continuation of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import ArgumentError, Tokenizer, healed, split_at, token_arrays, token_trie

from tests.contract.test_cutting import UNITS
from tests.support.published import corpus, huggingface_pair
from tests.support.small import MAKERS, NORMALISED, tokenizer_named

texts = st.lists(st.sampled_from([*UNITS, "One. ", "two\n"]), max_size=30).map("".join)


@pytest.mark.parametrize("name", MAKERS)
@given(text=texts, most=st.integers(20, 60), overlap=st.integers(0, 9))
@settings(max_examples=15)
def test_chunks_fit_and_lose_nothing(name: str, text: str, most: int, overlap: int) -> None:
    tok = tokenizer_named(name)
    chunks = split_at(tok, text, most)
    assert "".join(chunks) == text
    assert all(chunk and tok.count(chunk) <= most for chunk in chunks)
    at = 0
    for chunk in split_at(tok, text, most, overlap=overlap):
        # Each begins at the end of the one before it, or earlier, and goes further.
        found = text.find(chunk)
        assert found >= 0
        assert tok.count(chunk) <= most
        at += len(chunk)
    assert at >= len(text)


def test_chunks_of_a_real_text_end_with_sentences() -> None:
    tok = huggingface_pair("qwen2_5")[1]
    text = corpus("tinystories_2.4mb.txt")[:60_000].decode()
    chunks = split_at(tok, text, 200, overlap=20)
    assert all(tok.count(chunk) <= 200 for chunk in chunks)
    ended = sum(chunk.rstrip()[-1] in '.!?"' for chunk in chunks)
    assert ended > 0.9 * len(chunks)
    assert sum(map(tok.count, chunks)) < 1.3 * tok.count(text)


def test_a_chunk_that_cannot_be_is_an_error() -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    with pytest.raises(ArgumentError, match="max_tokens must be at least 1, not 0"):
        split_at(tok, "a", 0)
    with pytest.raises(ArgumentError, match="overlap must be less than half of max_tokens=4"):
        split_at(tok, "a", 4, overlap=2)
    with pytest.raises(ValueError, match="one character has more than max_tokens=2 tokens: '中'"):
        split_at(tok, "ab中", 2)
    assert split_at(tok, "", 2) == []
    assert split_at(tok, "aé", 2) == ["a", "é"]


@pytest.mark.parametrize("name", MAKERS)
@given(prompt=texts, more=texts)
@settings(max_examples=15)
def test_certain_ids_begin_every_continuation(name: str, prompt: str, more: str) -> None:
    tok = tokenizer_named(name)
    ids, rest = healed(tok, prompt)
    assert prompt.encode().endswith(rest)
    assert tok.encode(prompt + more)[: len(ids)] == ids
    if name not in NORMALISED:
        assert tok.decode_bytes(ids) + rest == prompt.encode()


def test_the_bytes_of_all_tokens_are_one_array() -> None:
    tok = tokenizer_named("ranks, holes")
    data, bounds = token_arrays(tok)
    assert len(bounds) == tok.max_id + 2
    for id, token in tok.vocab.items():
        assert bytes(data[bounds[id] : bounds[id + 1]]) == token
    for token_text, id in tok.special_tokens.items():
        assert bytes(data[bounds[id] : bounds[id + 1]]).decode() == token_text


@pytest.mark.parametrize("name", MAKERS)
def test_the_trie_spells_every_token_once(name: str) -> None:
    tok = tokenizer_named(name)
    trie = token_trie(tok)
    spelled = {0: b""}
    for node in range(len(trie.bytes)):
        children = range(trie.children[node], trie.children[node + 1])
        assert all(child > node for child in children)
        found = [int(trie.bytes[child]) for child in children]
        assert found == sorted(set(found))
        for child, byte in zip(children, found, strict=True):
            assert child not in spelled
            spelled[child] = spelled[node] + bytes([byte])
    assert len(spelled) == len(trie.bytes) == len(trie.token) == len(trie.children) - 1
    special = set(tok.special_tokens.values())
    ordinary = {id: token for id, token in tok.vocab.items() if token and id not in special}
    for id in range(tok.max_id + 1):
        assert spelled[int(trie.node[id])] == ordinary.get(id, b"")
    smallest = {token: id for id, token in sorted(ordinary.items(), reverse=True)}
    found_ids = {spelled[node]: int(id) for node, id in enumerate(trie.token) if id >= 0}
    assert found_ids == smallest
