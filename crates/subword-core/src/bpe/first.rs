/*!
The first tokens of a word: a piece of a model that does not start from plain bytes.

```text
units       l o w   ->   l o w        one token per byte or character, unk where there is none
the mark    l o w   ->   l o w </w>   as a token of its own, or l o w</w> joined to the last unit
```

A part of a word that is not its end has no mark.
*/

use super::{Merged, Merger, long};
use crate::error::Result;
use crate::model::{Model, Units};
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, memory};

/// How many tokens stay allocated between two words; the memory beyond is freed.
pub(super) const KEPT: usize = 1 << 16;

impl Merger {
    /// Appends the ids of a word, or of a part of one; `whole` says that it ends where the word ends. Returns where the
    /// first unit starts that has no token, if there is one; then nothing is appended.
    ///
    /// Always by the priority queue: the cache has most words, and the scan only takes pieces that start as bytes.
    pub fn encode_word(
        &self,
        vocab: &Vocab,
        word: &[u8],
        whole: bool,
        merged: &mut Merged,
        ids: &mut Vec<TokenId>,
    ) -> Result<Option<usize>> {
        let Merged { long, tokens, .. } = merged;
        let missing = self.first.tokens_into(vocab, word, whole, tokens)?;
        if missing.is_none() && !tokens.is_empty() {
            long::merge(&self.tables(vocab)?.pairs, tokens.iter().copied(), long, ids)?;
        }
        tokens.clear();
        tokens.shrink_to(KEPT);
        Ok(missing)
    }

    /// Whether a unit has a token; `last` says that it is the last unit of its word.
    pub fn is_known(&self, vocab: &Vocab, unit: &[u8], last: bool) -> bool {
        self.first.token(vocab, unit, last).is_some()
    }

    /// Replaces `tokens` by the tokens that a word, or a part of one, starts as.
    pub fn first_tokens(
        &self,
        vocab: &Vocab,
        word: &[u8],
        whole: bool,
        tokens: &mut Vec<TokenId>,
    ) -> Result<Option<usize>> {
        self.first.tokens_into(vocab, word, whole, tokens)
    }
}

/// What words start as.
#[derive(Debug)]
pub(super) struct First {
    units: Units,
    mark: Option<Mark>,
    unk: Option<TokenId>,
    /// The tokens of ASCII characters, which are most of a text.
    ascii: [Option<TokenId>; 128],
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
        let mut first = First {
            units: start.units,
            mark: separate.map(Mark::Separate).or(joined),
            unk: start.unk,
            ascii: [None; 128],
        };
        first.ascii = std::array::from_fn(|byte| first.look_up(&model.vocab, &[byte as u8]));
        first
    }

    /// The token of a unit, if it has one. Text that is spelled like the mark is not the mark, so it has none.
    fn look_up(&self, vocab: &Vocab, unit: &[u8]) -> Option<TokenId> {
        vocab.id_of(unit).filter(|&id| self.mark != Some(Mark::Separate(id)))
    }

    /// The token of a unit, if it has one; `last` says that it is the last unit of its word.
    #[inline]
    fn token(&self, vocab: &Vocab, unit: &[u8], last: bool) -> Option<TokenId> {
        match (&self.mark, unit) {
            (Some(Mark::Joined(mark)), _) if last => vocab.id_of(&[unit, mark].concat()),
            (_, &[byte @ 0..128]) => self.ascii[usize::from(byte)],
            _ => self.look_up(vocab, unit),
        }
    }

    /// Replaces `tokens` by the first tokens of a piece, or of a part of one; `whole` says that it ends where the piece
    /// ends. Returns where the first unit starts that has no token, if there is one.
    fn tokens_into(
        &self,
        vocab: &Vocab,
        piece: &[u8],
        whole: bool,
        tokens: &mut Vec<TokenId>,
    ) -> Result<Option<usize>> {
        tokens.clear();
        let mut at = 0;
        for unit in self.units.of(piece) {
            let id = self.token(vocab, unit, whole && at + unit.len() == piece.len());
            let Some(id) = id.or(self.unk) else { return Ok(Some(at)) };
            memory::extend(tokens, &[id])?;
            interrupt::worked(unit.len())?;
            at += unit.len();
        }
        if let Some(Mark::Separate(mark)) = self.mark.as_ref().filter(|_| whole) {
            memory::extend(tokens, &[*mark])?;
        }
        Ok(None)
    }
}
