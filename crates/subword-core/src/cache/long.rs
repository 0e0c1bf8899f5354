//! The table of long pieces: two maps, bounded by about how much memory they use. The hash of a map has a random
//! key, so that no text can choose pieces that all stand in one corner of it.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use super::LONGEST;
use crate::seed::Seed;
use crate::types::TokenId;
use crate::vocab::hash;

/// About how much memory an entry uses besides its piece and its ids: slots of a map that is half empty, and what
/// the allocator adds to two allocations.
const ENTRY: usize = 128;

type Pieces = HashMap<Box<[u8]>, Box<[TokenId]>, PieceHash>;

/// Hashes pieces as a vocabulary does. PERF: half of the time that a line of Chinese takes to be found was the hash
/// of the standard library (2026-11-18).
#[derive(Debug, Clone, Default)]
struct PieceHash(Seed);

struct PieceHasher {
    seed: Seed,
    state: u64,
}

impl BuildHasher for PieceHash {
    type Hasher = PieceHasher;

    fn build_hasher(&self) -> PieceHasher {
        PieceHasher { seed: self.0, state: 0 }
    }
}

impl Hasher for PieceHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.state ^= hash(bytes, self.seed);
    }

    /// The length, which is part of the hash already.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.state
    }
}

/// The table of long pieces.
#[derive(Debug, Default)]
pub(super) struct Long {
    /// Whole pieces, and those that are parts of longer ones.
    pieces: [Pieces; 2],
    /// About how many bytes they use.
    used: usize,
    /// The most bytes that they may use.
    most: usize,
}

impl Long {
    /// An empty table that uses at most `bytes`.
    pub(super) fn new(bytes: usize) -> Long {
        Long { most: bytes, ..Long::default() }
    }

    /// The ids of a piece.
    #[inline]
    pub(super) fn get(&self, piece: &[u8], part: bool) -> Option<&[TokenId]> {
        self.pieces[usize::from(part)].get(piece).map(|ids| &ids[..])
    }

    /// Inserts a piece; if the table is full, it starts afresh.
    pub(super) fn insert(&mut self, piece: &[u8], part: bool, ids: &[TokenId]) {
        let bytes = ENTRY + piece.len() + size_of_val(ids);
        if piece.len() > LONGEST || ids.len() > LONGEST || bytes > self.most {
            return;
        }
        if self.used + bytes > self.most {
            *self = Long::new(self.most);
        }
        let pieces = &mut self.pieces[usize::from(part)];
        // What there is no memory for is not remembered.
        if pieces.try_reserve(1).is_ok() && pieces.insert(piece.into(), ids.into()).is_none() {
            self.used += bytes;
        }
    }

    /// About how much memory it uses.
    #[cfg(test)]
    pub(super) fn used(&self) -> usize {
        self.used
    }
}
