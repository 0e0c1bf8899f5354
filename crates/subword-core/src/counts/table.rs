/*!
Piece to count, in memory: the table that the hot loop of counting fills.

The table is cut into [`SHARDS`] by the top bits of the hash (`shard`). A shard grows by itself, so
growing never holds more than a sixteenth of the pieces twice, and the tables of several threads are
added shard by shard: a shard is freed as soon as it was added, and shards can be added in parallel.

A look-up usually reads one cache line. [`CountTable::prefetch`] builds the key of a piece and
prefetches that line, so a batch of pieces waits for memory once and not once per piece.

INVARIANT: a piece has one entry. Its shard and its first place in it are functions of its bytes and of
the key of the hash, which all tables of a process share (see `seed`).
*/

use super::key::Probe;
use super::shard::Shard;
use crate::error::Result;
use crate::seed::Seed;
use crate::types::Count;

/// How many parts a table has.
pub const SHARDS: usize = 1 << SHARD_BITS;
pub(super) const SHARD_BITS: u32 = 4;

/// In a place of the whole table, the number of the shard stands above this bit.
const SHARD_SHIFT: u32 = 56;

/// Piece to count.
#[derive(Debug, Clone)]
pub struct CountTable {
    shards: Box<[Shard; SHARDS]>,
    /// The key of the hash.
    seed: Seed,
}

impl Default for CountTable {
    fn default() -> Self {
        CountTable::with_shards(Seed::default(), Shard::new)
    }
}

impl CountTable {
    /// Shards that share the key of the hash.
    fn with_shards(seed: Seed, shard: impl Fn(Seed) -> Shard) -> CountTable {
        CountTable { shards: Box::new(std::array::from_fn(|_| shard(seed))), seed }
    }

    /// A table that is full before it uses more than `limit` bytes. Its owner needs `per_piece` of these
    /// bytes for each piece to empty it. A very small limit is only an aim.
    pub fn with_limit(limit: usize, per_piece: usize) -> CountTable {
        let shard = |seed| Shard::with_limit(limit / SHARDS, per_piece, seed);
        CountTable::with_shards(Seed::default(), shard)
    }

    /// Whether it has reached its limit and should be emptied.
    pub fn is_full(&self) -> bool {
        self.shards.iter().any(Shard::is_full)
    }

    /// Forgets all pieces and keeps the memory.
    pub fn clear(&mut self) {
        self.shards.iter_mut().for_each(Shard::clear);
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much memory it holds, in bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// The key of `text[start..end]`, which is not empty; prefetches the cache line of its entry.
    #[inline(always)]
    pub fn prefetch(&self, text: &[u8], start: usize, end: usize) -> Probe {
        let probe = Probe::new(text, start, end, self.seed);
        self.shards[shard_of(probe.hash)].prefetch(probe.hash);
        probe
    }

    /// Adds to the count of a piece. The sum of all counts must not overflow: see `Counts::total`.
    #[inline(always)]
    pub fn add(&mut self, probe: Probe, piece: &[u8], count: Count) {
        self.shards[shard_of(probe.hash)].add(probe, piece, count);
    }

    /// The count of a piece; 0 if it is not there.
    pub fn get(&self, piece: &[u8]) -> Count {
        if piece.is_empty() {
            return 0;
        }
        let probe = Probe::new(piece, 0, piece.len(), self.seed);
        self.shards[shard_of(probe.hash)].get(&probe, piece)
    }

    /// Calls `entry` with each piece and its count, in an unspecified order.
    pub fn for_each(&self, mut entry: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
        self.shards.iter().try_for_each(|shard| shard.for_each(&mut entry))
    }

    /// The place of each piece, after its first eight bytes as a number.
    pub(super) fn places(&self) -> Vec<(u64, u64)> {
        let mut places = Vec::with_capacity(self.len());
        for (number, shard) in self.shards.iter().enumerate() {
            let base = (number as u64) << SHARD_SHIFT;
            places.extend(shard.taken_places().map(|(first, place)| (first, base | place)));
        }
        places
    }

    /// The piece at one of [`CountTable::places`], and its count.
    pub(super) fn entry<'a>(&'a self, at: u64, bytes: &'a mut [u8; 24]) -> (&'a [u8], Count) {
        let shard = &self.shards[(at >> SHARD_SHIFT) as usize];
        shard.entry((at & ((1 << SHARD_SHIFT) - 1)) as usize, bytes)
    }

    /// Adds all of another table.
    pub fn add_all(&mut self, other: &CountTable) {
        self.shards
            .iter_mut()
            .zip(other.shards.iter())
            .for_each(|(shard, other)| shard.add_all(other));
    }

    /// Its shards. A piece is in the shard of the same number in every table.
    pub fn into_shards(self) -> [Shard; SHARDS] {
        *self.shards
    }

    /// Its shards, to be added to in parallel.
    pub fn shards_mut(&mut self) -> &mut [Shard; SHARDS] {
        &mut self.shards
    }

    /// Forgets the pieces that occur less often than `min`; returns the sum of the counts that are
    /// left.
    pub fn prune(&mut self, min: Count) -> Count {
        self.shards.iter_mut().map(|shard| shard.prune(min)).sum()
    }
}

/// The number of a shard.
#[inline(always)]
fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

#[cfg(test)]
mod tests;
