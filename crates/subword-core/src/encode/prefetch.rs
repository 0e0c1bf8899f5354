/*!
The first pass over a batch: pieces become entries, each with its key and its cache line, which is prefetched.

Four pieces are done at a time, as long as they are short or words. A long piece in a script without spaces is
cut, and each of its segments becomes an entry. Chinese and Japanese pieces, and short ones in a row, have keys of
another kind (`cjk`).
*/

use super::Plan;
use super::cjk::{Cjk, begins_row, is_cjk};
use crate::bpe::CUTS;
use crate::cache::{KEYS, Key, LONGEST_SHORT, NO_KEY, Segment, View};
use crate::pretok::BATCH;
use crate::simd::{Isa, Kernel};

/// The most pieces and segments that are looked up at a time.
const MOST: usize = 4 * BATCH;

/// The pieces and segments of a batch: the first `count` elements of each list.
///
/// PERF: arrays, because the compiler then sees that what is below `MOST` is inside of them.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) count: usize,
    /// Where the first starts, and where each ends.
    bounds: Box<[usize; MOST + 1]>,
    /// The key of a short entry. Of a longer one the first word is its line in the middle table.
    pub(super) keys: Box<[Key; MOST]>,
    /// The cache line of a short entry.
    pub(super) lines: Box<[u32; MOST]>,
    /// One of them is Chinese or Japanese, with a key of that kind.
    pub(super) cjk: bool,
    /// How many Chinese and Japanese pieces there were in all batches.
    pub(super) cjk_seen: usize,
    /// The entry is a part of a piece, and the model tells parts from pieces.
    parts: Box<[bool; MOST]>,
}

impl Default for Entries {
    fn default() -> Entries {
        Entries {
            count: 0,
            cjk: false,
            cjk_seen: 0,
            bounds: Box::new([0; MOST + 1]),
            keys: Box::new([NO_KEY; MOST]),
            lines: Box::new([0; MOST]),
            parts: Box::new([false; MOST]),
        }
    }
}

impl Entries {
    #[inline(always)]
    pub(super) fn segment(&self, at: usize) -> Segment {
        Segment { start: self.bounds[at], end: self.bounds[at + 1], part: self.parts[at] }
    }

    /// How many bytes they are.
    pub(super) fn bytes(&self) -> usize {
        self.bounds[self.count] - self.bounds[0]
    }

    /// How many entries there are up to this place in the text, if it is not beyond the last; at least
    /// `from`.
    pub(super) fn up_to(&self, end: usize, from: usize) -> Option<usize> {
        let ends = &self.bounds[1..=self.count];
        let seen = ends.last().is_some_and(|&last| end <= last);
        seen.then(|| from + ends[from..].partition_point(|&other| other <= end))
    }

    /// Puts an entry at a place.
    #[inline(always)]
    fn put(&mut self, at: usize, view: View, text: &[u8], segment: Segment) {
        self.bounds[at + 1] = segment.end;
        self.parts[at] = segment.part;
        (self.keys[at], self.lines[at]) = view.key_and_line(text, segment);
    }

    /// Makes entries of the segments of a piece, which end at `cuts` behind `start`.
    #[inline(always)]
    fn push_parts(
        &mut self,
        view: View,
        text: &[u8],
        mut start: usize,
        cuts: &[usize],
        part: bool,
    ) {
        let range = self.count..self.count + cuts.len();
        self.parts[range.clone()].fill(part);
        let (keys, lines) = (&mut self.keys[range.clone()], &mut self.lines[range.clone()]);
        let ends = &mut self.bounds[1..][range];
        let base = start;
        for (((key, line), to), &cut) in keys.iter_mut().zip(lines).zip(ends).zip(cuts) {
            *to = base + cut;
            (*key, *line) = view.key_and_line(text, Segment { start, end: *to, part });
            start = *to;
        }
        self.count += cuts.len();
    }

    /// Makes an entry a Chinese or Japanese one, with its key.
    #[inline(always)]
    fn put_cjk(&mut self, at: usize, key: Key) {
        (self.keys[at], self.lines[at]) = (key, 0);
        self.cjk = true;
    }

    /// Makes an entry of a Chinese or Japanese piece, or a row of them, with its key.
    #[inline(always)]
    fn push_row(&mut self, key: Key, end: usize) {
        let at = self.count;
        self.put_cjk(at, key);
        (self.parts[at], self.bounds[at + 1]) = (false, end);
        self.count += 1;
    }

    /// Makes entries of as many of the four pieces as are short, words or Chinese; returns how many.
    #[inline(always)]
    fn push_four<C: Isa>(
        &mut self,
        view: View,
        text: &[u8],
        bounds: &[usize; 5],
        cjk: Option<Cjk>,
        cuts: bool,
    ) -> usize {
        let from = self.count;
        let odd = match (
            bounds.first_chunk().zip(bounds.last_chunk()),
            self.keys[from..].first_chunk_mut().zip(self.lines[from..].first_chunk_mut()),
        ) {
            (Some((starts, ends)), Some((keys, lines))) => {
                view.keys::<C>(text, [starts, ends], keys, lines)
            }
            _ => None,
        };
        let Some(odd) = odd else { return 0 };
        self.bounds[from + 1..=from + KEYS].copy_from_slice(&bounds[1..]);
        self.parts[from..from + KEYS].fill(false);
        let mut entered = KEYS;
        let mut left = odd.long | odd.chinese;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            let (start, end) = (bounds[i], bounds[i + 1]);
            let piece = &text[start..end];
            self.cjk_seen += usize::from(is_cjk(piece));
            if let Some(cjk) = cjk.filter(|_| is_cjk(piece))
                && let Some(key) = cjk.key::<C>(text, start)
            {
                self.put_cjk(from + i, key);
            } else if odd.long >> i & 1 == 1 {
                if cuts && is_wide(piece) {
                    entered = i;
                    break;
                }
                self.put(from + i, view, text, Segment { start, end, part: false });
            }
            left &= left - 1;
        }
        view.prefetch(&self.lines[from..from + KEYS]);
        self.count += entered;
        entered
    }
}

/// How far the first pass has come in a batch.
pub(super) struct Walk {
    pub(super) piece: usize,
    pub(super) start: usize,
    /// A part of the piece is an entry already.
    pub(super) within: bool,
}

/// Makes entries of the pieces, until the lists are full.
pub(super) struct Prefetch<'a> {
    pub(super) plan: &'a Plan,
    pub(super) text: &'a [u8],
    pub(super) ends: &'a [usize],
    pub(super) view: View<'a>,
    pub(super) walk: &'a mut Walk,
    pub(super) entries: &'a mut Entries,
    pub(super) cjk: Option<Cjk<'a>>,
    /// Where packed documents end in the text.
    pub(super) documents: &'a [usize],
}

impl Kernel for Prefetch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Isa>(self) {
        let Prefetch { plan, text, ends, view, walk, entries, cjk, documents } = self;
        // Only pieces that are merged may be cut.
        let cuts = plan.raw_words().is_none();
        let mut start = walk.start;
        (entries.count, entries.cjk) = (0, false);
        entries.bounds[0] = start;
        // Room for the first of four pieces, and for the parts of the one after them.
        while entries.count + KEYS + CUTS <= MOST && walk.piece < ends.len() {
            let rest = &ends[walk.piece..];
            if let Some(cjk) = cjk.filter(|_| !walk.within && begins_row(text, start, rest))
                && let Some((key, pieces)) = cjk.row::<C>(text, start, rest, documents)
            {
                walk.piece += pieces;
                start = ends[walk.piece - 1];
                entries.push_row(key, start);
                continue;
            }
            // PERF: nearly all pieces are short, and few are near the end of the text. The first of a
            // batch is left out, as its start is not among the ends.
            if !walk.within
                && let Some(bounds) = ends.get(walk.piece.wrapping_sub(1)..)
                && let Some(bounds) = bounds.first_chunk()
            {
                let entered = entries.push_four::<C>(view, text, bounds, cjk, cuts);
                walk.piece += entered;
                start = bounds[entered];
                if entered == KEYS {
                    continue;
                }
            }
            let end = ends[walk.piece];
            let piece = &text[start..end];
            if let Some(cjk) = cjk.filter(|_| is_cjk(piece) && !walk.within)
                && let Some(key) = cjk.key::<C>(text, start)
            {
                entries.push_row(key, end);
                start = end;
            } else if !walk.within && (piece.len() <= LONGEST_SHORT || !(cuts && is_wide(piece))) {
                entries.push_parts(view, text, start, &[piece.len()], false);
                start = end;
            } else {
                let mut cuts = [0; CUTS];
                let parts = plan.joins().cut(piece, &mut cuts);
                let whole = cuts[0] == piece.len() && !walk.within;
                let part = plan.merger.tells_parts() && !whole;
                entries.push_parts(view, text, start, &cuts[..parts], part);
                start = entries.bounds[entries.count];
            }
            walk.within = start < end;
            walk.piece += usize::from(!walk.within);
        }
        walk.start = start;
    }
}

/// Whether a piece starts, after an optional space, with a character of three bytes or more: Chinese, Japanese, Thai
/// and other scripts without spaces, whose pieces are long and seldom recur.
#[inline(always)]
fn is_wide(piece: &[u8]) -> bool {
    piece[0] >= 0xE0 || piece[0].is_ascii() && piece.get(1).is_some_and(|&byte| byte >= 0xE0)
}
