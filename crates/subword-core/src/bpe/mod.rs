/*!
One piece to token ids: byte-pair encoding by rank.

Start with one token per byte, or as `first` says. Find the adjacent pair with the lowest rank, the
leftmost of equals, replace it by its merged token, repeat until no adjacent pair has a rank. With
merges `l+o` (rank 0) and `lo+w` (rank 1):

```text
l o w e r   ->   lo w e r   ->   low e r
```

Two meanings of "has a rank" exist in the wild and the model says which one holds: the pair is in
the merge list, or its concatenation is a token, whose id is then the rank. Both become one table of
pairs here.

Invariants
* Concatenated, the tokens always spell the piece: a merge removes a boundary, never a byte.
* Equal pairs merge leftmost first (`aaa` holds `a+a` twice).

Three ways to the same answer, by length: a scan over a small array (`short`), a heap over a linked
list (`long`), and before both of them a cut of long pieces at boundaries that no token spans
(`joins`).
*/

mod first;
mod joins;
mod long;
mod pairs;
mod short;
pub mod train;

pub use joins::{CUTS, Joins};

use std::collections::HashMap;

use crate::arch::Level;
use crate::model::{Merges, Model};
use crate::types::TokenId;
use crate::vocab::Vocab;
pub(crate) use pairs::MAX_MERGES;

use first::First;
use pairs::Pairs;

/// Up to this many bytes the scan is used, above it the heap.
pub const LONGEST_SHORT: usize = 64;

/// No pair here.
const NO_RANK: u32 = u32::MAX;

/// A byte that is no token: only bytes that UTF-8 never uses (see `Model::checked`).
const NO_TOKEN: TokenId = TokenId::MAX;

/// Where something starts and ends.
type Span = (usize, usize);

/// Merges pieces.
#[derive(Debug)]
pub struct Merger {
    pairs: Pairs,
    byte_ids: [TokenId; 256],
    level: Level,
    /// With `ignore_merges`: the tokens that their own bytes do not merge to. Few, or none.
    whole: HashMap<Box<[u8]>, TokenId>,
    first: First,
}

/// The ids of some pieces, and the memory to find them, kept between calls.
#[derive(Debug, Default)]
pub struct Merged {
    ids: Vec<TokenId>,
    /// The ids of each piece.
    spans: Vec<Span>,
    short: short::Scratch,
    long: long::Scratch,
    /// What a word starts from.
    tokens: Vec<TokenId>,
}

impl Merged {
    /// The ids of the i-th piece.
    pub fn ids_of(&self, i: usize) -> &[TokenId] {
        let (start, end) = self.spans[i];
        &self.ids[start..end]
    }
}

impl Merger {
    /// Prepares a checked model's merges.
    pub fn new(model: &Model) -> Merger {
        let byte_id = |byte: usize| model.vocab.id_of(&[byte as u8]).unwrap_or(NO_TOKEN);
        let byte_ids = std::array::from_fn(byte_id);
        let level = Level::best();
        let (pairs, unclear) = match &model.merges {
            Merges::Ranked => Pairs::ranked(&model.vocab, &byte_ids, level),
            Merges::Listed(pairs) => {
                let all = model.vocab.iter().map(|(id, _)| id);
                (Pairs::listed(&model.vocab, pairs), all.collect())
            }
        };
        let first = First::new(model);
        let mut merger = Merger { pairs, byte_ids, level, whole: HashMap::new(), first };
        if model.ignore_merges {
            merger.whole = merger.not_merged(&model.vocab, &unclear);
        }
        merger
    }

    /// Those of the tokens that their own bytes do not merge to.
    fn not_merged(&self, vocab: &Vocab, ids: &[TokenId]) -> HashMap<Box<[u8]>, TokenId> {
        let mut merged = Merged::default();
        let token = |&id: &TokenId| vocab.bytes_of(id).map(|bytes| (id, bytes));
        let mut differs = |&(id, bytes): &(TokenId, &[u8])| {
            bytes.len() > 1 && {
                self.merge(bytes, &[(0, bytes.len())], &mut merged);
                merged.ids_of(0) != [id]
            }
        };
        let tokens = ids.iter().filter_map(token).filter(|token| differs(token));
        tokens.map(|(id, bytes)| (bytes.into(), id)).collect()
    }

    /// The bytes that are no token, usually none; a text with one cannot be encoded.
    pub fn missing_bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.byte_ids[usize::from(byte)] == NO_TOKEN).collect()
    }

    /// The id of a piece that does not merge to it, but is a token that counts as a whole.
    #[inline]
    pub fn whole(&self, piece: &[u8]) -> Option<TokenId> {
        if self.whole.is_empty() { None } else { self.whole.get(piece).copied() }
    }

    /// Whether a piece may have other ids than the same bytes as part of a longer one.
    #[inline]
    pub fn tells_parts(&self) -> bool {
        !self.whole.is_empty()
    }

    /// Appends the ids of one whole piece. It has no missing byte.
    pub fn encode(&self, piece: &[u8], merged: &mut Merged, ids: &mut Vec<TokenId>) {
        if let Some(id) = self.whole(piece) {
            ids.push(id);
        } else {
            self.merge(piece, &[(0, piece.len())], merged);
            ids.extend_from_slice(merged.ids_of(0));
        }
    }

    /// Merges pieces of a text, each from one place to another. They have no missing byte.
    pub fn merge(&self, text: &[u8], places: &[Span], merged: &mut Merged) {
        let Merger { pairs, byte_ids, .. } = self;
        let Merged { ids, spans, short, long, .. } = merged;
        ids.clear();
        spans.clear();
        spans.resize(places.len(), (0, 0));
        for (&(start, end), span) in places.iter().zip(spans.iter_mut()) {
            if end - start > LONGEST_SHORT {
                let first = ids.len();
                let tokens = text[start..end].iter().map(|&byte| byte_ids[usize::from(byte)]);
                long::merge(pairs, tokens, long, ids);
                *span = (first, ids.len());
            }
        }
        self.level.run(short::Merge { pairs, byte_ids, text, places, scratch: short, ids, spans });
    }
}

#[cfg(test)]
mod tests;
