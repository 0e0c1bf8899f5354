/*!
Any regular expression, by a real engine: backtracking where look-ahead needs it, automata where
not.

The engine reads `str`. A text with invalid UTF-8 is given to it with each invalid byte replaced by
U+FFFD, and the ends are mapped back, so an invalid byte means to a regular expression what it means
to the scanners.
*/

use std::borrow::Cow;

use fancy_regex::Regex;

use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) struct RegexSplitter {
    regex: Regex,
}

impl RegexSplitter {
    pub(super) fn new(pattern: &str) -> Result<RegexSplitter> {
        match Regex::new(pattern) {
            Ok(regex) => Ok(RegexSplitter { regex }),
            Err(error) => Err(Error::Pattern {
                pattern: pattern.to_owned(),
                message: format!("not a regular expression that we can read: {error}"),
            }),
        }
    }

    /// Appends the ends of the pieces of `text`, moved by `base`: the matches, and what is between
    /// them.
    fn split(&self, text: &str, base: usize, ends: &mut Vec<usize>) -> Result<()> {
        let mut at = 0;
        for found in self.regex.find_iter(text) {
            let found = found.map_err(|error| Error::Pattern {
                pattern: self.regex.as_str().to_owned(),
                message: format!("gave up at byte {} of a text: {error}", base + at),
            })?;
            if found.start() == found.end() {
                continue;
            }
            if found.start() > at {
                ends.push(base + found.start());
            }
            at = found.end();
            ends.push(base + at);
        }
        if at < text.len() {
            ends.push(base + text.len());
        }
        Ok(())
    }
}

/// The ends of the pieces of `text` after all the regular expressions.
pub(super) fn split(regexes: &[RegexSplitter], text: &[u8]) -> Result<Vec<usize>> {
    let readable = Readable::new(text);
    let whole = &*readable.text;
    let mut ends = if whole.is_empty() { Vec::new() } else { vec![whole.len()] };
    for regex in regexes {
        let mut finer = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            regex.split(&whole[start..end], start, &mut finer)?;
            start = end;
        }
        ends = finer;
    }
    Ok(readable.map_back(ends))
}

/// A text as the engine reads it.
struct Readable<'t> {
    text: Cow<'t, str>,
    /// Where the replacements start in `text`: each is two bytes longer than what it replaces.
    replaced: Vec<usize>,
}

impl<'t> Readable<'t> {
    fn new(text: &'t [u8]) -> Readable<'t> {
        if let Ok(text) = std::str::from_utf8(text) {
            return Readable { text: Cow::Borrowed(text), replaced: Vec::new() };
        }
        let mut readable = String::with_capacity(text.len() + 64);
        let mut replaced = Vec::new();
        for chunk in text.utf8_chunks() {
            readable.push_str(chunk.valid());
            for _ in chunk.invalid() {
                replaced.push(readable.len());
                readable.push('\u{FFFD}');
            }
        }
        Readable { text: Cow::Owned(readable), replaced }
    }

    fn map_back(&self, mut ends: Vec<usize>) -> Vec<usize> {
        let mut passed = 0;
        for end in &mut ends {
            while self.replaced.get(passed).is_some_and(|start| start < end) {
                passed += 1;
            }
            *end -= 2 * passed;
        }
        ends
    }
}
