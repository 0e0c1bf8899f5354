/*!
Pair to rank: the table that merging asks for every two neighbours.

An entry is one word, eight of them share a cache line. The pair is packed into 42 bits and multiplied
by an odd constant, which loses nothing: the product is the pair, mixed. Its top bits choose the line,
all of it stands in the entry beside the rank. A line that is full passes its entries on to the next.

```text
pair  left . right  --multiply-->  mixed           entry  mixed (42) . rank + 1 (22)       0: free
```

What the pair becomes is its rank where ranks are ids, else one more look into a list. Two bytes have a
table of their own: many of their merges are sure, and done before the first look-up (see `arch::sure`).

Why not a general hash map, or 16-byte entries with everything in them: they miss the cache more
often, and that is all that counts here.
*/

use super::{NO_RANK, short};
use crate::arch::{self, AllTwoBytes, Level, Line, Lines, NEVER, TwoBytes};
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// How many bits an id has.
const ID_BITS: u32 = TokenId::BITS - MAX_ID.leading_zeros();
const PAIR_BITS: u32 = 2 * ID_BITS;
const RANK_BITS: u32 = u64::BITS - PAIR_BITS;

/// How many merges a list may have.
pub(crate) const MAX_MERGES: usize = (1 << RANK_BITS) - 2;

#[derive(Debug)]
pub(super) struct Pairs {
    lines: Lines,
    shift: u32,
    /// The merged token by rank; empty where ranks are ids.
    merged: Vec<TokenId>,
    /// What is known of two bytes.
    bytes: Box<AllTwoBytes>,
    /// How many merges of two bytes were entered.
    orders: u32,
}

/// What merging reads. PERF: a copy of it stays in registers.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    lines: &'a [Line],
    shift: u32,
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

    /// The pairs of tokens whose concatenation is a token: the rank is its id. And the tokens that
    /// merging their own bytes may not give.
    ///
    /// Each token is ever made from one pair only (`formats::ranks` has the proof), the one that is
    /// left when its own bytes are merged by all lower ranks. So tokens enter by rising rank, each
    /// merged by those before it. Where that leaves another number, all splits enter: more pairs than
    /// needed do no harm.
    pub(super) fn ranked(
        vocab: &Vocab,
        byte_ids: &[TokenId; 256],
        level: Level,
    ) -> (Pairs, Vec<TokenId>) {
        let mut pairs = Pairs::with_capacity(vocab.len(), Vec::new());
        let mut unclear = Vec::new();
        let (mut scratch, mut parts) = (short::Scratch::default(), Vec::new());
        for (id, bytes) in vocab.iter() {
            parts.clear();
            match *bytes {
                [_] => continue,
                [left, right] => {
                    parts.extend([left, right].map(|byte| byte_ids[usize::from(byte)]))
                }
                _ => level.run(short::Merge {
                    pairs: &pairs,
                    byte_ids,
                    text: bytes,
                    places: &[(0, bytes.len())],
                    scratch: &mut scratch,
                    ids: &mut parts,
                    spans: &mut [(0, 0)],
                }),
            }
            if let [left, right] = parts[..] {
                pairs.insert((left, right), id);
                let (left, right) = bytes.split_at(vocab.bytes_of(left).map_or(0, <[u8]>::len));
                pairs.limit(left, right, id);
                continue;
            }
            unclear.push(id);
            for (left, right) in (1..bytes.len()).map(|at| bytes.split_at(at)) {
                if let (Some(left_id), Some(right_id)) = (vocab.id_of(left), vocab.id_of(right)) {
                    pairs.insert((left_id, right_id), id);
                    pairs.limit(left, right, id);
                }
            }
        }
        (pairs, unclear)
    }

    /// No pairs, and room for about so many.
    fn with_capacity(pairs: usize, merged: Vec<TokenId>) -> Pairs {
        // Two thirds full at most, so that few lines are.
        let lines = (pairs * 3 / 2 + 1).div_ceil(8).next_power_of_two();
        Pairs {
            lines: Lines::zeroed(lines),
            shift: PAIR_BITS - lines.trailing_zeros(),
            merged,
            bytes: vec![TwoBytes::UNKNOWN; 1 << 16].try_into().expect("as many as there are"),
            orders: 0,
        }
    }

    fn insert(&mut self, (left, right): Pair, rank: u32) {
        let mixed = mix(left, right);
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

    /// Notes what a merge means for the two bytes b c at its boundary (see `arch::sure`): it makes them
    /// a token, or takes one of them away. Merges come by rising rank.
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

    /// See [`View::rank`].
    pub(super) fn rank(&self, left: TokenId, right: TokenId) -> u32 {
        self.view().rank(left, right)
    }

    /// See [`View::merged`].
    pub(super) fn merged(&self, rank: u32) -> TokenId {
        self.view().merged(rank)
    }

    /// What merging reads.
    #[inline(always)]
    pub(super) fn view(&self) -> View<'_> {
        View { lines: &self.lines, shift: self.shift, merged: &self.merged, bytes: &self.bytes }
    }
}

impl View<'_> {
    /// The rank of a pair; `NO_RANK` if it does not merge.
    #[inline(always)]
    pub(super) fn rank(&self, left: TokenId, right: TokenId) -> u32 {
        find(self.lines, self.shift, left, right)
    }

    /// Asks for where a pair stands, ahead of its use.
    #[inline(always)]
    pub(super) fn prefetch(&self, left: TokenId, right: TokenId) {
        let at = (mix(left, right) >> self.shift) as usize;
        arch::prefetch_at(self.lines, at);
    }

    /// What a pair of this rank becomes.
    #[inline(always)]
    pub(super) fn merged(&self, rank: u32) -> TokenId {
        if self.merged.is_empty() { rank } else { self.merged[rank as usize] }
    }
}

/// The pair, mixed. Modulo a power of two, a product with an odd number can be undone: no two pairs
/// have the same.
#[inline(always)]
fn mix(left: TokenId, right: TokenId) -> u64 {
    let pair = u64::from(left) << ID_BITS | u64::from(right);
    pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) & ((1 << PAIR_BITS) - 1)
}

/// The rank of a pair. PERF: no branch depends on where in the line an entry stands, so that two
/// searches in a row wait for memory at the same time.
#[inline(always)]
fn find(lines: &[Line], shift: u32, left: TokenId, right: TokenId) -> u32 {
    let mixed = mix(left, right);
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
