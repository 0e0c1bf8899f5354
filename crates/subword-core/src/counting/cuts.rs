/*!
Where a text that is counted in parts may be cut without changing a count.

Two kinds of places are safe. Where the pattern guarantees the end of a piece, whatever stands around
it (`Splitter::cuts_before`), unless a special token is spelled across it. And where a special token
ends: nothing crosses it. The first kind is found by looking at the few characters around a place.
The second needs a search from the start of the text, since only that decides which of several special
tokens that overlap count, so it is used only where the first finds nothing.

If the text is normalised, the pattern is asked about the two characters at a place as they are then,
and only before white space of ASCII: no form joins that to what comes before it, nor sorts across it.
*/

use crate::error::Result;
use crate::model::{Normalizer, Pattern};
use crate::pretok::Splitter;
use crate::special::{Finder, Span};

/// What cuts a text: into parts, and these into pieces.
#[derive(Debug)]
pub(super) struct Cuts<'s> {
    pub(super) normalizer: Normalizer,
    pub(super) splitter: Splitter,
    pub(super) finder: Finder,
    special_tokens: &'s [String],
    longest: usize,
}

impl<'s> Cuts<'s> {
    pub(super) fn new(
        normalizer: Normalizer,
        pattern: &Pattern,
        special_tokens: &'s [String],
    ) -> Result<Self> {
        let splitter = Splitter::new(pattern)?;
        let special = special_tokens.iter().map(|token| crate::SpecialToken::new(token, 0));
        let finder = Finder::new(special)?;
        let longest = finder.longest();
        Ok(Cuts { normalizer, splitter, finder, special_tokens, longest })
    }

    /// The last place where `text`, which goes on, may be cut; 0 if there is none. Places up to
    /// `seen` were looked at before.
    pub(super) fn last(&self, text: &[u8], seen: usize) -> usize {
        // What is not there yet may complete a character, or a special token.
        let open = self.longest.max(4);
        let end = (text.len() + 1).saturating_sub(open);
        let first = (seen + 1).saturating_sub(open).max(1);
        let mut places = (first..end).rev().take_while(|_| self.splitter.cuts());
        let cut = places.find(|&at| self.may_cut(text, at));
        cut.unwrap_or_else(|| self.last_special(text, end))
    }

    /// The first place at `at` or after it where `text` may be cut; its end if there is none.
    pub(super) fn next(&self, text: &[u8], at: usize) -> usize {
        let mut places = (at..text.len()).take_while(|_| self.splitter.cuts());
        places.find(|&at| self.may_cut(text, at)).unwrap_or(text.len())
    }

    fn may_cut(&self, text: &[u8], at: usize) -> bool {
        let cuts = match self.normalizer {
            Normalizer::None => self.splitter.cuts_before(text, at),
            _ => self.cuts_normalized(text, at),
        };
        cuts && !self.is_in_special(text, at)
    }

    /// Whether a piece ends here when the text has been normalised.
    fn cuts_normalized(&self, text: &[u8], at: usize) -> bool {
        if !matches!(text[at], b' ' | b'\t' | b'\n' | b'\r') {
            return false;
        }
        let start = text[..at].iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
        let mut two = self.normalizer.apply(&text[start..at]).into_owned();
        let end = two.len();
        two.extend_from_slice(&self.normalizer.apply(&text[at..=at]));
        end > 0 && self.splitter.cuts_before(&two, end)
    }

    /// Whether a special token is spelled across this place.
    fn is_in_special(&self, text: &[u8], at: usize) -> bool {
        self.special_tokens.iter().any(|token| {
            let token = token.as_bytes();
            let start = (at + 1).saturating_sub(token.len());
            let end = (at + token.len() - 1).min(text.len());
            memchr::memmem::find(&text[start..end], token).is_some()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bert;
    use crate::pretok::Named;

    fn cuts(pattern: Pattern, special: &[String]) -> Cuts<'_> {
        Cuts::new(Normalizer::None, &pattern, special).unwrap()
    }

    #[test]
    fn normalised_text_is_cut_where_white_space_begins() {
        let bert = Normalizer::Bert(Bert::UNCASED);
        let cuts = Cuts::new(bert, &Pattern::Named(Named::Bert), &[]).unwrap();
        let next = |text: &str| cuts.next(text.as_bytes(), 1);
        assert_eq!(next("LOW \n LOWER"), 3);
        assert_eq!(next("LÖW.\nLOWER"), 5);
        // Chinese gets spaces, a control character vanishes: what is before belongs to the run.
        assert_eq!(next("中 \n中\u{1} a b"), 11, "before the last space");
        assert_eq!(next("a-b中文"), 9, "no white space of its own");
        assert_eq!(next("a e\u{301} b"), 1);
    }

    #[test]
    fn a_text_that_goes_on_is_cut_where_nothing_can_change() {
        let special = ["<a b>".to_owned(), "b>".to_owned()];
        let cuts = cuts(Pattern::Named(Named::Gpt2), &special);
        let last = |text: &str| cuts.last(text.as_bytes(), 0);
        assert_eq!(last("low lower"), 3);
        // The `<` after it may become a special token, but the space before is certain.
        assert_eq!(last("low lower<a"), 3);
        assert_eq!(last("low lower<a b>x"), 9);
        assert_eq!(last("low<a b> lower"), 3);
        assert_eq!(last("lowlowlowlow"), 0);
        assert_eq!(last(""), 0);
        assert_eq!(cuts.next(b"low<a b> lower", 4), 14);
        assert_eq!(cuts.next(b"low<a b> lower ", 4), 14);
    }

    #[test]
    fn half_a_character_is_no_place_to_cut() {
        let cuts = cuts(Pattern::Named(Named::Gpt2), &[]);
        let text = "lowé lower".as_bytes();
        (0..text.len()).for_each(|len| {
            assert!([0, 5].contains(&cuts.last(&text[..len], 0)), "{len}");
        });
    }

    #[test]
    fn without_a_place_special_tokens_are_places() {
        let special = ["<s>".to_owned(), "<s><s>".to_owned()];
        let cuts = cuts(Pattern::Regex("l+".to_owned()), &special);
        assert_eq!(cuts.last(b"low lower", 0), 0);
        assert_eq!(cuts.last(b"low<s>lower lower", 0), 6);
        // Whether it is `<s>` or `<s><s>` is not seen yet.
        assert_eq!(cuts.last(b"low<s>lowe<s><", 0), 6);
        assert_eq!(cuts.last(b"low<s>lowe<s><s>lower", 0), 16);
    }
}
