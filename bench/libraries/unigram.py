"""The libraries that run a Unigram ``tokenizer.json``: as for WordPiece, the same reference."""

from __future__ import annotations

from libraries.wordpiece import Peer, Subword, Tokenizers, Tokie

__all__ = ["PEERS"]

PEERS: dict[str, Peer] = {peer.name: peer for peer in (Subword(), Tokenizers(), Tokie())}
