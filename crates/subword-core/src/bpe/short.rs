/*!
Merging by a linear scan, for pieces of up to 64 bytes, eight pieces side by side.

First all merges of two bytes are done that are certain to happen, in one step (`simd::byte_pairs`); these are half
of all merges. (Measured 2026-11-18 on a busy machine, AVX-512: without this step the first pass over 10 MB takes 18
to 22% longer for Russian and 6 to 8% for code; the rounds of English do not agree.)

Each remaining token is a node, and one bit of a 64-bit word says whether the node still exists. A merge removes the
right one of its two nodes; neighbours are found by counting zeros in that word. `keys[i]` holds the rank of the pair
that starts at node i, with i itself in the low bits, so the smallest key is the lowest rank and among equal ranks the
leftmost pair. The smallest key is found by one pass over the array, which compilers turn into a few vector
instructions. In all that is O(n²) steps, and for short pieces it is faster than a heap.

```text
      l     o     w     e     r          nodes 11111    keys  l+o o+w w+e e+r  -
      lo    .     w     e     r                10111          lo+w -  w+e e+r  -
```

After a merge two new pairs are looked up in a table that is larger than the processor's near caches, and the next
merge of the same piece depends on the result. One piece alone would mostly wait for memory, so eight pieces take
turns. A turn reads the two entries that the piece's turn before has prefetched, merges once, and prefetches the next
two.
*/

use super::pairs::{PairView, Pairs};
use super::{LONGEST_SHORT, NO_RANK, PieceBounds};
use crate::simd::{Isa, Kernel, MOST_BYTES};
use crate::types::TokenId;

/// The bits of a key that are the node.
const NODE_BITS: u32 = 8;

/// The key of a node at which no pair with a rank starts; so are all larger keys.
const NO_KEY: u32 = NO_RANK << NODE_BITS;

/// No node.
const NOWHERE: usize = LONGEST_SHORT;

/// How many pieces take turns.
const TURNS: usize = 8;

/// Most pieces are not longer than this, and have fewer keys to look through.
const FEW: usize = 32;

/// The working memory, kept between calls.
#[derive(Debug, Default)]
pub(super) struct ScanScratch {
    few: [Word<FEW>; TURNS],
    many: [Word<LONGEST_SHORT>; TURNS],
}

/// A piece of up to `N` bytes on its way.
#[derive(Debug)]
struct Word<const N: usize> {
    keys: [u32; N],
    tokens: [TokenId; MOST_BYTES],
    /// A bit for each node that is left.
    nodes: u64,
    /// The node that the last turn made, whose pairs are not looked up yet; [`NOWHERE`] before the first turn.
    made: usize,
    /// The node before it.
    before: usize,
    /// The node after it.
    after: usize,
    /// The node that was removed.
    gone: usize,
    /// Which of the pieces it is.
    piece: usize,
}

impl<const N: usize> Default for Word<N> {
    fn default() -> Self {
        Word {
            keys: [NO_KEY; N],
            tokens: [0; MOST_BYTES],
            nodes: 0,
            made: NOWHERE,
            before: NOWHERE,
            after: NOWHERE,
            gone: NOWHERE,
            piece: 0,
        }
    }
}

/// The key of a pair; [`NO_KEY`] or more if it has no rank.
#[inline(always)]
fn key(rank: u32, at: usize) -> u32 {
    rank << NODE_BITS | at as u32
}

impl<const N: usize> Word<N> {
    /// Makes the first tokens, of which some may be there already, and prefetches their pairs.
    #[inline(always)]
    fn start<C: Isa>(
        &mut self,
        pairs: PairView,
        piece: &[u8],
        byte_ids: &[TokenId; 256],
        first: &[TokenId],
    ) {
        let count = if first.is_empty() {
            C::sure_merges(piece, pairs.bytes, byte_ids, &mut self.tokens)
        } else {
            self.tokens[..first.len()].copy_from_slice(first);
            first.len()
        };
        self.nodes = u64::MAX >> (64 - count);
        self.made = NOWHERE;
        self.keys = [NO_KEY; N];
        // PERF: four at a time, so that the end of a piece is a guess less often.
        for first in (0..count - 1).step_by(4) {
            for at in first..first + 4 {
                pairs.prefetch(self.tokens[at % N], self.tokens[(at + 1) % N]);
            }
        }
    }

    /// Looks up all pairs.
    #[inline(always)]
    fn look_up_all(&mut self, pairs: PairView) {
        let last = self.nodes.count_ones() as usize - 1;
        // PERF: as above.
        for first in (0..last).step_by(2) {
            for at in first..first + 2 {
                let key = key(pairs.rank(self.tokens[at % N], self.tokens[(at + 1) % N]), at);
                self.keys[at % N] = if at < last { key } else { NO_KEY };
            }
        }
    }

    /// Looks up the pairs around the node that was made last.
    #[inline(always)]
    fn look_up(&mut self, pairs: PairView) {
        let Word { made, before, after, gone, .. } = *self;
        if made == NOWHERE {
            self.look_up_all(pairs);
            return;
        }
        // PERF: both look-ups, whether there is a neighbour or not: a branch would be a guess.
        let token = |at: usize| self.tokens[at % N];
        let right = key(pairs.rank(token(made), token(after)), made);
        let left = key(pairs.rank(token(before), token(made)), before);
        let right = if after == NOWHERE { NO_KEY } else { right };
        self.keys[gone % N] = NO_KEY;
        // PERF: two stores in any case, where there is nothing before both to the same place.
        let (before, left) = if before == NOWHERE { (made, right) } else { (before, left) };
        self.keys[made % N] = right;
        self.keys[before % N] = left;
    }

    /// Merges the pair of the lowest rank; returns whether there was one.
    #[inline(always)]
    fn merge(&mut self, pairs: PairView) -> bool {
        let least = self.keys.iter().fold(NO_KEY, |a, &b| a.min(b));
        if least >= NO_KEY {
            return false;
        }
        let at = (least & ((1 << NODE_BITS) - 1)) as usize;
        let gone = node_after(self.nodes, at);
        self.nodes &= !(1 << (gone % 64));
        let token = pairs.merged(least >> NODE_BITS);
        self.tokens[at % N] = token;
        (self.made, self.gone) = (at, gone);
        self.after = node_after(self.nodes, at);
        self.before = node_before(self.nodes, at);
        pairs.prefetch(token, self.tokens[self.after % N]);
        pairs.prefetch(self.tokens[self.before % N], token);
        true
    }

    #[inline(always)]
    fn tokens_into(&self, ids: &mut Vec<TokenId>) {
        let (mut first, mut nodes) = ([0; 4], self.nodes);
        let end = ids.len() + nodes.count_ones() as usize;
        // PERF: most words have no more than these, and how many cannot be predicted.
        for id in &mut first {
            *id = self.tokens[nodes.trailing_zeros() as usize % N];
            nodes &= nodes.wrapping_sub(1);
        }
        ids.extend_from_slice(&first);
        ids.truncate(end);
        while nodes != 0 {
            ids.push(self.tokens[nodes.trailing_zeros() as usize % N]);
            nodes &= nodes - 1;
        }
    }
}

/// The next node after one; `NOWHERE` if there is none.
#[inline(always)]
fn node_after(nodes: u64, at: usize) -> usize {
    (nodes & (u64::MAX << 1 << at)).trailing_zeros() as usize
}

/// The last node before one.
#[inline(always)]
fn node_before(nodes: u64, at: usize) -> usize {
    let before = nodes & ((1 << at) - 1);
    if before == 0 { NOWHERE } else { 63 - before.leading_zeros() as usize }
}

const _: () = assert!(NOWHERE == 64, "what trailing_zeros says of no bits");
const _: () = assert!(LONGEST_SHORT == MOST_BYTES);

/// What pieces start as.
#[derive(Clone, Copy)]
pub(super) struct FirstTokens<'a> {
    /// The ids of the bytes.
    pub(super) byte_ids: &'a [TokenId; 256],
    /// The first tokens of the pieces that do not start as their bytes.
    pub(super) tokens: &'a [TokenId],
    /// Where those of each piece are among them; empty, or no place at all, for a piece that starts as its bytes.
    pub(super) firsts: &'a [PieceBounds],
}

impl<'a> FirstTokens<'a> {
    /// The first tokens of a piece, if it does not start as its bytes.
    #[inline(always)]
    fn of(self, piece: usize) -> &'a [TokenId] {
        self.firsts.get(piece).map_or(&[], |&(from, to)| &self.tokens[from..to])
    }
}

/// Merges the pieces `places` of a text that are not longer than [`LONGEST_SHORT`]: appends their ids
/// in any order, and sets the span of each among them.
pub(super) struct Merge<'a> {
    pub(super) pairs: &'a Pairs,
    pub(super) first: FirstTokens<'a>,
    pub(super) text: &'a [u8],
    pub(super) places: &'a [PieceBounds],
    pub(super) scratch: &'a mut ScanScratch,
    pub(super) ids: &'a mut Vec<TokenId>,
    pub(super) spans: &'a mut [PieceBounds],
}

impl Kernel for Merge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Isa>(self) {
        let ScanScratch { few, many } = self.scratch;
        let len = |&(start, end): &PieceBounds| end - start;
        let (pairs, first, text) = (self.pairs.view(), self.first, self.text);
        let run = Run { pairs, first, text, places: self.places };
        run.merge::<C, _>(few, |place| len(place) <= FEW, self.ids, self.spans);
        let rest = |place: &PieceBounds| (FEW + 1..=LONGEST_SHORT).contains(&len(place));
        run.merge::<C, _>(many, rest, self.ids, self.spans);
    }
}

/// What is merged.
#[derive(Clone, Copy)]
struct Run<'a> {
    pairs: PairView<'a>,
    first: FirstTokens<'a>,
    text: &'a [u8],
    places: &'a [PieceBounds],
}

impl Run<'_> {
    /// Starts with the next place that waits; says whether there was one.
    #[inline(always)]
    fn start<'p, C: Isa, const N: usize>(
        self,
        waiting: &mut impl Iterator<Item = (usize, &'p PieceBounds)>,
        word: &mut Word<N>,
    ) -> bool {
        let Some((number, &(start, end))) = waiting.next() else { return false };
        let FirstTokens { byte_ids, .. } = self.first;
        word.start::<C>(self.pairs, &self.text[start..end], byte_ids, self.first.of(number));
        word.piece = number;
        true
    }

    /// Merges the places that are chosen.
    #[inline(always)]
    fn merge<C: Isa, const N: usize>(
        self,
        words: &mut [Word<N>; TURNS],
        chosen: impl Fn(&PieceBounds) -> bool,
        ids: &mut Vec<TokenId>,
        spans: &mut [PieceBounds],
    ) {
        let mut waiting = self.places.iter().enumerate().filter(|(_, place)| chosen(place));
        let mut going = 0;
        while going < TURNS && self.start::<C, N>(&mut waiting, &mut words[going]) {
            going += 1;
        }
        while going > 0 {
            words[..going].iter_mut().for_each(|word| word.look_up(self.pairs));
            let mut at = 0;
            while at < going {
                let word = &mut words[at];
                if word.merge(self.pairs) {
                    at += 1;
                    continue;
                }
                let first = ids.len();
                word.tokens_into(ids);
                spans[word.piece] = (first, ids.len());
                if self.start::<C, N>(&mut waiting, word) {
                    at += 1;
                } else {
                    going -= 1;
                    words.swap(at, going);
                }
            }
        }
    }
}
