/*!
Patterns that do not become one automaton: those that need memory, and sequences that no single automaton runs.

Each pattern of a sequence cuts the pieces of the one before it, by an automaton of its own or by a backtracking
engine. That engine gives up on a text where it would step back too often; see [`MOST_STEPS_BACK`].

The engine reads `str`. A text with invalid UTF-8 is given to it with each invalid byte replaced by
U+FFFD, and the ends are mapped back, so an invalid byte means to a regular expression what it means
to the scanners.
*/

use std::borrow::Cow;

use fancy_regex::{Error as EngineError, Regex, RegexBuilder, RuntimeError};

use super::class::Char;
use super::compile::Compiled;
use crate::error::{Error, Result};
use crate::{interrupt, memory};

/// A match may look at the whole text, so the clock is read after a few of them.
const MATCH: usize = 1 << 11;

/// How often the engine may step back for one match.
const MOST_STEPS_BACK: usize = 1_000_000;

/// One pattern of a sequence.
#[derive(Debug)]
pub(super) enum RegexSplitter {
    Compiled(Box<Compiled>),
    Backtracking(Regex),
}

impl RegexSplitter {
    /// A pattern, compiled if that can be done.
    pub(super) fn new(pattern: &str) -> Result<RegexSplitter> {
        match Compiled::plain(&[pattern]) {
            Ok(compiled) => Ok(RegexSplitter::Compiled(Box::new(compiled))),
            Err(_) => RegexSplitter::backtracking(pattern),
        }
    }

    /// The same by the engine.
    pub(super) fn backtracking(pattern: &str) -> Result<RegexSplitter> {
        let regex = RegexBuilder::new(pattern).backtrack_limit(MOST_STEPS_BACK).build();
        regex.map(RegexSplitter::Backtracking).map_err(|error| Error::Pattern {
            pattern: pattern.to_owned(),
            message: format!("not a regular expression that we can read: {error}"),
        })
    }

    /// Calls `piece` with the start and the end of each piece of `text`, moved by `base`: of the
    /// matches, and of what is between them. An empty match is no piece, but pieces end there.
    fn split(
        &self,
        text: &str,
        base: usize,
        mut piece: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        let mut at = 0;
        let regex = match self {
            RegexSplitter::Backtracking(regex) => regex,
            RegexSplitter::Compiled(compiled) => {
                while at < text.len() {
                    let end = compiled.end(text.as_bytes(), at);
                    interrupt::worked(end - at)?;
                    piece(base + at, base + end)?;
                    at = end;
                }
                return Ok(());
            }
        };
        for found in regex.find_iter(text) {
            let found = found.map_err(|error| gave_up(regex, &error, base + at))?;
            interrupt::worked(MATCH)?;
            if found.start() > at {
                piece(base + at, base + found.start())?;
            }
            at = found.end();
            if found.start() < at {
                piece(base + found.start(), base + at)?;
            }
        }
        if at < text.len() {
            piece(base + at, base + text.len())?;
        }
        Ok(())
    }

    /// Whether a piece ends between two characters, whatever stands around them. If the first pattern of a sequence
    /// says so, the others see both sides apart.
    pub(super) fn cuts_between(&self, before: Char, after: Char) -> bool {
        match self {
            RegexSplitter::Compiled(compiled) => compiled.cuts_between(before, after),
            RegexSplitter::Backtracking(_) => false,
        }
    }

    /// Whether there are such places at all.
    pub(super) fn cuts(&self) -> bool {
        matches!(self, RegexSplitter::Compiled(compiled) if compiled.cuts())
    }
}

/// The error of an engine that stopped at a place.
fn gave_up(regex: &Regex, error: &EngineError, at: usize) -> Error {
    let why = match error {
        EngineError::RuntimeError(RuntimeError::BacktrackLimitExceeded) => {
            "a match took more than 1,000,000 steps back, which is the limit".to_owned()
        }
        error => error.to_string(),
    };
    let message = format!("gave up at byte {at} of a text: {why}");
    Error::Pattern { pattern: regex.as_str().to_owned(), message }
}

/// The ends of the pieces of `text` after all the regular expressions.
pub(super) fn split(regexes: &[RegexSplitter], text: &[u8]) -> Result<Vec<usize>> {
    let readable = Readable::new(text);
    let whole = &*readable.text;
    let all = if whole.is_empty() { Vec::new() } else { vec![whole.len()] };
    Ok(readable.map_back(finer(regexes, whole, 0, all)?))
}

/// The ends of the finer pieces that regular expressions make of pieces, which start at `start`.
fn finer(
    regexes: &[RegexSplitter],
    whole: &str,
    start: usize,
    mut ends: Vec<usize>,
) -> Result<Vec<usize>> {
    for regex in regexes {
        let mut finer = memory::with_capacity(ends.len())?;
        let mut start = start;
        for end in ends {
            regex.split(&whole[start..end], start, |_, end| memory::extend(&mut finer, &[end]))?;
            start = end;
        }
        ends = finer;
    }
    Ok(ends)
}

/// Calls `batch` with the same ends, about `most` at a time, as soon as they are found. (All at once
/// if the text is not UTF-8, or if there is no regular expression.)
pub(super) fn split_by_batch(
    regexes: &[RegexSplitter],
    text: &[u8],
    most: usize,
    mut batch: impl FnMut(&[usize]) -> Result<()>,
) -> Result<()> {
    let (Some((first, others)), Ok(whole)) = (regexes.split_first(), std::str::from_utf8(text))
    else {
        return split(regexes, text)?.chunks(most).try_for_each(batch);
    };
    let mut ends = Vec::with_capacity(2 * most);
    first.split(whole, 0, |start, end| {
        if others.is_empty() {
            ends.push(end);
        } else {
            ends.extend(finer(others, whole, start, vec![end])?);
        }
        if ends.len() >= most {
            batch(&ends)?;
            ends.clear();
        }
        Ok(())
    })?;
    if ends.is_empty() { Ok(()) } else { batch(&ends) }
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
