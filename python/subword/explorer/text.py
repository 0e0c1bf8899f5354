"""A text as tokens, by one tokenizer or by several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from subword.explorer.explored import Explored, chosen
from subword.explorer.questions import MOST_TEXT, Question, RefusedError
from subword.explorer.samples import LANGUAGES

Special = Literal["text", "encode"]

#: The most tokenizers side by side. They share the limit of one text, because the answer has the
#: tokens of all of them.
MOST_COMPARED = 6

#: The most ids whose tokens are told: those of a text without those that come again.
MOST_IDS = 300_000


def encoded(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """The ids of a text, and where each token is: in bytes, or in characters.

    ``starts`` is None where every token starts at the end of the one before it.
    """
    number = question.integer("tokenizer", default=0)
    unit = question.choice("unit", ["bytes", "chars"], default="bytes")
    return tokens_of(explored, number, question.text(), special_of(question), unit)


def compared(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """The same text by several tokenizers; ``different`` are the tokens that not all of them have.

    A token is the same if another tokenizer has one with the same bytes of the text.
    """
    numbers = side_by_side(explored, question)
    raw = question.text(MOST_TEXT // max(len(numbers), 1))
    special = special_of(question)
    found = [tokens_of(explored, number, raw, special, "bytes") for number in numbers]
    places = [spans(one) for one in found]
    common = set(places[0]).intersection(*places[1:]) if places else set()
    for one, here in zip(found, places, strict=True):
        one["different"] = [at for at, span in enumerate(here) if span not in common]
    return {"compared": found}


def side_by_side(explored: Sequence[Explored], question: Question) -> list[int]:
    """The numbers of the tokenizers that are compared: the first ones if none are named."""
    numbers = question.integers("tokenizers", default=range(min(len(explored), MOST_COMPARED)))
    if len(numbers) > MOST_COMPARED:
        message = f"tokenizers: expected at most {MOST_COMPARED}, found {len(numbers)}"
        raise RefusedError(413, message)
    return numbers


def sampled(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """How many tokens tokenizers need for the same sentences in several languages.

    ``unknown`` says how many of them stand for text that the tokenizer has no tokens for.
    """
    special = special_of(question)
    asked = [chosen(explored, number) for number in side_by_side(explored, question)]
    found = [one.tok.encode_batch([*LANGUAGES.values()], special=special) for one in asked]
    rows = [
        {
            "language": language,
            "text": text,
            "bytes": len(text.encode()),
            "characters": len(text),
            "tokens": [len(ids[at]) for ids in found],
            "unknown": [
                0 if one.unk_id is None else ids[at].count(one.unk_id)
                for one, ids in zip(asked, found, strict=True)
            ],
        }
        for at, (language, text) in enumerate(LANGUAGES.items())
    ]
    return {"samples": rows}


def named(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """The tokens of some ids."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    ids = question.integers("ids", default=[])
    if len(ids) > MOST_IDS:
        raise RefusedError(413, f"ids: expected at most {MOST_IDS:,}, found {len(ids):,}")
    for id in ids:
        if id not in one.tokens:
            raise RefusedError(404, f"ids: no token has id {id}")
    return {"tokens": [one.tokens[id].hex() for id in ids]}


def special_of(question: Question) -> Special:
    """Whether text that spells a special token becomes it."""
    asked = question.choice("special", ["text", "encode"], default="text")
    return "encode" if asked == "encode" else "text"


def tokens_of(
    explored: Sequence[Explored], number: int, raw: bytes, special: Special, unit: str
) -> dict[str, Any]:
    """What the page knows of a text."""
    one = chosen(explored, number)
    in_bytes = unit == "bytes"
    ids, places = one.tok.encode_offsets(
        raw, unit="bytes" if in_bytes else "chars", trim=False, special=special
    )
    ends = [end for _, end in places]
    starts = [start for start, _ in places]
    return {
        "tokenizer": number,
        "tokens": len(ids),
        "bytes": len(raw),
        "characters": len(raw.decode(errors="replace")),
        "ids": ids,
        "starts": None if starts == [0, *ends[:-1]][: len(ids)] else starts,
        "ends": ends,
    }


def spans(one: dict[str, Any]) -> list[tuple[int, int]]:
    """Where each token is."""
    ends: list[int] = one["ends"]
    starts: list[int] = one["starts"] or [0, *ends[:-1]]
    return [*zip(starts, ends, strict=False)]
