"""What the explorer answers about the vocabulary: searching, filtering, sorting, scripts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword.explorer import Explored
from subword.explorer.questions import Question
from subword.explorer.samples import built_in
from subword.explorer.scripts import script_of
from subword.explorer.vocabulary import ends_inside, kinds, vocabulary


def found(explored: list[Explored], **values: Any) -> list[int]:
    answer = vocabulary(explored, Question({"limit": 1000, **values}))
    ids = [row["id"] for row in answer["rows"]]
    assert answer["total"] >= len(ids)
    return ids


def test_tokens_are_searched_by_text_id_and_bytes() -> None:
    explored = built_in()
    tokens = explored[0].tok.vocab
    assert found(explored) == [*tokens]
    assert found(explored, search="low") == [id for id, t in tokens.items() if b"low" in t]
    assert found(explored, search="#300") == [300]
    assert found(explored, search="#300-302") == [300, 301, 302]
    assert found(explored, search="0x6C6f") == [id for id, t in tokens.items() if b"lo" in t]
    assert found(explored, search="#") == [id for id, t in tokens.items() if b"#" in t]
    assert found(explored, search="\udc80") == [ord("?")]


def test_tokens_are_filtered_by_what_they_are() -> None:
    explored = built_in()
    tok = explored[0].tok
    assert found(explored, only="special") == [599]
    used = {*tok.encode("the lowest")}
    assert found(explored, only="unused", text="the lowest") == [*({*tok.vocab} - used)]
    assert found(explored, only=["ends-inside", "special"]) == []
    assert found(explored, only="starts-inside") == [*range(0x80, 0xC0)]
    assert found(explored, only="ends-inside") == [*range(0xC2, 0xF5)]
    assert found(explored, min_length=10, max_length=12, only="special") == []
    assert {len(tok.token_bytes(id)) for id in found(explored, min_length=3, max_length=4)} == {
        3,
        4,
    }
    digits = found(explored, script="digits")
    assert [tok.token_bytes(id) for id in digits[:10]] == [b"%d" % digit for digit in range(10)]
    answer = kinds(explored, Question({}))
    assert sum(answer["scripts"].values()) == vocabulary(explored, Question({}))["vocab_size"]
    assert answer["kinds"]["unused"] == 600
    assert answer["kinds"]["special"] == 1


def test_tokens_are_sorted_and_equals_stand_by_id() -> None:
    explored = built_in()
    tok = explored[0].tok
    by_length = found(explored, sort="length", order="down")
    assert by_length == sorted(tok.vocab, key=lambda id: (-len(tok.token_bytes(id)), id))
    assert found(explored, sort="token") == sorted(tok.vocab, key=tok.token_bytes)
    by_count = found(explored, sort="count", order="down", text=" the the words")
    assert by_count[:2] == [tok.token_id(" the"), tok.token_id(" words")]
    assert found(explored, sort="id", order="down") == sorted(tok.vocab, reverse=True)


def test_a_window_is_a_part_of_the_whole() -> None:
    explored = built_in()
    rows = [
        row
        for offset in (0, 200, 400)
        for row in vocabulary(explored, Question({"offset": offset, "limit": 200}))["rows"]
    ]
    assert [row["id"] for row in rows] == [*range(600)]
    last = vocabulary(explored, Question({"offset": "599", "limit": "10"}))
    assert (last["total"], [row["id"] for row in last["rows"]]) == (600, [599])
    assert vocabulary(explored, Question({"offset": 1 << 30}))["rows"] == []


@pytest.mark.slow
@settings(max_examples=50)
@given(text=st.text(max_size=3), cut=st.integers(0, 12))
def test_a_token_ends_inside_where_more_bytes_would_complete_it(text: str, cut: int) -> None:
    raw = text.encode()
    part = raw[:cut]
    assert ends_inside(part) == (len(part.decode(errors="ignore").encode()) < len(part))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("low", "Latin"),
        (" Ελλάδα", "Greek"),
        ("हिन्दी", "Devanagari"),
        ("한국어", "Hangul"),
        ("トークン", "Katakana"),
        ("\uff46\uff55\uff4c\uff4c", "Latin"),
        ("e\u0301", "Latin"),
        ("漢字かな", "mixed"),
        ("👍", "signs"),
        ("👩\u200d👧", "signs"),
        ("v2", "Latin"),
        ("\n\n", "spaces"),
        ("\u0301", "signs"),
        ("", "signs"),
    ],
)
def test_the_script_of_a_token(text: str, script: str) -> None:
    assert script_of(text.encode()) == script
