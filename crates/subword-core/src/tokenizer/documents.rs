/*!
Documents that are encoded one after the other, whole or in parts.

What one call needs and the next one too is made once: a [`DocumentEncoder`] has the finders of the special
tokens that the caller wants, a [`Session`] has what one thread needs.

A text that goes on can be encoded up to [`DocumentEncoder::last_cut`]. That place is searched from the end,
by looking at the few characters around it. It is safe if the pattern ends a piece there whatever
stands around, and no special token and no separator is spelled across it. Only where there is none is
the text searched from its start ([`Tokenizer::settled`]).
*/

use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;

use super::encode::{Sink, Worker};
use super::{Chosen, Finders, Tokenizer};
use crate::error::Result;
use crate::special::Allowed;
use crate::types::TokenId;

/// Encodes documents with one choice of special tokens.
#[derive(Debug)]
pub struct DocumentEncoder<'t> {
    tokenizer: &'t Tokenizer,
    allowed: Allowed,
    chosen: Chosen<'t>,
    /// What must not be cut in two.
    whole: Vec<Vec<u8>>,
    longest: usize,
    /// Whether a look at a few characters can tell where a text may be cut.
    local: bool,
    separator: Option<memmem::Finder<'static>>,
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
        let chosen = self.chosen(allowed)?;
        // What is forbidden must not be cut in two either: then nobody would see it.
        let seen = if *allowed == Allowed::Error { &self.all } else { chosen.finders() };
        let both = [&seen.raw, &seen.normal];
        let tokens = both.iter().flat_map(|finder| finder.contents()).map(str::as_bytes);
        let whole: Vec<_> = tokens.chain(separator).map(<[u8]>::to_vec).collect();
        Ok(DocumentEncoder {
            tokenizer: self,
            allowed: allowed.clone(),
            longest: whole.iter().map(Vec::len).max().unwrap_or(0),
            whole,
            local: self.splitter.cuts()
                && !both.iter().any(|finder| finder.looks_around())
                && self.same_when_normal(&seen.normal),
            separator: separator.map(|separator| memmem::Finder::new(separator).into_owned()),
            chosen,
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

    /// Appends the ids of a text. If `stop` is set meanwhile, only some of them.
    pub fn encode(
        &self,
        text: &[u8],
        session: &mut Session<'_>,
        stop: &AtomicBool,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let (tokenizer, finders) = (self.tokenizer, self.chosen.finders());
        tokenizer.refuse(text, &self.allowed)?;
        let worker =
            session.worker.get_or_insert_with(|| Box::new(Worker::new(tokenizer.cache_bytes)));
        tokenizer
            .encode_text(text, finders, worker, &mut Stoppable { ids, stop })
            .map_err(|error| tokenizer.with_position(error, &[text], finders))
    }

    /// The last place where `text`, which goes on, may be cut; 0 if there is none. Places up to
    /// `seen` were looked at before.
    pub fn last_cut(&self, text: &[u8], seen: usize) -> Result<usize> {
        if let Some(cut) = self.near_cut(text, seen) {
            return Ok(cut);
        }
        let Some(separator) = &self.separator else {
            return self.tokenizer.settled(text, &self.allowed);
        };
        let len = separator.needle().len();
        match separator.find_iter(text).last() {
            Some(start) => Ok(start + len),
            None => {
                let end = (text.len() + 1).saturating_sub(len);
                self.tokenizer.settled(&text[..end], &self.allowed)
            }
        }
    }

    /// The same where a look at a few characters tells it. All looks together take linear time.
    pub(super) fn near_cut(&self, text: &[u8], seen: usize) -> Option<usize> {
        // What is not there yet may complete a character, a special token or a separator.
        let open = self.longest.max(4);
        let end = (text.len() + 1).saturating_sub(open);
        let first = (seen + 1).saturating_sub(open).max(1);
        let may_cut =
            |&at: &usize| self.tokenizer.may_cut(text, at) && !self.is_spelled_across(text, at);
        if self.local { (first..end).rev().find(may_cut) } else { None }
    }

    /// The finders of the special tokens.
    pub(super) fn finders(&self) -> &Finders {
        self.chosen.finders()
    }

    /// Whether [`DocumentEncoder::near_cut`] ever finds a place.
    pub(super) fn is_local(&self) -> bool {
        self.local
    }

    fn is_spelled_across(&self, text: &[u8], at: usize) -> bool {
        self.whole.iter().any(|token| {
            let start = (at + 1).saturating_sub(token.len());
            let end = (at + token.len() - 1).min(text.len());
            memmem::find(&text[start..end], token).is_some()
        })
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.tokenizer.workers.put(worker);
        }
    }
}

/// Takes ids until it is told to stop.
struct Stoppable<'a> {
    ids: &'a mut Vec<TokenId>,
    stop: &'a AtomicBool,
}

impl Sink for Stoppable<'_> {
    #[inline]
    fn many(&mut self, ids: &[TokenId]) {
        self.ids.extend_from_slice(ids);
    }

    fn is_full(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
