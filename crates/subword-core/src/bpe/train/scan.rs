/*! All pairs at once: which count at least so often, and where they are. */

use super::cells::{Cell, Cells};
use crate::types::{Count, Pair};

/// A pair that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) pair: Pair,
    pub(super) count: Count,
    /// Its places.
    pub(super) start: usize,
    pub(super) len: u32,
}

#[inline(always)]
fn mix(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The places of all pairs in packed cells whose count is at least what `least` makes of the highest count that any pair may
/// have.
pub(super) fn scan<C: Cell>(
    cells: &Cells<C>,
    least: impl FnOnce(Count) -> Count,
    places: &mut Vec<u32>,
    found: &mut Vec<Found>,
) -> Count {
    let line = &cells.cells[..];
    let bits = (usize::BITS - (line.len() * 2).leading_zeros()).clamp(10, 20);
    let shift = 64 - bits;
    let mut sums = vec![0u32; 1 << bits];
    for at in 1..line.len() {
        let (left, right) = (line[at - 1], line[at]);
        if left != C::GAP && right != C::GAP {
            let sum = &mut sums[(mix(left.id(), right.id()) >> shift) as usize];
            *sum = sum.saturating_add(cells.count(at as u32).min(u32::MAX.into()) as u32);
        }
    }
    let highest = sums.iter().copied().max().unwrap_or(0);
    let least = least(if highest == u32::MAX { Count::MAX } else { highest.into() });
    let coarse = least.min(u32::MAX.into()) as u32;
    let mut table = Table::new();
    let mut records: Vec<(u32, u32)> = Vec::new();
    for at in 1..line.len() {
        let (left, right) = (line[at - 1], line[at]);
        if left != C::GAP && right != C::GAP {
            let mixed = mix(left.id(), right.id());
            if sums[(mixed >> shift) as usize] >= coarse {
                let index = table.index((left.id(), right.id()), mixed);
                let entry = &mut table.found[index as usize];
                entry.count += cells.count(at as u32);
                entry.len += 1;
                records.push((index, at as u32 - 1));
            }
        }
    }
    drop(sums);
    let mut end = 0;
    for entry in &mut table.found {
        entry.start = if entry.count >= least { end } else { usize::MAX };
        end += if entry.count >= least { entry.len as usize } else { 0 };
    }
    places.clear();
    places.resize(end, 0);
    for (index, at) in records {
        let entry = &mut table.found[index as usize];
        if entry.start != usize::MAX {
            places[entry.start] = at;
            entry.start += 1;
        }
    }
    found.clear();
    for mut entry in table.found {
        if entry.start != usize::MAX {
            entry.start -= entry.len as usize;
            found.push(entry);
        }
    }
    least
}

/// Pairs by the order in which they were first seen.
struct Table {
    slots: Vec<u32>,
    shift: u32,
    found: Vec<Found>,
}

impl Table {
    fn new() -> Table {
        Table { slots: vec![0; 1 << 12], shift: 64 - 12, found: Vec::new() }
    }

    #[inline]
    fn index(&mut self, pair: Pair, mixed: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = (mixed >> self.shift) as usize;
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
        self.found.push(Found { pair, count: 0, start: 0, len: 0 });
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
            let mut at = (mix(found.pair.0, found.pair.1) >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & (len - 1);
            }
            self.slots[at] = index as u32 + 1;
        }
    }
}
