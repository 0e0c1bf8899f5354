//! The table of long pieces: bytes and ids in two arenas behind an open-addressed table. Its hash is keyed,
//! so that no text can choose pieces that all stand in one corner of it.

use super::LONGEST;
use super::table::power_of_two_below;
use crate::memory;
use crate::seed::Seed;
use crate::types::TokenId;
use crate::vocab::hash;

/// How many slots there are at first.
const FIRST: usize = 1 << 18;

/// The table of long pieces.
#[derive(Debug)]
pub(super) struct Long {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    ids: Vec<TokenId>,
    /// How large they may be; no slots until the first piece.
    most_slots: usize,
    most_bytes: usize,
    most_ids: usize,
    taken: usize,
    /// The key of the hash.
    seed: Seed,
}

/// How large an arena may be: places in it are 32-bit numbers.
const MOST: usize = u32::MAX as usize;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u32,
    bytes_at: u32,
    ids_at: u32,
    /// 0: free.
    bytes_len: u8,
    ids_len: u8,
    part: bool,
}

impl Long {
    /// A quarter of the memory for slots, a quarter for ids, half for the pieces.
    pub(super) fn new(bytes: usize) -> Long {
        Long {
            slots: Vec::new(),
            most_slots: power_of_two_below(bytes / 4 / size_of::<Slot>()),
            bytes: Vec::new(),
            ids: Vec::new(),
            most_bytes: (bytes / 2).min(MOST),
            most_ids: (bytes / 4 / size_of::<TokenId>()).min(MOST),
            taken: 0,
            seed: Seed::default(),
        }
    }

    /// Makes the first slots, or four times as many.
    fn grow(&mut self) {
        let len = (4 * self.slots.len()).max(FIRST).min(self.most_slots);
        let mut slots = Vec::new();
        if memory::fill_up(&mut slots, len, Slot::default()).is_err() {
            self.most_slots = self.slots.len();
            return;
        }
        for slot in self.slots.iter().filter(|slot| slot.bytes_len > 0) {
            let free = |&at: &usize| slots[at & (len - 1)].bytes_len == 0;
            let at = (slot.hash as usize..).find(free).unwrap_or(0);
            slots[at & (len - 1)] = *slot;
        }
        self.slots = slots;
    }

    /// The slot that holds the piece, or the free one where it would go.
    #[inline]
    fn find(&self, piece: &[u8], part: bool, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.slots[at];
            let bytes = slot.bytes_at as usize..slot.bytes_at as usize + slot.bytes_len as usize;
            if slot.bytes_len == 0
                || slot.hash == hash && slot.part == part && &self.bytes[bytes] == piece
            {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    pub(super) fn get(&self, piece: &[u8], part: bool) -> Option<&[TokenId]> {
        if self.slots.is_empty() || piece.len() > LONGEST {
            return None;
        }
        let slot = &self.slots[self.find(piece, part, hash(piece, self.seed) as u32)];
        let ids = slot.ids_at as usize..slot.ids_at as usize + slot.ids_len as usize;
        (slot.bytes_len > 0).then(|| &self.ids[ids])
    }

    pub(super) fn insert(&mut self, piece: &[u8], part: bool, ids: &[TokenId]) {
        if piece.len() > LONGEST || ids.len() > LONGEST || self.most_slots == 0 {
            return;
        }
        // What there is no memory for is not remembered.
        if self.taken >= self.slots.len() / 2 && self.slots.len() < self.most_slots {
            self.grow();
        }
        if self.slots.is_empty()
            || memory::reserve(&mut self.bytes, piece.len()).is_err()
            || memory::reserve(&mut self.ids, ids.len()).is_err()
        {
            return;
        }
        let full = self.taken >= self.slots.len() / 2
            || self.bytes.len() + piece.len() > self.most_bytes
            || self.ids.len() + ids.len() > self.most_ids;
        if full {
            self.slots.fill(Slot::default());
            self.bytes.clear();
            self.ids.clear();
            self.taken = 0;
            if piece.len() > self.most_bytes || ids.len() > self.most_ids || self.slots.len() < 2 {
                return;
            }
        }
        let hash = hash(piece, self.seed) as u32;
        let at = self.find(piece, part, hash);
        self.slots[at] = Slot {
            hash,
            bytes_at: self.bytes.len() as u32,
            ids_at: self.ids.len() as u32,
            bytes_len: piece.len() as u8,
            ids_len: ids.len() as u8,
            part,
        };
        self.bytes.extend_from_slice(piece);
        self.ids.extend_from_slice(ids);
        self.taken += 1;
    }
}

impl Long {
    /// How much memory it uses.
    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        size_of_val(&*self.slots) + self.bytes.len() + size_of_val(&*self.ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_flood_a_table_with_a_known_key_are_ordinary_under_a_secret_one() {
        let known = Seed { first: 1, second: 0, odd: 0x9E37_79B9_7F4A_7C15 };
        let piece = |i: u64| [i.wrapping_mul(0x5DEE_CE66_D1CE_4E5B).to_le_bytes(); 4].concat();
        let is_chosen = |piece: &Vec<u8>| hash(piece, known) & 0xFFF < 0x3F;
        let chosen: Vec<Vec<u8>> = (0..).map(piece).filter(is_chosen).take(1000).collect();
        let filled = |seed: Seed| {
            let mut long = Long { seed, ..Long::new(1 << 20) };
            chosen.iter().for_each(|piece| long.insert(piece, false, &[7]));
            let mask = long.slots.len() - 1;
            let steps = |piece: &Vec<u8>| {
                let hash = hash(piece, seed) as u32;
                long.find(piece, false, hash).wrapping_sub(hash as usize) & mask
            };
            assert!(chosen.iter().all(|piece| long.get(piece, false) == Some(&[7][..])));
            chosen.iter().map(steps).sum::<usize>() / chosen.len()
        };
        assert!(filled(known) > 50, "{}", filled(known));
        assert!(filled(Seed::default()) < 10, "{}", filled(Seed::default()));
    }

    #[test]
    fn no_arena_is_larger_than_its_places_can_say() {
        let long = Long::new(1 << 42);
        assert_eq!((long.most_bytes, long.most_ids), (MOST, MOST));
    }
}
