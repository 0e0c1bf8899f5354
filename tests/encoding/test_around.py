"""`prepend=` and `append=`: an id before and after each text, in every call that gives ids."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from subword import (
    ArgumentError,
    Tokenizer,
    UnknownIdError,
    encode_arrow,
    encode_dropout,
    encode_spans,
    with_template,
)

VOCAB = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
PLAIN = Tokenizer(VOCAB, [(b"l", b"o"), (b"lo", b"w")], ["<s>", "</s>", "<doc>"])
START, END, DOC = 258, 259, 260
TEMPLATE = with_template(PLAIN, bos="<s>", eos="</s>")
TEXTS = ["low", "", "lower <doc>", "x" * 9000]

CALLS: dict[str, Any] = {
    "encode": lambda tok, texts, **how: [tok.encode(text, **how) for text in texts],
    "encode_array": lambda tok, texts, **how: [
        tok.encode_array(text, **how).tolist() for text in texts
    ],
    "encode_offsets": lambda tok, texts, **how: [
        tok.encode_offsets(text, **how)[0] for text in texts
    ],
    "encode_batch": lambda tok, texts, **how: tok.encode_batch(texts, **how),
    "encode_batch, one thread": lambda tok, texts, **how: tok.encode_batch(texts, threads=1, **how),
    "encode_batch_arrays": lambda tok, texts, **how: rows(*tok.encode_batch_arrays(texts, **how)),
    "encode_iter": lambda tok, texts, **how: [
        list(tok.encode_iter([text[:3], text[3:]], **how)) for text in texts
    ],
    "encode_arrow": lambda tok, texts, **how: pa.array(encode_arrow(tok, texts, **how)).to_pylist(),
    "encode_dropout": lambda tok, texts, **how: encode_dropout(tok, texts, 0, seed=1, **how),
}
IDS: list[tuple[Any, Any]] = [("<doc>", None), (None, DOC), ("<s>", "</s>"), (97, 98), (None, None)]


def rows(ids: Any, bounds: Any) -> list[list[int]]:
    return [ids[bounds[i] : bounds[i + 1]].tolist() for i in range(len(bounds) - 1)]


def id_of(token: str | int | None) -> list[int]:
    if isinstance(token, str):
        return [PLAIN.special_tokens[token]]
    return [] if token is None else [token]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("prepend", "append"), IDS)
def test_ids_stand_around_each_text(call: str, prepend: Any, append: Any) -> None:
    before, after = id_of(prepend), id_of(append)
    for special in ("text", "encode"):
        plain = [PLAIN.encode(text, special=special) for text in TEXTS]
        how: dict[str, Any] = {"special": special, "prepend": prepend, "append": append}
        assert CALLS[call](PLAIN, TEXTS, **how) == [[*before, *ids, *after] for ids in plain]
        # Outside of the template.
        assert CALLS[call](TEMPLATE, TEXTS, add_special_tokens=True, **how) == [
            [*before, START, *ids, END, *after] for ids in plain
        ]


def test_trusted_and_untrusted_spans_have_them_too() -> None:
    spans = [("<s>low", True), ("<s>", False)]
    plain = encode_spans(PLAIN, spans)
    assert encode_spans(PLAIN, spans, prepend="<doc>", append=97) == [DOC, *plain, 97]


def test_their_places_are_empty() -> None:
    _, offsets = TEMPLATE.encode_offsets(
        "low", add_special_tokens=True, prepend="<doc>", append="<doc>"
    )
    assert offsets == [(0, 0), (0, 0), (0, 3), (0, 0), (0, 0)]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("side", ["prepend", "append"])
def test_what_is_no_token_is_refused(call: str, side: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        CALLS[call](PLAIN, TEXTS, **{side: "low"})
    assert caught.value.argument == side
    message = f"{side} must be a special token ('<s>', '</s>', '<doc>') or an id, not 'low'"
    assert str(caught.value) == message
    with pytest.raises(UnknownIdError, match="no token has id 9999"):
        CALLS[call](PLAIN, TEXTS, **{side: 9999})
    with pytest.raises(TypeError, match="ids must be integers, not float"):
        CALLS[call](PLAIN, TEXTS, **{side: 0.5})
    none = Tokenizer(VOCAB, [(b"l", b"o"), (b"lo", b"w")])
    with pytest.raises(ArgumentError, match=rf"{side} must be a special token \(none\) or an id"):
        CALLS[call](none, TEXTS, **{side: "<s>"})
