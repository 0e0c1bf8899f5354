/*!
Piece to ids, remembered.

Most pieces of a text have been seen before. Three tables, all bounded, none ever wrong: a whole key
is compared before an answer is used, and what does not fit is forgotten and merged again.

| table    | pieces         | ids     | one entry                                     |
|----------|----------------|---------|-----------------------------------------------|
| *short*  | up to 15 bytes | up to 5 | half a cache line: a 128-bit key and the ids  |
| *middle* | up to 31 bytes | up to 11 | a cache line: a 256-bit key and the ids      |
| *long*   | up to 255      | any     | a slot that points into arenas; when one is full, the table starts afresh |

A key is the piece and its length, compared as words. An id has 21 bits, so three share a word; the
third place of the first word has the number of ids:

```text
first . second . number      third . fourth . fifth      ...
```

Short and middle are sets of four and two, in two lines next to each other. A new short entry goes to the
line beside its own if that is full; a new middle one takes its line, and the one there moves on. A look-up
touches one line, which can be asked for ahead of its use, and the one beside it only in vain or for
an entry that had to move. (Sets of one line forgot a sixth of what a text in many languages has,
2026-11-15.)

A short piece with too many ids for its table goes to the middle one, and a mark stays behind, a key that no
piece has: nothing that is new is looked for there. A middle piece goes to the long table, unless it is
ASCII: such pieces are rare, and to look for every new word in one more table costs more than to merge
them again.

The ids of a whole piece and of the same bytes as a part of a longer one can differ (a model may
take a piece that is a token as it is, see `ignore_merges`), so a key says which of the two it is.

The hash of the long table is keyed (see `seed`), because a look-up there walks over what stands in its way.
The hashes of the other two need no key: a look-up reads two lines at most, so pieces that somebody chose to
share one are forgotten and merged again, which costs what any new word costs.

A cache belongs to one thread at a time (see [`Pool`]): no locks, no shared writes.
*/

mod keys;
mod long;
mod pool;
mod table;

use crate::mem::{self, Line};
use crate::simd::{self, Isa, Odd};
use crate::types::TokenId;
use crate::vocab::MAX_ID;
use keys::{MiddleKey, mark_of, middle_hash, middle_key, short_hash};
use long::Long;
use table::Table;

pub use crate::simd::{FOUR, KEYS, Key};
pub use keys::{NO_KEY, short_key};
pub use pool::Pool;

/// The longest piece that is remembered.
pub const LONGEST: usize = 255;

/// The longest pieces of the short and the middle table: with its length a piece fills its key.
pub const LONGEST_SHORT: usize = simd::LONGEST_KEY;
/// See [`LONGEST_SHORT`].
pub const LONGEST_MIDDLE: usize = 31;

/// The most ids in the short and the middle table.
pub const SHORT_IDS: usize = 5;
/// See [`SHORT_IDS`].
pub const MIDDLE_IDS: usize = 11;

/// How many sets move at a time when a table grows: enough to wait for all of their new lines at once.
const MOVED: usize = 16;

const ID_BITS: usize = 21;
const _: () = assert!(MAX_ID < 1 << ID_BITS);

/// Piece to ids, remembered.
#[derive(Debug)]
pub struct Cache {
    /// In a line two keys of two words, then their ids; the line beside it belongs to the same set.
    short: Table,
    /// In a line a key of four words, then its ids; the line beside it belongs to the same set.
    middle: Table,
    long: Long,
}

/// The id in a place: 21 bits, two in the first word, three in every other.
#[inline(always)]
fn packed(words: &[u64], at: usize) -> TokenId {
    let at = at + usize::from(at >= 2);
    (words[at / 3] >> (at % 3 * ID_BITS)) as TokenId & ((1 << ID_BITS) - 1)
}

/// How many ids there are.
#[inline(always)]
fn number(words: &[u64]) -> usize {
    (words[0] >> (2 * ID_BITS)) as usize
}

/// The words of these ids.
fn pack<const WORDS: usize>(ids: &[TokenId]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    words[0] = (ids.len() as u64) << (2 * ID_BITS);
    for (at, &id) in ids.iter().enumerate() {
        let at = at + usize::from(at >= 2);
        words[at / 3] |= u64::from(id) << (at % 3 * ID_BITS);
    }
    words
}

/// Whether both places of a line with short pieces are taken.
#[inline(always)]
fn is_full(line: &Line) -> bool {
    line[2] | line[3] != 0
}

/// The short and the middle table, as the hot loop reads them.
#[derive(Clone, Copy)]
pub struct View<'a> {
    short: &'a [Line],
    short_shift: u32,
    middle: &'a [Line],
    middle_shift: u32,
}

impl View<'_> {
    /// Prefetches the line of a short piece.
    #[inline(always)]
    pub fn prefetch_key(&self, key: Key) {
        self.prefetched_line(key);
    }

    /// The line where a short piece lives, which is prefetched.
    #[inline(always)]
    pub fn prefetched_line(&self, key: Key) -> u32 {
        let line = (simd::hash(key) >> self.short_shift) as u32;
        mem::prefetch_at(self.short, line as usize);
        line
    }

    /// Makes the keys of four pieces, and says where they live (see [`Isa::keys`]).
    #[inline(always)]
    pub fn keys<C: Isa>(
        &self,
        text: &[u8],
        bounds: simd::Bounds,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        C::keys(text, bounds, self.short_shift, keys, lines)
    }

    /// Prefetches lines of short pieces.
    #[inline(always)]
    pub fn prefetch(&self, lines: &[u32]) {
        lines.iter().for_each(|&line| mem::prefetch_at(self.short, line as usize));
    }

    /// Writes the ids of a short piece, all places of them, and says how many count; 0 if its line does
    /// not have it: then [`View::short_beside`] may know more.
    #[inline(always)]
    pub fn short_into<C: Isa>(&self, key: Key, line: u32, into: &mut [TokenId; 8]) -> usize {
        self.short.get(line as usize).map_or(0, |line| C::look_up(line, key, into))
    }

    /// The same for four pieces: where the ids of each end; none if the line of one does not have it.
    #[inline(always)]
    pub fn four_into<C: Isa>(
        &self,
        keys: &[Key; KEYS],
        lines: &[u32; KEYS],
        into: &mut [TokenId; FOUR],
    ) -> Option<[usize; KEYS]> {
        let line = |i: usize| self.short.get(lines[i] as usize);
        C::look_up_four([line(0)?, line(1)?, line(2)?, line(3)?], keys, into)
    }

    /// How many ids a short piece has; 0 as above.
    #[inline(always)]
    pub fn short_number<C: Isa>(&self, key: Key, line: u32) -> usize {
        self.short.get(line as usize).map_or(0, |line| C::number(line, key))
    }

    /// The same for a short piece that did not stay in its line.
    ///
    /// PERF: nothing left a line that has room, so most of the time there is no need to wait for the
    /// line beside it.
    #[inline(always)]
    pub fn short_beside(&self, key: Key, line: u32, into: &mut [TokenId; 8]) -> usize {
        let line = line as usize;
        let full = self.short.get(line).is_some_and(is_full);
        let beside = if full { self.short.get(line ^ 1) } else { None };
        beside.map_or(0, |line| simd::look_up(line, key, into))
    }

    /// Whether a short piece, for which there were no ids, has so many that it is in the middle table.
    #[inline(always)]
    pub fn is_marked(&self, key: Key, line: u32) -> bool {
        let mark = mark_of(key);
        let has = |line: &Line| line[..2] == mark || line[2..4] == mark;
        let [own, beside] = [line, line ^ 1].map(|at| self.short.get(at as usize));
        own.is_some_and(|own| has(own) || is_full(own) && beside.is_some_and(has))
    }

    /// The line where a middle-sized piece lives, which is prefetched.
    #[inline(always)]
    pub fn prefetched_middle_line(&self, text: &[u8], start: usize, end: usize, part: bool) -> u32 {
        let line = self.middle_line(&middle_key(text, start, end, part));
        mem::prefetch_at(self.middle, line);
        mem::prefetch_at(self.middle, line ^ 1);
        line as u32
    }

    #[inline(always)]
    fn middle_line(&self, key: &MiddleKey) -> usize {
        (middle_hash(key) >> self.middle_shift) as usize
    }

    /// The ids of a middle piece, or of a short one that has too many of them: all places and how many
    /// count.
    #[inline(always)]
    pub fn middle(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        part: bool,
    ) -> Option<([TokenId; MIDDLE_IDS], usize)> {
        let key = middle_key(text, start, end, part);
        self.middle_in(&key, self.middle_line(&key))
    }

    /// The same where the line is known.
    #[inline(always)]
    pub fn middle_at(
        &self,
        line: u32,
        text: &[u8],
        start: usize,
        end: usize,
        part: bool,
    ) -> Option<([TokenId; MIDDLE_IDS], usize)> {
        self.middle_in(&middle_key(text, start, end, part), line as usize)
    }

    #[inline(always)]
    fn middle_in(&self, key: &MiddleKey, line: usize) -> Option<([TokenId; MIDDLE_IDS], usize)> {
        // PERF: word by word. Compared as a whole the key is first put together in memory, and reading
        // it back waits for that (docs/decisions/cache-layout.md).
        let same = |line: &&Line| {
            (line[0] ^ key[0]) | (line[1] ^ key[1]) | (line[2] ^ key[2]) | (line[3] ^ key[3]) == 0
        };
        let line = [line, line ^ 1].into_iter().filter_map(|at| self.middle.get(at)).find(same)?;
        let id = |at: usize| packed(&line[4..], at);
        Some((std::array::from_fn(id), number(&line[4..])))
    }
}

impl Cache {
    /// A cache that uses at most `bytes` of memory; 0 remembers nothing.
    pub fn new(bytes: usize) -> Cache {
        Cache {
            short: Table::new(bytes / 2),
            middle: Table::new(bytes / 4),
            long: Long::new(bytes / 4),
        }
    }

    /// Makes room for so many short pieces at once, in an empty cache, and for as many to come.
    pub fn reserve(&mut self, pieces: usize) {
        self.short.reserve(4 * pieces);
    }

    /// What the hot loop looks at.
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        View {
            short: self.short.lines(),
            short_shift: self.short.shift(),
            middle: self.middle.lines(),
            middle_shift: self.middle.shift(),
        }
    }

    /// Hands over the ids of `text[start..end]`; says whether it could.
    pub fn recall(
        &self,
        text: &[u8],
        start: usize,
        end: usize,
        part: bool,
        mut take: impl FnMut(&[TokenId]),
    ) -> bool {
        let view = self.view();
        if end - start <= LONGEST_SHORT {
            let key = short_key(text, start, end, part);
            let (line, mut ids) = (view.prefetched_line(key), [0; 8]);
            let own =
                view.short.get(line as usize).map_or(0, |own| simd::look_up(own, key, &mut ids));
            let count = if own > 0 { own } else { view.short_beside(key, line, &mut ids) };
            if count > 0 {
                take(&ids[..count]);
                return true;
            }
            if !view.is_marked(key, line) {
                return false;
            }
        }
        if end - start <= LONGEST_MIDDLE
            && let Some((places, len)) = view.middle(text, start, end, part)
        {
            take(&places[..len]);
            return true;
        }
        self.long(&text[start..end], part).map(take).is_some()
    }

    /// The ids of a piece that is in neither of the two other tables.
    #[inline]
    pub fn long(&self, piece: &[u8], part: bool) -> Option<&[TokenId]> {
        let len = piece.len();
        if len <= LONGEST_SHORT || len <= LONGEST_MIDDLE && piece.is_ascii() {
            return None;
        }
        self.long.get(piece, part)
    }

    /// Remembers the ids of `text[start..end]`.
    pub fn insert(&mut self, text: &[u8], start: usize, end: usize, part: bool, ids: &[TokenId]) {
        let (piece, len) = (&text[start..end], end - start);
        if len <= LONGEST_SHORT && ids.len() <= MIDDLE_IDS {
            let key = short_key(text, start, end, part);
            let few = ids.len() <= SHORT_IDS;
            let (key, ids) = if few { (key, pack(ids)) } else { (mark_of(key), [0; 2]) };
            self.put_short(key, ids);
            if let Some(sets) = self.short.grow(2) {
                self.move_short(sets);
            }
            if few {
                return;
            }
        }
        if len <= LONGEST_MIDDLE && ids.len() <= MIDDLE_IDS {
            self.put_middle(middle_key(text, start, end, part), pack(ids));
            if let Some(sets) = self.middle.grow(1) {
                self.move_middle(sets);
            }
        } else if len > LONGEST_MIDDLE || len > LONGEST_SHORT && !piece.is_ascii() {
            self.long.insert(piece, part, ids);
        }
    }

    /// Moves what the first `sets` sets of a table have that has grown.
    fn move_short(&mut self, sets: usize) {
        let mut lines = Vec::new();
        for first in (0..sets).step_by(MOVED).rev() {
            self.short.take(first, MOVED, &mut lines);
            for key in lines.iter().flat_map(|&[a, b, c, d, ..]| [[a, b], [c, d]]) {
                self.short.prefetch(short_hash(key));
            }
            for [a, b, c, d, v, w, x, y] in lines.drain(..) {
                self.put_short([a, b], [v, w]);
                self.put_short([c, d], [x, y]);
            }
        }
    }

    /// The same.
    fn move_middle(&mut self, sets: usize) {
        let mut lines = Vec::new();
        for first in (0..sets).step_by(MOVED).rev() {
            self.middle.take(first, MOVED, &mut lines);
            for &[a, b, c, d, ..] in &lines {
                self.middle.prefetch(middle_hash(&[a, b, c, d]));
            }
            for [a, b, c, d, v, w, x, y] in lines.drain(..) {
                self.put_middle([a, b, c, d], [v, w, x, y]);
            }
        }
    }

    /// Puts an entry into its line, or if that is full into the line beside it; if there is no room either,
    /// the last one of its line is forgotten. The key 0 is none.
    ///
    /// PERF: what came first stays where it is found first, because it comes often.
    fn put_short(&mut self, key: Key, ids: [u64; 2]) {
        let at = self.short.line_of(short_hash(key));
        let free = |line: &Line, place: usize| {
            let found = [line[place], line[place + 1]];
            found == [0; 2] || found == key
        };
        let lines = self.short.lines_mut();
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

    /// The same in a line of its own.
    fn put_middle(&mut self, key: MiddleKey, [v, w, x, y]: [u64; 4]) {
        let at = self.middle.line_of(middle_hash(&key));
        let lines = self.middle.lines_mut();
        if at ^ 1 < lines.len() && key != [0; 4] {
            if lines[at][..4] != [0; 4] {
                lines[at ^ 1] = lines[at];
            }
            let [a, b, c, d] = key;
            lines[at] = [a, b, c, d, v, w, x, y];
        }
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
