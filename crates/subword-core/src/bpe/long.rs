/*!
Merging by a priority queue, for pieces of any length, in near-linear time.

The tokens form a doubly linked list in an array; a token's position is that of the first token it was made from. The
queue holds `(rank, position)` of every pair that was ever adjacent, packed into one integer, so the minimum is the
lowest rank, and of equal ranks the leftmost. Nothing is deleted from the queue: an entry is stale if the pair at its
position no longer has that rank, and it is dropped when it is popped. With `a+a` (rank 0), `aaaaa` starts with four
entries:

```text
pop (0,0): aa a a a    (0,1) is stale now, position 1 is gone
pop (0,1): stale
pop (0,2): aa aa a
pop (0,3): stale
```

The queue has three parts: a sorted run that is read from front to back; a heap for entries that are added meanwhile
and come before the end of the run; and an unsorted list for entries that come after it. When run and heap are empty,
the entries of the list that are not stale are sorted and become the next run. A heap alone would miss the processor's
caches at every level of every pop, whereas a run is read in order, and in a text that repeats itself hardly any entry
goes to the heap. (Two million times `a` takes 1.9 times as long with a heap alone, 2026-11-18.)
*/

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NO_RANK;
use super::pairs::Pairs;
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::{interrupt, memory};

/// Buffers that are kept between two pieces.
#[derive(Debug, Default)]
pub struct HeapScratch {
    nodes: Vec<PieceNode>,
    queue: MergeQueue,
}

/// A token of the piece, in a doubly linked list.
#[derive(Debug, Clone, Copy)]
struct PieceNode {
    token: TokenId,
    /// The node before it, or [`EDGE`].
    prev: u32,
    /// The node after it, or [`EDGE`].
    next: u32,
    /// The rank of this token and the next; `NO_RANK` also for a node that a merge has removed.
    rank: u32,
}

/// No neighbour.
const EDGE: u32 = u32::MAX;

/// How many elements of each buffer stay allocated between two pieces; the memory beyond is freed.
const KEPT: usize = 1 << 16;

/// A look-up in the table of pairs is about as much work as reading this many bytes (see `interrupt`).
const ENTRY: usize = 16;

/// A priority queue of pairs by rank, then by position.
#[derive(Debug, Default)]
struct MergeQueue {
    /// Sorted by falling order, so that the smallest entry is popped from the end.
    run: Vec<u64>,
    /// INVARIANT: entries of the run and the heap are at most this, entries of the list at least.
    limit: u64,
    /// Entries that were added since the run was sorted and come before its end.
    heap: BinaryHeap<Reverse<u64>>,
    /// Entries that come after the end of the run, in no order.
    later: Vec<u64>,
}

impl MergeQueue {
    fn push(&mut self, rank: u32, at: u32) -> Result<()> {
        let entry = u64::from(rank) << 32 | u64::from(at);
        if entry < self.limit {
            let bytes = size_of::<u64>() * self.heap.len();
            self.heap.try_reserve(1).map_err(|_| Error::Memory { bytes })?;
            self.heap.push(Reverse(entry));
        } else {
            memory::reserve(&mut self.later, 1)?;
            self.later.push(entry);
        }
        Ok(())
    }

    fn pop(&mut self, nodes: &[PieceNode]) -> Result<Option<(u32, u32)>> {
        if self.run.is_empty() && self.heap.is_empty() {
            let fresh = |&entry: &u64| nodes[entry as u32 as usize].rank == (entry >> 32) as u32;
            self.later.retain(fresh);
            std::mem::swap(&mut self.run, &mut self.later);
            interrupt::sort_by(&mut self.run, |a, b| b.cmp(a))?;
            self.limit = self.run.first().copied().unwrap_or(0);
        }
        let in_heap = match (self.heap.peek(), self.run.last()) {
            (Some(Reverse(added)), Some(entry)) => added < entry,
            (added, _) => added.is_some(),
        };
        let added = if in_heap { self.heap.pop().map(|Reverse(entry)| entry) } else { None };
        let next = added.or_else(|| self.run.pop());
        Ok(next.map(|entry| ((entry >> 32) as u32, entry as u32)))
    }

    fn clear(&mut self) {
        self.run.clear();
        self.heap.clear();
        self.later.clear();
    }
}

/// Appends the ids of a piece, which is given as the tokens that it starts as.
pub(super) fn merge(
    pairs: &Pairs,
    piece: impl Iterator<Item = TokenId>,
    scratch: &mut HeapScratch,
    ids: &mut Vec<TokenId>,
) -> Result<()> {
    let merged = merge_all(pairs, piece, scratch, ids);
    let HeapScratch { nodes, queue } = scratch;
    nodes.clear();
    queue.clear();
    nodes.shrink_to(KEPT);
    queue.run.shrink_to(KEPT);
    queue.heap.shrink_to(KEPT);
    queue.later.shrink_to(KEPT);
    merged
}

fn merge_all(
    pairs: &Pairs,
    piece: impl Iterator<Item = TokenId>,
    scratch: &mut HeapScratch,
    ids: &mut Vec<TokenId>,
) -> Result<()> {
    let HeapScratch { nodes, queue } = scratch;
    fill(pairs, piece, nodes)?;
    queue.limit = 0;
    for (rank, at) in nodes.iter().map(|node| node.rank).zip(0..) {
        if rank != NO_RANK {
            queue.push(rank, at)?;
        }
    }
    while let Some((rank, at)) = queue.pop(nodes)? {
        interrupt::worked(ENTRY)?;
        let node = nodes[at as usize];
        if node.rank != rank {
            continue;
        }
        let after = nodes[node.next as usize].next;
        nodes[node.next as usize].rank = NO_RANK;
        nodes[at as usize] = PieceNode { token: pairs.merged(rank), next: after, ..node };
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
                queue.push(rank, left)?;
            }
        }
    }
    let mut at = 0;
    while at != EDGE {
        memory::extend(ids, &[nodes[at as usize].token])?;
        at = nodes[at as usize].next;
    }
    Ok(())
}

/// Makes one node for each token that the piece starts as, linked in order.
fn fill(
    pairs: &Pairs,
    piece: impl Iterator<Item = TokenId>,
    nodes: &mut Vec<PieceNode>,
) -> Result<()> {
    nodes.clear();
    for (at, token) in (0u32..).zip(piece) {
        interrupt::worked(ENTRY)?;
        memory::reserve(nodes, 1)?;
        if let Some(last) = nodes.last_mut() {
            last.next = at;
            last.rank = pairs.rank(last.token, token);
        }
        nodes.push(PieceNode { token, prev: at.wrapping_sub(1), next: EDGE, rank: NO_RANK });
    }
    Ok(())
}
