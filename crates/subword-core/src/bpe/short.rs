/*!
Merging by a scan: tokens and the merge of each with its right neighbour side by side in small
arrays.

Each round scans for the lowest rank and closes the gap that the merge leaves: O(n²), but for the
few dozen bytes of a word the arrays stay in registers and first-level cache, and no heap is as
fast.
*/

use super::NO_RANK;
use super::pairs::{Merged, Pairs};
use crate::types::TokenId;

#[derive(Debug, Default)]
pub(super) struct Scratch {
    tokens: Vec<TokenId>,
    /// `merges[i]`: what `tokens[i]` and `tokens[i + 1]` become.
    merges: Vec<Merged>,
}

pub(super) fn merge(
    pairs: &Pairs,
    piece: impl Iterator<Item = TokenId>,
    scratch: &mut Scratch,
    ids: &mut Vec<TokenId>,
) {
    let Scratch { tokens, merges } = scratch;
    tokens.clear();
    tokens.extend(piece);
    merges.clear();
    merges.extend(tokens.windows(2).map(|two| pairs.get(two[0], two[1])));
    loop {
        let mut best = (NO_RANK, 0);
        for (at, merge) in merges.iter().enumerate() {
            if merge.rank < best.0 {
                best = (merge.rank, at);
            }
        }
        let (rank, at) = best;
        if rank == NO_RANK {
            break;
        }
        tokens[at] = merges[at].id;
        tokens.remove(at + 1);
        merges.remove(at);
        if at > 0 {
            merges[at - 1] = pairs.get(tokens[at - 1], tokens[at]);
        }
        if at < merges.len() {
            merges[at] = pairs.get(tokens[at], tokens[at + 1]);
        }
    }
    ids.extend_from_slice(tokens);
}
