/*!
All pieces in one array, in which a merge moves nothing.

A token takes as many cells as it had parts when the array was packed, and stands in the first and
in the last of them. Between pieces there is a gap, and within a token as well. `lower` before and
after `l+o` and `lo+w`:

```text
. l o w e r .     . lo lo w e r .     . low . low e r .
```

So a place and the widths of two tokens are enough to see whether the pair is there and what stands beside
it, without links and without look-ups.

Invariants
* A place that was once the start of a token still is, as long as the cell holds that token: boundaries
  vanish and never come back.
* Pieces stand source by source, and each source is in parts, one for each thread, so that threads make and pack the
  array together. A part starts with a gap.
* In a part, pieces stand by falling count, and a new count starts at a multiple of `BLOCK` cells: the count of a place
  is that of its block.
*/

use std::ops::Range;

use super::{TrainingWords, sharing};
use crate::error::Result;
use crate::types::{Count, TokenId};
use crate::{interrupt, parallel};

/// How many adjacent cells share one count.
pub(super) const BLOCK: usize = 32;

/// A token, stored as its id plus one in two or four bytes: the fewer bytes, the more of the array stays in
/// the nearer caches. 0 is a gap.
pub(super) trait TokenCell: Copy + Eq + Default + Send + Sync + std::fmt::Debug {
    fn new(token: TokenId) -> Self;
    /// Its index in tables that have an entry for every token and for the gap.
    fn index(self) -> usize;

    #[inline(always)]
    fn id(self) -> TokenId {
        self.index() as TokenId - 1
    }
}

impl TokenCell for u16 {
    #[inline(always)]
    fn new(token: TokenId) -> u16 {
        token as u16 + 1
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.into()
    }
}

impl TokenCell for u32 {
    #[inline(always)]
    fn new(token: TokenId) -> u32 {
        token + 1
    }

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

/// All pieces in one array.
#[derive(Debug)]
pub(super) struct Cells<C> {
    pub(super) cells: Vec<C>,
    /// How often each block occurs.
    counts: Vec<Count>,
    /// How many blocks each part has.
    parts: Vec<usize>,
    /// Where the parts of each source start.
    sources: Vec<usize>,
    /// How many cells each token takes, by `TokenCell::index`.
    pub(super) widths: Vec<u32>,
    /// Whether every token takes one cell.
    packed: bool,
}

impl<C: TokenCell> Cells<C> {
    /// The pieces, where tokens have ids below `ids`.
    pub(super) fn new(words: TrainingWords, ids: usize, threads: usize) -> Result<Cells<C>> {
        let (mut pieces, mut sources) = (Vec::new(), Vec::new());
        for source in words.sources() {
            sources.push(pieces.len());
            pieces.extend(sharing::pieces(&words.ends, source, threads));
        }
        let sorted = parallel::each(pieces, |pieces| SortedPieces::new(&words, pieces))?;
        let len = sorted.iter().map(|part| part.len).sum();
        let mut cells = vec![C::default(); len];
        let mut counts = vec![0; len / BLOCK];
        let parts: Vec<_> = sorted.iter().map(|part| part.len / BLOCK).collect();
        let slices = slices(&parts, &mut cells, &mut counts);
        parallel::each(sorted.iter().zip(slices).collect(), |(part, (_, cells, counts))| {
            part.fill(&words, cells, counts)
        })?;
        Ok(Cells { cells, counts, parts, sources, widths: vec![1; ids + 1], packed: true })
    }

    /// The cells of a source.
    pub(super) fn source(&self, source: usize) -> Range<usize> {
        let start = |source| {
            let first = self.sources.get(source).copied().unwrap_or(self.parts.len());
            self.parts[..first].iter().sum::<usize>() * BLOCK
        };
        start(source)..start(source + 1)
    }

    /// How often the piece at a place occurs.
    #[inline(always)]
    pub(super) fn count(&self, at: usize) -> Count {
        self.counts[at / BLOCK]
    }

    /// How many blocks there are.
    pub(super) fn block_count(&self) -> usize {
        self.counts.len()
    }

    /// Some of the blocks: where each starts and how often it occurs.
    pub(super) fn blocks(&self, some: Range<usize>) -> impl Iterator<Item = (usize, &[C], Count)> {
        let end = (some.end * BLOCK).min(self.cells.len());
        let cells = self.cells[some.start * BLOCK..end].chunks(BLOCK);
        let blocks = cells.zip(&self.counts[some.clone()]).zip(some);
        blocks.map(|((cells, &count), block)| (block * BLOCK, cells, count))
    }

    /// The cells, and the counts of the blocks.
    pub(super) fn cells_and_counts(&mut self) -> (&mut [C], &[Count]) {
        (&mut self.cells, &self.counts)
    }

    /// Whether the pair still stands at a place where it once stood.
    #[inline(always)]
    pub(super) fn is_at(&self, at: usize, left: C, right: C, width: usize) -> bool {
        self.cells[at] == left && self.cells[at + width] == right
    }

    /// Adds a token that takes as many cells as these two.
    pub(super) fn add(&mut self, left: C, right: C) {
        self.widths.push(self.widths[left.index()] + self.widths[right.index()]);
        self.packed = false;
    }

    /// Packs the array, replaces the token that was added last by `token`, and removes it.
    pub(super) fn rename_last(&mut self, token: C) -> Result<()> {
        self.pack()?;
        self.widths.pop();
        let last = self.widths.len();
        for cell in self.cells.iter_mut().filter(|cell| cell.index() == last) {
            *cell = token;
        }
        Ok(())
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<C>() + self.counts.capacity() * size_of::<Count>()
    }

    /// Gives every token one cell again. Pieces of one token are dropped, because they hold no pair.
    pub(super) fn pack(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.packed, true) {
            return Ok(());
        }
        let widths = &self.widths;
        let slices = slices(&self.parts, &mut self.cells, &mut self.counts);
        let packed = parallel::each(slices, |(first, cells, counts)| {
            Ok((first, pack(cells, counts, widths)))
        })?;
        let mut end = 0;
        for ((from, blocks), part) in packed.into_iter().zip(&mut self.parts) {
            self.cells.copy_within(from * BLOCK..(from + blocks) * BLOCK, end * BLOCK);
            self.counts.copy_within(from..from + blocks, end);
            *part = blocks;
            end += blocks;
        }
        self.cells.truncate(end * BLOCK);
        self.counts.truncate(end);
        self.cells.shrink_to_fit();
        self.counts.shrink_to_fit();
        self.widths.fill(1);
        Ok(())
    }
}

/// The parts of the blocks: the first block, the cells, the counts.
fn slices<'c, C>(
    parts: &[usize],
    mut cells: &'c mut [C],
    mut counts: &'c mut [Count],
) -> Vec<(usize, &'c mut [C], &'c mut [Count])> {
    let mut first = 0;
    let slice = |&blocks: &usize| {
        let (own, others) = std::mem::take(&mut cells).split_at_mut(blocks * BLOCK);
        cells = others;
        let own_counts;
        (own_counts, counts) = std::mem::take(&mut counts).split_at_mut(blocks);
        first += blocks;
        (first - blocks, own, own_counts)
    };
    parts.iter().map(slice).collect()
}

/// Some pieces by falling count.
struct SortedPieces {
    order: Vec<(Count, u32)>,
    /// How many cells they take; whole blocks.
    len: usize,
}

impl SortedPieces {
    fn new(words: &TrainingWords, pieces: Range<usize>) -> Result<SortedPieces> {
        let numbers = pieces.start as u32..;
        let pieces = words.counts[pieces].iter().copied().zip(numbers);
        let pairs = |&(count, piece): &(Count, u32)| count > 0 && words.piece(piece).len() > 1;
        let mut order: Vec<_> = pieces.filter(pairs).collect();
        interrupt::sort_by(&mut order, |a, b| (b.0, a.1).cmp(&(a.0, b.1)))?;
        let (mut len, mut last) = (1_usize, None);
        for &(count, piece) in &order {
            len = start_of(len, last.replace(count), count) + words.piece(piece).len() + 1;
        }
        Ok(SortedPieces { order, len: len.next_multiple_of(BLOCK) })
    }

    /// Writes them to cells that are all gaps.
    fn fill<C: TokenCell>(
        &self,
        words: &TrainingWords,
        cells: &mut [C],
        counts: &mut [Count],
    ) -> Result<()> {
        let (mut len, mut last) = (1_usize, None);
        for &(count, piece) in &self.order {
            let (start, piece) = (start_of(len, last.replace(count), count), words.piece(piece));
            len = start + piece.len() + 1;
            for (cell, &token) in cells[start..].iter_mut().zip(piece) {
                *cell = C::new(token);
            }
            counts[start / BLOCK..len.div_ceil(BLOCK)].fill(count);
            interrupt::worked(piece.len())?;
        }
        Ok(())
    }
}

/// Where a piece starts behind `len` cells, the last of them a gap: a new count starts a new block.
fn start_of(len: usize, last: Option<Count>, count: Count) -> usize {
    if last.is_none_or(|last| last == count) { len } else { len.next_multiple_of(BLOCK) }
}

/// Gives every token of a part one cell again; returns how many blocks are left. Pieces of one token are dropped,
/// because they hold no pair.
fn pack<C: TokenCell>(cells: &mut [C], counts: &mut [Count], widths: &[u32]) -> usize {
    let (mut from, mut to) = (1, 1_usize);
    let mut block = 0;
    while block < counts.len() {
        let count = counts[block];
        let alike = counts[block..].iter().take_while(|&&other| other == count).count();
        let end = (block + alike) * BLOCK;
        let start = if block == 0 { 1 } else { to.next_multiple_of(BLOCK) };
        cells[to..start].fill(C::default());
        to = pack_range(cells, widths, from..end, start);
        counts[start / BLOCK..to.div_ceil(BLOCK)].fill(count);
        block += alike;
        from = end;
    }
    let blocks = to.div_ceil(BLOCK);
    cells[to..blocks * BLOCK].fill(C::default());
    blocks
}

/// Packs some cells, whose pieces all occur equally often, so that they start at `to`, behind a gap. Returns where they
/// end.
///
/// PERF: no branch depends on the cells, and the start of the next token is known a few cycles after that
/// of this one. Four times faster than jumping from token to token (2026-11-15).
fn pack_range<C: TokenCell>(
    cells: &mut [C],
    widths: &[u32],
    range: Range<usize>,
    mut to: usize,
) -> usize {
    let (mut next, mut gap) = (range.start, to - 1);
    for at in range {
        let cell = cells[at];
        let starts = at == next;
        next += if starts { widths[cell.index()] as usize } else { 0 };
        cells[to] = cell;
        let is_gap = starts & (cell == C::default());
        // A piece of one token, or none, goes: its gap is the one before it.
        let after = if is_gap & (to - gap <= 2) { gap + 1 } else { to + 1 };
        gap = if is_gap { after - 1 } else { gap };
        to = if starts { after } else { to };
    }
    to
}
