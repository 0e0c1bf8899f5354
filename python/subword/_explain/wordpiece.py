"""How a text became its WordPiece tokens: word by word, the longest tokens.

    >>> from subword import Tokenizer, explain
    >>> tok = Tokenizer.wordpiece(["[UNK]", "low", "##er", "##e", "##est"])
    >>> print(explain(tok, "Lower"))
    Lower  is cut into the longest tokens
                  low ##er
       ids        1 2

Unlike merges the steps need no doing again: each token is the longest that goes on from where the
one before it ended, so the tokens and the places that the engine tells are the whole story.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import TextError
from subword._explain.explainer import Explainer
from subword._explain.explanation import Explanation, How
from subword._explain.visible import visible

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Special, Text


class WordPieceExplainer(Explainer):
    """The words of a text, as the engine cuts them."""

    def __init__(self, tok: Tokenizer) -> None:
        self.tok = tok
        native = json.loads(tok.to_bytes())  # docs/formats.md: what no property tells stands here
        self.prefix: bytes = native["prefix"].encode()
        self.always = {one["id"] for one in native["special_tokens"] if one.get("always")}
        self.unk = (tok.unk_token or "").encode()

    def text(self, text: Text, special: Special) -> list[Explanation]:
        """Every word and every special token of a text, in order."""
        raw = _core.utf8(text, "strict")
        matched = self._matched(special)
        words = self._words(raw, special, matched)
        return [self._explained(raw[start:end], word, matched) for start, end, word in words]

    def piece(self, piece: Text) -> Explanation:
        """One word."""
        found = self.text(piece, "text") or [Explanation(b"", "longest", (), (), ())]
        if len(found) > 1:
            what = ", ".join(visible(one.piece) for one in found[:3]) + ", ..." * (len(found) > 3)
            raw = _core.utf8(piece, "strict")
            second = raw[: self._words(raw, "text", self.always)[1][0]]
            raise TextError(
                f"expected one word, found {len(found)} ({what}): the second starts",
                len(second.decode(errors="replace") if isinstance(piece, str) else second),
                "subword.explain_text explains every word of a text",
            )
        return found[0]

    def _words(
        self, raw: bytes, special: Special, matched: set[int]
    ) -> list[tuple[int, int, list[int]]]:
        """Where each word is, and its ids: those with the prefix belong to the one before them."""
        ids, places = self.tok.encode_offsets(raw, unit="bytes", trim=False, special=special)
        words: list[tuple[int, int, list[int]]] = []
        open_word = False
        for id, (start, end) in zip(ids, places, strict=True):
            token = self.tok.token_bytes(id)
            is_special = id in matched and raw[start:end] == token
            goes_on = open_word and not is_special and token.startswith(self.prefix)
            if goes_on and not raw[words[-1][1] : start].isspace():
                first, _, word = words[-1]
                words[-1] = (first, end, [*word, id])
            else:
                words.append((start, end, [id]))
            open_word = not is_special and token != self.unk
        return words

    def _explained(self, piece: bytes, ids: list[int], matched: set[int]) -> Explanation:
        tokens = tuple(map(self.tok.token_bytes, ids))
        special = ids[0] in matched and tokens == (piece,)
        unknown = tokens == (self.unk,) and not special
        how: How = "special" if special else "unknown" if unknown else "longest"
        return Explanation(piece, how, tokens, (), tuple(ids))
