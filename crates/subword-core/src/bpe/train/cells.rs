/*!
All pieces in one array, where merging moves nothing.

A token takes as many cells as it had when the array was made or packed, its id in the first and in
the last of them; between pieces stands [`Cell::GAP`]. `lower` before and after `l+o` and `lo+w`:

```text
. l o w e r .     . lo lo w e r .     . low . low e r .
```

So with the cells that two tokens take, a place is enough to see the pair there and its neighbours:
no links, no look-ups.

Invariants
* A token starts at `at` if and only if it did when somebody wrote `at` down and the cell still has
  its id: boundaries vanish, none ever comes back, and what lies within a token is a gap.
* The pieces stand by falling count, and each new count starts at a multiple of `1 << BLOCK` cells:
  the count of a place is that of its block.
*/

use super::Words;
use crate::types::{Count, TokenId};

/// Places that have the same count: two to the power of this many cells.
const BLOCK: u32 = 5;

/// An id in as few bytes as will do: the fewer, the more of the array is in a near cache.
pub(super) trait Cell: Copy + Eq + std::fmt::Debug + Send + Sync {
    /// No token.
    const GAP: Self;
    fn new(token: TokenId) -> Self;
    fn id(self) -> TokenId;
}

impl Cell for u16 {
    const GAP: u16 = u16::MAX;
    #[inline(always)]
    fn new(token: TokenId) -> u16 {
        token as u16
    }
    #[inline(always)]
    fn id(self) -> TokenId {
        self.into()
    }
}

impl Cell for u32 {
    const GAP: u32 = u32::MAX;
    #[inline(always)]
    fn new(token: TokenId) -> u32 {
        token
    }
    #[inline(always)]
    fn id(self) -> TokenId {
        self
    }
}

/// All pieces in one array.
#[derive(Debug)]
pub(super) struct Cells<C> {
    pub(super) cells: Vec<C>,
    counts: Vec<Count>,
    /// How many cells each token takes, by id.
    pub(super) widths: Vec<u32>,
}

impl<C: Cell> Cells<C> {
    pub(super) fn new(words: Words, ids: usize) -> Cells<C> {
        let mut order: Vec<(Count, u32)> = words.counts.iter().copied().zip(0..).collect();
        order.sort_unstable_by_key(|&(count, at)| (std::cmp::Reverse(count), at));
        let room = words.tokens.len() + words.len() + 1;
        let mut made = Cells {
            cells: Vec::with_capacity(room + room / 16),
            counts: Vec::new(),
            widths: vec![1; ids],
        };
        made.cells.push(C::GAP);
        let mut last = None;
        for (count, at) in order {
            if last != Some(count) {
                made.begin_count(count);
                last = Some(count);
            }
            let at = at as usize;
            let start = if at == 0 { 0 } else { words.ends[at - 1] };
            let piece = &words.tokens[start as usize..words.ends[at] as usize];
            if piece.len() > 1 && count > 0 {
                made.cells.extend(piece.iter().map(|&token| C::new(token)));
                made.cells.push(C::GAP);
            }
        }
        let count = last.unwrap_or_default();
        made.counts.resize((made.cells.len() >> BLOCK) + 1, count);
        made
    }

    /// What follows counts so often.
    fn begin_count(&mut self, count: Count) {
        let end = self.cells.len().next_multiple_of(1 << BLOCK);
        let before = self.counts.last().copied().unwrap_or(count);
        self.cells.resize(end, C::GAP);
        self.counts.resize(end >> BLOCK, before);
        self.counts.push(count);
    }

    #[inline(always)]
    pub(super) fn count(&self, at: u32) -> Count {
        self.counts[(at >> BLOCK) as usize]
    }

    /// Packs the array: every token takes one cell again. Pieces of one token are left out, as no
    /// pair is in them.
    pub(super) fn pack(&mut self) {
        let (mut from, mut to) = (1usize, 1usize);
        let mut before = None;
        while from < self.cells.len() {
            if self.cells[from] == C::GAP {
                from += 1;
                continue;
            }
            let count = self.counts[from >> BLOCK];
            if before != Some(count) {
                let end = to.next_multiple_of(1 << BLOCK);
                self.cells[to..end].fill(C::GAP);
                to = end;
                before = Some(count);
            }
            let start = to;
            while self.cells[from] != C::GAP {
                let token = self.cells[from];
                from += self.widths[token.id() as usize] as usize;
                self.cells[to] = token;
                self.counts[to >> BLOCK] = count;
                to += 1;
            }
            if to == start + 1 {
                to = start;
            } else {
                self.cells[to] = C::GAP;
                self.counts[to >> BLOCK] = count;
                to += 1;
            }
        }
        self.cells.truncate(to);
        self.counts.truncate((to >> BLOCK) + 1);
        self.widths.fill(1);
    }
}
