/*!
One part of the table of counts: the pieces whose hash starts alike.

Open addressing with linear probing over entries of 32 bytes, two to a cache line:

```text
up to 23 bytes   | the piece, zeros          | length | count |     the key is the piece
longer           | hash | where in the arena | length | count |     the key is compared in the arena
```

Invariants
* A key is never zero: its last byte is the length, or [`LONG`]. A zero key is a free place.
* At most seven eighths of the places are taken, so a probe ends. A shard grows when three quarters are;
  with a limit it counts as full then, and its owner has the last eighth to notice.
*/

use super::key::{LONG, LONGEST_INLINE, PieceKey, Probe, TAG_SHIFT, hash_of};
use super::table::SHARD_BITS;
use crate::error::Result;
use crate::mem;
use crate::seed::Seed;
use crate::types::Count;

/// How many lines a shard starts with.
const FIRST_LINES: usize = 1 << 5;

/// How many lines a shard with a limit starts with: few, so that a small limit is one.
const LEAST_LINES: usize = 1 << 2;

/// Two entries, each a key and a count. Aligned, so that a look-up touches one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct TableLine([[u64; 4]; 2]);

const FREE: TableLine = TableLine([[0; 4]; 2]);

/// The pieces whose hash starts alike.
#[derive(Debug, Clone)]
pub struct Shard {
    /// The entries, two to a line; the number of lines is a power of two.
    lines: Vec<TableLine>,
    /// How far a hash without its shard bits is shifted to become a place.
    shift: u32,
    /// How many places are taken.
    taken: usize,
    /// The bytes of the long pieces.
    arena: Vec<u8>,
    /// How many lines there may be.
    most_lines: usize,
    /// How many bytes of long pieces there may be.
    most_arena: usize,
    /// The key of the hash.
    seed: Seed,
}

impl Shard {
    pub(super) fn new(seed: Seed) -> Shard {
        Shard::with_lines(FIRST_LINES, seed)
    }

    /// A shard that is full before it uses more than `limit` bytes; see `CountTable::with_limit`.
    pub(super) fn with_limit(limit: usize, per_piece: usize, seed: Seed) -> Shard {
        let line = size_of::<TableLine>() + 2 * per_piece;
        // Four fifths for lines, or as much as a power of two leaves; the rest for long pieces.
        let lines = (limit / 5 * 4 / line).max(LEAST_LINES);
        let most_lines = 1 << lines.ilog2();
        let most_arena = limit.saturating_sub(most_lines * line);
        Shard { most_lines, most_arena, ..Shard::with_lines(LEAST_LINES, seed) }
    }

    fn with_lines(lines: usize, seed: Seed) -> Shard {
        let places = 2 * lines;
        let shift = 64 - places.trailing_zeros();
        Shard {
            lines: vec![FREE; lines],
            shift,
            taken: 0,
            arena: Vec::new(),
            most_lines: usize::MAX,
            most_arena: usize::MAX,
            seed,
        }
    }

    pub(super) fn clear(&mut self) {
        self.lines.fill(FREE);
        self.arena.clear();
        self.taken = 0;
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// Whether it has reached its limit and should be emptied.
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= self.most_lines && self.taken * 4 > self.places() * 3
            || self.arena.len() > self.most_arena
    }

    pub(super) fn places(&self) -> usize {
        2 * self.lines.len()
    }

    /// How much memory it holds, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<TableLine>() + self.arena.capacity()
    }

    #[inline(always)]
    pub(super) fn place_of(&self, hash: u64) -> usize {
        ((hash << SHARD_BITS) >> self.shift) as usize
    }

    /// Prefetches the cache line where the search for a hash starts.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        if let Some(line) = self.lines.get(self.place_of(hash) / 2) {
            mem::prefetch(line);
        }
    }

    /// The count of a piece; 0 if it is not there.
    pub(super) fn get(&self, probe: &Probe, piece: &[u8]) -> Count {
        let (line, half) = self.find(probe, piece);
        self.lines[line].0[half][3]
    }

    /// Where a piece is, or the free place where it would go.
    #[inline(always)]
    pub(super) fn find(&self, probe: &Probe, piece: &[u8]) -> (usize, usize) {
        let mask = self.places() - 1;
        let mut place = self.place_of(probe.hash);
        let [low, middle, high] = probe.key;
        loop {
            let (line, half) = (place / 2, place % 2);
            let [a, b, c, _] = self.lines[line].0[half];
            if (a ^ low) | (b ^ middle) | (c ^ high) == 0
                || c == 0
                || self.is_long([a, b, c], probe, piece)
            {
                return (line, half);
            }
            place = (place + 1) & mask;
        }
    }

    /// Whether `key` is that of this long piece. A probe does not know the place of its piece.
    #[inline(always)]
    fn is_long(&self, key: PieceKey, probe: &Probe, piece: &[u8]) -> bool {
        key[2] >> TAG_SHIFT == LONG
            && (key[0] ^ probe.key[0]) | (key[2] ^ probe.key[2]) == 0
            && self.long_piece(key) == piece
    }

    fn long_piece(&self, [_, at, tag]: PieceKey) -> &[u8] {
        let len = tag & ((1 << TAG_SHIFT) - 1);
        &self.arena[at as usize..(at + len) as usize]
    }

    #[inline(always)]
    pub(super) fn add(&mut self, probe: Probe, piece: &[u8], count: Count) {
        let place = self.place_of(probe.hash);
        let [low, middle, high] = probe.key;
        let [a, b, c, sum] = &mut self.lines[place / 2].0[place % 2];
        // PERF: words, not arrays: comparing arrays goes through memory, a third of all time.
        if (*a ^ low) | (*b ^ middle) | (*c ^ high) == 0 {
            *sum += count;
        } else {
            self.add_uncommon(probe, piece, count);
        }
    }

    /// Adds to a piece that is not in its first place, or long, or new.
    #[inline(never)]
    fn add_uncommon(&mut self, probe: Probe, piece: &[u8], count: Count) {
        let (line, half) = self.find(&probe, piece);
        let entry = &mut self.lines[line].0[half];
        if entry[2] != 0 {
            entry[3] += count;
        } else {
            self.insert(probe, piece, count, line, half);
        }
    }

    fn insert(&mut self, probe: Probe, piece: &[u8], count: Count, line: usize, half: usize) {
        let mut key = probe.key;
        if key[2] >> TAG_SHIFT == LONG {
            key[1] = self.arena.len() as u64;
            self.arena.extend_from_slice(piece);
        }
        self.put(line, half, key, count);
        self.taken += 1;
        let limited = self.lines.len() >= self.most_lines;
        if self.taken * 4 > self.places() * 3 && !limited || self.taken * 8 > self.places() * 7 {
            self.resize(2 * self.lines.len());
        }
    }

    fn put(&mut self, line: usize, half: usize, [a, b, c]: PieceKey, count: Count) {
        self.lines[line].0[half] = [a, b, c, count];
    }

    /// Moves the entries to `lines` lines.
    fn resize(&mut self, lines: usize) {
        let mut new = Shard::with_lines(lines, self.seed);
        for (key, count) in self.entries() {
            // All keys differ, so only a free place is searched.
            let mask = 2 * lines - 1;
            let mut place = new.place_of(hash_of(key, self.seed));
            while new.lines[place / 2].0[place % 2][2] != 0 {
                place = (place + 1) & mask;
            }
            new.put(place / 2, place % 2, key, count);
        }
        (self.lines, self.shift) = (new.lines, new.shift);
    }

    fn slots(&self) -> impl Iterator<Item = &[u64; 4]> {
        self.lines.iter().flat_map(|line| &line.0)
    }

    fn entries(&self) -> impl Iterator<Item = (PieceKey, Count)> + '_ {
        let taken = self.slots().filter(|slot| slot[2] != 0);
        taken.map(|&[a, b, c, count]| ([a, b, c], count))
    }

    /// The place of each piece, behind its first eight bytes as a number.
    pub(super) fn taken_places(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let taken = (0..).zip(self.slots()).filter(|(_, slot)| slot[2] != 0);
        taken.map(|(place, entry)| (self.first_bytes(entry), place))
    }

    /// The piece at a place, and its count.
    pub(super) fn entry<'a>(&'a self, place: usize, bytes: &'a mut [u8; 24]) -> (&'a [u8], Count) {
        let [a, b, c, count] = self.lines[place / 2].0[place % 2];
        (self.piece([a, b, c], bytes), count)
    }

    /// The first eight bytes of a piece, as a number that sorts like them.
    fn first_bytes(&self, &[a, b, c, _]: &[u64; 4]) -> u64 {
        if c >> TAG_SHIFT != LONG {
            return a.swap_bytes();
        }
        self.long_piece([a, b, c]).first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }

    pub(super) fn for_each(&self, mut entry: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
        self.entries().try_for_each(|(key, count)| entry(self.piece(key, &mut [0; 24]), count))
    }

    /// The piece of a key.
    fn piece<'a>(&'a self, key: PieceKey, bytes: &'a mut [u8; 24]) -> &'a [u8] {
        if key[2] >> TAG_SHIFT == LONG {
            return self.long_piece(key);
        }
        for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(key) {
            *bytes = word.to_le_bytes();
        }
        &bytes[..usize::from(bytes[LONGEST_INLINE])]
    }

    /// Makes room for `pieces` pieces in all.
    fn reserve(&mut self, pieces: usize) {
        let mut lines = self.lines.len();
        while pieces * 4 > 2 * lines * 3 {
            lines *= 2;
        }
        if lines > self.lines.len() {
            self.resize(lines);
        }
    }

    /// Adds all of another shard, which has the same number.
    ///
    /// PERF: both are in the order of their hashes, so both are read front to back. There must be room for all
    /// before it starts, or the table is filled from one end, where free places become rare while the table as a
    /// whole is far from full.
    pub fn add_all(&mut self, other: &Shard) {
        // At most seven eighths full, as every shard, because the two have pieces in common.
        self.reserve((self.taken + other.taken) * 6 / 7);
        for (key, count) in other.entries() {
            self.add(Probe::of_entry(key, self.seed), other.piece(key, &mut [0; 24]), count);
        }
    }

    pub(super) fn prune(&mut self, min: Count) -> Count {
        let (most_lines, most_arena) = (self.most_lines, self.most_arena);
        let mut left =
            Shard { most_lines, most_arena, ..Shard::with_lines(FIRST_LINES, self.seed) };
        left.reserve(self.entries().filter(|&(_, count)| count >= min).count());
        let mut sum = 0;
        for (key, count) in self.entries().filter(|&(_, count)| count >= min) {
            left.add(Probe::of_entry(key, self.seed), self.piece(key, &mut [0; 24]), count);
            sum += count;
        }
        *self = left;
        sum
    }
}
