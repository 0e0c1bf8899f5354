/*!
Where a text that is counted in parts may be cut without changing a count.

Two kinds of places are safe. Where the pattern guarantees the end of a piece, whatever stands around
it (`Splitter::cuts_before`), unless a special token is spelled across it. And where a special token
ends: nothing crosses it. The first kind is found by looking at the few characters around a place.
The second needs a search from the start of the text, since only that decides which of several special
tokens that overlap count, so it is used only where the first finds nothing.
*/

use crate::error::Result;
use crate::model::Pattern;
use crate::pretok::Splitter;
use crate::special::{Finder, Span};

/// What cuts a text: into parts, and these into pieces.
#[derive(Debug)]
pub(super) struct Cuts<'s> {
    pub(super) splitter: Splitter,
    pub(super) finder: Finder,
    special_tokens: &'s [String],
    longest: usize,
}

impl<'s> Cuts<'s> {
    pub(super) fn new(pattern: &Pattern, special_tokens: &'s [String]) -> Result<Self> {
        let splitter = Splitter::new(pattern)?;
        let special = special_tokens.iter().map(|token| crate::SpecialToken::new(token, 0));
        let finder = Finder::new(special)?;
        let longest = finder.longest();
        Ok(Cuts { splitter, finder, special_tokens, longest })
    }

    /// The last place where `text`, which goes on, may be cut; 0 if there is none. Places up to
    /// `seen` were looked at before.
    pub(super) fn last(&self, text: &[u8], seen: usize) -> usize {
        // What is not there yet may complete a character, or a special token.
        let open = self.longest.max(4);
        let end = (text.len() + 1).saturating_sub(open);
        let first = (seen + 1).saturating_sub(open).max(1);
        let cut = (first..end).rev().find(|&at| self.may_cut(text, at));
        cut.unwrap_or_else(|| self.last_special(text, end))
    }

    /// The first place at `at` or after it where `text` may be cut; its end if there is none.
    pub(super) fn next(&self, text: &[u8], at: usize) -> usize {
        (at..text.len()).find(|&at| self.may_cut(text, at)).unwrap_or(text.len())
    }

    fn may_cut(&self, text: &[u8], at: usize) -> bool {
        self.splitter.cuts_before(text, at) && !self.is_in_special(text, at)
    }

    /// Whether a special token is spelled across this place.
    fn is_in_special(&self, text: &[u8], at: usize) -> bool {
        self.special_tokens.iter().any(|token| {
            let token = token.as_bytes();
            let around = &text[(at + 1).saturating_sub(token.len())..];
            let around = &around[..around.len().min(2 * token.len() - 2)];
            memchr::memmem::find(around, token).is_some()
        })
    }

    /// The end of the last special token that ends at or before `end`; 0 if there is none.
    fn last_special(&self, text: &[u8], end: usize) -> usize {
        let mut last = 0;
        let note = |span: Span| {
            if span.special.is_some() && span.end <= end {
                last = span.end;
            }
            Ok(())
        };
        // `note` does not fail.
        let _ = self.finder.split(text, note);
        last
    }
}
