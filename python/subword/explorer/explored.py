"""A tokenizer with all that the page asks of it, looked up once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subword import ModelFormatError, Tokenizer, training_log
from subword.explorer.questions import RefusedError

if TYPE_CHECKING:
    from subword.explorer.building import Building
    from subword.explorer.merging import Merging
    from subword.explorer.vocabulary import Vocabulary

Pair = tuple[bytes, bytes]


@dataclass
class Explored:
    """A tokenizer under a name.

    ``counts`` says of pairs how often they stood in the corpus when they were merged. A tokenizer
    that was trained just now knows it; of one from a file the log of its training does.
    """

    name: str
    tok: Tokenizer
    counts: Mapping[Pair, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        log = training_log(self.tok)
        if log is not None and not self.counts:
            self.counts = {merge.pair: merge.count for merge in log.merges}

    @cached_property
    def tokens(self) -> dict[int, bytes]:
        """All tokens by rising id."""
        vocab = self.tok.vocab
        return {id: vocab[id] for id in sorted(vocab)}

    @cached_property
    def special(self) -> dict[int, str]:
        """The special tokens by id."""
        return {id: token for token, id in self.tok.special_tokens.items()}

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The ids of the ordinary tokens."""
        ordinary = self.tokens.copy()
        for id in self.special:
            ordinary.pop(id, None)
        return dict(zip(ordinary.values(), ordinary, strict=True))

    @property
    def merging(self) -> bool:
        """Whether tokens are made by merges."""
        return self.tok.kind in ("merges", "ranks")

    @property
    def listing(self) -> bool:
        """Whether the vocabulary alone decides: the longest token is taken."""
        return self.tok.kind in ("longest", "wordpiece")

    def id_of(self, token: bytes) -> int | None:
        """The id of a token; of an ordinary one where a special token has the same bytes."""
        found = self.ids.get(token)
        if found is None:
            found = self.tok.special_tokens.get(token.decode(errors="replace"))
        return found

    @cached_property
    def merges(self) -> Merging:
        """Which merge makes a token."""
        from subword.explorer.merging import Merging

        return Merging(self)

    @cached_property
    def building(self) -> Building:
        """How tokens were merged."""
        from subword.explorer.building import Building

        return Building(self)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All tokens."""
        from subword.explorer.vocabulary import Vocabulary

        return Vocabulary(self)

    @property
    def unk_id(self) -> int | None:
        """The id of what stands for unknown text."""
        return None if self.tok.unk_token is None else self.tok.token_id(self.tok.unk_token)

    def about(self) -> dict[str, Any]:
        """What it is, in a line."""
        tok = self.tok
        return {
            "name": self.name,
            "kind": tok.kind,
            "units": tok.units,
            "pattern": tok.pattern,
            "vocab_size": tok.vocab_size,
            "max_id": tok.max_id,
            # By rank there is no list, and to find one takes a while.
            "merges": len(tok.merges) if tok.kind == "merges" else None,
            "special_tokens": tok.special_tokens,
            "unk_id": self.unk_id,
            "training_counts": bool(self.counts),
            "fingerprint": tok.fingerprint,
        }


def chosen(explored: Sequence[Explored], number: int) -> Explored:
    """The tokenizer with this number."""
    if number >= len(explored):
        message = f"tokenizer: expected a number up to {len(explored) - 1}, found {number}"
        raise RefusedError(404, message, "GET /api/tokenizers lists them")
    return explored[number]


def logged_counts(path: Path) -> dict[Pair, int]:
    """The counts of the merges in the log of a training, as ``TrainingLog.save`` writes it."""
    counts: dict[Pair, int] = {}
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                entry = json.loads(line)
                if "rank" in entry:
                    pair = (bytes.fromhex(entry["left"]), bytes.fromhex(entry["right"]))
                    counts[pair] = int(entry["count"])
            except (ValueError, TypeError, KeyError):
                message = "expected a line of the log of a training"
                hint = "subword train --log writes one"
                raise ModelFormatError(f"{path}:{number}", message, hint) from None
    return counts


def add_log(explored: Iterable[Explored], path: Path) -> None:
    """Give the log of a training to those tokenizers whose merges it tells."""
    counts = logged_counts(path)
    told = [one for one in explored if one.merging]
    told = [one for one in told if counts and counts.keys() <= {*one.tok.merges}]
    if not told:
        message = "this is not the log of a tokenizer that is explored: it has other merges"
        raise ModelFormatError(str(path), message)
    for one in told:
        one.counts = counts
