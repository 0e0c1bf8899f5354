/*!
WordPiece and WordLevel, plainly: one piece to tokens and their lengths.

The piece `lowest` with the tokens `low`, `##e`, `##st` is `low ##e ##st`. If a part has no token, or the piece has too many
characters, the whole piece is unknown. The longest token that fits is looked for from the longest candidate down; no
candidate is longer than the longest token, so a long piece takes linear time.
*/

use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::Model;
use crate::types::TokenId;

/// WordPiece, ready to run.
#[derive(Debug)]
pub(super) struct WordPieces {
    unk_token: String,
    prefix: String,
    max_characters: usize,
    /// The longest token, in bytes.
    longest: usize,
}

impl WordPieces {
    pub(super) fn new(
        model: &Model,
        unk_token: &str,
        prefix: &str,
        max_characters: usize,
    ) -> WordPieces {
        let longest = model.vocab.iter().map(|(_, token)| token.len()).max().unwrap_or(0);
        let (unk_token, prefix) = (unk_token.to_owned(), prefix.to_owned());
        WordPieces { unk_token, prefix, max_characters, longest }
    }

    /// Calls `each` with every token of a piece and the length of its text.
    pub(super) fn encode(
        &self,
        model: &Model,
        piece: &str,
        tokens: &mut Vec<(TokenId, usize)>,
        mut each: impl FnMut(TokenId, usize) -> Result<()>,
    ) -> Result<()> {
        tokens.clear();
        interrupt::worked(piece.len())?;
        let known =
            piece.chars().count() <= self.max_characters && self.known(model, piece, tokens);
        if !known {
            return each(unknown(model, &self.unk_token)?, piece.len());
        }
        tokens.iter().try_for_each(|&(id, len)| each(id, len))
    }

    fn known(&self, model: &Model, piece: &str, tokens: &mut Vec<(TokenId, usize)>) -> bool {
        let mut candidate = String::new();
        let mut start = 0;
        while start < piece.len() {
            let prefix = if start > 0 { self.prefix.as_str() } else { "" };
            let rest = &piece[start..];
            let mut end = rest.len().min(self.longest.saturating_sub(prefix.len()));
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            candidate.clear();
            candidate.extend([prefix, &rest[..end]]);
            let found = loop {
                if end == 0 {
                    return false;
                }
                if let Some(id) = model.vocab.id_of(candidate.as_bytes()) {
                    break id;
                }
                end -= candidate.pop().map_or(1, char::len_utf8);
            };
            tokens.push((found, end));
            start += end;
        }
        true
    }
}

/// The id of a piece that is a token, or of the unk token.
pub(super) fn word_level(model: &Model, piece: &str, unk_token: &str) -> Result<TokenId> {
    match model.vocab.id_of(piece.as_bytes()) {
        Some(id) => Ok(id),
        None => unknown(model, unk_token),
    }
}

fn unknown(model: &Model, unk_token: &str) -> Result<TokenId> {
    model.vocab.id_of(unk_token.as_bytes()).ok_or_else(|| {
        let message = format!(
            "a piece has no token, and the unk_token {unk_token:?} is not in the vocabulary"
        );
        Error::Text { message, position: 0 }
    })
}
