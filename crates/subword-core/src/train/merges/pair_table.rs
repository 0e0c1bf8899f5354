/*!
Pairs that are being counted, and where their places go.

Each thread counts in a table of its own, in the order in which it meets the pairs. When the sums of all are known, so
is where the places of each pair start, and where in there those of each thread, and all threads write to one array:

```text
            a+b                     c+d
places      thread 1 | thread 2     thread 1 | thread 2
```
*/

use std::sync::atomic::{AtomicU32, Ordering};

use super::cells::TokenCell;
use crate::error::Result;
use crate::parallel;
use crate::seed::Seed;
use crate::types::Count;

/// A pair, and the range of its places.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScannedPair<C> {
    pub(super) pair: (C, C),
    pub(super) count: Count,
    pub(super) start: usize,
    pub(super) len: usize,
}

#[inline(always)]
pub(super) fn packed<C: TokenCell>(left: C, right: C) -> u64 {
    (left.index() as u64) << 32 | right.index() as u64
}

/// Pairs by the order in which they were first seen.
pub(super) struct PairTable<C> {
    /// One more than a place in `found`; 0 is free.
    slots: Vec<u32>,
    shift: u32,
    pub(super) found: Vec<ScannedPair<C>>,
    /// The factor of the hash. It is random, because the author of a corpus chooses the pairs.
    factor: u64,
}

impl<C: TokenCell> PairTable<C> {
    pub(super) fn new() -> PairTable<C> {
        let bits = 12;
        let factor = Seed::default().odd;
        PairTable { slots: vec![0; 1 << bits], shift: 64 - bits, found: Vec::new(), factor }
    }

    #[inline(always)]
    fn place(&self, (left, right): (C, C)) -> usize {
        (packed(left, right).wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Adds to the sums of a pair, and gives its number.
    #[inline]
    pub(super) fn add(&mut self, pair: (C, C), count: Count, len: usize) -> u32 {
        let number = self.number(pair);
        let found = &mut self.found[number as usize];
        found.count += count;
        found.len += len;
        number
    }

    #[inline]
    fn number(&mut self, pair: (C, C)) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = self.place(pair);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            if self.found[slot as usize - 1].pair == pair {
                return slot - 1;
            }
            at = (at + 1) & mask;
        }
        self.found.push(ScannedPair { pair, count: 0, start: 0, len: 0 });
        self.slots[at] = self.found.len() as u32;
        if self.found.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.found.len() as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.slots.len() * 4;
        self.slots = vec![0; len];
        self.shift -= 2;
        for (index, found) in self.found.iter().enumerate() {
            let mut at = self.place(found.pair);
            while self.slots[at] != 0 {
                at = (at + 1) & (len - 1);
            }
            self.slots[at] = index as u32 + 1;
        }
    }
}

/// In [`Layout::next`], what has no places.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How many places the spare places of two threads are apart: more than a cache line.
const SPARE: usize = 64;

/// Where the places of all pairs go.
pub(super) struct Layout {
    /// How many places there are.
    pub(super) len: usize,
    /// For each part of the cells, by the number of a pair: where its next place is written, or [`NOWHERE`].
    pub(super) next: Vec<Vec<u32>>,
}

impl Layout {
    /// The places that `write` puts for each of the parts.
    pub(super) fn fill<P: Send>(
        self,
        parts: Vec<P>,
        write: impl Fn(P, &mut PlaceWriter<'_>) -> Result<()> + Sync,
    ) -> Result<Vec<u32>> {
        let Layout { len, next } = self;
        let places = vec![0; len + parts.len() * SPARE];
        let places: Vec<_> = places.into_iter().map(AtomicU32::new).collect();
        let parts = parts.into_iter().zip(next).enumerate().collect();
        parallel::each(parts, |(number, (part, mut next))| {
            // PERF: pairs without places write to a spare one, over and over, so that there is no branch.
            let spare = (len + number * SPARE) as u32;
            next.iter_mut().filter(|next| **next == NOWHERE).for_each(|next| *next = spare);
            write(part, &mut PlaceWriter { places: &places, next, end: len as u32 })
        })?;
        let mut places: Vec<_> = places.into_iter().map(AtomicU32::into_inner).collect();
        places.truncate(len);
        Ok(places)
    }
}

/// Writes the places of one part.
pub(super) struct PlaceWriter<'p> {
    places: &'p [AtomicU32],
    next: Vec<u32>,
    end: u32,
}

impl PlaceWriter<'_> {
    /// Writes the next place of a pair.
    #[inline(always)]
    pub(super) fn put(&mut self, pair: usize, at: u32) {
        let next = &mut self.next[pair];
        // Nobody reads before all threads have ended.
        self.places[*next as usize].store(at, Ordering::Relaxed);
        *next += u32::from(*next < self.end);
    }
}
