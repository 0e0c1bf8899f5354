"""How a text became its tokens by a Unigram model: the best way to cut each piece, and the next.

    >>> from subword import UnigramTrainer, explain
    >>> tok = UnigramTrainer(vocab_size=18).train_iter(["low lower newest wider"] * 9)
    >>> print(explain(tok, "lower"))
    ▁lower  is cut into the tokens whose scores have the highest sum
      -1.653        ▁lower
      -9.353        ▁low e r
         ids        4

A score is the sum of those of the tokens. The second way is what the text would become next.

INVARIANT: the first way is the engine's, and where it is not found, nothing is shown. Of ways with
equal scores the engine has its own order, so some more are looked at.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import TextError
from subword._explain.explainer import MOST_TOKENS, Explainer
from subword._explain.explanation import Explanation, Way
from subword._paths import Lattice, n_best

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Special, Text

#: How many ways are looked at to find the engine's.
LOOKED_AT = 16

#: How many ways are shown.
SHOWN = 2


class UnigramExplainer(Explainer):
    """The pieces of a text, as the engine cuts them."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        native = json.loads(tok.to_bytes())
        listed = [*native.get("special_tokens", []), *native.get("added_tokens", [])]
        self.always = {one["id"] for one in listed if one.get("always")}

    def text(self, text: Text, special: Special) -> list[Explanation]:
        """Every piece and every special token of a text, in order."""
        raw = _core.utf8(text, "strict")
        ids, places = self.tok.encode_offsets(raw, unit="bytes", trim=False, special=special)
        matched = self._matched(special)
        found: list[Explanation] = []
        done = 0
        for id, (start, end) in zip(ids, places, strict=True):
            if id in matched and raw[start:end] == self.tok.token_bytes(id):
                found += self._gap(raw[done:start], ids[count(found) :])
                found.append(Explanation(raw[start:end], "special", (raw[start:end],), (), (id,)))
                done = end
        found += self._gap(raw[done:], ids[count(found) :])
        if [id for one in found for id in one.ids] != ids:
            raise TextError("the best way to cut this text was not found", 0)
        return found

    def _gap(self, raw: bytes, ids: list[int]) -> list[Explanation]:
        """The pieces of a text between special tokens; ``ids`` begin with theirs."""
        found: list[Explanation] = []
        for lattice in Lattice.of(self.tok, raw).each_piece():
            if lattice.added:
                id = lattice.edges[0].id
                found.append(Explanation(lattice.text, "special", (lattice.text,), (), (id,)))
                continue
            if len(lattice.text.decode()) > MOST_TOKENS:
                message = f"explaining stops at {MOST_TOKENS} characters: a piece has more"
                raise TextError(message, 0)
            ways: list[Way] = []
            for path, score in n_best(lattice, LOOKED_AT):
                of_path = tuple(lattice.ids(self.tok, path))
                tokens = tuple(map(self.tok.token_bytes, of_path))
                if of_path not in [way.ids for way in ways]:
                    ways.append(Way(tokens, of_path, score))
            rest = ids[count(found) :]
            ways.sort(key=lambda way: [*way.ids] != rest[: len(way.ids)])
            best = ways[0]
            found.append(
                Explanation(lattice.text, "best", best.tokens, (), best.ids, tuple(ways[:SHOWN]))
            )
        return found


def count(found: list[Explanation]) -> int:
    """How many tokens there are so far."""
    return sum(len(one.ids) for one in found)
