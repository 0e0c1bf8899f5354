/*!
Where a text matches: the parts between matches and the matches themselves, in order, and what is made of them.

```text
Split "-", text "a-b--c"       a | - | b | - | - | c      (matches are what a file's pattern finds)
Removed                        a   b   c
Isolated                       a - b - - c
MergedWithPrevious             a- b- - c
MergedWithNext                 a -b - -c
Contiguous                     a - b -- c
```
*/

use fancy_regex::Regex;

use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Behavior, Matcher};

/// A match may look at the whole text, so the clock is read after a few of them.
const MATCH: usize = 1 << 9;

/// A part of a text, and whether it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) matches: bool,
}

/// What is searched for, ready to run.
#[derive(Debug)]
pub(super) struct Search {
    regex: Regex,
}

impl Search {
    pub(super) fn new(matcher: &Matcher) -> Result<Search> {
        match matcher {
            Matcher::Text(text) => Search::regex(&fancy_regex::escape(text)),
            Matcher::Regex(regex) => Search::regex(regex),
        }
    }

    pub(super) fn regex(pattern: &str) -> Result<Search> {
        let regex = Regex::new(pattern).map_err(|error| Error::Pattern {
            pattern: pattern.to_owned(),
            message: format!("not a regular expression that we can read: {error}"),
        })?;
        Ok(Search { regex })
    }

    /// Calls `part` with each match of a text and what is between them. An empty match is a part as well, except in
    /// an empty text, which has no parts.
    pub(super) fn each_part(&self, text: &str, mut part: impl FnMut(Part)) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let mut at = 0;
        for found in self.regex.find_iter(text) {
            let found = found.map_err(|error| Error::Pattern {
                pattern: self.regex.as_str().to_owned(),
                message: format!("gave up at byte {at} of a text: {error}"),
            })?;
            interrupt::worked(MATCH)?;
            let (start, end) = (found.start(), found.end());
            if at != start {
                part(Part { start: at, end: start, matches: false });
            }
            part(Part { start, end, matches: true });
            at = end;
        }
        if at != text.len() {
            part(Part { start: at, end: text.len(), matches: false });
        }
        Ok(())
    }

    /// The parts of a text.
    pub(super) fn parts(&self, text: &str) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        self.each_part(text, |part| parts.push(part))?;
        Ok(parts)
    }
}

/// The parts of a text where each character that `is` accepts is a match.
pub(super) fn characters(text: &str, is: impl Fn(char) -> bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    for (start, c) in text.char_indices().filter(|&(_, c)| is(c)) {
        if at < start {
            parts.push(Part { start: at, end: start, matches: false });
        }
        at = start + c.len_utf8();
        parts.push(Part { start, end: at, matches: true });
    }
    if at < text.len() {
        parts.push(Part { start: at, end: text.len(), matches: false });
    }
    parts
}

/// The pieces that a behaviour makes of parts, as starts and ends; some may be empty.
pub(super) fn pieces(parts: Vec<Part>, behavior: Behavior) -> Vec<(usize, usize)> {
    let place = |part: Part| (part.start, part.end);
    match behavior {
        Behavior::Isolated => parts.into_iter().map(place).collect(),
        Behavior::Removed => parts.into_iter().filter(|part| !part.matches).map(place).collect(),
        Behavior::Contiguous => joined(
            parts.into_iter(),
            |part, before| part == before,
            |piece, part| {
                piece.1 = part.end;
            },
        ),
        Behavior::MergedWithPrevious => joined(
            parts.into_iter(),
            |part, before| part && !before,
            |piece, part| {
                piece.1 = part.end;
            },
        ),
        Behavior::MergedWithNext => {
            let mut pieces = joined(
                parts.into_iter().rev(),
                |part, after| part && !after,
                |piece, part| piece.0 = part.start,
            );
            pieces.reverse();
            pieces
        }
    }
}

/// Adds a part to the piece before it where `joins` says so of the two, and else starts a piece.
fn joined(
    parts: impl Iterator<Item = Part>,
    joins: impl Fn(bool, bool) -> bool,
    add: impl Fn(&mut (usize, usize), Part),
) -> Vec<(usize, usize)> {
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    let mut before = false;
    for part in parts {
        match pieces.last_mut() {
            Some(piece) if joins(part.matches, before) => add(piece, part),
            _ => pieces.push((part.start, part.end)),
        }
        before = part.matches;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_behaviours() {
        let text = "a-b--c";
        let search = Search::new(&Matcher::Text("-".to_owned())).unwrap();
        let cut = |behavior| {
            let parts = search.parts(text).unwrap();
            pieces(parts, behavior).iter().map(|&(a, b)| &text[a..b]).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(cut(Behavior::Removed), "a b c");
        assert_eq!(cut(Behavior::Isolated), "a - b - - c");
        assert_eq!(cut(Behavior::MergedWithPrevious), "a- b- - c");
        assert_eq!(cut(Behavior::MergedWithNext), "a -b - -c");
        assert_eq!(cut(Behavior::Contiguous), "a - b -- c");
    }
}
