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
mod splits;
pub mod train;

pub use joins::Joins;

use crate::model::{Merges, Model};
use crate::types::TokenId;
use crate::vocab::Vocab;
pub(crate) use pairs::MAX_MERGES;

use first::First;
use pairs::Pairs;

/// Up to this many bytes the scan is used, above it the heap.
const LONGEST_SHORT: usize = 64;

/// No pair here.
const NO_RANK: u32 = u32::MAX;

/// A byte that is no token: only bytes that UTF-8 never uses (see `Model::checked`).
const NO_TOKEN: TokenId = TokenId::MAX;

/// Merges pieces.
#[derive(Debug)]
pub struct Merger {
    pairs: Pairs,
    byte_ids: [TokenId; 256],
    ignore_merges: bool,
    first: First,
}

/// The working memory of a merge, kept between pieces.
#[derive(Debug, Default)]
pub struct Scratch {
    long: long::Scratch,
    tokens: Vec<TokenId>,
}

impl Merger {
    /// Prepares a checked model's merges.
    pub fn new(model: &Model) -> Merger {
        let byte_id = |byte: usize| model.vocab.id_of(&[byte as u8]).unwrap_or(NO_TOKEN);
        Merger {
            pairs: match &model.merges {
                Merges::Ranked => Pairs::ranked(&model.vocab),
                Merges::Listed(pairs) => Pairs::listed(&model.vocab, pairs),
            },
            byte_ids: std::array::from_fn(byte_id),
            ignore_merges: model.ignore_merges,
            first: First::new(model),
        }
    }

    /// The bytes that are no token, usually none; a text with one cannot be encoded.
    pub fn missing_bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.byte_ids[usize::from(byte)] == NO_TOKEN).collect()
    }

    /// Appends the ids of a piece, or of a `part` of one that merges apart from the rest. It has no
    /// missing byte. `vocab` is the one of the model.
    pub fn encode(
        &self,
        vocab: &Vocab,
        piece: &[u8],
        part: bool,
        scratch: &mut Scratch,
        ids: &mut Vec<TokenId>,
    ) {
        if self.ignore_merges
            && !part
            && let Some(id) = vocab.id_of(piece)
        {
            ids.push(id);
        } else {
            self.merge(piece, scratch, ids);
        }
    }

    /// Appends the ids that merging a piece gives.
    fn merge(&self, piece: &[u8], scratch: &mut Scratch, ids: &mut Vec<TokenId>) {
        if piece.len() <= LONGEST_SHORT {
            short::merge(&self.pairs, piece, &self.byte_ids, ids);
        } else {
            let tokens = piece.iter().map(|&byte| self.byte_ids[usize::from(byte)]);
            long::merge(&self.pairs, tokens, &mut scratch.long, ids);
        }
    }
}

#[cfg(test)]
mod tests;
