"""A small training, round by round: what the page plays.

The rounds are those of `subword.reference.buckets`: pairs lie in buckets by their count, and the
best pair is the one that goes first of the highest bucket. Before each merge everything is written
down: pieces, pairs, buckets.

    >>> trained = rounds({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 2, "greatest")
    >>> trained["rounds"][0]["pair"], trained["rounds"][0]["count"], trained["rounds"][0]["equal"]
    (['73', '74'], 9, 2)

INVARIANT: the merges are the engine's; where they are not, nothing is shown.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from subword import BpeTrainer, Counts, TrainingWarning, count_pieces, patterns
from subword.explorer.explored import Explored
from subword.explorer.questions import Question
from subword.reference.buckets import Buckets, Piece
from subword.reference.naive import count_pairs
from subword.reference.training import BYTES, Pair, Rule, Ties

#: A small text, and how much of each round is told: of the pieces at most `TOKENS` tokens together.
MOST_TRAINING_TEXT = 50_000
MOST_MERGES = 300
TOKENS = 1000
PIECES, PAIRS, BUCKETS, IN_BUCKET = 40, 24, 10, 12


def train(_: Sequence[Explored], question: Question) -> dict[str, Any]:
    """Every round of a training on a text."""
    raw = question.text(MOST_TRAINING_TEXT)
    num_merges = question.integer("num_merges", default=50, most=MOST_MERGES)
    pattern = question.choice("pattern", [*patterns], default="gpt2")
    ties: Any = question.choice("ties", ["greatest", "smallest-ids"], default="greatest")
    counts = count_pieces(texts=[raw.decode(errors="replace")], pattern=pattern, progress=False)
    return rounds(dict(counts.most_common()), num_merges, ties)


def rounds(counts: Mapping[bytes, int], num_merges: int, ties: Ties) -> dict[str, Any]:
    """The rounds of the training on these pieces, and how it ended."""
    rule = Rule(BYTES, ties)
    pieces = [Piece([BYTES[byte] for byte in piece], count) for piece, count in counts.items()]
    pairs = Buckets(rule)
    for pair, count in count_pairs((piece.tokens, piece.count) for piece in pieces).items():
        pairs.change(pair, count)
    told: list[dict[str, Any]] = []
    merges: list[Pair] = []
    best = pairs.best()
    while best is not None and len(merges) < num_merges:
        told.append(state(pieces, pairs, best))
        merges.append(best)
        rule.is_new(best)
        for piece in pieces:
            if best in pairwise(piece.tokens):
                for changed, by in piece.merge(best).items():
                    pairs.change(changed, by)
        best = pairs.best()
    check(counts, ties, merges)
    return {
        "rounds": [*told, state(pieces, pairs, None)],
        "different": len(counts),
        "stop": "full" if best is not None else "no pair left",
    }


def state(pieces: Sequence[Piece], pairs: Buckets, best: Pair | None) -> dict[str, Any]:
    """What there is before a merge: the pieces, the pairs, the buckets, and what is chosen."""
    key = pairs.rule.key
    by_count = sorted((count for count, bucket in pairs.buckets.items() if bucket), reverse=True)
    table: list[Pair] = []
    for count in by_count:
        if len(table) >= PAIRS:
            break
        table += sorted(pairs.buckets[count], key=key, reverse=True)
    return {
        "pair": None if best is None else shown(best),
        "count": None if best is None else pairs.counts[best],
        "equal": 0 if best is None else len(pairs.buckets[pairs.counts[best]]),
        "tokens": sum(len(piece.tokens) * piece.count for piece in pieces),
        "pairs_total": len(pairs.counts),
        "pairs": [{"pair": shown(pair), "count": pairs.counts[pair]} for pair in table[:PAIRS]],
        "buckets_total": len(by_count),
        "buckets": [
            {
                "count": count,
                "total": len(pairs.buckets[count]),
                "pairs": [
                    shown(pair)
                    for pair in sorted(pairs.buckets[count], key=key, reverse=True)[:IN_BUCKET]
                ],
            }
            for count in by_count[:BUCKETS]
        ],
        "pieces": [*first_pieces(pieces)],
    }


def first_pieces(pieces: Sequence[Piece]) -> Iterator[dict[str, Any]]:
    """The first pieces: of a long one its first tokens, and how many more it has."""
    left = TOKENS
    for piece in pieces[:PIECES]:
        tokens = piece.tokens[:left]
        left -= len(tokens)
        yield {
            "count": piece.count,
            "tokens": [token.hex() for token in tokens],
            "more": len(piece.tokens) - len(tokens),
        }


def shown(pair: Pair) -> list[str]:
    """A pair for JSON: bytes in hexadecimal, because a token need not be text."""
    return [token.hex() for token in pair]


def check(counts: Mapping[bytes, int], ties: Ties, merges: list[Pair]) -> None:
    """An error unless the engine learns the same."""
    table = Counts(Counter(counts))
    if table.total == 0:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trainer = BpeTrainer(num_merges=len(merges), ties=ties, progress=False)
        learned = trainer.train_counts(table).merges
    if learned != merges:
        raise RuntimeError(f"watched {merges}, learned {learned}, which is a bug: tell us")
