/*!
Merging by a scan, for pieces of up to 64 bytes.

A node per byte in small arrays, linked forwards and backwards; a merge takes the right node out of
the chain. `keys[i]` is the rank of the pair that starts at node i with i itself below it, so the
least key is the lowest rank and of those the leftmost, and to find it is one pass of minima over an
array of words, which compilers turn into a few vector instructions. O(n²), and for a word no heap is
as fast.

```text
      l     o     w     e     r          keys  l+o o+w w+e e+r  -
      lo    .     w     e     r                lo+w -  w+e e+r  -
```
*/

use super::pairs::Pairs;
use super::{LONGEST_SHORT, NO_RANK};
use crate::types::TokenId;

/// No pair starts here.
const NO_KEY: u32 = u32::MAX;

/// The bits of a key that are the node.
const NODE_BITS: u32 = 8;

/// Appends the ids that merging the piece gives; `tokens` are the ids of its bytes.
pub(super) fn merge(
    pairs: &Pairs,
    piece: &[u8],
    byte_ids: &[TokenId; 256],
    ids: &mut Vec<TokenId>,
) {
    let len = piece.len();
    let mut tokens = [0; LONGEST_SHORT];
    let mut keys = [NO_KEY; LONGEST_SHORT];
    // The node after and before each, one off: 0 is the edge.
    let mut next = [0u8; LONGEST_SHORT + 1];
    let mut prev = [0u8; LONGEST_SHORT + 1];
    for (at, &byte) in piece.iter().enumerate() {
        tokens[at] = byte_ids[usize::from(byte)];
        next[at] = at as u8 + 1;
        prev[at + 1] = at as u8;
    }
    let key = |rank: u32, at: usize| match rank {
        NO_RANK => NO_KEY,
        rank => rank << NODE_BITS | at as u32,
    };
    for (at, two) in piece.windows(2).enumerate() {
        keys[at] = key(pairs.rank_of_bytes(two[0], two[1]), at);
    }
    // Whole groups of eight, so that the minimum has no rest to treat apart.
    let groups = len.div_ceil(8);
    loop {
        let least =
            keys.as_chunks::<8>().0[..groups].iter().flatten().fold(NO_KEY, |a, &b| a.min(b));
        if least == NO_KEY {
            break;
        }
        let at = (least & ((1 << NODE_BITS) - 1)) as usize;
        let gone = usize::from(next[at]);
        let after = usize::from(next[gone]);
        tokens[at] = pairs.merged(least >> NODE_BITS);
        next[at] = after as u8;
        prev[after] = at as u8;
        keys[gone] = NO_KEY;
        keys[at] = match after {
            after if after < len => key(pairs.rank(tokens[at], tokens[after]), at),
            _ => NO_KEY,
        };
        if at > 0 {
            let before = usize::from(prev[at]);
            keys[before] = key(pairs.rank(tokens[before], tokens[at]), before);
        }
    }
    let mut at = 0;
    while at < len {
        ids.push(tokens[at]);
        at = usize::from(next[at]);
    }
}
