/*!
The neighbours of a merged pair, on one side: how often each token stands there.

A table by token, and a list of the tokens that occur in it, so that it can be emptied quickly.
*/

use super::cells::TokenCell;
use crate::types::Count;

/// A token that stands beside the merged pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbour {
    /// The sum of the counts of its places.
    pub(super) count: Count,
    /// The number of its places; later the step of `next`, which is 1 for a candidate and 0 for others.
    pub(super) len: u32,
    /// Where its next place is written, relative to the places before the merge.
    pub(super) next: u32,
}

/// All neighbours of a merged pair on one side.
#[derive(Debug, Default)]
pub(super) struct NeighbourTable<C> {
    /// By `TokenCell::index`.
    pub(super) beside: Vec<Neighbour>,
    /// The tokens that occur, in the first `len` elements. PERF: every neighbour is written after the last one
    /// and only counted if it is new, so that there is no branch; hence one spare element.
    pub(super) touched: Vec<C>,
    /// How many tokens occur.
    pub(super) len: usize,
}

impl<C: TokenCell> NeighbourTable<C> {
    pub(super) fn new(ids: usize) -> NeighbourTable<C> {
        NeighbourTable {
            beside: vec![Neighbour::default(); ids + 1],
            touched: vec![C::default(); ids + 2],
            len: 0,
        }
    }

    pub(super) fn grow(&mut self) {
        self.beside.push(Neighbour::default());
        self.touched.push(C::default());
    }

    pub(super) fn shrink(&mut self) {
        self.beside.pop();
        self.touched.pop();
    }

    #[inline(always)]
    pub(super) fn add(&mut self, cell: C, count: Count) {
        let beside = &mut self.beside[cell.index()];
        self.touched[self.len] = cell;
        self.len += usize::from(beside.len == 0);
        beside.count += count;
        beside.len += 1;
    }

    pub(super) fn clear(&mut self) {
        for cell in &self.touched[..self.len] {
            self.beside[cell.index()] = Neighbour::default();
        }
        self.len = 0;
    }
}
