/*!
Whether counts were made alike: only then do they add up, and only then do they fit a tokenizer.

Counts know the normaliser, the pattern and the special tokens that they were counted with. What differs
is named in the error.
*/

use super::Counts;
use crate::error::{Error, Result};
use crate::model::{Normalizer, Pattern};

impl Counts {
    /// An error unless the pieces are those of a tokenizer with this normaliser and this pattern.
    pub fn check_made_by(&self, normalizer: Normalizer, pattern: &Pattern) -> Result<()> {
        let hint = "count the text with the tokenizer's own pattern and normalizer";
        let message = if self.normalizer() != normalizer {
            let (one, two) = (self.normalizer().name(), normalizer.name());
            format!("the text of the counts has the normalizer {one:?}, the tokenizer has {two:?}")
        } else if self.pattern() != pattern {
            let (one, two) = (shown(self.pattern()), shown(pattern));
            format!("the pieces were cut by the pattern {one}, the tokenizer has {two}")
        } else {
            return Ok(());
        };
        Err(Error::counts(message).with_hint(hint))
    }

    /// An error unless both have the same normaliser, pattern and special tokens.
    pub(super) fn check_alike(&self, other: &Counts) -> Result<()> {
        let differ = |what, one: String, two: String| {
            let message = format!("the counts have different {what}: {one} and {two}");
            let hint = "counts add up only if they were counted alike: count one of them again";
            Err(Error::counts(message).with_hint(hint))
        };
        let two = [self, other];
        if self.normalizer() != other.normalizer() {
            let [one, two] = two.map(|counts| format!("{:?}", counts.normalizer().name()));
            return differ("normalizers", one, two);
        }
        if self.pattern() != other.pattern() {
            let [one, two] = two.map(|counts| shown(counts.pattern()));
            return differ("patterns", one, two);
        }
        if self.special_tokens() != other.special_tokens() {
            let [one, two] = two.map(|counts| format!("{:?}", counts.special_tokens()));
            return differ("special tokens", one, two);
        }
        Ok(())
    }
}

/// A pattern as a user writes it.
fn shown(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Named(named) => format!("{:?}", named.name()),
        Pattern::Regex(regex) => format!("{regex:?}"),
        Pattern::Sequence(parts) => {
            format!("[{}]", parts.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
    }
}
