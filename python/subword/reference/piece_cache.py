"""Remember the ids of a piece: a bounded cache in front of the merging.

The idea. Text repeats its words. Of a million pieces of English perhaps thirty thousand differ, so
a dictionary from a piece to its ids replaces most of the merging by one look-up.

The data structures. One dictionary. Python's keeps its keys in the order in which they came, so if
every use takes a piece out and puts it back, the first key is the one that was not used for
longest.

The cost. One look-up per piece, and memory for at most ``max_pieces`` of them.

The traps.

* A cache without a bound is a memory leak that takes a corpus to show.
* Handing out the list that the cache holds: a caller that appends to it changes what the next
  caller sees. Give a copy, or something that cannot be changed.
* A cache may cost time, never an answer: with any bound, and with none, the ids are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from subword.reference.heap_linked import merge_with_heap


class CachedEncoder:
    """Encodes pieces by a list of merges and remembers the last ``max_pieces`` of them; 0: none.

    When the cache is full, the piece that was not asked for the longest time makes room.

    Example:
        >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"lo", 257: b"low"}
        >>> encoder = CachedEncoder(vocab, [(b"l", b"o"), (b"lo", b"w")], max_pieces=2)
        >>> [encoder.encode_piece(piece) for piece in [b"low", b"slow", b"low", b"lot", b"low"]]
        [[257], [115, 257], [257], [256, 116], [257]]
        >>> encoder.hits, encoder.misses, list(encoder.cache)
        (2, 3, [b'lot', b'low'])
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[bytes, bytes]],
        max_pieces: int = 1_000_000,
    ) -> None:
        self.ids = {token: id for id, token in vocab.items()}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.max_pieces = max_pieces
        self.cache: dict[bytes, list[int]] = {}
        self.hits = self.misses = 0

    def encode_piece(self, piece: bytes) -> list[int]:
        """The ids of one piece; from the cache if it is there."""
        ids = self.cache.pop(piece, None)
        if ids is None:
            self.misses += 1
            ids = [self.ids[token] for token in merge_with_heap(piece, self.ranks)]
        else:
            self.hits += 1
        if self.max_pieces > 0:
            while len(self.cache) >= self.max_pieces:
                del self.cache[next(iter(self.cache))]
            self.cache[piece] = ids
        return list(ids)
