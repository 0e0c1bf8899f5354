"""The libraries that run SentencePiece's BPE out of a ``tokenizer.json``, behind the same class.

As for WordPiece: a list of lines in, flat ids and their offsets out, one thread, no special tokens.
tokenizers is the reference.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from libraries.wordpiece import REFERENCE, Flat, Loaded, Peer, Subword, Tokenizers

__all__ = ["PEERS", "REFERENCE"]


class Gigatoken(Peer):
    name = "gigatoken"

    def load(self, path: Path) -> Loaded:
        tokenizer = self.start().Tokenizer(str(path))
        encode = partial(tokenizer.backend.encode_batch, parallel=False)

        def flat(answer: Any) -> Flat:
            layout = answer.layout
            offsets = np.asarray(layout.offsets.data, dtype=np.int64)
            ids = np.asarray(layout.content.data)[offsets[0] : offsets[-1]]
            return ids.astype(np.uint32), offsets - offsets[0]

        return Loaded(encode, flat, lambda text: tokenizer.backend.encode(text).tolist())


PEERS: dict[str, Peer] = {peer.name: peer for peer in (Subword(), Tokenizers(), Gigatoken())}
