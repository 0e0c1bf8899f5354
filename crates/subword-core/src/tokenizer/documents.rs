/*!
Documents that are encoded one after the other, whole or in parts.

What many calls share is made once: a [`DocumentEncoder`] has the finders of the special tokens that the
caller wants, a [`Session`] has the cache and the buffers of one thread.

A text that goes on can be encoded up to [`DocumentEncoder::last_cut`]; `boundary` says where that is.
*/

use super::Tokenizer;
use crate::boundary::{Boundary, Separator};
use crate::encode::{ChosenFinders, Scratch};
use crate::error::Result;
use crate::special::Allowed;
use crate::types::TokenId;

/// Encodes documents with one choice of special tokens.
#[derive(Debug)]
pub struct DocumentEncoder<'t> {
    tokenizer: &'t Tokenizer,
    allowed: Allowed,
    chosen: ChosenFinders<'t>,
    separator: Option<Separator>,
}

/// The cache and the buffers of one thread.
#[derive(Debug)]
pub struct Session<'t> {
    tokenizer: &'t Tokenizer,
    /// None once it was given back.
    scratch: Option<Box<Scratch>>,
}

impl Tokenizer {
    /// An encoder of documents; texts that are cut are never cut within a `separator`.
    pub fn document_encoder(
        &self,
        allowed: &Allowed,
        separator: Option<&[u8]>,
    ) -> Result<DocumentEncoder<'_>> {
        Ok(DocumentEncoder {
            tokenizer: self,
            allowed: allowed.clone(),
            chosen: self.plan.chosen(allowed)?,
            separator: separator.map(Separator::new),
        })
    }
}

impl<'t> DocumentEncoder<'t> {
    /// For one thread.
    pub fn session(&self) -> Session<'t> {
        let tokenizer = self.tokenizer;
        let scratch = tokenizer.scratches.take(|| tokenizer.plan.new_scratch());
        Session { tokenizer, scratch: Some(scratch) }
    }

    /// Appends the ids of a text.
    pub fn encode(
        &self,
        text: &[u8],
        session: &mut Session<'_>,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let (plan, finders) = (&self.tokenizer.plan, self.chosen.get());
        plan.refuse(text, &self.allowed)?;
        let scratch = session.scratch.get_or_insert_with(|| Box::new(plan.new_scratch()));
        plan.encode_text(text, finders, scratch, ids)
            .map_err(|error| plan.with_position(error, &[text], finders))
    }

    /// The last place where `text`, which goes on, may be cut; 0 if there is none. Places up to
    /// `seen` were looked at before.
    pub fn last_cut(&self, text: &[u8], seen: usize) -> usize {
        self.boundary().last(text, seen)
    }

    /// Where texts may be cut.
    pub(super) fn boundary(&self) -> Boundary<'_> {
        // What is forbidden must not be cut in two either: then nobody would see it.
        let refuses = self.allowed == Allowed::Error;
        let plan = &self.tokenizer.plan;
        let finders = if refuses { &plan.all } else { self.chosen.get() };
        plan.boundary_of_parts(finders).refusing(refuses).with_separator(self.separator.as_ref())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.tokenizer.scratches.put(scratch);
        }
    }
}
