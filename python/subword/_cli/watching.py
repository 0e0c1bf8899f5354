"""`subword train --watch`: a small training, round by round.

The engine has learned the merges. Here they happen once more, slowly: before each merge all pairs
are counted, as `subword.reference.naive` does it, and then told: which pairs were the best, which
of them were equal and why this one went first, and what it changed.

    rank 0  s+t, 9 times: 79 -> 70 tokens
      pairs   s+t 9 = e+s 9 > w+e 8 > o+w 7 = l+o 7 > n+e 6, and 5 more
      tie     2 pairs occur 9 times, and s+t sorts last
      pieces       6  n e w e s t  ->  n e w e st
                   3  w i d e s t  ->  w i d e st

INVARIANT: the pair that comes out best here is the one that the engine has merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from subword import Counts, Tokenizer, training_log, visible
from subword._cli.colours import BRIGHT, FAINT, NOTED, painted
from subword.reference import merge_by_list, merge_by_rank
from subword.reference.characters import WHITE
from subword.reference.naive import apply, count_pairs

Pair = tuple[bytes, bytes]
Ties = Literal["greatest", "smallest-ids"]

#: More different pieces than this are no small input.
MOST_PIECES = 10_000

#: How many pairs, and how many pieces, are shown of a round.
PAIRS_SHOWN, PIECES_SHOWN = 6, 8


@dataclass(frozen=True)
class Changed:
    """A piece that a merge changes, as tokens, and how often it occurs."""

    count: int
    before: list[bytes]
    after: list[bytes]


@dataclass(frozen=True)
class Round:
    """A merge: its rank, all pairs that there were and their counts, and what changed.

    The best pair, which is merged, is the first one.
    """

    rank: int
    pairs: list[tuple[Pair, int]]
    changed: list[Changed]
    tokens: int  #: how many the corpus had before the merge


def rounds(
    counts: Counts,
    tok: Tokenizer,
    *,
    ties: Ties = "greatest",
    max_token_length: int | None = None,
    base: Tokenizer | None = None,
) -> Iterator[Round]:
    """The rounds of the training of ``tok``, which has just learned from these counts."""
    log = training_log(tok)
    assert log is not None
    words = list(first_words(counts, tok, base))
    mark = (tok.end_of_word or "").encode()
    ids = {token: id for id, token in tok.vocab.items()}
    merged = {*base.merges} if base is not None and base.kind == "merges" else set()

    def order(item: tuple[Pair, int]) -> tuple[int, tuple[int, int]]:
        pair, count = item
        return -count, (ids.get(pair[0], -1), ids.get(pair[1], -1))

    known = len(merged)  # the merges of the base
    while (done := len(merged) - known) < len(log.merges):
        pairs = [
            (pair, count)
            for pair, count in count_pairs(words).items()
            if max_token_length is None or length(tok, mark, pair) <= max_token_length
        ]
        if ties == "greatest":
            pairs.sort(reverse=True)
            pairs.sort(key=lambda item: -item[1])
        else:
            pairs.sort(key=order)
        best = pairs[0][0]
        size = sum(len(tokens) * count for tokens, count in words)
        changed = list(merge(best, words))
        if best in merged:  # a pair of the base, which new merges have brought back
            continue
        merged.add(best)
        if best != log.merges[done].pair:
            found, learned = map(joined, (best, log.merges[done].pair))
            raise RuntimeError(f"watched {found}, learned {learned}, which is a bug: tell us")
        rank = ids[b"".join(best)] if tok.kind == "ranks" else known + done
        yield Round(rank, pairs, changed, size)


def merge(pair: Pair, words: list[tuple[list[bytes], int]]) -> Iterator[Changed]:
    """Merge a pair in all words, and tell which of them it changes."""
    for tokens, count in words:
        before = list(tokens)
        apply(pair, tokens)
        if len(tokens) < len(before):
            yield Changed(count, before, list(tokens))


def first_words(
    counts: Counts, tok: Tokenizer, base: Tokenizer | None
) -> Iterator[tuple[list[bytes], int]]:
    """The pieces as the tokens that training starts from, the most frequent first."""
    log = training_log(tok)
    assert log is not None
    pieces = counts.most_common()
    if base is not None:
        by_token = {token: id for id, token in base.vocab.items()}
        by_pair = {pair: rank for rank, pair in enumerate(base.merges)}
        for piece, count in pieces:
            by_rank = base.kind == "ranks"
            merged = merge_by_rank(piece, by_token) if by_rank else merge_by_list(piece, by_pair)
            yield merged, count
        return
    first = tok.vocab_size - len(tok.special_tokens) - len(log.merges)
    mark = (tok.end_of_word or "").encode()
    alphabet = {tok.token_bytes(id) for id in range(first)} - {mark}
    for piece, count in pieces:
        if not (mark and WHITE.fullmatch(piece.decode(errors="replace"))):
            for part in parts(piece, tok.units == "chars", alphabet, mark):
                yield part, count


def parts(piece: bytes, chars: bool, alphabet: Set[bytes], mark: bytes) -> Iterator[list[bytes]]:
    """What merges may join: a piece is cut at unknown characters, and where it spells the mark."""
    how = ("utf-8", "surrogateescape") if chars else ("latin-1", "strict")
    part: list[bytes] = []
    spelled = b""
    for character in piece.decode(*how):
        unit = character.encode(*how)
        spelled += unit
        if unit not in alphabet or (mark and spelled.endswith(mark)):
            if part:
                yield part
            part = []
        if unit in alphabet:
            part.append(unit)
    yield from filter(None, [part + [mark] * bool(mark)])


def length(tok: Tokenizer, mark: bytes, pair: Pair) -> int:
    """How long the token of a pair is: in bytes or characters, and without the mark."""
    token = b"".join(pair)
    token = token.removesuffix(mark) if mark else token
    return len(token.decode() if tok.units == "chars" else token)


def shown(one: Round, ties: Ties, *, colour: bool = False) -> str:
    """A round as text."""
    (pair, count), *_ = one.pairs
    name = joined(pair)
    after = one.tokens - sum((len(c.before) - len(c.after)) * c.count for c in one.changed)
    title = f"rank {one.rank}  {painted(name, BRIGHT, colour)}, {times(count)}"
    lines = [f"{title}: {one.tokens:,} -> {after:,} tokens"]
    lines.append(f"  pairs   {chain(one.pairs, colour)}")
    equal = sum(other == count for _, other in one.pairs)
    if equal > 1:
        why = "sorts last" if ties == "greatest" else "has the smallest ids"
        note = f"{equal} pairs occur {times(count)}, and {name} {why}"
        lines.append(f"  tie     {painted(note, NOTED, colour)}")
    for at, changed in enumerate(one.changed[:PIECES_SHOWN]):
        made = places(changed) if colour else []
        before = painted(spaced(changed.before), FAINT, colour)
        row = f"{changed.count:>8,}  {before}  ->  {spaced(changed.after, made)}"
        lines.append(f"  {'' if at else 'pieces':<6}{row}")
    if len(one.changed) > PIECES_SHOWN:
        lines.append(f"{'and':>16} {len(one.changed) - PIECES_SHOWN:,} more")
    return "\n".join(lines)


def chain(pairs: Sequence[tuple[Pair, int]], colour: bool) -> str:
    """The best pairs: equal ones, and by ``>`` the lesser ones."""
    text, best = "", pairs[0][1]
    for at, (pair, count) in enumerate(pairs[:PAIRS_SHOWN]):
        sign = "" if at == 0 else " = " if pairs[at - 1][1] == count else " > "
        look = BRIGHT if at == 0 else NOTED
        text += sign + painted(f"{joined(pair)} {count:,}", look, colour and count == best)
    more = len(pairs) - PAIRS_SHOWN
    return f"{text}, and {more:,} more" if more > 0 else text


def places(changed: Changed) -> list[int]:
    """Where the tokens stand that the merge has made."""
    made, left = [], 0
    for at, token in enumerate(changed.after):
        if token == changed.before[left]:
            left += 1
        else:
            made.append(at)
            left += 2
    return made


def spaced(tokens: Sequence[bytes], made: Sequence[int] = ()) -> str:
    """Tokens with spaces between them; those at the places ``made`` are bright."""
    words = (painted(visible(token), BRIGHT, at in made) for at, token in enumerate(tokens))
    return " ".join(words)


def joined(pair: Iterable[bytes]) -> str:
    return "+".join(map(visible, pair))


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
