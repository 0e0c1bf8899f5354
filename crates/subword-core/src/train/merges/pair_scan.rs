/*!
Counts all pairs at once: returns those whose count reaches a threshold, and the places of each.

Most pairs are rare, so counting all of them exactly would need a large table with random access. Instead
counts are first added up by a few bits of the pair's hash: such a sum is never less than the count of a pair
in it. Only pairs whose sum reaches the threshold are then counted exactly. While there are few different
tokens, as in the beginning, every pair has an entry of its own in one table.
*/

use super::cells::{Cells, TokenCell};
use super::progress::TrainingProgress;
use crate::error::Result;
use crate::seed::Seed;
use crate::types::Count;

/// The most bits of the hash, so that the sums stay in a near cache.
const MOST_BITS: u32 = 20;

/// With at most this many different tokens, gaps included, all pairs are counted in one table.
const FEW: usize = 300;

/// How many pairs that reach the threshold are gathered before they are looked up.
const BATCH: usize = 4096;

/// A pair that reaches the threshold, and the range of its places.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScannedPair<C> {
    pub(super) pair: (C, C),
    pub(super) count: Count,
    pub(super) start: usize,
    pub(super) len: usize,
}

/// The pairs of packed cells whose count reaches a threshold, and that threshold: `least` of an upper bound of
/// the highest count. Replaces `places` by their places, those of each pair in order.
pub(super) fn scan<C: TokenCell>(
    cells: &Cells<C>,
    places: &mut Vec<u32>,
    least: impl FnOnce(Count) -> Count,
    watch: &mut TrainingProgress<'_>,
) -> Result<(Vec<ScannedPair<C>>, Count)> {
    places.clear();
    let tokens = cells.widths.len();
    if tokens <= FEW {
        scan_few(cells, places, least, tokens, watch)
    } else {
        scan_many(cells, places, least, watch)
    }
}

/// Calls `pair` with every two cells that stand beside each other, the place of the second, and how
/// often they do.
#[inline(always)]
fn each<C: TokenCell>(
    cells: &Cells<C>,
    watch: &mut TrainingProgress<'_>,
    mut pair: impl FnMut(C, C, usize, Count),
) -> Result<()> {
    let mut left = C::default();
    for (start, block, count) in cells.blocks() {
        for (at, &right) in block.iter().enumerate() {
            pair(left, right, start + at, count);
            left = right;
        }
        watch.worked(block.len())?;
    }
    Ok(())
}

fn scan_few<C: TokenCell>(
    cells: &Cells<C>,
    places: &mut Vec<u32>,
    least: impl FnOnce(Count) -> Count,
    few: usize,
    watch: &mut TrainingProgress<'_>,
) -> Result<(Vec<ScannedPair<C>>, Count)> {
    let mut counts = vec![(0, 0u32); few * few];
    each(cells, watch, |left, right, _, count| {
        let sum: &mut (Count, u32) = &mut counts[left.index() * few + right.index()];
        // Only the sum of gaps, which nobody reads, can be too large.
        sum.0 = sum.0.wrapping_add(count);
        sum.1 += 1;
    })?;
    let is_pair = |at: usize| at >= few && !at.is_multiple_of(few);
    let pairs = || counts.iter().enumerate().filter(|(at, _)| is_pair(*at));
    let highest = pairs().map(|(_, sum)| sum.0).max().unwrap_or(0);
    let least = least(highest);
    let mut found = Vec::new();
    // What counts too little writes to the last place, over and over.
    let mut next = vec![u32::MAX; few * few];
    let mut end = 0;
    for (at, &(count, len)) in pairs().filter(|(_, sum)| sum.0 >= least && sum.0 > 0) {
        let pair = (C::new((at / few) as u32 - 1), C::new((at % few) as u32 - 1));
        found.push(ScannedPair { pair, count, start: end, len: len as usize });
        next[at] = end as u32;
        end += len as usize;
    }
    places.resize(end + 1, 0);
    next.iter_mut().filter(|next| **next == u32::MAX).for_each(|next| *next = end as u32);
    each(cells, watch, |left, right, at, _| {
        let next = &mut next[left.index() * few + right.index()];
        places[*next as usize] = (at as u32).wrapping_sub(1);
        *next += u32::from((*next as usize) < end);
    })?;
    places.truncate(end);
    Ok((found, least))
}

fn scan_many<C: TokenCell>(
    cells: &Cells<C>,
    places: &mut Vec<u32>,
    least: impl FnOnce(Count) -> Count,
    watch: &mut TrainingProgress<'_>,
) -> Result<(Vec<ScannedPair<C>>, Count)> {
    let bits = cells.cells.len().ilog2().clamp(10, MOST_BITS);
    let no_pair = 1 << bits;
    let sum_of = |left: C, right: C| {
        let sum = (packed(left, right).wrapping_mul(FACTOR) >> (64 - bits)) as usize;
        if (left == C::default()) | (right == C::default()) { no_pair } else { sum }
    };
    let mut sums = vec![0u32; no_pair + 1];
    each(cells, watch, |left, right, _, count| {
        let sum = &mut sums[sum_of(left, right)];
        *sum = sum.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    })?;
    sums[no_pair] = 0;
    let highest = sums.iter().copied().max().unwrap_or(0);
    let least = least(if highest == u32::MAX { Count::MAX } else { highest.into() }).max(1);
    let enough = u32::try_from(least).unwrap_or(u32::MAX);
    let (mut table, mut records) = (PairTable::new(), Vec::new());
    let (mut passed, mut len) = (vec![(C::default(), C::default(), 0); BATCH], 0);
    let mut look_up = |passed: &[(C, C, u32)]| {
        for &(left, right, at) in passed {
            let index = table.index((left, right));
            let found = &mut table.found[index as usize];
            found.count += cells.count(at as usize);
            found.len += 1;
            records.push((index, at - 1));
        }
    };
    each(cells, watch, |left, right, at, _| {
        passed[len] = (left, right, at as u32);
        len += usize::from(sums[sum_of(left, right)] >= enough);
        if len == BATCH {
            look_up(&passed);
            len = 0;
        }
    })?;
    look_up(&passed[..len]);
    Ok((table.into_found(records, least, places), least))
}

/// Spreads pairs over the sums. It need not be random: pairs that share a sum only cost a needless look-up.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline(always)]
fn packed<C: TokenCell>(left: C, right: C) -> u64 {
    (left.index() as u64) << 32 | right.index() as u64
}

/// Pairs by the order in which they were first seen.
struct PairTable<C> {
    /// One more than a place in `found`; 0 is free.
    slots: Vec<u32>,
    shift: u32,
    found: Vec<ScannedPair<C>>,
    /// The factor of the hash. It is random, because the author of a corpus chooses the pairs.
    factor: u64,
}

impl<C: TokenCell> PairTable<C> {
    fn new() -> PairTable<C> {
        let bits = 12;
        let factor = Seed::default().odd;
        PairTable { slots: vec![0; 1 << bits], shift: 64 - bits, found: Vec::new(), factor }
    }

    #[inline(always)]
    fn place(&self, (left, right): (C, C)) -> usize {
        (packed(left, right).wrapping_mul(self.factor) >> self.shift) as usize
    }

    #[inline]
    fn index(&mut self, pair: (C, C)) -> u32 {
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

    /// The pairs that count enough. `records` are places in `found` with the place of a pair.
    fn into_found(
        mut self,
        records: Vec<(u32, u32)>,
        least: Count,
        places: &mut Vec<u32>,
    ) -> Vec<ScannedPair<C>> {
        let mut end = 0;
        for found in &mut self.found {
            found.start = end;
            end += if found.count >= least { found.len } else { 0 };
        }
        places.resize(end, 0);
        for (index, at) in records {
            let found = &mut self.found[index as usize];
            if found.count >= least {
                places[found.start] = at;
                found.start += 1;
            }
        }
        self.found.retain_mut(|found| {
            found.start = found.start.saturating_sub(found.len);
            found.count >= least
        });
        self.found
    }
}
