/*!
The table of pairs: two adjacent tokens in, the rank of their merge out.

It is an open-addressing hash table whose buckets are cache lines. An entry is one word, so a line has eight. The
two ids are packed into 42 bits and multiplied by an odd number modulo 2⁴². Such a product can be undone, so it
identifies the pair: its top bits choose the line, and the whole product is stored in the entry beside the rank. If a
line is full, the search goes on in the next line. The odd number is random (see `seed`), because the author of a vocabulary
file chooses its pairs and could make them collide.

```text
pair  left . right  --multiply-->  mixed           entry  mixed (42) . rank + 1 (22)       0: free
```

For token ranks the rank is the id of the merged token; for a merge list the merged token is looked up in a list by
its rank. Pairs of two single bytes have a second table: many of their merges are certain to happen and are done
before the first look-up (see `simd::byte_pairs`).

Why not a general hash map, or entries of 16 bytes that also hold the merged token: both miss the processor's caches
more often, and cache misses take nearly all of the time here.
*/

use super::{Merged, NO_RANK, NO_TOKEN, PieceBounds};
use crate::error::Result;
use crate::mem::{self, Line, Lines};
use crate::model::MAX_MERGES;
use crate::seed::Seed;
use crate::simd::{AllTwoBytes, NEVER, TwoBytes};
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// How many bits an id has.
const ID_BITS: u32 = TokenId::BITS - MAX_ID.leading_zeros();
const PAIR_BITS: u32 = 2 * ID_BITS;
const RANK_BITS: u32 = u64::BITS - PAIR_BITS;

// INVARIANT: the rank of every merge fits, and two values are left over.
const _: () = assert!(MAX_MERGES == (1 << RANK_BITS) - 2);

/// The table of pairs.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The buckets; their number is a power of two.
    lines: Lines,
    /// How many entries there are. INVARIANT: fewer than the lines have room for, so every search ends.
    taken: usize,
    /// How far a product is shifted to give the number of its line.
    shift: u32,
    /// What a pair is multiplied by; odd.
    factor: u64,
    /// The merged token by rank; empty where ranks are ids.
    merged: Vec<TokenId>,
    /// The entries of all pairs of two bytes.
    bytes: Box<AllTwoBytes>,
    /// How many merges of two single bytes were inserted; the order of the next one.
    orders: u32,
}

/// A view of the table for the hot loop. PERF: it is copied, so its fields stay in registers.
#[derive(Clone, Copy)]
pub(super) struct PairView<'a> {
    lines: &'a [Line],
    shift: u32,
    factor: u64,
    merged: &'a [TokenId],
    pub(super) bytes: &'a AllTwoBytes,
}

impl Pairs {
    /// The pairs of a merge list: the rank is the position in it.
    pub(super) fn listed(vocab: &Vocab, merges: &[Pair]) -> Pairs {
        let mut joined = Vec::new();
        let merge = |&(left, right): &Pair| {
            joined.clear();
            joined.extend([left, right].iter().filter_map(|&id| vocab.bytes_of(id)).flatten());
            vocab.id_of(&joined).expect("a checked model merges to tokens")
        };
        let merged = merges.iter().map(merge).collect();
        let mut pairs = Pairs::with_capacity(merges.len(), merged);
        for (&(left, right), rank) in merges.iter().zip(0..) {
            pairs.insert((left, right), rank);
            let bytes = |id: TokenId| vocab.bytes_of(id).unwrap_or_default();
            pairs.limit(bytes(left), bytes(right), rank);
        }
        pairs
    }

    /// The pairs of tokens whose concatenation is a token: the rank is its id. Also returns the tokens that merging
    /// their own bytes does not produce. `merge` merges some pieces of a text by the pairs that are in the table so
    /// far.
    ///
    /// Each token is ever made from one pair only: the one that is left when its own bytes are merged by
    /// all ranks but its own (`formats::ranks` has the proof). All that such a merge can make is shorter
    /// than the token. So tokens enter by rising length, whatever the order of their ids, and all of one
    /// length can be merged at once. Where two tokens are left, they are the pair; where more are left,
    /// no merge makes the token.
    ///
    /// Why not every split of a token whose halves are tokens: a vocabulary of runs of one character has
    /// quadratically many, and to look for them hashes each byte of a token as often as it is long.
    pub(super) fn ranked(
        vocab: &Vocab,
        byte_ids: &[TokenId; 256],
        merge: impl Fn(&Pairs, &[u8], &[PieceBounds], &mut Merged) -> Result<()>,
    ) -> Result<(Pairs, Vec<TokenId>)> {
        let mut pairs = Pairs::with_capacity(vocab.len(), Vec::new());
        let (mut unmade, mut tokens) = (Vec::new(), Vec::with_capacity(vocab.len()));
        for (id, bytes) in vocab.iter().filter(|(_, bytes)| bytes.len() > 1) {
            if bytes.iter().all(|&byte| byte_ids[usize::from(byte)] != NO_TOKEN) {
                tokens.push(id);
            } else {
                unmade.push(id);
            }
        }
        let len = |id: TokenId| vocab.place_of(id).len();
        tokens.sort_by_key(|&id| len(id));
        // The left half of each token, by id; `NO_TOKEN` if it has none.
        let mut lefts = vec![NO_TOKEN; vocab.id_limit() as usize];
        let (mut places, mut merged) = (Vec::new(), Merged::default());
        for alike in tokens.chunk_by(|&a, &b| len(a) == len(b)) {
            places.clear();
            places.extend(alike.iter().map(|&id| vocab.place_of(id)).map(|at| (at.start, at.end)));
            merge(&pairs, vocab.arena(), &places, &mut merged)?;
            for (i, &id) in alike.iter().enumerate() {
                if let [left, right] = *merged.ids_of(i) {
                    pairs.insert((left, right), id);
                    lefts[id as usize] = left;
                } else {
                    unmade.push(id);
                }
            }
        }
        for (id, bytes) in vocab.iter().filter(|&(id, _)| lefts[id as usize] != NO_TOKEN) {
            let (left, right) = bytes.split_at(len(lefts[id as usize]));
            pairs.limit(left, right, id);
        }
        Ok((pairs, unmade))
    }

    /// An empty table with room for this many pairs.
    fn with_capacity(pairs: usize, merged: Vec<TokenId>) -> Pairs {
        // Two thirds full at most, so that few lines are.
        let lines = (pairs * 3 / 2 + 1).div_ceil(8).next_power_of_two();
        Pairs {
            lines: Lines::zeroed(lines),
            taken: 0,
            shift: PAIR_BITS - lines.trailing_zeros(),
            factor: Seed::default().odd,
            merged,
            bytes: vec![TwoBytes::UNKNOWN; 1 << 16].try_into().expect("as many as there are"),
            orders: 0,
        }
    }

    fn insert(&mut self, (left, right): Pair, rank: u32) {
        self.taken += 1;
        assert!(self.taken < 8 * self.lines.len(), "a search of a full table would never end");
        let mixed = mix(left, right, self.factor);
        let mask = self.lines.len() - 1;
        let mut at = (mixed >> self.shift) as usize;
        loop {
            if let Some(free) = self.lines[at & mask].iter_mut().find(|entry| **entry == 0) {
                *free = mixed << RANK_BITS | u64::from(rank + 1);
                return;
            }
            at += 1;
        }
    }

    /// Updates the entry of the two bytes b c at the boundary of a merge (see `simd::byte_pairs`): the merge makes a
    /// token of them, or takes one of them away. Called for all merges by rising rank.
    ///
    /// Why a sure merge may be done at once: let it have rank r. Until it is its turn, merging chooses
    /// ranks of at most r, and none of those involves its two bytes. Done ahead of its turn it offers
    /// pairs with the new token, which must not be chosen yet: their ranks have to be above r. They are,
    /// because a merge is entered after those that make its parts. Where it is not (a part of two bytes
    /// is not known yet), nothing is sure beside this boundary.
    fn limit(&mut self, left: &[u8], right: &[u8], rank: u32) {
        let (&[.., b], &[c, ..]) = (left, right) else { return };
        let entry = |bytes: &[u8]| self.bytes[TwoBytes::index(bytes[0], bytes[1])];
        let limit = |part: &[u8]| match part.len() {
            1 => self.orders,
            2 if entry(part).order() == NEVER => 0,
            _ => NEVER,
        };
        let old = entry(&[b, c]);
        let from_left = old.from_left().min(limit(right));
        let to_right = old.to_right().min(limit(left));
        let (mut token, mut order) = (old.token(), old.order());
        if left.len() == 1 && right.len() == 1 && self.orders < NEVER {
            (token, order) = (self.merged(rank), self.orders);
            self.orders += 1;
        }
        self.bytes[TwoBytes::index(b, c)] = TwoBytes::new(token, order, from_left, to_right);
    }

    /// How many pairs there are.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// See [`PairView::rank`].
    pub(super) fn rank(&self, left: TokenId, right: TokenId) -> u32 {
        self.view().rank(left, right)
    }

    /// See [`PairView::merged`].
    pub(super) fn merged(&self, rank: u32) -> TokenId {
        self.view().merged(rank)
    }

    /// The view for the hot loop.
    #[inline(always)]
    pub(super) fn view(&self) -> PairView<'_> {
        let Pairs { lines, shift, factor, merged, bytes, .. } = self;
        PairView { lines, shift: *shift, factor: *factor, merged, bytes }
    }
}

impl PairView<'_> {
    /// The rank of a pair; `NO_RANK` if it does not merge.
    #[inline(always)]
    pub(super) fn rank(&self, left: TokenId, right: TokenId) -> u32 {
        find(*self, left, right)
    }

    /// Prefetches the cache line of a pair.
    #[inline(always)]
    pub(super) fn prefetch(&self, left: TokenId, right: TokenId) {
        let at = (mix(left, right, self.factor) >> self.shift) as usize;
        mem::prefetch_at(self.lines, at);
    }

    /// The token that the pair of this rank becomes.
    #[inline(always)]
    pub(super) fn merged(&self, rank: u32) -> TokenId {
        if self.merged.is_empty() { rank } else { self.merged[rank as usize] }
    }
}

/// The product that identifies a pair. Modulo a power of two, multiplication by an odd number can be undone, so no two
/// pairs have the same product.
#[inline(always)]
fn mix(left: TokenId, right: TokenId, factor: u64) -> u64 {
    let pair = u64::from(left) << ID_BITS | u64::from(right);
    pair.wrapping_mul(factor) & ((1 << PAIR_BITS) - 1)
}

/// The rank of a pair. PERF: no branch depends on where in the line an entry stands, so that two
/// searches in a row wait for memory at the same time.
#[inline(always)]
fn find(PairView { lines, shift, factor, .. }: PairView, left: TokenId, right: TokenId) -> u32 {
    let mixed = mix(left, right, factor);
    let wanted = mixed << RANK_BITS;
    let mask = lines.len() - 1;
    let mut at = (mixed >> shift) as usize;
    loop {
        let line = &lines[at & mask];
        // The rank + 1 of the entry that is the pair, 0 of all others and of free places.
        let rank = |entry: u64| match entry ^ wanted {
            found if found >> RANK_BITS == 0 => found,
            _ => 0,
        };
        let found = line.iter().fold(0, |found, &entry| found | rank(entry));
        // PERF: one branch for both: which of them it is cannot be predicted, that it is one can.
        if (found != 0) | (line[line.len() - 1] == 0) {
            return (found as u32).wrapping_sub(1);
        }
        at += 1;
    }
}

const _: () = assert!(NO_RANK == 0u32.wrapping_sub(1));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_flood_a_table_with_a_known_factor_are_ordinary_under_a_secret_one() {
        const KNOWN: u64 = 0x9E37_79B9_7F4A_7C15;
        let pair = |i: u64| {
            ((i >> 11) as TokenId & MAX_ID, i.wrapping_mul(2_654_435_761) as TokenId & MAX_ID)
        };
        let is_chosen = |&(left, right): &Pair| mix(left, right, KNOWN) >> (PAIR_BITS - 8) == 0;
        let chosen: Vec<Pair> = (0..).map(pair).filter(is_chosen).take(3000).collect();
        let filled = |factor: u64| {
            let mut pairs = Pairs { factor, ..Pairs::with_capacity(chosen.len(), Vec::new()) };
            chosen.iter().zip(0..).for_each(|(&pair, rank)| pairs.insert(pair, rank));
            let found = chosen.iter().map(|&(left, right)| pairs.rank(left, right));
            assert!(found.eq(0..chosen.len() as u32));
            // The longest row of lines that are full: so many a search may have to walk over.
            let full = |line: &Line| line[line.len() - 1] != 0;
            pairs
                .lines
                .chunk_by(|a, b| full(a) == full(b))
                .filter(|row| full(&row[0]))
                .map(<[_]>::len)
                .max()
        };
        assert!(filled(KNOWN) > Some(100), "{:?}", filled(KNOWN));
        let secret = Seed::default().odd;
        assert!(filled(secret) < Some(20), "{:?}", filled(secret));
    }

    #[test]
    #[should_panic = "a search of a full table would never end"]
    fn a_table_that_is_full_says_so_instead_of_searching_for_ever() {
        let mut pairs = Pairs::with_capacity(1, Vec::new());
        (0..8).for_each(|id| pairs.insert((id, id), id));
    }
}
