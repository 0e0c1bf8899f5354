/*!
Texts whose merges are left out at random: every piece is merged anew, and nothing is remembered.

The pieces are those of the other paths. One that would be cut where no token spans is merged whole here, because the
draws of a piece run through all of it.
*/

use super::misses::check_length;
use super::nonbyte::no_token;
use super::{Finders, Path, Plan, Scratch};
use crate::chain::Runner;
use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::model::ChainModel;
use crate::special::Span;
use crate::types::TokenId;
use crate::{interrupt, memory};

impl Plan {
    /// Encodes a text, added tokens and all, without the merges that are left out.
    pub(crate) fn encode_with_dropout(
        &self,
        text: &[u8],
        finders: &Finders,
        dropout: &mut Dropout,
        scratch: &mut Scratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        if dropout.is_none() {
            return self.encode_text(text, finders, scratch, ids);
        }
        finders.raw.split(text, |Span { start, end, special, .. }| {
            if let Some(id) = special {
                return memory::extend(ids, &[id]);
            }
            let part = &text[start..end];
            if let Path::Chain { runner, .. } = &self.path {
                return self.chain_with_dropout(
                    runner,
                    (part, start),
                    finders,
                    dropout,
                    scratch,
                    ids,
                );
            }
            let normal = self.model.normalizer.apply_by_blocks(part)?;
            finders.normal.split(&normal, |span| match span.special {
                Some(id) => memory::extend(ids, &[id]),
                None => {
                    self.words_with_dropout(&normal[span.start..span.end], dropout, scratch, ids)
                }
            })
        })
    }

    /// An error if the tokens of a piece are not merged.
    pub(crate) fn check_merges(&self) -> Result<()> {
        let merges = match &self.path {
            Path::Bytes | Path::NonByte => true,
            Path::Longest(_) | Path::Words(_) => false,
            Path::Chain { .. } => self.model.chain.as_ref().is_some_and(|chain| {
                let pieces = chain.pieces().is_some_and(|pieces| pieces.scores().is_none());
                pieces || matches!(chain.model, ChainModel::Bpe(_))
            }),
        };
        if merges {
            return Ok(());
        }
        let message = "this tokenizer does not merge, so there is nothing to leave out".to_owned();
        Err(Error::Argument { message })
    }

    /// What stands between two added tokens of the first phase, and where it starts in the text.
    fn chain_with_dropout(
        &self,
        runner: &Runner,
        (text, base): (&[u8], usize),
        finders: &Finders,
        dropout: &mut Dropout,
        scratch: &mut Scratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let pieces = runner.pieces(text, base, &finders.normal)?;
        for piece in pieces.iter() {
            if let Some(id) = piece.token {
                memory::extend(ids, &[id])?;
                continue;
            }
            let push = |id, _| memory::extend(ids, &[id]);
            let (model, room) = (&self.model, &mut scratch.chain);
            runner.encode_with_dropout(model, piece.text(), room, dropout, push)?;
        }
        interrupt::worked(text.len())
    }

    /// A normalised text without added tokens, whose pieces start from bytes or characters.
    fn words_with_dropout(
        &self,
        text: &[u8],
        dropout: &mut Dropout,
        scratch: &mut Scratch,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.each_piece(text, |start, end| {
            let piece = &text[start..end];
            check_length(piece, start)?;
            if self.model.start.skips(piece) {
                return Ok(true);
            }
            let (vocab, merged) = (&self.model.vocab, &mut scratch.merged);
            let missing = self.merger.encode_with_dropout(vocab, piece, dropout, merged, ids)?;
            missing.map_or(Ok(true), |at| Err(no_token(&piece[at..], start + at)))
        })
    }
}
