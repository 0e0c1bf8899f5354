/*!
Piece to ids, remembered.

Most pieces of a text have been seen before. Two tables, both bounded, neither ever wrong: a full key is compared before
an answer is used, and what does not fit is forgotten and merged again.

* *short*: pieces of up to 15 bytes with up to three ids, nearly everything. The piece and its length are one 128-bit
  key; two keys and their ids fill one 64-byte cache line, which is all that a lookup touches. A new entry takes the first
  place of its line, the one there moves to the second, the one there is forgotten.
* *long*: pieces of up to 255 bytes, bytes and ids in two arenas behind an open-addressed table. When an arena is full
  the table starts afresh.

A cache belongs to one thread at a time (see `Pool`): no locks, no shared writes.
*/

use std::sync::Mutex;

use crate::arch;
use crate::types::TokenId;
use crate::vocab::hash;

/// The longest piece that is remembered.
pub const LONGEST: usize = 255;

/// The longest piece in the short table: with its length it fills a key.
pub const SHORTEST_LONG: usize = 16;

/// The most ids in the short table.
pub const INLINE_IDS: usize = 3;

/// A short piece and its length; never 0.
pub type Key = u128;

/// The key of `text[start..end]`, if that is at most 15 bytes.
#[inline(always)]
pub fn key_of(text: &[u8], start: usize, end: usize) -> Option<Key> {
    let len = end - start;
    if len >= SHORTEST_LONG {
        return None;
    }
    let bytes = match text[start..].first_chunk::<16>() {
        Some(bytes) => u128::from_le_bytes(*bytes) & ((1 << (8 * len)) - 1),
        None => {
            let mut bytes = [0; 16];
            bytes[..len].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(bytes)
        }
    };
    Some(bytes | (len as u128) << 120)
}

/// Piece to ids, remembered.
#[derive(Debug)]
pub struct Cache {
    lines: Vec<Line>,
    shift: u32,
    long: Long,
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    keys: [Key; 2],
    values: [Ids; 2],
}

/// Up to three ids in place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ids {
    /// The ids; only the first `len` count.
    pub ids: [TokenId; INLINE_IDS],
    /// How many there are.
    pub len: u32,
}

impl Cache {
    /// A cache that uses at most `bytes` of memory; 0 remembers nothing.
    pub fn new(bytes: usize) -> Cache {
        let lines = power_of_two_below(bytes / 2 / size_of::<Line>());
        let shift = if lines > 1 { 64 - lines.trailing_zeros() } else { 63 };
        Cache { lines: vec![Line::default(); lines], shift, long: Long::new(bytes / 2) }
    }

    /// Which line a short piece lives in, asked for ahead of its use.
    #[inline(always)]
    pub fn line_of(&self, key: Key) -> u32 {
        let (low, high) = (key as u64, (key >> 64) as u64);
        let wide =
            u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
        let line = ((wide as u64 ^ (wide >> 64) as u64) >> self.shift) as u32;
        if let Some(line) = self.lines.get(line as usize) {
            arch::prefetch(line);
        }
        line
    }

    /// The ids of a short piece.
    #[inline(always)]
    pub fn short(&self, key: Key, line: u32) -> Option<&Ids> {
        let line = self.lines.get(line as usize)?;
        if line.keys[0] == key {
            Some(&line.values[0])
        } else if line.keys[1] == key {
            Some(&line.values[1])
        } else {
            None
        }
    }

    /// The ids of a piece that is long, or has too many ids for the short table.
    #[inline]
    pub fn long(&self, piece: &[u8]) -> Option<&[TokenId]> {
        self.long.get(piece)
    }

    /// Remembers the ids of a piece.
    pub fn insert(&mut self, piece: &[u8], ids: &[TokenId]) {
        let key = key_of(piece, 0, piece.len()).filter(|_| ids.len() <= INLINE_IDS);
        let Some(key) = key else { return self.long.insert(piece, ids) };
        let line = self.line_of(key);
        if let Some(line) = self.lines.get_mut(line as usize) {
            let mut value = Ids { len: ids.len() as u32, ..Ids::default() };
            value.ids[..ids.len()].copy_from_slice(ids);
            line.keys = [key, line.keys[0]];
            line.values = [value, line.values[0]];
        }
    }
}

/// The largest power of two that is at most `n`; 0 for 0.
fn power_of_two_below(n: usize) -> usize {
    n.checked_ilog2().map_or(0, |log| 1 << log)
}

/// The table of long pieces.
#[derive(Debug)]
struct Long {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    ids: Vec<TokenId>,
    /// How large the arenas may grow.
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
}

impl Long {
    /// A quarter of the memory for slots, a quarter for ids, half for the pieces.
    fn new(bytes: usize) -> Long {
        Long {
            slots: vec![Slot::default(); power_of_two_below(bytes / 4 / size_of::<Slot>())],
            bytes: Vec::new(),
            ids: Vec::new(),
            most_bytes: bytes / 2,
            most_ids: bytes / 4 / size_of::<TokenId>(),
            taken: 0,
        }
    }

    /// The slot that holds the piece, or the free one where it would go.
    #[inline]
    fn find(&self, piece: &[u8], hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.slots[at];
            let bytes = slot.bytes_at as usize..slot.bytes_at as usize + slot.bytes_len as usize;
            if slot.bytes_len == 0 || slot.hash == hash && &self.bytes[bytes] == piece {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn get(&self, piece: &[u8]) -> Option<&[TokenId]> {
        if self.slots.is_empty() || piece.len() > LONGEST {
            return None;
        }
        let slot = &self.slots[self.find(piece, hash(piece) as u32)];
        let ids = slot.ids_at as usize..slot.ids_at as usize + slot.ids_len as usize;
        (slot.bytes_len > 0).then(|| &self.ids[ids])
    }

    fn insert(&mut self, piece: &[u8], ids: &[TokenId]) {
        if piece.len() > LONGEST || ids.len() > LONGEST || self.slots.is_empty() {
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
        let hash = hash(piece) as u32;
        let at = self.find(piece, hash);
        self.slots[at] = Slot {
            hash,
            bytes_at: self.bytes.len() as u32,
            ids_at: self.ids.len() as u32,
            bytes_len: piece.len() as u8,
            ids_len: ids.len() as u8,
        };
        self.bytes.extend_from_slice(piece);
        self.ids.extend_from_slice(ids);
        self.taken += 1;
    }
}

/// Things that are used by one thread at a time and are worth keeping between calls.
///
/// Nobody ever waits here: a slot that another thread looks at this instant counts as empty, and who finds nothing makes
/// a new one. So a child process that was forked while other threads were at work goes on without them.
#[derive(Debug)]
pub struct Pool<T> {
    slots: Vec<Mutex<Option<Box<T>>>>,
}

impl<T> Pool<T> {
    /// A pool that keeps at most `size` things.
    pub fn new(size: usize) -> Pool<T> {
        Pool { slots: (0..size).map(|_| Mutex::new(None)).collect() }
    }

    /// Takes one out, or makes one.
    pub fn take(&self, make: impl FnOnce() -> T) -> Box<T> {
        let kept = self.slots.iter().find_map(|slot| slot.try_lock().ok()?.take());
        kept.unwrap_or_else(|| Box::new(make()))
    }

    /// Puts one back, or drops it if the pool is full.
    pub fn put(&self, thing: Box<T>) {
        let mut thing = Some(thing);
        for slot in &self.slots {
            if let Ok(mut slot) = slot.try_lock()
                && slot.is_none()
            {
                *slot = thing.take();
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up(cache: &Cache, piece: &[u8]) -> Option<Vec<TokenId>> {
        if let Some(key) = key_of(piece, 0, piece.len())
            && let Some(found) = cache.short(key, cache.line_of(key))
        {
            return Some(found.ids[..found.len as usize].to_vec());
        }
        cache.long(piece).map(<[TokenId]>::to_vec)
    }

    #[test]
    fn a_key_does_not_depend_on_what_follows_the_piece() {
        for len in 0..16 {
            let long = [7u8; 40];
            let key = key_of(&long, 3, 3 + len);
            assert_eq!(key, key_of(&long[..3 + len], 3, 3 + len));
            assert!(key.is_some_and(|key| key != 0 || len == 0));
        }
        assert_eq!(key_of(&[7; 40], 0, 16), None);
    }

    #[test]
    fn what_it_remembers_is_right_and_bounded() {
        for bytes in [0, 1, 100, 1000, 10_000, 1 << 20] {
            let mut cache = Cache::new(bytes);
            let mut remembered = 0;
            for i in 0..20_000u32 {
                let piece = vec![b'a' + (i % 7) as u8; 1 + (i % 60) as usize];
                let piece = [&i.to_le_bytes()[..], &piece].concat();
                let ids: Vec<TokenId> = (0..1 + i % 5).map(|n| n + i).collect();
                cache.insert(&piece, &ids);
                let found = look_up(&cache, &piece);
                assert!(found.as_ref().is_none_or(|found| *found == ids));
                remembered += usize::from(found.is_some());
            }
            assert_eq!(remembered > 0, bytes >= 1000, "{bytes}");
            let long = &cache.long;
            let used = cache.lines.len() * size_of::<Line>()
                + long.slots.len() * size_of::<Slot>()
                + long.bytes.len()
                + long.ids.len() * 4;
            assert!(used <= bytes, "{used} of {bytes}");
        }
    }

    #[test]
    fn a_large_cache_forgets_nothing_of_a_small_text() {
        let mut cache = Cache::new(1 << 22);
        let piece = |i: u32| format!("piece number {i}").into_bytes();
        (0..2000).for_each(|i| cache.insert(&piece(i), &[i]));
        assert!((0..2000).all(|i| look_up(&cache, &piece(i)) == Some(vec![i])));
    }

    #[test]
    fn a_pool_gives_back_what_was_put_in() {
        let pool = Pool::new(1);
        pool.put(Box::new(5));
        pool.put(Box::new(6));
        assert_eq!((*pool.take(|| 0), *pool.take(|| 0)), (5, 0));
    }
}
