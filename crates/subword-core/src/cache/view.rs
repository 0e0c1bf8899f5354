/*!
The tables of short and middle-sized pieces, as the hot loop reads them.

An id has 21 bits, so three share a word. The third place of the first word has the number of ids:

```text
first . second . number      third . fourth . fifth      ...
```
*/

use super::keys::{MiddleKey, NO_KEY, Segment, mark_of, middle_hash, middle_key, short_key};
use super::table::Table;
use super::{FOUR, KEYS, Key, LONGEST_MIDDLE, LONGEST_SHORT, MIDDLE_IDS};
use crate::mem::{self, Line};
use crate::simd::{self, Isa, Odd};
use crate::types::{MAX_ID, TokenId};

const ID_BITS: usize = 21;
const _: () = assert!(MAX_ID < 1 << ID_BITS);

/// The short and the middle table, as the hot loop reads them.
#[derive(Clone, Copy)]
pub struct View<'a> {
    short: &'a [Line],
    short_shift: u32,
    middle: &'a [Line],
    middle_shift: u32,
}

impl<'a> View<'a> {
    #[inline(always)]
    pub(super) fn new(short: &'a Table, middle: &'a Table) -> View<'a> {
        View {
            short: short.lines(),
            short_shift: short.shift(),
            middle: middle.lines(),
            middle_shift: middle.shift(),
        }
    }

    /// The line where a short piece lives, which is prefetched.
    #[inline(always)]
    fn prefetched_line(&self, key: Key) -> u32 {
        let line = (simd::hash(key) >> self.short_shift) as u32;
        mem::prefetch_at(self.short, line as usize);
        line
    }

    /// Makes the keys of four pieces, and finds their lines (see [`Isa::keys`]).
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

    /// Writes the ids of a short piece, all eight places; returns how many count, 0 if its line does not have
    /// it. Then it may be in the neighbouring line: [`View::short_beside`].
    #[inline(always)]
    pub fn short_into<C: Isa>(&self, key: Key, line: u32, into: &mut [TokenId; 8]) -> usize {
        self.short.get(line as usize).map_or(0, |line| C::look_up(line, key, into))
    }

    /// The same for four pieces: where the ids of each end; none if the line of one of them does not have it.
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

    /// The same for a short piece that may be in the neighbouring line. No entry has left a line that has
    /// room, so the neighbouring line is read only if the own line is full.
    #[inline(always)]
    fn short_beside(&self, key: Key, line: u32, into: &mut [TokenId; 8]) -> usize {
        let line = line as usize;
        let full = self.short.get(line).is_some_and(is_full);
        let beside = if full { self.short.get(line ^ 1) } else { None };
        beside.map_or(0, |line| simd::look_up(line, key, into))
    }

    /// Whether a short piece has too many ids for its own table, and is in the middle table.
    #[inline(always)]
    fn is_marked(&self, key: Key, line: u32) -> bool {
        let mark = mark_of(key);
        let has = |line: &Line| line[..2] == mark || line[2..4] == mark;
        let [own, beside] = [line, line ^ 1].map(|at| self.short.get(at as usize));
        own.is_some_and(|own| has(own) || is_full(own) && beside.is_some_and(has))
    }

    /// Prefetches the line of a piece. Returns the key of a short piece and its line; else no key, with the line of
    /// the middle table in it.
    #[inline(always)]
    pub fn key_and_line(&self, text: &[u8], Segment { start, end, part }: Segment) -> (Key, u32) {
        if end - start <= LONGEST_SHORT {
            let key = short_key(text, start, end, part);
            (key, self.prefetched_line(key))
        } else if end - start <= LONGEST_MIDDLE {
            ([u64::from(self.prefetched_middle_line(text, start, end, part)), NO_KEY[1]], 0)
        } else {
            (NO_KEY, 0)
        }
    }

    /// Writes the ids of a piece or segment that was not prefetched; returns how many there are, 0 for a miss.
    #[inline(always)]
    pub fn ids_into<C: Isa>(&self, text: &[u8], segment: Segment, into: &mut [TokenId]) -> usize {
        let (key, line) = self.key_and_line(text, segment);
        let count = match into.first_chunk_mut() {
            Some(into) => self.short_into::<C>(key, line, into),
            None => 0,
        };
        if count > 0 { count } else { self.elsewhere_into(text, segment, (key, line), into) }
    }

    /// Writes the ids of a piece that is not in the line of its key; returns how many there are, 0 for a miss.
    /// The key and the line are those of [`View::key_and_line`].
    #[inline(always)]
    pub fn elsewhere_into(
        &self,
        text: &[u8],
        Segment { start, end, part }: Segment,
        (key, line): (Key, u32),
        into: &mut [TokenId],
    ) -> usize {
        if end - start <= LONGEST_SHORT {
            let Some(into) = into.first_chunk_mut() else { return 0 };
            let count = self.short_beside(key, line, into);
            if count > 0 || !self.is_marked(key, line) {
                return count;
            }
        }
        let found = if end - start <= LONGEST_SHORT {
            self.middle(text, start, end, part)
        } else if end - start <= LONGEST_MIDDLE {
            self.middle_at(key[0] as u32, text, start, end, part)
        } else {
            None
        };
        let Some((ids, count)) = found else { return 0 };
        into[..MIDDLE_IDS].copy_from_slice(&ids);
        count
    }

    /// The line where a middle-sized piece lives, which is prefetched.
    #[inline(always)]
    fn prefetched_middle_line(&self, text: &[u8], start: usize, end: usize, part: bool) -> u32 {
        let line = self.middle_line(&middle_key(text, start, end, part));
        mem::prefetch_at(self.middle, line);
        mem::prefetch_at(self.middle, line ^ 1);
        line as u32
    }

    #[inline(always)]
    fn middle_line(&self, key: &MiddleKey) -> usize {
        (middle_hash(key) >> self.middle_shift) as usize
    }

    /// The ids of a middle-sized piece, or of a short one that has too many for its table: all places, and how
    /// many of them count.
    #[inline(always)]
    fn middle(
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
    fn middle_at(
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

/// Whether both places of a line with short pieces are taken.
#[inline(always)]
fn is_full(line: &Line) -> bool {
    line[2] | line[3] != 0
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
pub(super) fn pack<const WORDS: usize>(ids: &[TokenId]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    words[0] = (ids.len() as u64) << (2 * ID_BITS);
    for (at, &id) in ids.iter().enumerate() {
        let at = at + usize::from(at >= 2);
        words[at / 3] |= u64::from(id) << (at % 3 * ID_BITS);
    }
    words
}
