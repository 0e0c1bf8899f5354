//! The table of long pieces: bytes and ids in two arenas behind an open-addressed table.

use super::LONGEST;
use super::table::power_of_two_below;
use crate::types::TokenId;
use crate::vocab::hash;

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
}

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
            most_bytes: bytes / 2,
            most_ids: bytes / 4 / size_of::<TokenId>(),
            taken: 0,
        }
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
        let slot = &self.slots[self.find(piece, part, hash(piece) as u32)];
        let ids = slot.ids_at as usize..slot.ids_at as usize + slot.ids_len as usize;
        (slot.bytes_len > 0).then(|| &self.ids[ids])
    }

    pub(super) fn insert(&mut self, piece: &[u8], part: bool, ids: &[TokenId]) {
        if piece.len() > LONGEST || ids.len() > LONGEST || self.most_slots == 0 {
            return;
        }
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); self.most_slots];
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
        let hash = hash(piece) as u32;
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
