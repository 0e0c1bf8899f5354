//! What stands to the left and to the right of a merged pair, added up by token.

use super::cells::TokenCell;
use crate::types::Count;

/// What is known of a token that stands beside the merged pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbour {
    pub(super) count: Count,
    /// How often, and then by how much `next` moves.
    pub(super) len: u32,
    /// Where its next place goes, behind the places that were there before the merge.
    pub(super) next: u32,
}

/// The two sides of a merged pair.
#[derive(Debug, Default)]
pub(super) struct NeighbourTable<C> {
    /// By `TokenCell::index`.
    pub(super) beside: Vec<Neighbour>,
    /// Those that are not empty, and how many they are. There is one more place than there are
    /// cells: every cell is written behind the last, and only counted if it is new.
    pub(super) touched: Vec<C>,
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
