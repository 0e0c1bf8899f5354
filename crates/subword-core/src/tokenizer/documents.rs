/*!
Documents that are encoded one after the other, whole or in parts.

What one call needs and the next one too is made once: a [`DocumentEncoder`] has the finders of the special
tokens that the caller wants, a [`Session`] has what one thread needs.

A text that goes on can be encoded up to [`DocumentEncoder::last_cut`]; `boundary` says where that is.
*/

use super::encode::Worker;
use super::{Chosen, Tokenizer};
use crate::boundary::{Boundary, Separator};
use crate::error::Result;
use crate::special::Allowed;
use crate::types::TokenId;

/// Encodes documents with one choice of special tokens.
#[derive(Debug)]
pub struct DocumentEncoder<'t> {
    tokenizer: &'t Tokenizer,
    allowed: Allowed,
    chosen: Chosen<'t>,
    separator: Option<Separator>,
}

/// What one thread needs to encode.
#[derive(Debug)]
pub struct Session<'t> {
    tokenizer: &'t Tokenizer,
    /// None once it was given back.
    worker: Option<Box<Worker>>,
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
            chosen: self.chosen(allowed)?,
            separator: separator.map(Separator::new),
        })
    }
}

impl<'t> DocumentEncoder<'t> {
    /// For one thread.
    pub fn session(&self) -> Session<'t> {
        let tokenizer = self.tokenizer;
        let worker = tokenizer.workers.take(|| Worker::new(tokenizer.cache_bytes));
        Session { tokenizer, worker: Some(worker) }
    }

    /// Appends the ids of a text.
    pub fn encode(
        &self,
        text: &[u8],
        session: &mut Session<'_>,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let (tokenizer, finders) = (self.tokenizer, self.chosen.finders());
        tokenizer.refuse(text, &self.allowed)?;
        let worker =
            session.worker.get_or_insert_with(|| Box::new(Worker::new(tokenizer.cache_bytes)));
        tokenizer
            .encode_text(text, finders, worker, ids)
            .map_err(|error| tokenizer.with_position(error, &[text], finders))
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
        let finders = if refuses { &self.tokenizer.all } else { self.chosen.finders() };
        self.tokenizer.boundary(finders).refusing(refuses).with_separator(self.separator.as_ref())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.tokenizer.workers.put(worker);
        }
    }
}
