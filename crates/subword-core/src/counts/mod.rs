/*!
How often each piece occurs: the hinge between text and training.

```text
"low low lower"  ->  "low": 1, " low": 1, " lower": 1
```

Adding is associative and commutative, so one thread, ten processes and a cluster count the same.
Training reads counts and nothing else: not the text, not where it was cut.

Counts know the pattern and the special tokens that they were counted with. Counts that were not
made alike do not add up, and are refused.
*/

mod table;

pub use table::{Probe, SHARDS, Shard, Table};

use crate::error::{Error, Result};
use crate::model::Pattern;
use crate::types::Count;

/// How often each piece occurs.
#[derive(Debug)]
pub struct Counts {
    pattern: Pattern,
    special_tokens: Vec<String>,
    table: Table,
    total: Count,
}

impl Counts {
    /// No pieces yet. Special tokens are sorted, and each is there once.
    pub fn new(pattern: Pattern, mut special_tokens: Vec<String>) -> Counts {
        special_tokens.sort_unstable();
        special_tokens.dedup();
        let pattern = pattern.canonical();
        Counts { pattern, special_tokens, table: Table::default(), total: 0 }
    }

    /// The pattern that cut the pieces.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The special tokens that were cut out of the text and are not counted, sorted.
    pub fn special_tokens(&self) -> &[String] {
        &self.special_tokens
    }

    /// How many different pieces there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pieces there are: the sum of all counts.
    pub fn total(&self) -> Count {
        self.total
    }

    /// The count of a piece; 0 if it is not there.
    pub fn get(&self, piece: &[u8]) -> Count {
        self.table.get(piece)
    }

    /// Counts a piece `count` times more. Nothing is counted 0 times, and no piece is empty.
    pub fn add_piece(&mut self, piece: &[u8], count: Count) -> Result<()> {
        if piece.is_empty() {
            return Err(Error::counts("a piece is empty"));
        }
        self.total = sum(self.total, count)?;
        if count > 0 {
            self.table.add(self.table.probe(piece, 0, piece.len()), piece, count);
        }
        Ok(())
    }

    /// Calls `entry` with each piece and its count, in no order that means anything.
    pub fn for_each(&self, entry: impl FnMut(&[u8], Count) -> Result<()>) -> Result<()> {
        self.table.for_each(entry)
    }

    /// Adds all of `other`, which must be made alike.
    pub fn add(&mut self, other: &Counts) -> Result<()> {
        self.check_alike(other)?;
        self.total = sum(self.total, other.total)?;
        let (table, other) = (&mut self.table, &other.table);
        table.add_all(other);
        Ok(())
    }

    /// That both have the same pattern and the same special tokens.
    fn check_alike(&self, other: &Counts) -> Result<()> {
        let hint = "counts add up only if they were counted alike: count one of them again";
        if self.pattern != other.pattern {
            let (one, two) = (shown(&self.pattern), shown(&other.pattern));
            let message = format!("the counts have different patterns: {one} and {two}");
            return Err(Error::counts(message).with_hint(hint));
        }
        if self.special_tokens != other.special_tokens {
            let (one, two) = (&self.special_tokens, &other.special_tokens);
            let message = format!("the counts have different special tokens: {one:?} and {two:?}");
            return Err(Error::counts(message).with_hint(hint));
        }
        Ok(())
    }

    /// Forgets the pieces that occur less often than `min`.
    pub fn prune(&mut self, min: Count) {
        self.total = self.table.prune(min);
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

/// A sum of counts.
fn sum(a: Count, b: Count) -> Result<Count> {
    a.checked_add(b).ok_or_else(|| Error::counts("the sum of the counts is over 2^64 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretok::Named;

    fn counts(pieces: &[(&str, Count)]) -> Counts {
        let mut counts = Counts::new(Pattern::Named(Named::Gpt2), vec!["<s>".into()]);
        pieces.iter().for_each(|(piece, count)| {
            counts.add_piece(piece.as_bytes(), *count).unwrap();
        });
        counts
    }

    fn content(counts: &Counts) -> Vec<(String, Count)> {
        let mut content = Vec::new();
        let entry = |piece: &[u8], count| {
            content.push((String::from_utf8(piece.to_vec()).unwrap(), count));
            Ok(())
        };
        counts.for_each(entry).unwrap();
        content.sort();
        content
    }

    #[test]
    fn counts_add_up() {
        let mut one = counts(&[("low", 5), (" lower", 1 << 40)]);
        one.add(&counts(&[("low", 2), ("new", 1), ("never", 0)])).unwrap();
        let expected = [(" lower".to_owned(), 1 << 40), ("low".into(), 7), ("new".into(), 1)];
        assert_eq!(content(&one), expected);
        assert_eq!((one.len(), one.total()), (3, (1 << 40) + 8));
        one.prune(2);
        assert_eq!(content(&one), expected[..2]);
        assert_eq!((one.len(), one.total()), (2, (1 << 40) + 7));
    }

    #[test]
    fn what_is_not_made_alike_is_refused() {
        let mut one = counts(&[]);
        let special = Counts::new(Pattern::Named(Named::Gpt2), vec!["<t>".into()]);
        assert_eq!(
            one.add(&special).unwrap_err().to_string(),
            "the counts have different special tokens: [\"<s>\"] and [\"<t>\"]\n  \
             hint: counts add up only if they were counted alike: count one of them again"
        );
        let regexes = ["a", "b"].map(|regex| Pattern::Regex(regex.into()));
        let pattern = Counts::new(Pattern::Sequence(regexes.to_vec()), vec!["<s>".into()]);
        let error = one.add(&pattern).unwrap_err().to_string();
        let expected = "the counts have different patterns: \"gpt2\" and [\"a\", \"b\"]\n";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn a_count_never_overflows() {
        let mut one = counts(&[("low", u64::MAX - 1)]);
        assert_eq!(one.add_piece(b"new", 1), Ok(()));
        let error = one.add_piece(b"new", 1).unwrap_err();
        assert_eq!(error.to_string(), "the sum of the counts is over 2^64 - 1");
        assert_eq!(one.add(&counts(&[("low", 1)])), Err(error));
        assert_eq!((one.get(b"low"), one.total()), (u64::MAX - 1, u64::MAX));
        assert_eq!(one.add_piece(b"", 1).unwrap_err().to_string(), "a piece is empty");
    }
}
