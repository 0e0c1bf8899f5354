/*!
A large text in the form that Python keeps it in, with one, two or four bytes for each character, on one
thread.

The text is converted to UTF-8 block by block, and each block is encoded up to a place where it may be
cut, while it is still in the processor's caches. The whole text as UTF-8 never exists: writing it to new
memory takes a tenth of the time of encoding English (AVX-512, 2026-11-15).
*/

use super::Tokenizer;
use crate::encode::{Counter, Sink};
use crate::error::Result;
use crate::memory;
use crate::model::Normalizer;
use crate::special::Allowed;
use crate::types::TokenId;
use crate::utf8::Characters;

/// How many characters are converted at a time.
const BLOCK: usize = 1 << 15;

impl Tokenizer {
    /// The ids of a text; none if it must be seen whole, or if a code unit is no character.
    pub fn encode_units(
        &self,
        units: Characters,
        allowed: &Allowed,
    ) -> Result<Option<Vec<TokenId>>> {
        let mut ids = memory::guessed_capacity(units.len() / 2 + 8);
        let done = self.encode_by_blocks(units, allowed, BLOCK, &mut ids)?;
        Ok(done.then_some(ids))
    }

    /// How many ids a text has, or some number above `limit`; none as above.
    pub fn count_units(
        &self,
        units: Characters,
        allowed: &Allowed,
        limit: Option<usize>,
    ) -> Result<Option<usize>> {
        let mut counter = Counter { count: 0, limit: limit.unwrap_or(usize::MAX) };
        let done = self.encode_by_blocks(units, allowed, BLOCK, &mut counter)?;
        Ok(done.then_some(counter.count))
    }

    /// Converts `block_size` characters at a time; returns whether it could.
    pub(super) fn encode_by_blocks(
        &self,
        units: Characters,
        allowed: &Allowed,
        block_size: usize,
        sink: &mut impl Sink,
    ) -> Result<bool> {
        if !self.plan.is_bytes()
            || !self.takes_units(allowed)
            || self.model().normalizer != Normalizer::None
        {
            return Ok(false);
        }
        let chosen = self.plan.chosen(allowed)?;
        let finders = chosen.get();
        let boundary = self.plan.boundary(finders);
        if !boundary.is_local() {
            return Ok(false);
        }
        let mut text = Vec::with_capacity(4 * block_size);
        self.with_scratch(|scratch| {
            for start in (0..units.len()).step_by(block_size) {
                let seen = text.len();
                let block = units.part(start..units.len().min(start + block_size));
                if block.append_to(&mut text).is_err() {
                    return Ok(false);
                }
                let Some(cut) = boundary.near(&text, seen) else { continue };
                self.plan.encode_text(&text[..cut], finders, scratch, sink)?;
                if sink.is_full() {
                    return Ok(true);
                }
                text.drain(..cut);
            }
            self.plan.encode_text(&text, finders, scratch, sink)?;
            Ok(true)
        })
    }
}
