"""The libraries that run BERT's WordPiece, each behind the same small class.

    loaded = peer.load(path)             read bert-base-uncased's tokenizer.json
    answer = loaded.encode(lines)        all lines: flat ids, and where each line ends
    loaded.flat(answer)                  the same as two arrays, which is not timed
    loaded.to_list(text)                 ids of one text as a list

No special tokens around a text, none that are looked for in it where that can be chosen, one
thread, and the fastest way that the public names offer. tokenizers is the reference: its ids are
those that users of BERT models have, and its time is the 1 of every ratio.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from libraries import OURS, Library
from libraries.encoders import Ids

REFERENCE = "tokenizers"

#: The ids of all lines, and where each line starts and ends among them.
Flat = tuple[Ids, npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Loaded:
    """A library with the vocabulary in it."""

    encode: Callable[[list[str]], Any]
    flat: Callable[[Any], Flat]
    to_list: Callable[[str], list[int]]


class Peer(Library):
    """A library that encodes by WordPiece. ``at_most`` bytes keep a slow one bearable."""

    at_most: ClassVar[int | None] = None

    @abstractmethod
    def load(self, path: Path) -> Loaded:
        """Read the vocabulary."""


class Subword(Peer):
    name = OURS

    def load(self, path: Path, *, threads: int = 1, **options: bool) -> Loaded:
        tokenizer = self.start().Tokenizer.load(path, **options)
        encode = partial(tokenizer.encode_batch_arrays, threads=threads)
        return Loaded(encode, lambda answer: (answer[0], answer[1]), tokenizer.encode)


class Tokenizers(Peer):
    name = REFERENCE
    at_most = 1_000_000
    rounds = 7

    def load(self, path: Path) -> Loaded:
        tokenizer = self.start().Tokenizer.from_file(str(path))
        tokenizer.no_truncation()
        tokenizer.no_padding()

        def encode(lines: list[str]) -> Flat:
            found = tokenizer.encode_batch_fast(lines, add_special_tokens=False)
            each = [encoding.ids for encoding in found]
            ids = np.fromiter(chain.from_iterable(each), dtype=np.uint32)
            return ids, np.array([0, *accumulate(map(len, each))], dtype=np.int64)

        def to_list(text: str) -> list[int]:
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
            return ids

        return Loaded(encode, lambda answer: answer, to_list)


class Nanotoken(Peer):
    name = "nanotoken"

    def load(self, path: Path) -> Loaded:
        tokenizer = self.start().Tokenizer(str(path))
        encode = partial(tokenizer.encode_batch, add_special_tokens=False, parallel=False)

        def flat(answer: Any) -> Flat:
            return np.asarray(answer.ids), np.asarray(answer.offsets, dtype=np.int64)

        return Loaded(
            encode,
            flat,
            lambda text: tokenizer.encode(text, add_special_tokens=False).tolist(),
        )


class Tokie(Peer):
    name = "tokie"
    rounds = 3

    def load(self, path: Path) -> Loaded:
        tokenizer = self.start().Tokenizer.from_json(str(path))
        encode = partial(tokenizer.encode_batch_flat, add_special_tokens=False)

        def flat(answer: Any) -> Flat:
            ids, lengths = answer
            return ids, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

        def to_list(text: str) -> list[int]:
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
            return ids

        return Loaded(encode, flat, to_list)


PEERS: dict[str, Peer] = {
    peer.name: peer for peer in (Subword(), Tokenizers(), Nanotoken(), Tokie())
}
