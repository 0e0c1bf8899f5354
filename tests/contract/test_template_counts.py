"""``add_special_tokens`` means the same for counting, streaming and offsets as for `encode`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import Tokenizer

BERT = Tokenizer.wordpiece(["[UNK]", "[CLS]", "[SEP]", "low", "##er", "##est"])
PLAIN = Tokenizer({i: bytes([i]) for i in range(256)}, [])
TOKENIZERS = pytest.mark.parametrize("tok", [BERT, PLAIN], ids=["template", "no template"])
texts = st.lists(st.sampled_from(["low", "lower ", "lowest", " x", "é", ""]))


@TOKENIZERS
@given(words=texts)
def test_every_call_adds_the_template_of_encode(tok: Tokenizer, words: list[str]) -> None:
    text = "".join(words)
    ids = tok.encode(text, add_special_tokens=True)
    assert tok.count(text, add_special_tokens=True) == len(ids)
    assert list(tok.encode_iter(words, add_special_tokens=True)) == ids
    assert tok.encode_offsets(text, add_special_tokens=True)[0] == ids
    rows = tok.encode_batch(words, add_special_tokens=True)
    assert tok.count_batch(words, add_special_tokens=True) == [len(row) for row in rows]


@TOKENIZERS
@given(words=texts, limit=st.integers(0, 12))
def test_a_limit_is_one_for_the_template_too(tok: Tokenizer, words: list[str], limit: int) -> None:
    size = len(tok.encode("".join(words), add_special_tokens=True))
    found = tok.count("".join(words), limit=limit, add_special_tokens=True)
    assert found == (size if size <= limit else None)


def test_a_template_alone_may_be_too_much() -> None:
    assert BERT.count("", add_special_tokens=True) == 2
    assert BERT.count("", limit=2, add_special_tokens=True) == 2
    assert BERT.count("", limit=1, add_special_tokens=True) is None


def test_tokens_of_the_template_have_no_place_in_the_text() -> None:
    ids, offsets = BERT.encode_offsets("low lower", add_special_tokens=True)
    assert [BERT.token_bytes(id) for id in ids] == [b"[CLS]", b"low", b"low", b"##er", b"[SEP]"]
    assert offsets == [(0, 0), (0, 3), (4, 7), (7, 9), (0, 0)]
    assert BERT.encode_offsets("low")[1] == [(0, 3)]
