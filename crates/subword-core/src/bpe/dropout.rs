/*!
Merging with some merges left out: see [`crate::dropout`].

As in `long`, a queue over a linked list; but a pair that comes out of the queue may be set aside, and comes back after
the next one that is not. So a pair can be popped long after it was made. It counts if the pair that stands at its
place now makes the same token, as in Hugging Face's library. A whole piece that is a token has no privilege here.
*/

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::first::KEPT;
use super::pairs::Pairs;
use super::{Merged, Merger, NO_RANK};
use crate::dropout::Dropout;
use crate::error::Result;
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, memory};

/// No neighbour.
const EDGE: u32 = u32::MAX;

/// Taking a pair out of the queue is about as much work as reading this many bytes.
const POP: usize = 16;

/// A token of a piece, in a doubly linked list.
#[derive(Debug, Clone, Copy)]
struct Node {
    token: TokenId,
    before: u32,
    after: u32,
    /// It was merged into the one before it.
    gone: bool,
}

impl Merger {
    /// Appends the ids of a whole piece, without the merges that are left out. Returns where the first unit starts that
    /// has no token, if there is one; then nothing is appended.
    pub(crate) fn encode_with_dropout(
        &self,
        vocab: &Vocab,
        piece: &[u8],
        dropout: &mut Dropout,
        merged: &mut Merged,
        ids: &mut Vec<TokenId>,
    ) -> Result<Option<usize>> {
        let tokens = &mut merged.tokens;
        let missing = self.first_tokens(vocab, piece, true, tokens)?;
        if missing.is_none() {
            merge(&self.tables(vocab)?.pairs, tokens, dropout, ids)?;
        }
        tokens.clear();
        tokens.shrink_to(KEPT);
        Ok(missing)
    }
}

/// Appends the ids of a piece, which is given as the tokens that it starts as.
fn merge(
    pairs: &Pairs,
    tokens: &[TokenId],
    dropout: &mut Dropout,
    ids: &mut Vec<TokenId>,
) -> Result<()> {
    let node = |(at, &token): (u32, &TokenId)| {
        let after = if at as usize + 1 == tokens.len() { EDGE } else { at + 1 };
        Node { token, before: at.wrapping_sub(1), after, gone: false }
    };
    let mut nodes = memory::with_capacity(tokens.len())?;
    nodes.extend((0u32..).zip(tokens).map(node));
    let mut queue = BinaryHeap::new();
    let candidate = |nodes: &[Node], at: u32| {
        let left = nodes.get(at as usize)?;
        let rank = pairs.rank(left.token, nodes.get(left.after as usize)?.token);
        (rank != NO_RANK).then_some(Reverse((rank, at)))
    };
    queue.extend((0..nodes.len() as u32).filter_map(|at| candidate(&nodes, at)));
    let mut aside = Vec::new();
    while let Some(popped) = queue.pop() {
        interrupt::worked(POP)?;
        if dropout.leaves_out() {
            aside.push(popped);
            continue;
        }
        queue.extend(aside.drain(..));
        let Reverse((rank, at)) = popped;
        let left = nodes[at as usize];
        let made = pairs.merged(rank);
        let now = candidate(&nodes, at).filter(|_| !left.gone);
        if now.is_none_or(|Reverse((rank, _))| pairs.merged(rank) != made) {
            continue;
        }
        let right = nodes[left.after as usize];
        nodes[left.after as usize].gone = true;
        nodes[at as usize] = Node { token: made, after: right.after, ..left };
        if right.after != EDGE {
            nodes[right.after as usize].before = at;
        }
        queue.extend([left.before, at].into_iter().filter_map(|at| candidate(&nodes, at)));
    }
    nodes.iter().filter(|node| !node.gone).try_for_each(|node| memory::extend(ids, &[node.token]))
}
