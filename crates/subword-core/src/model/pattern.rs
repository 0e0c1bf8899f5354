/*!
How text is cut into pieces: a pattern that has a name, a regular expression, or several in a row.

```text
"gpt2"                      Named(Gpt2)
r"\p{L}+|\P{L}+"            Regex: what it does not match is a piece as well
[r"\p{N}", "gpt2"]          Sequence: each cuts the pieces of the one before it
```

This is only what a pattern *is*; `pretok` runs it. A pattern has one canonical form, so that two
equal models are written as equal bytes: a regular expression that a name stands for goes by the name,
however its characters are spelled.
*/

mod named;
mod spelling;

pub use named::Named;
pub(crate) use spelling::escaped_character;

use crate::error::{Error, Result};

/// How text is cut into pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A pattern that has a name.
    Named(Named),
    /// A regular expression. What it does not match is a piece too: no byte is ever dropped.
    Regex(String),
    /// One after the other, each cutting the pieces of the one before it.
    Sequence(Vec<Pattern>),
}

impl Pattern {
    /// The pattern that a user writes: a name, or a regular expression. A word that is no name is a
    /// mistake: as a regular expression it would cut a text at that word only.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(named) = Named::from_name(text) {
            return Ok(Pattern::Named(named));
        }
        if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            let message = "no pattern has this name".to_owned();
            return Err(Error::Pattern { pattern: text.to_owned(), message });
        }
        Ok(Pattern::Regex(text.to_owned()))
    }

    /// The same pattern in its one form: no sequence in a sequence, and a name where there is one.
    pub fn canonical(self) -> Self {
        let mut flat = Vec::new();
        self.flatten_into(&mut flat);
        let regexes: Option<Vec<&str>> = flat.iter().map(Pattern::as_regex).collect();
        if let Some(named) = regexes.and_then(|regexes| Named::from_regexes(&regexes)) {
            return Pattern::Named(named);
        }
        for pattern in &mut flat {
            if let Some(named) = pattern.as_regex().and_then(|regex| Named::from_regexes(&[regex]))
            {
                *pattern = Pattern::Named(named);
            }
        }
        match flat.len() {
            0 => Pattern::Named(Named::None),
            1 => flat.remove(0),
            _ => Pattern::Sequence(flat),
        }
    }

    fn flatten_into(self, out: &mut Vec<Pattern>) {
        match self {
            Pattern::Named(Named::None) => {}
            Pattern::Sequence(patterns) => patterns.into_iter().for_each(|p| p.flatten_into(out)),
            pattern => out.push(pattern),
        }
    }

    fn as_regex(&self) -> Option<&str> {
        match self {
            Pattern::Regex(regex) => Some(regex),
            _ => None,
        }
    }
}
