/*!
Merging by a heap: near-linear, whatever the length.

The tokens form a doubly linked list in arrays; position i is the byte where the token starts. The
heap holds `(rank, position)` of every pair that was ever adjacent, packed into one integer, so the
minimum is the lowest rank and of those the leftmost. Nothing is deleted from it: an entry is stale,
and dropped when it comes up, if the pair at its position no longer has that rank. With `a+a` (rank
0), `aaaaa` starts with four entries:

```text
pop (0,0): aa a a a    (0,1) is stale now, position 1 is gone
pop (0,1): stale
pop (0,2): aa aa a
pop (0,3): stale
```
*/

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NO_RANK;
use super::pairs::Pairs;
use crate::types::TokenId;

#[derive(Debug, Default)]
pub(super) struct Scratch {
    nodes: Vec<Node>,
    heap: BinaryHeap<Reverse<u64>>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    token: TokenId,
    prev: u32,
    next: u32,
    /// The rank of this token and the next; `NO_RANK` also for a node that a merge has removed.
    rank: u32,
}

/// No neighbour.
const EDGE: u32 = u32::MAX;

/// What stays allocated between two pieces: a longer one gives its memory back.
const KEPT: usize = 1 << 16;

pub(super) fn merge(
    pairs: &Pairs,
    piece: impl Iterator<Item = TokenId>,
    scratch: &mut Scratch,
    ids: &mut Vec<TokenId>,
) {
    let Scratch { nodes, heap } = scratch;
    fill(pairs, piece, nodes);
    let entry = |rank: u32, at: u32| Reverse(u64::from(rank) << 32 | u64::from(at));
    let live = (0..).zip(nodes.iter()).filter(|(_, node)| node.rank != NO_RANK);
    let mut entries = std::mem::take(heap).into_vec();
    entries.clear();
    entries.extend(live.map(|(at, node)| entry(node.rank, at)));
    *heap = BinaryHeap::from(entries);

    while let Some(Reverse(packed)) = heap.pop() {
        let (rank, at) = ((packed >> 32) as u32, packed as u32);
        let node = nodes[at as usize];
        if node.rank != rank {
            continue;
        }
        let after = nodes[node.next as usize].next;
        nodes[node.next as usize].rank = NO_RANK;
        nodes[at as usize] = Node { token: pairs.merged(rank), next: after, ..node };
        if after != EDGE {
            nodes[after as usize].prev = at;
        }
        for left in [node.prev, at] {
            if left == EDGE {
                continue;
            }
            let right = nodes[left as usize].next;
            let rank = match right {
                EDGE => NO_RANK,
                _ => pairs.rank(nodes[left as usize].token, nodes[right as usize].token),
            };
            nodes[left as usize].rank = rank;
            if rank != NO_RANK {
                heap.push(entry(rank, left));
            }
        }
    }

    let mut at = 0;
    while at != EDGE {
        ids.push(nodes[at as usize].token);
        at = nodes[at as usize].next;
    }
    nodes.clear();
    nodes.shrink_to(KEPT);
    heap.shrink_to(KEPT);
}

/// One node per byte, linked in order.
fn fill(pairs: &Pairs, piece: impl Iterator<Item = TokenId>, nodes: &mut Vec<Node>) {
    nodes.clear();
    for (at, token) in (0u32..).zip(piece) {
        if let Some(last) = nodes.last_mut() {
            last.next = at;
            last.rank = pairs.rank(last.token, token);
        }
        nodes.push(Node { token, prev: at.wrapping_sub(1), next: EDGE, rank: NO_RANK });
    }
}
