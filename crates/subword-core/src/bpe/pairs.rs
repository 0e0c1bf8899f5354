/*!
Pair to rank and merged token: an open-addressed table of 16-byte entries.

The key is the pair packed into one integer, the slot its product with an odd constant. At most half
of the slots are taken, so a lookup is one cache line and nearly always one comparison, found or
not.
*/

use super::{NO_RANK, splits};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

#[derive(Debug)]
pub(super) struct Pairs {
    slots: Vec<Slot>,
    shift: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    merged: Merged,
}

/// What a pair becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) rank: u32,
    pub(super) id: TokenId,
}

impl Merged {
    pub(super) const NONE: Merged = Merged { rank: NO_RANK, id: 0 };
}

/// No pair packs into this: ids are below 2²⁴.
const FREE: u64 = u64::MAX;

fn pack((left, right): Pair) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    /// The pairs of a merge list: the rank is the position in it.
    pub(super) fn listed(vocab: &Vocab, merges: &[Pair]) -> Pairs {
        let mut pairs = Pairs::with_room_for(merges.len());
        let mut joined = Vec::new();
        for (rank, &(left, right)) in (0..).zip(merges) {
            joined.clear();
            joined.extend([left, right].iter().filter_map(|&id| vocab.bytes_of(id)).flatten());
            let id = vocab.id_of(&joined).expect("a checked model merges to tokens");
            pairs.insert((left, right), Merged { rank, id });
        }
        pairs
    }

    /// All pairs of tokens whose concatenation is a token: the rank is its id.
    pub(super) fn ranked(vocab: &Vocab) -> Pairs {
        let mut found = Vec::with_capacity(vocab.len() * 3);
        splits::each(vocab, |pair, id| found.push((pair, Merged { rank: id, id })));
        let mut pairs = Pairs::with_room_for(found.len());
        found.into_iter().for_each(|(pair, merged)| pairs.insert(pair, merged));
        pairs
    }

    fn with_room_for(len: usize) -> Pairs {
        let slots = (len * 2).next_power_of_two().max(2);
        let free = Slot { key: FREE, merged: Merged::NONE };
        Pairs { slots: vec![free; slots], shift: 64 - slots.trailing_zeros() }
    }

    fn insert(&mut self, pair: Pair, merged: Merged) {
        let key = pack(pair);
        let mask = self.slots.len() - 1;
        let mut at = self.slot_of(key);
        while self.slots[at].key != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { key, merged };
    }

    #[inline]
    fn slot_of(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// What the pair becomes; `Merged::NONE` if it does not merge.
    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Merged {
        let key = pack((left, right));
        let mask = self.slots.len() - 1;
        let mut at = self.slot_of(key);
        loop {
            let slot = &self.slots[at & mask];
            if slot.key == key || slot.key == FREE {
                return slot.merged;
            }
            at += 1;
        }
    }
}
