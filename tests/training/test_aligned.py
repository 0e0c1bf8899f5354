"""The old ids of every new token spell it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import ArgumentError, BpeTrainer, Tokenizer, aligned

from tests.support.strategies import texts


def of(texts: list[str], merges: int, **settings: object) -> Tokenizer:
    return BpeTrainer(num_merges=merges, min_count=2, **settings).train_iter(["low low", *texts])  # type: ignore[arg-type]


@given(one=st.lists(texts, max_size=3), two=st.lists(texts, max_size=3), merges=st.integers(0, 9))
def test_old_ids_spell_every_new_token_and_common_tokens_are_one_id(
    one: list[str], two: list[str], merges: int
) -> None:
    old, new = of(one, merges, special_tokens=["<s>"]), of(two, 9, special_tokens=["<s>", "<t>"])
    rows = aligned(old, new)
    assert len(rows) == new.max_id + 1
    known = set(old.vocab.values())
    for id, token in new.vocab.items():
        if id in new.special_tokens.values():
            continue
        assert b"".join(old.token_bytes(part) for part in rows[id]) == token
        assert (len(rows[id]) == 1) == (token in known)
    assert rows[new.special_tokens["<s>"]] == [old.special_tokens["<s>"]]
    assert rows[new.special_tokens["<t>"]] == old.encode("<t>")


def test_tokens_that_are_not_their_text_are_refused() -> None:
    chars = BpeTrainer(num_merges=1, initial_vocab="chars").train_iter(["low low"])
    plain = of([], 1)
    for name, pair in (("old", (chars, plain)), ("new", (plain, chars))):
        with pytest.raises(ArgumentError) as caught:
            aligned(*pair)
        assert str(caught.value) == f"{name} must be byte-pair encoding that starts from bytes"
        assert caught.value.argument == name
