/*!
Counts all pairs at once: returns those whose count reaches a threshold, and the places of each.

Most pairs are rare, so counting all of them exactly would need a large table with random access. Instead
counts are first added up by a few bits of the pair's hash: such a sum is never less than the count of a pair
in it. Only pairs whose sum reaches the threshold are then counted exactly. While there are few different
tokens, as in the beginning, every pair has an entry of its own in one table.
*/

use std::ops::Range;

use super::cells::{BLOCK, Cells, TokenCell};
use super::pair_table::{Layout, NOWHERE, PairTable, ScannedPair, packed};
use super::sharing;
use crate::error::Result;
use crate::types::Count;
use crate::{interrupt, parallel};

/// The most bits of the hash, so that the sums stay in a near cache.
const MOST_BITS: u32 = 20;

/// With at most this many different tokens, gaps included, all pairs are counted in one table.
const FEW: usize = 300;

/// How many pairs that reach the threshold are gathered before they are looked up.
const BATCH: usize = 4096;

/// The pairs, their places, and the threshold.
type Scanned<C> = (Vec<ScannedPair<C>>, Vec<u32>, Count);

/// The pairs of packed cells whose count reaches a threshold, the places of each pair in order, and that threshold:
/// `least` of an upper bound of the highest count.
pub(super) fn scan<C: TokenCell>(
    cells: &Cells<C>,
    least: impl FnOnce(Count) -> Count,
    threads: usize,
) -> Result<Scanned<C>> {
    let parts = sharing::ranges(cells.block_count(), BLOCK, threads);
    let tokens = cells.widths.len();
    if tokens <= FEW {
        scan_few(cells, parts, least, tokens)
    } else {
        scan_many(cells, parts, least)
    }
}

/// Calls `pair` with every two cells that stand beside each other, the second of them in one of these blocks; the place
/// of the second, and how often they do.
#[inline(always)]
fn each<C: TokenCell>(
    cells: &Cells<C>,
    blocks: Range<usize>,
    mut pair: impl FnMut(C, C, usize, Count),
) -> Result<()> {
    let before = (blocks.start * BLOCK).checked_sub(1);
    let mut left = before.map_or(C::default(), |at| cells.cells[at]);
    for (start, block, count) in cells.blocks(blocks) {
        for (at, &right) in block.iter().enumerate() {
            pair(left, right, start + at, count);
            left = right;
        }
        interrupt::worked(block.len())?;
    }
    Ok(())
}

fn scan_few<C: TokenCell>(
    cells: &Cells<C>,
    parts: Vec<Range<usize>>,
    least: impl FnOnce(Count) -> Count,
    few: usize,
) -> Result<Scanned<C>> {
    let counted = parallel::each(parts.clone(), |blocks| {
        let mut counts = vec![(0, 0u32); few * few];
        each(cells, blocks, |left, right, _, count| {
            let sum: &mut (Count, u32) = &mut counts[left.index() * few + right.index()];
            // Only the sum of gaps, which nobody reads, can be too large.
            sum.0 = sum.0.wrapping_add(count);
            sum.1 += 1;
        })?;
        Ok(counts)
    })?;
    let pairs = (few..few * few).filter(|at| !at.is_multiple_of(few));
    let sum = |at: usize| {
        let of_parts = counted.iter().map(|counts| counts[at]);
        of_parts.fold((0, 0), |(sum, places), (count, len)| (sum + count, places + len as usize))
    };
    let sums: Vec<_> = pairs.map(|at| (at, sum(at))).filter(|(_, (count, _))| *count > 0).collect();
    let least = least(sums.iter().map(|(_, (count, _))| *count).max().unwrap_or(0));
    let mut layout = Layout { len: 0, next: vec![vec![NOWHERE; few * few]; parts.len()] };
    let mut found = Vec::new();
    for (at, (count, len)) in sums.into_iter().filter(|(_, (count, _))| *count >= least) {
        let pair = (C::new((at / few) as u32 - 1), C::new((at % few) as u32 - 1));
        found.push(ScannedPair { pair, count, start: layout.len, len });
        for (next, counts) in layout.next.iter_mut().zip(&counted) {
            next[at] = layout.len as u32;
            layout.len += counts[at].1 as usize;
        }
    }
    drop(counted);
    let places = layout.fill(parts, |blocks, places| {
        each(cells, blocks, |left, right, at, _| {
            places.put(left.index() * few + right.index(), (at as u32).wrapping_sub(1));
        })
    })?;
    Ok((found, places, least))
}

fn scan_many<C: TokenCell>(
    cells: &Cells<C>,
    parts: Vec<Range<usize>>,
    least: impl FnOnce(Count) -> Count,
) -> Result<Scanned<C>> {
    let bits = cells.cells.len().ilog2().clamp(10, MOST_BITS);
    let sums = sums(cells, &parts, bits)?;
    let highest = sums.iter().copied().max().unwrap_or(0);
    let least = least(if highest == u32::MAX { Count::MAX } else { highest.into() }).max(1);
    let enough = u32::try_from(least).unwrap_or(u32::MAX);
    let counted = parallel::each(parts, |blocks| {
        let (mut table, mut records) = (PairTable::new(), Vec::new());
        let (mut passed, mut len) = (vec![(C::default(), C::default(), 0); BATCH], 0);
        let mut look_up = |passed: &[(C, C, u32)]| {
            for &(left, right, at) in passed {
                let number = table.add((left, right), cells.count(at as usize), 1);
                records.push((number, at - 1));
            }
        };
        each(cells, blocks, |left, right, at, _| {
            passed[len] = (left, right, at as u32);
            len += usize::from(sums[sum_of(left, right, bits)] >= enough);
            if len == BATCH {
                look_up(&passed);
                len = 0;
            }
        })?;
        look_up(&passed[..len]);
        Ok((table.found, records))
    })?;
    drop(sums);
    let (counted, records): (Vec<_>, Vec<_>) = counted.into_iter().unzip();
    let (found, layout) = add_up(&counted, least);
    let places = layout.fill(records, |records, places| {
        interrupt::worked(size_of_val(&*records))?;
        records.into_iter().for_each(|(number, at)| places.put(number as usize, at));
        Ok(())
    })?;
    Ok((found, places, least))
}

/// The sums of the counts of all pairs, by some bits of their hash; 0 for what is no pair, behind the others.
fn sums<C: TokenCell>(cells: &Cells<C>, parts: &[Range<usize>], bits: u32) -> Result<Vec<u32>> {
    let of_parts = parallel::each(parts.to_vec(), |blocks| {
        let mut sums = vec![0u32; (1 << bits) + 1];
        each(cells, blocks, |left, right, _, count| {
            let sum = &mut sums[sum_of(left, right, bits)];
            *sum = sum.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        })?;
        Ok(sums)
    })?;
    let add = |mut sums: Vec<u32>, more: Vec<u32>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        sums
    };
    let mut sums = of_parts.into_iter().reduce(add).unwrap_or_default();
    sums.truncate(1 << bits);
    sums.push(0);
    Ok(sums)
}

/// Where the sum of two cells is.
#[inline(always)]
fn sum_of<C: TokenCell>(left: C, right: C, bits: u32) -> usize {
    let sum = (packed(left, right).wrapping_mul(FACTOR) >> (64 - bits)) as usize;
    if (left == C::default()) | (right == C::default()) { 1 << bits } else { sum }
}

/// Puts the pairs that the parts have counted together: those that count enough, and where the places of each part go.
fn add_up<C: TokenCell>(
    parts: &[Vec<ScannedPair<C>>],
    least: Count,
) -> (Vec<ScannedPair<C>>, Layout) {
    let mut all = PairTable::new();
    let mut number = |found: &ScannedPair<C>| all.add(found.pair, found.count, found.len);
    let numbers = |part: &Vec<ScannedPair<C>>| part.iter().map(&mut number).collect();
    let numbers: Vec<Vec<u32>> = parts.iter().map(numbers).collect();
    let mut layout = Layout { len: 0, next: Vec::new() };
    for found in all.found.iter_mut().filter(|found| found.count >= least) {
        found.start = layout.len;
        layout.len += found.len;
    }
    for (part, numbers) in parts.iter().zip(numbers) {
        let next = |(own, number): (&ScannedPair<C>, u32)| {
            let found = &mut all.found[number as usize];
            let start = found.start as u32;
            found.start += own.len;
            if found.count >= least { start } else { NOWHERE }
        };
        layout.next.push(part.iter().zip(numbers).map(next).collect());
    }
    all.found.retain_mut(|found| {
        found.start -= found.len;
        found.count >= least
    });
    (all.found, layout)
}

/// Spreads pairs over the sums. It need not be random: pairs that share a sum only cost a needless look-up.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
