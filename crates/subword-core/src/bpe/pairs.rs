/*!
Pair to rank: the table that merging asks for every two neighbours.

An entry is one word, eight of them share a cache line. The pair is packed into 42 bits and multiplied
by an odd constant, which loses nothing: the product is the pair, mixed. Its top bits choose the line,
all of it stands in the entry beside the rank. A line that is full passes its entries on to the next.

```text
pair  left . right  --multiply-->  mixed           entry  mixed (42) . rank + 1 (22)       0: free
```

What the pair becomes is its rank where ranks are ids, else one more look into a list. Two bytes, the
first question of every merge, have a table of their own that fits into the second-level cache.

Why not a general hash map, or 16-byte entries with everything in them: they miss the cache more
often, and that is all that counts here.
*/

use super::{NO_RANK, splits};
use crate::arch::Lines;
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// How many bits an id has.
const ID_BITS: u32 = TokenId::BITS - MAX_ID.leading_zeros();
const PAIR_BITS: u32 = 2 * ID_BITS;
const RANK_BITS: u32 = u64::BITS - PAIR_BITS;

/// How many merges a list may have.
pub(crate) const MAX_MERGES: usize = (1 << RANK_BITS) - 2;

#[derive(Debug)]
pub(super) struct Pairs {
    lines: Lines,
    shift: u32,
    /// The merged token by rank; empty where ranks are ids.
    merged: Vec<TokenId>,
    /// The rank of two bytes.
    bytes: Vec<u32>,
}

impl Pairs {
    /// The pairs of a merge list: the rank is the position in it.
    pub(super) fn listed(vocab: &Vocab, merges: &[Pair]) -> Pairs {
        let mut joined = Vec::new();
        let merge = |&(left, right): &Pair| {
            joined.clear();
            joined.extend([left, right].iter().filter_map(|&id| vocab.bytes_of(id)).flatten());
            vocab.id_of(&joined).expect("a checked model merges to tokens")
        };
        let merged = merges.iter().map(merge).collect();
        let pairs: Vec<(Pair, u32)> = merges.iter().copied().zip(0..).collect();
        Pairs::new(vocab, &pairs, merged)
    }

    /// All pairs of tokens whose concatenation is a token: the rank is its id.
    pub(super) fn ranked(vocab: &Vocab) -> Pairs {
        let mut pairs = Vec::with_capacity(vocab.len() * 3);
        splits::each(vocab, |pair, id| pairs.push((pair, id)));
        Pairs::new(vocab, &pairs, Vec::new())
    }

    fn new(vocab: &Vocab, pairs: &[(Pair, u32)], merged: Vec<TokenId>) -> Pairs {
        // Two thirds full at most, so that few lines are.
        let lines = (pairs.len() * 3 / 2 + 1).div_ceil(8).next_power_of_two();
        let mut table = Pairs {
            lines: Lines::zeroed(lines),
            shift: PAIR_BITS - lines.trailing_zeros(),
            merged,
            bytes: Vec::new(),
        };
        pairs.iter().for_each(|&(pair, rank)| table.insert(pair, rank));
        let ids: [Option<TokenId>; 256] = std::array::from_fn(|byte| vocab.id_of(&[byte as u8]));
        let of_bytes = |at: usize| match (ids[at >> 8], ids[at & 255]) {
            (Some(left), Some(right)) => table.rank(left, right),
            _ => NO_RANK,
        };
        table.bytes = (0..1 << 16).map(of_bytes).collect();
        table
    }

    /// The pair, mixed. Modulo a power of two, a product with an odd number can be undone: no two pairs
    /// have the same.
    #[inline(always)]
    fn mix(left: TokenId, right: TokenId) -> u64 {
        let pair = u64::from(left) << ID_BITS | u64::from(right);
        pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) & ((1 << PAIR_BITS) - 1)
    }

    fn insert(&mut self, (left, right): Pair, rank: u32) {
        let mixed = Pairs::mix(left, right);
        let mask = self.lines.len() - 1;
        let mut at = (mixed >> self.shift) as usize;
        loop {
            if let Some(free) = self.lines[at & mask].iter_mut().find(|entry| **entry == 0) {
                *free = mixed << RANK_BITS | u64::from(rank + 1);
                return;
            }
            at += 1;
        }
    }

    /// The rank of a pair; `NO_RANK` if it does not merge.
    #[inline]
    pub(super) fn rank(&self, left: TokenId, right: TokenId) -> u32 {
        let mixed = Pairs::mix(left, right);
        let mask = self.lines.len() - 1;
        let mut at = (mixed >> self.shift) as usize;
        loop {
            for &entry in &self.lines[at & mask] {
                if entry >> RANK_BITS == mixed && entry != 0 {
                    return (entry & ((1 << RANK_BITS) - 1)) as u32 - 1;
                }
                if entry == 0 {
                    return NO_RANK;
                }
            }
            at += 1;
        }
    }

    /// The rank of two bytes.
    #[inline(always)]
    pub(super) fn rank_of_bytes(&self, left: u8, right: u8) -> u32 {
        self.bytes[usize::from(left) << 8 | usize::from(right)]
    }

    /// What a pair of this rank becomes.
    #[inline(always)]
    pub(super) fn merged(&self, rank: u32) -> TokenId {
        if self.merged.is_empty() { rank } else { self.merged[rank as usize] }
    }
}
