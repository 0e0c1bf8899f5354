"""Merging once more, slowly: every merge of every piece of a text.

    text -> special tokens and pieces -> first tokens -> merge, merge, merge -> tokens and ids

The engine does not keep what it did on the way, so it is done again here, in the plainest way: look
at all adjacent pairs, merge the one with the lowest rank, of equals the leftmost, until none has a
rank.

INVARIANT: the ids at the end are the engine's; where they are not, nothing is shown.

Why not by a heap: this is for looking at, and nobody looks at what is longer than `MOST_TOKENS`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import TextError
from subword._explain.explanation import Explanation, Step
from subword._explain.visible import visible
from subword.reference.characters import WHITE
from subword.reference.fewest import encode_fewest

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Special, Text

#: A piece that starts as more tokens is too long to be looked at.
MOST_TOKENS = 2000

#: The most marks that are looked for after a special token.
MOST_MARKS = 8

#: The mark, where a piece is a list of units: no unit is empty.
MARK = b""


class Explainer:
    """What merging needs to know of a tokenizer, looked up once."""

    def __init__(self, tok: Tokenizer) -> None:
        native = json.loads(tok.to_bytes())  # docs/formats.md: what no property tells stands here
        self.tok = tok
        self.normalizer: str | dict[str, object] | None = native.get("normalizer")
        self.ignore_merges: bool = native.get("ignore_merges", False)
        self.joined: bool = native.get("end_of_word_joined", False)
        self.mark = (tok.end_of_word or "").encode()
        self.unk = None if tok.unk_token is None else tok.unk_token.encode()
        self.always = {one["id"] for one in native.get("special_tokens", []) if one.get("always")}
        tokens = tok.vocab
        self.ordinary = {tokens[id]: id for id in native["vocab"].values()}
        self.ids = {token.encode(): id for token, id in tok.special_tokens.items()} | self.ordinary
        self.unk_id = None if self.unk is None else self.ids[self.unk]
        self.by_rank = tok.kind == "ranks"
        self.order = self._by_length() if tok.kind == "longest" else {}
        listed = tok.merges if tok.kind == "merges" else []
        self.ranks = {listed[rank]: rank for rank in range(len(listed) - 1, -1, -1)}

    def text(self, text: Text, special: Special) -> list[Explanation]:
        """Every piece and every special token of a text, in order."""
        raw = _core.utf8(text, "strict")
        ids, places = self.tok.encode_offsets(raw, unit="bytes", trim=False, special=special)
        matched = self._matched(special)
        found: list[Explanation] = []
        run: list[int] = []
        done = 0
        for id, (start, end) in zip(ids, places, strict=True):
            unknown = id == self.unk_id and raw[start:end] != self.unk
            if id not in matched or unknown:
                run.append(id)
                continue
            found += self._ordinary(run, raw, done, start)
            token = self.tok.token_bytes(id)
            found.append(Explanation(token, "special", (token,), (), (id,)))
            run, done = [], self._end(raw, start, end, token)
        found += self._ordinary(run, raw, done, len(raw))
        self._check(raw, [id for one in found for id in one.ids], ids)
        return found

    def _end(self, raw: bytes, start: int, end: int, token: bytes) -> int:
        """Where the text of a special token ends: marks that it was composed of have no offsets."""
        if self.normalizer is None or (self.tok.units == "bytes" and not self.mark):
            return end
        wanted = self._normal(token).strip()
        text = raw[end : end + 4 * MOST_MARKS].decode(errors="surrogateescape")[:MOST_MARKS]
        for marks in range(len(text) + 1):
            after = text[:marks].encode(errors="surrogateescape")
            if self._normal(raw[start:end] + after).strip() == wanted:
                return end + len(after)
        return end

    def piece(self, piece: Text) -> Explanation:
        """One piece, which the pattern does not cut."""
        found = self.text(piece, "text") or [Explanation(b"", "merged", (), (), ())]
        if len(found) > 1:
            first = found[0].piece
            what = ", ".join(visible(one.piece) for one in found[:3]) + ", ..." * (len(found) > 3)
            raise TextError(
                f"expected one piece, found {len(found)} ({what}): the second starts",
                len(first.decode(errors="replace") if isinstance(piece, str) else first),
                "subword.explain_text explains every piece of a text",
            )
        return found[0]

    def _matched(self, special: Special) -> set[int]:
        """The ids of the special tokens that are looked for in a text."""
        all_of_them = self.tok.special_tokens
        if isinstance(special, str):
            return {*all_of_them.values()} if special == "encode" else self.always
        return self.always | {all_of_them[token] for token in special}

    def _ordinary(self, ids: list[int], raw: bytes, at: int, end: int) -> Iterator[Explanation]:
        """The pieces between two special tokens: of ``raw[at:end]``, whose ids these are."""
        if self.mark or self.tok.units == "chars":
            text = self._normal(raw[at:end])
        else:  # the tokens spell what was merged, as the engine has normalised it
            text = b"".join(map(self.tok.token_bytes, ids))
        for piece in _core.split(text, self.tok.pattern):
            yield self._merged(piece, at)
            at += len(piece)

    def _merged(self, piece: bytes, place: int) -> Explanation:
        """Merge the piece that starts at a place in the text, and write down how."""
        if self.mark and piece and WHITE.fullmatch(piece.decode(errors="replace")):
            return Explanation(piece, "skipped", (), (), ())
        if self.order:
            return self._longest(piece, place)
        if self.tok.kind == "fewest":
            return self._fewest(piece, place)
        first = tuple(self._first(piece))
        if len(first) > MOST_TOKENS:
            message = f"explaining stops at {MOST_TOKENS} tokens: a piece starts as {len(first)}"
            raise TextError(message, place)
        steps: list[Step] = []
        tokens = first
        while (best := self._lowest(tokens)) is not None:
            rank, at = best
            pair = (tokens[at], tokens[at + 1])
            tokens = (*tokens[:at], b"".join(pair), *tokens[at + 2 :])
            steps.append(Step(rank, pair, at, tokens))
        if self.ignore_merges and piece in self.ordinary and len(tokens) > 1:
            return Explanation(piece, "whole", (piece,), (), (self.ordinary[piece],))
        ids = tuple(self.ids[token] for token in tokens)
        return Explanation(piece, "merged", first, tuple(steps), ids)

    def _first(self, piece: bytes) -> Iterator[bytes]:
        """The tokens that merging starts from: bytes or characters, and the mark."""
        units = self._units(piece)
        if self.joined and units:
            units[-1] += self.mark
        for unit in units:
            known = unit in self.ids and (self.joined or unit != self.mark)
            yield unit if known or self.unk is None else self.unk
        if self.mark and not self.joined and units:
            yield self.mark

    def _units(self, piece: bytes) -> list[bytes]:
        """The bytes or the characters of a piece."""
        if self.tok.units == "bytes":
            return [piece[at : at + 1] for at in range(len(piece))]
        # A byte that is not part of UTF-8 is a character of its own.
        text = piece.decode(errors="surrogateescape")
        return [character.encode(errors="surrogateescape") for character in text]

    def _by_length(self) -> dict[tuple[bytes, ...], int]:
        """The tokens as units, numbered: long ones first, then by their bytes."""
        special = {*self.tok.special_tokens.values()}
        found: list[tuple[int, bytes, tuple[bytes, ...]]] = []
        for token, id in self.ordinary.items():
            text = token.removesuffix(self.mark)
            units = (*self._units(text), *[MARK] * (text != token))
            if len(units) == 1 or id not in special:
                found.append((-len(units), token, units))
        return {units: rank for rank, (_, _, units) in enumerate(sorted(found))}

    def _longest(self, piece: bytes, place: int) -> Explanation:
        """Cut the piece that starts at a place in the text: the longest token first."""
        units = [*self._units(piece), *[MARK] * bool(self.mark)]
        if len(units) > MOST_TOKENS:
            message = f"explaining stops at {MOST_TOKENS} tokens: a piece starts as {len(units)}"
            raise TextError(message, place)
        ends: dict[int, int] = {}
        free = [True] * len(units)
        sizes = {*map(len, self.order)}
        windows = ((at, at + size) for size in sizes for at in range(len(units) - size + 1))
        found = ((self.order.get(tuple(units[at:end])), at, end) for at, end in windows)
        for _, at, end in sorted(one for one in found if one[0] is not None):
            if all(free[at:end]):
                free[at:end] = [False] * (end - at)
                ends[at] = end
        tokens, at = [], 0
        while at < len(units):
            if at in ends:
                end = ends[at]
                tokens.append(b"".join(unit or self.mark for unit in units[at:end]))
            else:  # nothing covers it, and the engine has not complained: it is unknown
                end = min((start for start in ends if start > at), default=len(units))
                tokens.append(self.unk or b"")
            at = end
        ids = tuple(self.ids[token] for token in tokens)
        return Explanation(piece, "longest", tuple(tokens), (), ids)

    def _fewest(self, piece: bytes, place: int) -> Explanation:
        """Cut the piece that starts at a place in the text into the fewest tokens."""
        if len(piece) > MOST_TOKENS:
            message = f"explaining stops at {MOST_TOKENS} tokens: a piece starts as {len(piece)}"
            raise TextError(message, place)
        tokens = encode_fewest(piece, self.ordinary)
        ids = tuple(self.ordinary[token] for token in tokens)
        return Explanation(piece, "fewest", tuple(tokens), (), ids)

    def _lowest(self, tokens: tuple[bytes, ...]) -> tuple[int, int] | None:
        """The lowest rank of any pair, and where the leftmost such pair starts."""
        found = ((self._rank(pair), at) for at, pair in enumerate(pairwise(tokens)))
        return min(((rank, at) for rank, at in found if rank is not None), default=None)

    def _rank(self, pair: tuple[bytes, bytes]) -> int | None:
        return self.ordinary.get(b"".join(pair)) if self.by_rank else self.ranks.get(pair)

    def _normal(self, raw: bytes) -> bytes:
        """What the model's normaliser makes of a text."""
        if self.normalizer is None:
            return raw
        if not isinstance(self.normalizer, str):
            raise TextError("characters that BERT's normaliser made cannot be explained", 0)
        form, _, lower = self.normalizer.partition("-")
        text = unicodedata.normalize(form.upper(), raw.decode(errors="surrogateescape"))  # type: ignore[arg-type]
        if lower:
            text = "".join(character.lower() for character in text)
        return text.encode(errors="surrogateescape")

    def _check(self, raw: bytes, found: list[int], ids: list[int]) -> None:
        """An error unless what was explained is what was encoded."""
        if found == ids:
            return
        for at, character in enumerate(raw.decode(errors="replace") if self.normalizer else ""):
            if (
                unicodedata.category(character) == "Cn"
            ):  # none yet, or one that came after this Python
                one = character.encode()
                alone = [id for piece in self._ordinary([], one, 0, len(one)) for id in piece.ids]
                if alone != self.tok.encode(one):
                    message = f"this Python does not know the character U+{ord(character):04X}"
                    raise TextError(message, at, "a newer one can normalise it as the model does")
        raise RuntimeError(f"explained {found}, encoded {ids}, which is a bug: tell us")
