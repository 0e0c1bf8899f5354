"""A chat that grows: 200 turns of 500 characters, and its ids after each.

    sessions/gpt2/turns      Session.append for each turn, beside one encoding of the whole;
                             tokenizers, which encodes the whole at every turn

By one thread. Ids are compared with those of tokenizers before anything is timed.
"""

from __future__ import annotations

from typing import Any

from libraries import OURS
from libraries.wordpiece import REFERENCE as TOKENIZERS
from measure import corpora
from measure.results import Result, Row
from measure.timing import rotated, timed
from scenarios.calls import one_thread
from scenarios.common import Bench, reported

VOCABS = ("gpt2", "bert-base-uncased", "qwen2_5")
TURNS, TURN_CHARS = 200, 500
#: After how many turns ids are compared.
COMPARED = 10


def turns(bench: Bench, path: str, vocab: str) -> Result:
    """The turns by a session, and by encoding everything at every turn."""
    rows = {name: Row(name) for name in (TOKENIZERS, OURS)}
    file = corpora.existing(bench.data / "vocabs" / vocab / "tokenizer.json")
    text = corpora.text(bench.data, "en", None).decode()[: TURNS * TURN_CHARS]
    parts = [text[at : at + TURN_CHARS] for at in range(0, len(text), TURN_CHARS)]
    wholes = [text[: at + TURN_CHARS] for at in range(0, len(text), TURN_CHARS)]
    for row in rows.values():
        row.size = len(text)
    with one_thread(), reported(rows[TOKENIZERS], absent=True), reported(rows[OURS], absent=True):
        import subword
        import tokenizers

        theirs, ours = tokenizers.Tokenizer.from_file(str(file)), subword.Tokenizer.load(file)

        def grow(parts: list[str]) -> Any:
            session = subword.Session(ours, special="encode")
            for part in parts:
                session.append(part)
            return session

        def every(wholes: list[str]) -> Any:
            for whole in wholes:
                found = theirs.encode(whole, add_special_tokens=False)
            return found

        session = subword.Session(ours, special="encode")
        for turn, (part, whole) in enumerate(zip(parts, wholes, strict=True)):
            session.append(part)
            if (
                turn % COMPARED == 0
                and session.ids != theirs.encode(whole, add_special_tokens=False).ids
            ):
                rows[OURS].fail("ids differ", f"from those of {TOKENIZERS}")
                return Result(path, [*rows.values()], TOKENIZERS)
        for number in range(bench.settings.load_rounds):
            for name in rotated(list(rows), number):
                if name == TOKENIZERS:
                    if not number:  # seconds, where ours takes milliseconds
                        rows[name].add(number, timed(every, wholes))
                else:
                    once = timed(lambda all: ours.encode(all, special="encode", threads=1), text)
                    rows[name].add(number, timed(grow, parts), once=once.wall)
    return Result(path, [*rows.values()], TOKENIZERS)
