/*!
What a text may become by a Unigram model: every token that may stand in each of its pieces.

An added token is a piece with one token. What is searched in a lattice (the best paths, a random one) is up to others.
*/

use super::{Finders, Path, Plan};
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::unigram::Edge;

/// The pieces of a text, and what the model says of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    /// Sums have 32 bits.
    pub single: bool,
    /// What is unk becomes its bytes, if all of them are tokens.
    pub byte_fallback: bool,
    /// The entry of what has no token.
    pub unk: Option<TokenId>,
    /// The pieces in order.
    pub pieces: Vec<LatticePiece>,
}

/// A piece, normalised, and the tokens that may stand in it.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticePiece {
    /// Its text.
    pub text: String,
    /// The added token that it is.
    pub added: Option<TokenId>,
    /// By rising start, the shorter first, unk last; none of an added token.
    pub edges: Vec<Edge>,
}

impl Plan {
    /// The lattice of a text.
    pub(crate) fn lattice(&self, text: &[u8], finders: &Finders) -> Result<Lattice> {
        let Path::Chain { runner, .. } = &self.path else { return Err(no_unigram()) };
        let unigram = runner.unigram().ok_or_else(no_unigram)?;
        let mut pieces = Vec::new();
        finders.raw.split(text, |span| {
            let part = &text[span.start..span.end];
            if span.special.is_some() {
                let text = String::from_utf8_lossy(part).into_owned();
                pieces.push(LatticePiece { text, added: span.special, edges: Vec::new() });
                return Ok(());
            }
            for piece in runner.pieces(part, span.start, &finders.normal)?.iter() {
                let (text, added) = (piece.text().to_owned(), piece.token);
                let edges = match added {
                    Some(_) => Vec::new(),
                    None => unigram.lattice(&text)?,
                };
                pieces.push(LatticePiece { text, added, edges });
            }
            Ok(())
        })?;
        Ok(Lattice {
            single: unigram.is_single(),
            byte_fallback: unigram.falls_back(),
            unk: unigram.unk(),
            pieces,
        })
    }
}

fn no_unigram() -> Error {
    Error::Argument { message: "only Unigram tokenizers have a lattice".to_owned() }
}
