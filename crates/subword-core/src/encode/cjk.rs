/*!
Chinese and Japanese pieces: cut wherever no token spans, and most of their segments are one character.
The ids of single characters come from a table (`bpe::Singles`), so they cannot be misses.

```text
本次会议讨论了预算  ->  本次 | 会议 | 讨论 | 了 . 预 . 算       three segments, and a run of characters
```

Such a piece is one entry of a batch. The first pass finds where its first characters may be cut, and keeps that in place
of a key; the second pass walks over the segments. A pattern that tells scripts apart cuts Japanese into pieces of two
or three characters, so a row of short pieces is one entry, too, that is cut at their ends among others.
*/

use crate::bpe::{Joins, SINGLE, Singles};
use crate::cache::{Key, NO_KEY, Segment};
use crate::simd::{CHINESE, Cuts, Isa};

/// The tables that such pieces need.
#[derive(Clone, Copy)]
pub(super) struct Cjk<'a> {
    pub(super) joins: &'a Joins,
    pub(super) singles: &'a Singles,
}

/// The second word of the key of such a piece; no other key has it.
const MARK: u64 = NO_KEY[1] - 1;

/// The longest such piece, in bytes: it bounds the ids of a batch. A longer one is cut into parts.
pub(super) const LONGEST: usize = 1 << 10;

/// How many bytes the first two pieces of a row have at most: about as far as one look reaches.
const ROW: usize = 16 * SINGLE;

/// Whether it is such a piece: two characters or more, the last of them Chinese or Japanese.
#[inline(always)]
pub(super) fn is_cjk(piece: &[u8]) -> bool {
    (2 * SINGLE..=LONGEST).contains(&piece.len()) && CHINESE.contains(&piece[piece.len() - SINGLE])
}

/// Whether this is the key of such a piece.
#[inline(always)]
pub(super) fn is_key(key: Key) -> bool {
    key[1] == MARK
}

/// Whether a row of two pieces or more may start at `start`: such a piece, and one behind it within one look.
#[inline(always)]
pub(super) fn begins_row(text: &[u8], start: usize, ends: &[usize]) -> bool {
    let Some(&[end, next]) = ends.first_chunk() else { return false };
    next - start <= ROW
        && next - end >= SINGLE
        && is_cjk(&text[start..end])
        && CHINESE.contains(&text[next - SINGLE])
}

impl Cjk<'_> {
    /// The key of the piece that starts at `start`; none near the end of the text.
    #[inline(always)]
    pub(super) fn key<C: Isa>(&self, text: &[u8], start: usize) -> Option<Key> {
        self.joins.cuts::<C>(&text[start..]).map(key)
    }

    /// The key of the piece at `start` and of those behind it, as far as one look reaches and they belong to one of the
    /// documents with these ends; and how many of the pieces, which end at `ends`, these are. None near the end of the
    /// text.
    #[inline(always)]
    pub(super) fn row<C: Isa>(
        &self,
        text: &[u8],
        start: usize,
        ends: &[usize],
        documents: &[usize],
    ) -> Option<(Key, usize)> {
        let mut cuts = self.joins.cuts::<C>(&text[start..])?;
        let document = documents.get(documents.partition_point(|&end| end <= start));
        let reach = start + SINGLE * cuts.characters as usize;
        let reach = document.map_or(reach, |&end| end.min(reach));
        let mut pieces = 1;
        while let Some([end, next]) = ends[pieces - 1..].first_chunk()
            && *next <= reach
            && (end - start).is_multiple_of(SINGLE)
        {
            cuts.safe |= 1 << ((end - start) / SINGLE - 1);
            pieces += 1;
        }
        Some((key(cuts), pieces))
    }
}

/// What is kept in place of a key.
#[inline(always)]
fn key(Cuts { safe, characters }: Cuts) -> Key {
    [u64::from(safe) << 32 | u64::from(characters), MARK]
}

/// A walk over the segments of a piece.
pub(super) struct CjkWalk {
    at: usize,
    end: usize,
    /// Bit i: the text may be cut after the i-th character from `at` on, as far as that is known.
    safe: u32,
    /// Bit i: that character is a segment by itself.
    single: u32,
}

impl CjkWalk {
    /// From the key of a piece.
    #[inline(always)]
    pub(super) fn new(piece: Segment, key: Key) -> CjkWalk {
        let mut segments = CjkWalk { at: piece.start, end: piece.end, safe: 0, single: 0 };
        segments.see(Cuts { safe: (key[0] >> 32) as u32, characters: key[0] as u32 });
        segments
    }

    #[inline(always)]
    fn see(&mut self, cuts: Cuts) {
        let seen = (cuts.characters as usize).min((self.end - self.at) / SINGLE);
        self.safe = cuts.safe & ((1 << seen.saturating_sub(1)) - 1);
        if self.at + SINGLE * seen == self.end {
            // The end of the piece is a boundary too.
            self.safe |= 1 << seen >> 1;
        }
        // The boundary before the first character is one as well.
        self.single = self.safe & (self.safe << 1 | 1);
    }

    /// The next segment, or run of single characters; and whether it is a run.
    #[inline(always)]
    pub(super) fn next<C: Isa>(&mut self, text: &[u8], joins: &Joins) -> Option<(Segment, bool)> {
        if self.safe == 0 {
            if self.at == self.end {
                return None;
            }
            if let Some(cuts) = joins.cuts::<C>(&text[self.at..]) {
                self.see(cuts);
            }
            if self.safe == 0 {
                // A character of another length, or near the end of the text.
                return Some((self.take(joins.first_part(&text[self.at..self.end])), false));
            }
        }
        let run = self.single.trailing_ones();
        let characters = if run > 0 { run } else { self.safe.trailing_zeros() + 1 };
        Some((self.pass(characters), run > 0))
    }

    #[inline(always)]
    fn pass(&mut self, characters: u32) -> Segment {
        (self.safe, self.single) = (self.safe >> characters, self.single >> characters);
        self.take(SINGLE * characters as usize)
    }

    #[inline(always)]
    fn take(&mut self, len: usize) -> Segment {
        let start = self.at;
        self.at += len;
        Segment { start, end: self.at, part: false }
    }
}

#[cfg(test)]
mod tests;
