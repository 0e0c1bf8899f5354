/*!
The first tokens of a word: a piece of a model that does not start from plain bytes.

```text
units       l o w   ->   l o w        one token per byte or character, unk where there is none
the mark    l o w   ->   l o w </w>   as a token of its own, or l o w</w> joined to the last unit
```

A part of a word that is not its end has no mark.
*/

use super::{Merged, Merger, long};
use crate::model::{Model, Units};
use crate::types::TokenId;
use crate::vocab::Vocab;

/// What stays allocated between two words: a longer one gives its memory back.
const KEPT: usize = 1 << 16;

impl Merger {
    /// Appends the ids of a word, or of a part of one; `whole` if it ends where the word ends. The error
    /// is where a unit starts that has no token.
    ///
    /// Always by the heap: most words are remembered, and the scan is made for bytes.
    pub fn encode_word(
        &self,
        vocab: &Vocab,
        word: &[u8],
        whole: bool,
        merged: &mut Merged,
        ids: &mut Vec<TokenId>,
    ) -> Result<(), usize> {
        let Merged { long, tokens, .. } = merged;
        self.first.tokens_into(vocab, word, whole, tokens)?;
        if !tokens.is_empty() {
            long::merge(&self.pairs, tokens.iter().copied(), long, ids);
        }
        tokens.clear();
        tokens.shrink_to(KEPT);
        Ok(())
    }

    /// Replaces `tokens` by what merging a word starts from.
    pub fn first_tokens(
        &self,
        vocab: &Vocab,
        word: &[u8],
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), usize> {
        self.first.tokens_into(vocab, word, true, tokens)
    }
}

/// Where words begin.
#[derive(Debug)]
pub(super) struct First {
    units: Units,
    mark: Option<Mark>,
    unk: Option<TokenId>,
}

#[derive(Debug, PartialEq, Eq)]
enum Mark {
    Separate(TokenId),
    Joined(Vec<u8>),
}

impl First {
    /// Reads a checked model.
    pub(super) fn new(model: &Model) -> First {
        let start = &model.start;
        let separate = start.separate_mark().and_then(|mark| model.vocab.id_of(mark.as_bytes()));
        let joined = start.joined_mark().map(|mark| Mark::Joined(mark.as_bytes().to_vec()));
        First { units: start.units, mark: separate.map(Mark::Separate).or(joined), unk: start.unk }
    }

    /// Replaces `tokens` by the first tokens of a piece, or of a part of one; `whole` if it ends where
    /// the piece ends. The error is where a unit starts that has no token.
    fn tokens_into(
        &self,
        vocab: &Vocab,
        piece: &[u8],
        whole: bool,
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), usize> {
        tokens.clear();
        let mark = self.mark.as_ref().filter(|_| whole);
        let mut at = 0;
        for unit in self.units.of(piece) {
            let id = match mark {
                Some(Mark::Joined(mark)) if at + unit.len() == piece.len() => {
                    vocab.id_of(&[unit, mark].concat())
                }
                // Text that is spelled like the mark is not the mark.
                _ => vocab.id_of(unit).filter(|&id| self.mark != Some(Mark::Separate(id))),
            };
            tokens.push(id.or(self.unk).ok_or(at)?);
            at += unit.len();
        }
        if let Some(&Mark::Separate(mark)) = mark {
            tokens.push(mark);
        }
        Ok(())
    }
}
