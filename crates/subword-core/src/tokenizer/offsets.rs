/*!
Ids with the place in the original text that each comes from.

Tokens spell the normalised text, so their lengths give places in it; the normaliser's map leads back to the original.
*/

use super::{Finders, Tokenizer};
use crate::error::Result;
use crate::special::{Allowed, Span};
use crate::types::TokenId;

/// Ids, and for each the bytes of the original text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Located {
    /// The ids.
    pub ids: Vec<TokenId>,
    /// Where each starts and ends, in bytes.
    pub places: Vec<(usize, usize)>,
}

impl Located {
    fn push(&mut self, id: TokenId, start: usize, end: usize) {
        self.ids.push(id);
        self.places.push((start, end));
    }
}

impl Tokenizer {
    /// The ids of a text and where they come from.
    pub fn encode_offsets(&self, text: &[u8], allowed: &Allowed) -> Result<Located> {
        let mut located = Located::default();
        self.with_finders(allowed, &[text], |finders| {
            finders.raw.split(text, |span| {
                match span.special {
                    Some(id) => located.push(id, span.start, span.end),
                    None => self.locate(text, span, finders, &mut located)?,
                }
                Ok(())
            })
        })?;
        Ok(located)
    }

    fn locate(
        &self,
        text: &[u8],
        span: Span,
        finders: &Finders,
        located: &mut Located,
    ) -> Result<()> {
        let (normal, map) = self.model.normalizer.apply_mapped(&text[span.start..span.end]);
        let place =
            |start: usize, end: usize| (span.start + map.start(start), span.start + map.end(end));
        finders.normal.split(&normal, |part| {
            if let Some(id) = part.special {
                let (start, end) = place(part.start, part.end);
                located.push(id, start, end);
                return Ok(());
            }
            let mut ids = Vec::new();
            let part_text = &normal[part.start..part.end];
            self.with_worker(|worker| self.encode_ordinary(part_text, worker, &mut ids))?;
            let mut at = part.start;
            for id in ids {
                let end = at + self.model.token_bytes(id).map_or(0, <[u8]>::len);
                let (from, to) = place(at, end);
                located.push(id, from, to);
                at = end;
            }
            Ok(())
        })
    }
}
