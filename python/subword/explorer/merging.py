"""Which merge makes a token: of one token at once, of all of them when somebody asks for that.

A tokenizer by rank has no list of merges. Its list has to be found token by token, which takes the
engine 0.4 s for the 200,000 tokens of o200k, and the tables of Python that are made of it some
seconds more. A page that shows one token, or a screen of them, needs the merges of these alone:

* `made` merges the bytes of the one token with all other tokens; the two parts that are left are
  its merge. By list it is a look into the list, which is there.
* `unreachable` and `larger` need the whole list. They are made when they are first asked for, and
  kept.

    >>> from subword import BpeTrainer
    >>> tok = BpeTrainer(num_merges=3).train_iter(["low low lower lower newer"])
    >>> merging = Merging(Explored("tok", tok))
    >>> merging.made(b"low"), merging.made(b"l")
    ((1, (b'l', b'ow')), None)
    >>> merging.larger[b"low"]
    []
    >>> merging.larger[b"ow"]
    [b'low']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from subword import ModelFormatError, Tokenizer
from subword.explorer.explored import Explored, Pair
from subword.reference.heap_linked import merge_with_heap

#: A token of more bytes is not merged in Python: it waits for the list of all tokens.
MOST_MERGED = 1000


class JoinedRanks(Mapping[Pair, int]):
    """The ranks of pairs by the rule of token ranks: that of the token which a pair makes.

    The token that is looked at has no rank, nor has what is longer: merging ends one step before.
    """

    def __init__(self, ids: Mapping[bytes, int], size: int) -> None:
        self.ids = ids
        self.size = size

    def __getitem__(self, pair: Pair) -> int:
        joined = pair[0] + pair[1]
        if len(joined) >= self.size:
            raise KeyError(pair)
        return self.ids[joined]

    def __iter__(self) -> Iterator[Pair]:
        raise NotImplementedError("pairs are looked up, not listed")

    def __len__(self) -> int:
        return len(self.ids)


class Merging:
    """The merges of a tokenizer, by the token that they make."""

    def __init__(self, explored: Explored) -> None:
        self.tok = explored.tok
        self.explored = explored
        self.by_rank = self.tok.kind == "ranks"
        self.known: dict[bytes, tuple[int, Pair] | None] = {}

    def made(self, token: bytes) -> tuple[int, Pair] | None:
        """The first merge that makes a token, with its rank; None if there is none."""
        if not self.explored.merging or len(token) < 2:
            return None
        if not self.by_rank or len(token) > MOST_MERGED or "listed" in self.__dict__:
            return self.listed.get(token)
        if token not in self.known:
            self.known[token] = self._last_merge(token)
        return self.known[token]

    def _last_merge(self, token: bytes) -> tuple[int, Pair] | None:
        id = self.explored.ids.get(token)
        parts = merge_with_heap(token, JoinedRanks(self.explored.ids, len(token)))
        if id is None or len(parts) != 2:
            return None
        return id, (parts[0], parts[1])

    @cached_property
    def listed(self) -> dict[bytes, tuple[int, Pair]]:
        """The first merge of every token, with its rank."""
        found: dict[bytes, tuple[int, Pair]] = {}
        for place, pair in enumerate(self.tok.merges):
            token = pair[0] + pair[1]
            rank = self.explored.ids.get(token, place) if self.by_rank else place
            found.setdefault(token, (rank, pair))
        return found

    @cached_property
    def ranks(self) -> dict[Pair, int]:
        """The rank of every pair of the list."""
        return {pair: rank for rank, pair in enumerate(self.tok.merges)}

    @cached_property
    def larger(self) -> Mapping[bytes, list[bytes]]:
        """The tokens that each token is a part of, by rising rank."""
        found: dict[bytes, list[bytes]] = defaultdict(list)
        for left, right in self.tok.merges if self.explored.merging else []:
            found[left].append(left + right)
            if left != right:
                found[right].append(left + right)
        return found

    @cached_property
    def unreachable(self) -> set[int]:
        """The ids of tokens that no merge makes, or that merging their own bytes does not give."""
        if not self.explored.merging:
            return set()
        ordinary = {id: token for token, id in self.explored.ids.items()}
        missing = {
            id for id, b in ordinary.items() if not self.is_first(b) and b not in self.listed
        }
        # By rank the list has what merging gives. What starts from characters or has a mark at the
        # end of words cannot be merged without its pattern.
        if self.by_rank or not self._is_plain:
            return missing
        try:
            plain = Tokenizer(ordinary, self.tok.merges, pattern="none")
        except ModelFormatError:  # a byte is a special token: then the list is all that is known
            return missing
        found = plain.encode_batch([*ordinary.values()])
        return {id for id, ids in zip(ordinary, found, strict=True) if ids != [id]}

    def is_unreachable(self, token: bytes) -> bool:
        """The same of one ordinary token."""
        if not self.explored.merging or self.is_first(token):
            return False
        if "unreachable" in self.__dict__ or len(token) > MOST_MERGED:
            return self.explored.ids[token] in self.unreachable
        if self.made(token) is None:
            return True
        if self.by_rank or not self._is_plain:
            return False
        return merge_with_heap(token, self.ranks) != [token]

    @property
    def _is_plain(self) -> bool:
        """Whether merging starts from plain bytes."""
        return self.tok.units == "bytes" and self.tok.end_of_word is None

    def is_first(self, token: bytes) -> bool:
        """Whether merging starts from it: a byte or a character, the mark, or both in one."""
        unit = token.removesuffix((self.tok.end_of_word or "").encode())
        return len(unit if self.tok.units == "bytes" else unit.decode(errors="replace")) <= 1
