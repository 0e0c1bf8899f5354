"""A trie over the bytes of all tokens, as arrays, for programs that constrain what a model writes.

    tokens a, ab, b:    node 0 --a--> 1 --b--> 3        bytes      -1  a  b  b
                               --b--> 2                 token      -1  0  2  1
                                                        children    1  3  4  4  4

Nodes are numbered by their depth and within it by their bytes, so that the children of node ``n``
are the nodes ``children[n]`` to ``children[n + 1]``, and every child has a larger number than its
parent. It is built level by level by numpy, from tokens that are sorted once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer

Ints = npt.NDArray[np.int32]


class TokenTrie(NamedTuple):
    """The trie, node by node. Node 0 is its root."""

    #: The byte that leads to each node; -1 for the root.
    bytes: Ints
    #: Where the children of each node begin: those of ``n`` end where those of ``n + 1`` begin.
    children: Ints
    #: The id of the token that each node spells; -1 if it spells none.
    token: Ints
    #: The node that spells each id; 0 for an id without a token.
    node: Ints


def trie_of(tok: Tokenizer) -> TokenTrie:
    """The trie of all tokens but the special ones."""
    vocab = tok.vocab
    special = set(tok.special_tokens.values())
    found = sorted((token, id) for id, token in vocab.items() if token and id not in special)
    tokens, ids = [token for token, _ in found], np.array([id for _, id in found], np.int32)
    lengths = np.array([len(token) for token in tokens], np.int64)
    starts = np.cumsum(lengths) - lengths
    data = np.frombuffer(b"".join(tokens), np.uint8)

    node = np.zeros(tok.max_id + 1, np.int32)
    levels, first_children = [np.array([-1], np.int32)], []
    spelled = [np.array([-1], np.int32)]
    at = np.zeros(len(tokens), np.int64)  # the node of each token, so far, within its level
    left = np.arange(len(tokens))  # the tokens that are longer than this level is deep
    depth, total = 0, 1
    while len(left):
        letters, parents = data[starts[left] + depth], at[left]
        new = np.ones(len(left), bool)
        new[1:] = (letters[1:] != letters[:-1]) | (parents[1:] != parents[:-1])
        at[left] = np.cumsum(new) - 1
        counts = np.bincount(parents[new], minlength=len(levels[-1]))
        first_children.append(total + np.cumsum(counts) - counts)
        levels.append(letters[new].astype(np.int32))
        depth += 1
        ends = left[lengths[left] == depth]
        ends = ends[::-1]  # of two ids with the same bytes the smaller one stays
        here = np.full(len(levels[-1]), -1, np.int32)
        here[at[ends]] = ids[ends]
        spelled.append(here)
        node[ids[ends]] = total + at[ends]
        total += len(levels[-1])
        left = left[lengths[left] > depth]
    first_children.append(np.full(len(levels[-1]) + 1, total))
    return TokenTrie(
        np.concatenate(levels),
        np.concatenate(first_children).astype(np.int32),
        np.concatenate(spelled),
        node,
    )
