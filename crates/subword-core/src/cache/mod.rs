/*!
Piece to ids, bounded.

Most pieces of a text were seen before. There are three tables, all bounded, and none is ever wrong: a whole
key is compared before its ids are used, and what does not fit is dropped and merged again when it comes.

| table    | pieces         | ids      | one entry                                     |
|----------|----------------|----------|-----------------------------------------------|
| *short*  | up to 15 bytes | up to 5  | half a cache line: a 128-bit key and the ids  |
| *middle* | up to 31 bytes | up to 11 | a cache line: a 256-bit key and the ids       |
| *long*   | up to 255      | any      | an entry of a hash map; when the table is full, it starts afresh |

A key is the piece and its length, compared as words. Short and middle entries are in sets of four and of two,
in two neighbouring lines. A new short entry goes to the neighbouring line if its own is full; a new middle
entry takes its line, and the one that was there moves to the neighbouring line. So a look-up reads one cache
line, which can be prefetched; the neighbouring line is read only on a miss or for an entry that had to
move. (With sets of one line, a sixth of the pieces of a text in many languages was dropped, 2026-11-15.)

A short piece with too many ids for its table goes to the middle one and leaves a mark behind, a key that no
piece has, so that the misses of other short pieces do not have to look there. A middle-sized piece with too
many ids goes to the long table, unless it is ASCII: such pieces are rare, and a look into one more table for
every miss costs more than merging them again.

The ids of a whole piece and of the same bytes as a part of a longer one can differ (a model may
take a piece that is a token as it is, see `ignore_merges`), so a key says which of the two it is.

The hash of the long table has a random key, because a look-up there probes one slot after the other. The
hashes of the other two need no key: a look-up reads two lines at most, so pieces that somebody has chosen to
collide are dropped and merged again, which costs as much as any miss.

Measured 2026-11-18, AVX-512, 10 MB, warm: without the long table code takes 12% longer and Russian 8%.

A cache belongs to one thread at a time (see [`Pool`]): no locks, no shared writes.
*/

mod keys;
mod long;
mod pool;
mod table;
mod view;

use crate::mem::Line;
use crate::simd::{self, Scalar};
use crate::types::TokenId;
use keys::{mark_of, middle_hash, middle_key, short_hash};
use long::Long;
use table::Table;
use view::pack;

pub use crate::simd::{FOUR, KEYS, Key};
pub use keys::{NO_KEY, Segment, short_key};
pub use pool::Pool;
pub use view::View;

/// The longest piece that is kept, in bytes.
pub const LONGEST: usize = 255;

/// The longest pieces of the short and the middle table: with its length a piece fills its key.
pub const LONGEST_SHORT: usize = simd::LONGEST_KEY;
/// See [`LONGEST_SHORT`].
pub const LONGEST_MIDDLE: usize = 31;

/// The most ids in the short and the middle table.
pub const SHORT_IDS: usize = 5;
/// See [`SHORT_IDS`].
pub const MIDDLE_IDS: usize = 11;

/// Piece to ids, bounded.
#[derive(Debug)]
pub struct Cache {
    /// A line has two keys of two words, then their ids; the neighbouring line belongs to the same set.
    short: Table,
    /// A line has a key of four words, then its ids; the neighbouring line belongs to the same set.
    middle: Table,
    long: Long,
}

impl Cache {
    /// A cache that uses at most `bytes` of memory; 0 keeps nothing.
    pub fn new(bytes: usize) -> Cache {
        Cache {
            short: Table::new(bytes / 2),
            middle: Table::new(bytes / 4),
            long: Long::new(bytes / 4),
        }
    }

    /// Makes room for this many short pieces at once, in an empty cache, and for as many to come.
    pub fn reserve(&mut self, pieces: usize) {
        self.short.reserve(4 * pieces);
    }

    /// The tables of short and middle-sized pieces, for the hot loop.
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        View::new(&self.short, &self.middle)
    }

    /// Calls `take` with the ids of `text[start..end]`, if they are there; returns whether they are.
    pub fn recall(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        part: bool,
        mut take: impl FnMut(&[TokenId]),
    ) -> bool {
        let mut ids = [0; MIDDLE_IDS];
        let count = self.view().ids_into::<Scalar>(text, Segment { start, end, part }, &mut ids);
        if count > 0 {
            take(&ids[..count]);
            return true;
        }
        self.long(&text[start..end], part).map(take).is_some()
    }

    /// The ids of a piece in the table of long pieces.
    #[inline]
    pub fn long(&self, piece: &[u8], part: bool) -> Option<&[TokenId]> {
        let len = piece.len();
        if len <= LONGEST_SHORT || len <= LONGEST_MIDDLE && piece.is_ascii() {
            return None;
        }
        self.long.get(piece, part)
    }

    /// Inserts the ids of `text[start..end]`.
    pub fn insert(&mut self, text: &[u8], start: usize, end: usize, part: bool, ids: &[TokenId]) {
        let (piece, len) = (&text[start..end], end - start);
        if len <= LONGEST_SHORT && ids.len() <= MIDDLE_IDS {
            let key = short_key(text, start, end, part);
            let few = ids.len() <= SHORT_IDS;
            let (key, ids) = if few { (key, pack(ids)) } else { (mark_of(key), [0; 2]) };
            put_short(&mut self.short, key, ids);
            self.short.grow(2, short_hashes, put_short_line);
            if few {
                return;
            }
        }
        if len <= LONGEST_MIDDLE && ids.len() <= MIDDLE_IDS {
            let ([a, b, c, d], [v, w, x, y]) = (middle_key(text, start, end, part), pack(ids));
            put_middle(&mut self.middle, [a, b, c, d, v, w, x, y]);
            self.middle.grow(1, middle_hashes, put_middle);
        } else if len > LONGEST_MIDDLE || len > LONGEST_SHORT && !piece.is_ascii() {
            self.long.insert(piece, part, ids);
        }
    }
}

impl Default for Cache {
    fn default() -> Cache {
        Cache::new(0)
    }
}

/// Where the two entries of a line of short pieces live.
fn short_hashes(&[a, b, c, d, ..]: &Line) -> [u64; 2] {
    [short_hash([a, b]), short_hash([c, d])]
}

/// Puts both entries of a line into the table.
fn put_short_line(table: &mut Table, [a, b, c, d, v, w, x, y]: Line) {
    put_short(table, [a, b], [v, w]);
    put_short(table, [c, d], [x, y]);
}

/// Puts an entry into its line, or if that is full into the neighbouring line; if there is no room either,
/// it replaces the last entry of its line. The key 0 is none.
///
/// What came first stays in its own line, because it is likely to be frequent.
fn put_short(table: &mut Table, key: Key, ids: [u64; 2]) {
    let at = table.line_of(short_hash(key));
    let free = |line: &Line, place: usize| {
        let found = [line[place], line[place + 1]];
        found == [0; 2] || found == key
    };
    let lines = table.lines_mut();
    let Some(line) = lines.get(at).filter(|_| key != [0; 2]) else { return };
    let beside = lines.get(at ^ 1);
    let (at, place) = match (free(line, 0), free(line, 2)) {
        (true, _) => (at, 0),
        (_, false) if beside.is_some_and(|line| free(line, 2)) => (at ^ 1, 2),
        _ => (at, 2),
    };
    let line = &mut lines[at];
    line[place..place + 2].copy_from_slice(&key);
    line[place + 4..place + 6].copy_from_slice(&ids);
}

/// Where the entry of a line of middle-sized pieces lives.
fn middle_hashes(&[a, b, c, d, ..]: &Line) -> [u64; 1] {
    [middle_hash(&[a, b, c, d])]
}

/// Puts a line into the table; the one that was there moves to the neighbouring line.
fn put_middle(table: &mut Table, line: Line) {
    let [at] = middle_hashes(&line).map(|hash| table.line_of(hash));
    let lines = table.lines_mut();
    if at ^ 1 < lines.len() && line[..4] != [0; 4] {
        if lines[at][..4] != [0; 4] {
            lines[at ^ 1] = lines[at];
        }
        lines[at] = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up(cache: &Cache, piece: &[u8], part: bool) -> Option<Vec<TokenId>> {
        let mut ids = None;
        cache.recall(piece, 0, piece.len(), part, |found| ids = Some(found.to_vec()));
        ids
    }

    fn insert(cache: &mut Cache, piece: &[u8], id: TokenId) {
        cache.insert(piece, 0, piece.len(), false, &[id]);
    }

    #[test]
    fn what_it_remembers_is_right_and_bounded() {
        for bytes in [0, 1, 100, 1000, 10_000, 1 << 20] {
            let mut cache = Cache::new(bytes);
            let mut remembered = 0;
            for i in 0..20_000u32 {
                let piece = vec![b'a' + (i % 7) as u8; 1 + (i % 60) as usize];
                let piece = [&i.to_le_bytes()[..], &piece].concat();
                let ids: Vec<TokenId> = (0..1 + i % 14).map(|n| n + i).collect();
                cache.insert(&piece, 0, piece.len(), i % 2 == 0, &ids);
                let found = look_up(&cache, &piece, i % 2 == 0);
                assert_eq!(look_up(&cache, &piece, i % 2 != 0), None);
                assert!(found.as_ref().is_none_or(|found| *found == ids));
                remembered += usize::from(found.is_some());
            }
            assert_eq!(remembered > 0, bytes >= 1000, "{bytes}");
            let lines = cache.short.lines().len() + cache.middle.lines().len();
            let used = lines * size_of::<Line>() + cache.long.used();
            assert!(used <= bytes, "{used} of {bytes}");
        }
    }

    #[test]
    fn growing_keeps_most() {
        let mut cache = Cache::new(1 << 24);
        let first = cache.short.lines().len();
        let piece = |i: u32| format!("é{i}{}", "x".repeat(i as usize % 3 * 10)).into_bytes();
        (0..40_000).for_each(|i| insert(&mut cache, &piece(i), i));
        assert!(cache.short.lines().len() > first && cache.middle.lines().len() > first);
        let known = (0..40_000).filter(|&i| look_up(&cache, &piece(i), false) == Some(vec![i]));
        let known = known.count();
        assert!(known > 30_000, "{known}");
    }

    #[test]
    fn a_short_piece_with_many_ids_is_found_by_its_mark() {
        let mut cache = Cache::new(1 << 24);
        let first = cache.short.lines().len();
        let ids = |i: u32| -> Vec<TokenId> { (i..i + 6 + i % 6).collect() };
        for i in 0..6_000 {
            let piece = format!("a{i}");
            cache.insert(piece.as_bytes(), 0, piece.len(), i % 2 == 0, &ids(i));
        }
        assert!(cache.short.lines().len() > first);
        let found = |i: u32, part: bool| look_up(&cache, format!("a{i}").as_bytes(), part);
        let known = (0..6_000).filter(|&i| found(i, i % 2 == 0) == Some(ids(i))).count();
        assert!(known > 5_000, "{known}");
        assert!((0..6_000).all(|i| found(i, i % 2 != 0).is_none()));
        assert!((6_000..9_000).all(|i| found(i, false).is_none()));
    }

    #[test]
    fn a_large_cache_forgets_nothing_of_a_small_text() {
        let mut cache = Cache::new(1 << 24);
        let piece = |i: u32| format!("{i}{}", "x".repeat(i as usize % 50)).into_bytes();
        (0..100).for_each(|i| insert(&mut cache, &piece(i), i));
        assert!((0..100).all(|i| look_up(&cache, &piece(i), false) == Some(vec![i])));
    }
}
