/*!
Merging by a scan, for pieces of up to 64 bytes, several at a time.

A node per byte in small arrays, linked forwards and backwards; a merge takes the right node out of
the chain. `keys[i]` is the rank of the pair that starts at node i with i itself below it, so the
least key is the lowest rank and of those the leftmost, and to find it is one pass of minima over an
array of words, which compilers turn into a few vector instructions. O(n²), and for a word no heap is
as fast.

```text
      l     o     w     e     r          keys  l+o o+w w+e e+r  -
      lo    .     w     e     r                lo+w -  w+e e+r  -
```

After a merge two new pairs are looked up in a table that is larger than the processor's near
caches, and the next merge depends on them: one piece alone mostly waits. So some pieces take turns.
A turn takes in what the last one asked for, merges once, and asks for the next two places in the
table.
*/

use super::pairs::Pairs;
use super::{LONGEST_SHORT, NO_RANK, Span};
use crate::arch::{Classify, Kernel};
use crate::types::TokenId;

/// No pair starts here.
const NO_KEY: u32 = u32::MAX;

/// The bits of a key that are the node.
const NODE_BITS: u32 = 8;

/// How many pieces take turns.
const TURNS: usize = 8;

/// The working memory, kept between calls.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    words: [Word; TURNS],
}

/// A piece on its way.
#[derive(Debug)]
struct Word {
    tokens: [TokenId; LONGEST_SHORT],
    keys: [u32; LONGEST_SHORT],
    /// The node after and before each, one off: 0 is the edge.
    next: [u8; LONGEST_SHORT + 1],
    prev: [u8; LONGEST_SHORT + 1],
    len: usize,
    /// The node that the last turn made; its pairs are not looked up yet.
    made: Option<usize>,
    /// Which of the pieces it is.
    piece: usize,
}

impl Default for Word {
    fn default() -> Word {
        Word {
            tokens: [0; LONGEST_SHORT],
            keys: [NO_KEY; LONGEST_SHORT],
            next: [0; LONGEST_SHORT + 1],
            prev: [0; LONGEST_SHORT + 1],
            len: 0,
            made: None,
            piece: 0,
        }
    }
}

fn key(rank: u32, at: usize) -> u32 {
    match rank {
        NO_RANK => NO_KEY,
        rank => rank << NODE_BITS | at as u32,
    }
}

impl Word {
    #[inline(always)]
    fn start(&mut self, pairs: &Pairs, piece: &[u8], byte_ids: &[TokenId; 256]) {
        self.len = piece.len();
        self.made = None;
        for (at, &byte) in piece.iter().enumerate().take(LONGEST_SHORT) {
            self.tokens[at] = byte_ids[usize::from(byte)];
            self.next[at] = at as u8 + 1;
            self.prev[at + 1] = at as u8;
        }
        // Whole groups of eight, so that the minimum has no rest to treat apart.
        let groups = piece.len().div_ceil(8);
        self.keys.as_chunks_mut::<8>().0[..groups].as_flattened_mut().fill(NO_KEY);
        for (at, two) in piece.windows(2).enumerate() {
            self.keys[at] = key(pairs.rank_of_bytes(two[0], two[1]), at);
        }
    }

    /// Whether it goes on.
    #[inline(always)]
    fn turn(&mut self, pairs: &Pairs) -> bool {
        if let Some(at) = self.made {
            let after = usize::from(self.next[at]);
            self.keys[at] = match after {
                after if after < self.len => {
                    key(pairs.rank(self.tokens[at], self.tokens[after]), at)
                }
                _ => NO_KEY,
            };
            if at > 0 {
                let before = usize::from(self.prev[at]);
                self.keys[before] = key(pairs.rank(self.tokens[before], self.tokens[at]), before);
            }
        }
        let groups = &self.keys.as_chunks::<8>().0[..self.len.div_ceil(8)];
        let least = groups.as_flattened().iter().fold(NO_KEY, |a, &b| a.min(b));
        if least == NO_KEY {
            return false;
        }
        let at = (least & ((1 << NODE_BITS) - 1)) as usize;
        let gone = usize::from(self.next[at]);
        let after = usize::from(self.next[gone]);
        let token = pairs.merged(least >> NODE_BITS);
        self.tokens[at] = token;
        self.next[at] = after as u8;
        self.prev[after] = at as u8;
        self.keys[gone] = NO_KEY;
        self.made = Some(at);
        if after < self.len {
            pairs.prefetch(token, self.tokens[after]);
        }
        if at > 0 {
            pairs.prefetch(self.tokens[usize::from(self.prev[at])], token);
        }
        true
    }

    #[inline(always)]
    fn tokens_into(&self, ids: &mut Vec<TokenId>) {
        let mut at = 0;
        while at < self.len {
            ids.push(self.tokens[at]);
            at = usize::from(self.next[at]);
        }
    }
}

/// Merges the pieces `places` of a text that are not longer than [`LONGEST_SHORT`]: appends their ids
/// in any order, and sets the span of each among them.
pub(super) struct Merge<'a> {
    pub(super) pairs: &'a Pairs,
    /// The ids of the bytes.
    pub(super) byte_ids: &'a [TokenId; 256],
    pub(super) text: &'a [u8],
    pub(super) places: &'a [Span],
    pub(super) scratch: &'a mut Scratch,
    pub(super) ids: &'a mut Vec<TokenId>,
    pub(super) spans: &'a mut [Span],
}

impl Kernel for Merge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Classify>(self) {
        let Merge { pairs, byte_ids, text, places, scratch, ids, spans } = self;
        let pieces = places.iter().map(|&(start, end)| &text[start..end]).enumerate();
        let mut waiting = pieces.filter(|(_, piece)| piece.len() <= LONGEST_SHORT);
        let mut start = |word: &mut Word| {
            let Some((number, piece)) = waiting.next() else { return false };
            word.start(pairs, piece, byte_ids);
            word.piece = number;
            true
        };
        let mut going =
            scratch.words.iter_mut().map_while(|word| start(word).then_some(())).count();
        while going > 0 {
            let mut at = 0;
            while at < going {
                let word = &mut scratch.words[at];
                if word.turn(pairs) {
                    at += 1;
                    continue;
                }
                let first = ids.len();
                word.tokens_into(ids);
                spans[word.piece] = (first, ids.len());
                if start(word) {
                    at += 1;
                } else {
                    going -= 1;
                    scratch.words.swap(at, going);
                }
            }
        }
    }
}
