/*!
The neighbours of a merged pair, on each side: how often each token stands there.

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
    /// Makes room for `tokens` tokens, the gap among them.
    fn fit(&mut self, tokens: usize) {
        if self.beside.len() < tokens {
            self.beside.resize(tokens, Neighbour::default());
            self.touched.resize(tokens + 1, C::default());
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, cell: C, count: Count) {
        let beside = &mut self.beside[cell.index()];
        self.touched[self.len] = cell;
        self.len += usize::from(beside.len == 0);
        beside.count += count;
        beside.len += 1;
    }

    /// Moves everything from another table to this one.
    fn take(&mut self, other: &mut NeighbourTable<C>) {
        for &cell in &other.touched[..other.len] {
            let (beside, more) = (&mut self.beside[cell.index()], &mut other.beside[cell.index()]);
            self.touched[self.len] = cell;
            self.len += usize::from(beside.len == 0);
            beside.count += more.count;
            beside.len += more.len;
            *more = Neighbour::default();
        }
        other.len = 0;
    }

    fn clear(&mut self) {
        for cell in &self.touched[..self.len] {
            self.beside[cell.index()] = Neighbour::default();
        }
        self.len = 0;
    }
}

/// What a thread has merged: the places, and what stood beside them.
#[derive(Debug, Default)]
pub(super) struct MergedPlaces<C> {
    pub(super) lefts: NeighbourTable<C>,
    pub(super) rights: NeighbourTable<C>,
    /// The places in their order, each with its left and right neighbour.
    pub(super) places: Vec<(u32, C, C)>,
    /// By how many tokens the text became shorter.
    pub(super) saved: Count,
}

impl<C: TokenCell> MergedPlaces<C> {
    /// Forgets the merge before, and makes room for `tokens` tokens, the gap among them.
    pub(super) fn clear(&mut self, tokens: usize) {
        for side in [&mut self.lefts, &mut self.rights] {
            side.clear();
            side.fit(tokens);
        }
        self.places.clear();
        self.saved = 0;
    }

    #[inline(always)]
    pub(super) fn add(&mut self, at: u32, before: C, after: C, count: Count) {
        self.lefts.add(before, count);
        self.rights.add(after, count);
        self.places.push((at, before, after));
        self.saved += count;
    }

    /// Moves everything from another to this one, whose places come first.
    pub(super) fn take(&mut self, other: &mut MergedPlaces<C>) {
        self.lefts.take(&mut other.lefts);
        self.rights.take(&mut other.rights);
        self.places.append(&mut other.places);
        self.saved += other.saved;
    }
}
