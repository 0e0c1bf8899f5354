/*!
How large patterns may be, so that a small file cannot ask for a large amount of memory.

The engine compiles every class of characters to states, as often as a repetition asks for it: `\p{L}{60}`
is nine bytes and three megabytes. [`Limits::add`] adds up what the compiled patterns of one sequence will
take, by their syntax tree, before anything is compiled.
*/

use std::collections::HashMap;

use fancy_regex::Expr;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::collect_regexes;
use crate::error::{Error, Result};
use crate::model::Pattern;

/// How many patterns may cut a text one after the other.
const MAX_PATTERNS: usize = 64;
/// What all of them may take once they are compiled, in bytes. The largest of the published ones takes a tenth.
const MAX_BYTES: usize = 8 << 20;
/// What one range of a class takes, and what any other part of a pattern takes. Measured (2026-11-17): what
/// is let through adds at most twice the limit to the process.
const RANGE_BYTES: usize = 80;
const PART_BYTES: usize = 160;

/// What the patterns of a sequence have left.
#[derive(Debug)]
pub(crate) struct Limits {
    patterns: usize,
    bytes: usize,
    /// The size of each class that was met.
    classes: HashMap<(String, bool), usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { patterns: MAX_PATTERNS, bytes: MAX_BYTES, classes: HashMap::new() }
    }
}

impl Limits {
    /// Takes in one more pattern of the sequence, or says which limit it exceeds. What is not a regular
    /// expression is left to who compiles it.
    pub(crate) fn add(&mut self, pattern: &Pattern) -> Result<()> {
        let mut regexes = Vec::new();
        collect_regexes(pattern, &mut regexes);
        regexes.into_iter().try_for_each(|regex| {
            self.add_regex(regex)
                .map_err(|message| Error::Pattern { pattern: shortened(regex), message })
        })
    }

    fn add_regex(&mut self, regex: &str) -> std::result::Result<(), String> {
        self.patterns = self
            .patterns
            .checked_sub(1)
            .ok_or_else(|| format!("more than {MAX_PATTERNS} patterns, one after the other"))?;
        let Ok(tree) = Expr::parse_tree(regex) else { return Ok(()) };
        if tree.contains_subroutines {
            return Err("it calls its own groups, which may take any amount of memory".to_owned());
        }
        // While it matches, the engine has a place in each of its states for each group that captures.
        let size = self.size(&tree.expr).saturating_mul(1 + groups(&tree.expr));
        self.bytes = self.bytes.checked_sub(size).ok_or_else(|| {
            let megabytes = MAX_BYTES >> 20;
            format!("too large: the patterns of a sequence may take {megabytes} MB once they are compiled")
        })?;
        Ok(())
    }

    /// What an expression takes. The engine bounds how deep they are nested.
    fn size(&mut self, expr: &Expr) -> usize {
        let parts = expr
            .children_iter()
            .fold(PART_BYTES, |sum, child| sum.saturating_add(self.size(child)));
        match expr {
            Expr::Repeat { lo, hi, .. } => {
                let times = if *hi == usize::MAX { lo.saturating_add(1) } else { *hi };
                parts.saturating_mul(times.max(1))
            }
            Expr::Delegate { inner, casei } => parts + self.class(inner, *casei),
            Expr::Literal { val, .. } => parts + val.len().saturating_sub(1) * PART_BYTES,
            _ => parts,
        }
    }

    fn class(&mut self, class: &str, casei: bool) -> usize {
        let key = (class.to_owned(), casei);
        *self.classes.entry(key).or_insert_with(|| {
            let parsed = ParserBuilder::new().case_insensitive(casei).build().parse(class);
            match parsed.as_ref().map(Hir::kind) {
                Ok(HirKind::Class(Class::Unicode(set))) => set.ranges().len() * RANGE_BYTES,
                _ => 0,
            }
        })
    }
}

/// How many groups capture.
fn groups(expr: &Expr) -> usize {
    usize::from(matches!(expr, Expr::Group(_))) + expr.children_iter().map(groups).sum::<usize>()
}

/// A pattern as an error shows it.
fn shortened(regex: &str) -> String {
    const MOST: usize = 60;
    match regex.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &regex[..at]),
        None => regex.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretok::{Named, Splitter};

    fn sequence(regex: &str, times: usize) -> Pattern {
        Pattern::Sequence(vec![Pattern::Regex(regex.to_owned()); times])
    }

    fn message(pattern: &Pattern) -> String {
        Splitter::new(pattern).expect_err("a pattern beyond a limit").to_string()
    }

    #[test]
    fn sixty_four_patterns_are_enough() {
        assert!(Splitter::new(&sequence("a", 64)).is_ok());
        let error = "pattern \"a\": more than 64 patterns, one after the other";
        assert_eq!(message(&sequence("a", 65)), error);
    }

    #[test]
    fn a_short_pattern_cannot_ask_for_much_memory() {
        assert!(Splitter::new(&sequence(r"\p{L}{60}", 2)).is_ok());
        for (regex, times) in [
            (r"\p{L}{60}", 3),
            (r"(?:\p{L}{60}){1000}", 1),
            (r"(?=\p{L}{9})a|(?!\p{L}{99})b|(?<=\p{L}{99})c", 1),
            (r"[^a]{100000}", 1),
            (r"(?:(?:(?:a{1000}){1000}){1000}){1000}", 1),
        ] {
            let pattern = sequence(regex, times);
            let expected = format!(
                "pattern {regex:?}: too large: the patterns of a sequence may take 8 MB once they are compiled"
            );
            assert_eq!(message(&pattern), expected);
        }
        let groups = sequence(&"(a)".repeat(60_000), 1);
        assert!(message(&groups).ends_with("once they are compiled"));
        let calls = sequence(r"(a\g<1>?b)", 1);
        assert!(message(&calls).contains("calls its own groups"));
    }

    #[test]
    fn the_named_patterns_take_a_tenth_of_the_limit() {
        for named in Named::ALL {
            let mut limits = Limits::default();
            for _ in 0..5 {
                assert_eq!(limits.add(&Pattern::Named(named)), Ok(()), "{named:?}");
            }
        }
    }
}
