"""All tokens: searched, filtered, sorted, and given out a window at a time.

What is searched for:

    low         tokens with this text in them, spaces included
    #500        the token with this id
    #500-600    the tokens with these ids
    0xe4bd      tokens with these bytes in them

A vocabulary has 200,000 tokens and a screen shows 30, so the page asks for a window. The order of
the last few questions is kept: to scroll is to ask the same question with another ``offset``.

What only a look at every token tells, which takes seconds, is not part of a window: how many tokens
there are of each script and of each kind is another question (`kinds`), and a filter that needs it
waits for it.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import Any

from subword.explorer.explored import Explored, chosen
from subword.explorer.questions import Question
from subword.explorer.scripts import script_of
from subword.explorer.text import Special, special_of

#: The kinds of tokens that one can ask for alone.
ONLY = ["special", "unreachable", "unused", "ends-inside", "starts-inside"]
SORTS = ["id", "length", "token", "count"]

MOST_ROWS = 1000
MOST_KEPT = 8

IDS = re.compile(r"#(\d{1,9})(?:-(\d{1,9}))?")
HEX = re.compile(r"0x((?:[0-9a-fA-F]{2})+)")


class Vocabulary:
    """The tokens of a tokenizer by rising id, and what is known of each."""

    def __init__(self, explored: Explored) -> None:
        self.tok = explored.tok
        self.explored = explored
        self.tokens = explored.tokens
        self.lock = Lock()
        self.kept: OrderedDict[object, Any] = OrderedDict()

    @cached_property
    def scripts(self) -> dict[int, str]:
        """The script of every token."""
        return {id: self.script(id) for id in self.tokens}

    @cached_property
    def flags(self) -> dict[str, set[int]]:
        """The tokens of each kind."""
        return {
            "special": {*self.explored.special},
            "unreachable": self.explored.merges.unreachable,
            "ends-inside": {id for id, b in self.tokens.items() if ends_inside(b)},
            "starts-inside": {id for id, b in self.tokens.items() if starts_inside(b)},
        }

    def script(self, id: int) -> str:
        """The script of one token."""
        return "special" if id in self.explored.special else script_of(self.tokens[id])

    def kinds(self, id: int) -> list[str]:
        """The kinds of one token."""
        token, special = self.tokens[id], id in self.explored.special
        here = {
            "special": special,
            "unreachable": not special and self.explored.merges.is_unreachable(token),
            "ends-inside": ends_inside(token),
            "starts-inside": starts_inside(token),
        }
        return [kind for kind, is_here in here.items() if is_here]

    def remembered(self, key: object, make: Callable[[], Any]) -> Any:
        """What was made for this key; of the oldest nothing is kept."""
        with self.lock:
            if key not in self.kept:
                self.kept[key] = make()
            self.kept.move_to_end(key)
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
            return self.kept[key]

    def used(self, raw: bytes, special: Special) -> Counter[int]:
        """How often each token occurs in a text."""
        return Counter(self.tok.encode(raw, special=special))

    def counted(self, question: Question) -> tuple[object, Counter[int]]:
        """How often tokens occur in the text of a question, and what stands for this text."""
        raw, special = question.text(), special_of(question)
        text = (sha256(raw).digest(), special)
        return text, self.remembered(("text", text), lambda: self.used(raw, special))

    def totals(self, question: Question) -> dict[str, Any]:
        """How many tokens there are of each script, and of each kind."""
        _, counts = self.counted(question)
        return {
            "scripts": dict(Counter(self.scripts.values()).most_common()),
            "kinds": {kind: len(there) for kind, there in self.flags.items()}
            | {"unused": len(self.tokens) - len(counts)},
        }

    def window(self, question: Question) -> dict[str, Any]:
        """Some of the tokens that are asked for."""
        text, counts = self.counted(question)
        search = question.string("search")
        script = question.string("script")
        only = question.words("only", ONLY)
        shortest = question.integer("min_length", default=0)
        longest = question.integer("max_length", default=1 << 31)
        sort = question.choice("sort", SORTS, default="id")
        order = question.choice("order", ["up", "down"], default="up")
        offset = question.integer("offset", default=0)
        limit = question.integer("limit", default=100, most=MOST_ROWS)

        def found() -> list[int]:
            ids = self.searched(search)
            if script:
                ids = [id for id in ids if self.scripts[id] == script]
            for kind in only:
                there = self.tokens.keys() - counts if kind == "unused" else self.flags[kind]
                ids = [id for id in ids if id in there]
            if shortest or longest < 1 << 31:
                ids = [id for id in ids if shortest <= len(self.tokens[id]) <= longest]
            return self.ordered(ids, sort, order == "down", counts)

        key = (search, script, *only, shortest, longest, sort, order, text)
        ids = self.remembered(("ids", *key), found)
        return {
            "total": len(ids),
            "vocab_size": len(self.tokens),
            "offset": offset,
            "rows": [self.row(id, counts) for id in ids[offset : offset + limit]],
        }

    def searched(self, search: str) -> list[int]:
        """The ids of the tokens that are searched for, rising."""
        if match := IDS.fullmatch(search):
            low = int(match[1])
            high = low if match[2] is None else int(match[2])
            return [id for id in self.tokens if low <= id <= high]
        if not search:
            return [*self.tokens]
        match = HEX.fullmatch(search)
        part = search.encode(errors="replace") if match is None else bytes.fromhex(match[1])
        return [id for id, token in self.tokens.items() if part in token]

    def ordered(self, ids: list[int], sort: str, down: bool, counts: Counter[int]) -> list[int]:
        """The ids in an order; what is equal stands by rising id."""
        if sort == "count":  # most tokens are in no text: only the others have to be sorted
            used = sorted((id for id in ids if id in counts), key=counts.__getitem__, reverse=down)
            unused = [id for id in ids if id not in counts]
            return used + unused if down else unused + used
        keys: dict[str, Callable[[int], Any]] = {
            "id": lambda id: id,
            "length": lambda id: len(self.tokens[id]),
            "token": self.tokens.__getitem__,
        }
        return sorted(ids, key=keys[sort], reverse=down)

    def row(self, id: int, counts: Counter[int]) -> dict[str, Any]:
        """What the page shows of a token."""
        token = self.tokens[id]
        made = None if id in self.explored.special else self.explored.merges.made(token)
        return {
            "id": id,
            "token": token.hex(),
            "length": len(token),
            "script": self.script(id),
            "rank": None if made is None else made[0],
            "kinds": self.kinds(id),
            "count": counts[id],
        }


def ends_inside(token: bytes) -> bool:
    """Whether the last character of a token is not complete.

    >>> ends_inside("né".encode()), ends_inside("né".encode()[:-1]), ends_inside(b"\\xff")
    (False, True, False)
    """
    if token[-4:].isascii():
        return False
    for at in range(len(token) - 1, max(len(token) - 4, -1), -1):
        if token[at] & 0xC0 != 0x80:
            break
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(token[at:])
    except UnicodeDecodeError:
        return False
    return bool(decoder.getstate()[0])


def starts_inside(token: bytes) -> bool:
    """Whether a token starts with a byte that only goes on with a character."""
    return bool(token) and token[0] & 0xC0 == 0x80


def vocabulary(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """A window of the tokens of one tokenizer."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    return one.vocabulary.window(question)


def kinds(explored: Sequence[Explored], question: Question) -> dict[str, Any]:
    """How many tokens of each script and kind one tokenizer has."""
    one = chosen(explored, question.integer("tokenizer", default=0))
    return one.vocabulary.totals(question)
