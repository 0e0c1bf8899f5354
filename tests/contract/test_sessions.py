"""A text that grows has the ids of the whole text after every step, whatever the model.

Parts between cut points encode alone.
"""

from __future__ import annotations

import copy
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import (
    ArgumentError,
    Session,
    SpecialTokenError,
    Tokenizer,
    cut_points,
    extend,
    is_canonical,
    noncanonical_at,
)
from subword._types import Special

from tests.contract.test_cutting import NORMALIZERS, PATTERNS, SPECIAL, UNITS, tokenizer
from tests.support.published import huggingface_pair
from tests.support.small import MAKERS, tokenizer_named

PUBLISHED = ["gpt2", "qwen2_5", "mistral_v0.1", "clip", "bert-base-uncased", "gpt_neox"]

#: What happens to a text: more of it, or less by some characters.
steps = st.lists(
    st.one_of(st.lists(st.sampled_from(UNITS), max_size=8).map("".join), st.integers(0, 12)),
    max_size=12,
)
choices: list[Special] = ["text", "encode"]


def check_steps(tok: Tokenizer, steps: list[str | int], special: Special) -> None:
    session, ids, text = Session(tok, special=special), list[int](), ""
    for step in steps:
        if isinstance(step, str):
            text += step
            dropped, new = session.append(step)
        else:
            step = min(step, len(text))
            text = text[: len(text) - step]
            dropped, new = session.rewind(step)
        ids = ids[: len(ids) - dropped] + new
        assert session.text == text
        assert session.ids == ids == tok.encode(text, special=special)
        assert len(session) == len(ids)


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@given(steps=steps, pattern=st.sampled_from(PATTERNS), tokens=st.sampled_from(list(SPECIAL)))
@settings(max_examples=60)
def test_a_session_has_the_ids_of_the_whole_text(
    normalizer: str, steps: list[str | int], pattern: str, tokens: str
) -> None:
    for special in choices:
        check_steps(tokenizer(normalizer, pattern, tokens), steps, special)


@pytest.mark.parametrize("name", MAKERS)
@given(steps=steps)
@settings(max_examples=20)
def test_a_session_of_every_small_tokenizer(name: str, steps: list[str | int]) -> None:
    for special in choices:
        check_steps(tokenizer_named(name), steps, special)


@cache
def published(name: str) -> Tokenizer:
    return huggingface_pair(name)[1]


@pytest.mark.parametrize("name", PUBLISHED)
@given(steps=steps)
@settings(max_examples=20)
def test_a_session_of_published_tokenizers(name: str, steps: list[str | int]) -> None:
    check_steps(published(name), steps, "text")
    check_steps(published(name), ["<|endoftext|></s>[SEP]", *steps], "encode")


def test_a_session_that_refuses_a_text_is_as_before() -> None:
    session = Session(tokenizer_named("ranks, gpt2"), special="error")
    session.append("low <|en")
    before = session.ids
    with pytest.raises(SpecialTokenError) as raised:
        session.append("doftext|>")
    assert (raised.value.token, raised.value.position) == ("<|endoftext|>", 4)
    assert (session.ids, session.text) == (before, "low <|en")
    with pytest.raises(ArgumentError, match="the text has fewer than 99 characters"):
        session.rewind(99)
    assert session.ids == before


def test_copies_of_a_session_go_on_by_themselves() -> None:
    tok = tokenizer_named("ranks, gpt2")
    session = Session(tok)
    session.append("lowe")
    for other in (copy.copy(session), copy.deepcopy(session)):
        other.append("st")
        assert other.ids == tok.encode("lowest")
    assert session.ids == tok.encode("lowe")
    assert repr(session) == f"<Session: 4 bytes, {len(session)} ids>"


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@given(
    text=st.lists(st.sampled_from(UNITS), max_size=20).map("".join),
    chosen=st.sets(st.integers(0, 60)),
    pattern=st.sampled_from(PATTERNS),
    tokens=st.sampled_from(list(SPECIAL)),
)
@settings(max_examples=60)
def test_parts_between_cut_points_encode_alone(
    normalizer: str, text: str, chosen: set[int], pattern: str, tokens: str
) -> None:
    tok = tokenizer(normalizer, pattern, tokens)
    for special in choices:
        places = cut_points(tok, text, special=special)
        assert places == sorted(set(places) & set(range(1, len(text))))
        cuts = [0, *(at for number, at in enumerate(places) if number in chosen), len(text)]
        parts = [text[start:end] for start, end in pairwise(cuts)]
        joined = [id for part in parts for id in tok.encode(part, special=special)]
        assert joined == tok.encode(text, special=special)


def test_ordinary_text_has_a_cut_point_at_most_words() -> None:
    tok = tokenizer_named("ranks, cl100k")
    text = "It was the best of times, it was the worst of times. "
    assert len(cut_points(tok, text)) >= text.count(" ") - 1
    # In bytes, for bytes.
    assert cut_points(tok, "é a b".encode()) == [2, 4]
    assert cut_points(tok, "é a b") == [1, 3]


@pytest.mark.parametrize("name", [*MAKERS, "published qwen2_5", "published mistral_v0.1"])
@given(
    before=st.lists(st.sampled_from(UNITS), max_size=60).map("".join),
    after=st.lists(st.sampled_from(UNITS), max_size=4).map("".join),
)
@settings(max_examples=20)
def test_ids_are_extended_as_if_their_text_went_on(name: str, before: str, after: str) -> None:
    _, is_published, other = name.partition("published ")
    tok = published(other) if is_published else tokenizer_named(name)
    ids = tok.encode(before, special="encode")
    if not is_canonical(tok, ids):
        return  # the model does not give the text back
    dropped, new = extend(tok, ids, after)
    whole = tok.decode(ids) + after
    assert ids[: len(ids) - dropped] + new == tok.encode(whole, special="encode")


def test_ids_that_are_not_canonical_are_found() -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
    assert noncanonical_at(tok, [104, 105]) is None
    assert noncanonical_at(tok, [104, 108, 111]) == 1
    assert is_canonical(tok, [256, 119])
    assert not is_canonical(tok, [108, 111, 119])
