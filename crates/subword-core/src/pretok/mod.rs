/*!
Text to pieces.

```text
"Hello world!"  ->  "Hello" | " world" | "!"
```

A piece is what the pattern matches; merges never cross it. Concatenated, the pieces are always the
text: what no alternative of a regular expression matches is a piece too. Named patterns are read by
hand-written scanners (`scan`, and `blocks` for the usual characters), any other by a regular
expression engine with look-ahead.

[`Splitter::cursor`] walks a text and hands out the ends of its pieces by the batch.
[`Splitter::cuts_before`] says where a piece ends whatever stands around, which is what lets a text be cut
(`boundary`).
*/

mod bert;
mod blocks;
mod class;
mod class_pairs;
mod class_table;
mod families;
mod limits;
mod regex;
mod scan;
mod sections;
mod space_words;
mod whitespace;

pub use crate::model::Named;
pub use class_pairs::ClassPairs;
pub(crate) use limits::Limits;

use crate::bert::Classes;
use crate::error::Result;
use crate::mem::prefetch_at;
use crate::model::Pattern;
use crate::simd::{Isa, Kernel, Level};
use blocks::Family;
use class::{Char, Class, char_at, char_before};
use regex::RegexSplitter;
use scan::Rules;
use sections::{Section, Sections};
use space_words::SpaceWords;

/// How many pieces a cursor finds at a time: enough to amortise, few enough to stay in the
/// first-level cache.
pub const BATCH: usize = 256;

/// A pattern made ready.
#[derive(Debug)]
pub struct Splitter {
    kind: Kind,
    level: Level,
}

#[derive(Debug)]
enum Kind {
    Whole,
    Scanner(Scanner),
    /// One regular expression after the other.
    Regexes(Vec<RegexSplitter>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scanner {
    Gpt2,
    /// cl100k, llama3, qwen2.
    Cl100k(Rules),
    O200k,
    DeepseekV3,
    Bert,
    Whitespace,
    Classes(ClassPairs),
    SpaceWords,
}

impl Scanner {
    /// The end of the piece that starts at `at`, by the plain scanner.
    #[inline(always)]
    fn end(self, text: &[u8], at: usize) -> usize {
        match self {
            Scanner::Gpt2 => scan::gpt2(text, at),
            Scanner::Cl100k(rules) => scan::cl100k(text, at, rules),
            Scanner::O200k => scan::o200k(text, at),
            Scanner::DeepseekV3 => scan::deepseek_v3(text, at),
            Scanner::Bert => bert::scan(Classes::all(), text, at),
            Scanner::Whitespace => whitespace::scan(text, at),
            Scanner::Classes(pairs) => pairs.scan(text, at),
            Scanner::SpaceWords => SpaceWords.scan(text, at),
        }
    }

    /// Whether a piece ends between two characters, whatever stands around them.
    ///
    /// A letter and a character that is no letter, mark or apostrophe: in all named patterns a word
    /// ends there, because only those three can follow a letter within a piece. The patterns
    /// `whitespace` and `bert` have rules of their own, and so have classes.
    #[inline]
    fn cuts_between(self, before: Char, after: Char) -> bool {
        match self {
            Scanner::Whitespace => whitespace::cuts_between(before, after),
            Scanner::Bert => bert::cuts_between(Classes::all(), before, after),
            Scanner::Classes(pairs) => pairs.cuts_between(before, after),
            Scanner::SpaceWords => SpaceWords.cuts_between(before, after),
            _ => {
                let goes_on = after.class.is_letter() || after.class == Class::Mark;
                before.class.is_letter() && !goes_on && after.code != u32::from(b'\'')
            }
        }
    }
}

impl Splitter {
    /// Compiles a pattern.
    pub fn new(pattern: &Pattern) -> Result<Splitter> {
        Splitter::at_level(pattern, Level::chosen()?)
    }

    /// The same, with the byte scans of a given level.
    pub fn at_level(pattern: &Pattern, level: Level) -> Result<Splitter> {
        let kind = match pattern {
            Pattern::Named(named) => named_kind(*named),
            Pattern::Regex(_) | Pattern::Sequence(_) => {
                let mut regexes = Vec::new();
                collect_regexes(pattern, &mut regexes);
                match Named::from_regexes(&regexes) {
                    Some(named) => named_kind(named),
                    None => {
                        Limits::default().add(pattern)?;
                        Kind::Regexes(
                            regexes.into_iter().map(RegexSplitter::new).collect::<Result<_>>()?,
                        )
                    }
                }
            }
        };
        Ok(Splitter { kind, level })
    }

    /// Cuts wherever no token spans two classes of characters.
    pub fn by_classes(pairs: ClassPairs) -> Result<Splitter> {
        Ok(Splitter { kind: Kind::Scanner(Scanner::Classes(pairs)), level: Level::chosen()? })
    }

    /// Cuts before white space that follows a letter or a visible ASCII character.
    pub fn space_words() -> Result<Splitter> {
        Ok(Splitter { kind: Kind::Scanner(Scanner::SpaceWords), level: Level::chosen()? })
    }

    /// The same pattern, read by the regular expressions that define it: slow, for tests.
    pub fn by_regex(named: Named) -> Result<Splitter> {
        let regexes = named.regexes().iter().copied().map(RegexSplitter::new);
        Ok(Splitter { kind: Kind::Regexes(regexes.collect::<Result<_>>()?), level: Level::SCALAR })
    }

    /// A walk over the pieces of `text`.
    pub fn cursor<'t>(&self, text: &'t [u8]) -> Result<Cursor<'_, 't>> {
        let found = match &self.kind {
            Kind::Regexes(regexes) => regex::split(regexes, text)?,
            _ => Vec::new(),
        };
        Ok(Cursor {
            splitter: self,
            text,
            at: 0,
            found: found.into_iter(),
            ahead: Sections::default(),
        })
    }

    /// The end of the piece that starts at `at`; none if a regular expression has to say. For a text so
    /// short that blocks and batches do not pay.
    #[inline]
    pub fn end_of_piece(&self, text: &[u8], at: usize) -> Option<usize> {
        match self.kind {
            Kind::Whole => Some(text.len()),
            Kind::Scanner(scanner) => Some(scanner.end(text, at)),
            Kind::Regexes(_) => None,
        }
    }

    /// Appends the ends of the pieces of `text[start..]`, which is a text of its own.
    pub fn append_ends(&self, text: &[u8], start: usize, ends: &mut Vec<usize>) -> Result<()> {
        match &self.kind {
            Kind::Whole => ends.extend((start < text.len()).then_some(text.len())),
            Kind::Regexes(regexes) => {
                let found = regex::split(regexes, &text[start..])?;
                ends.extend(found.into_iter().map(|end| start + end));
            }
            Kind::Scanner(scanner) => self.scan_from(*scanner, text, start, usize::MAX, ends),
        }
        Ok(())
    }

    /// Appends the ends of the pieces from `at` on, all or until there are about `most` of them.
    fn scan_from(
        &self,
        scanner: Scanner,
        text: &[u8],
        at: usize,
        most: usize,
        ends: &mut Vec<usize>,
    ) {
        let mut rest = Section { at, stop: text.len(), ends: std::mem::take(ends) };
        let sections = std::slice::from_mut(&mut rest);
        self.level.run(Fill { scanner, text, sections, most });
        *ends = rest.ends;
    }

    /// Calls `batch` with the ends of the pieces of `text`, about [`BATCH`] at a time, until it
    /// returns an error. Unlike a cursor, which needs a place for each end that a regular expression
    /// finds, this takes them as they come.
    #[inline]
    pub fn for_each_batch(
        &self,
        text: &[u8],
        ends: &mut Vec<usize>,
        mut batch: impl FnMut(&[usize]) -> Result<()>,
    ) -> Result<()> {
        if let Kind::Regexes(regexes) = &self.kind {
            return regex::split_by_batch(regexes, text, BATCH, batch);
        }
        let mut cursor = self.cursor(text)?;
        loop {
            let ends = cursor.next_batch(ends);
            if ends.is_empty() {
                return Ok(());
            }
            batch(ends)?;
        }
    }

    /// Whether a piece ends at `at`, whatever stands around the two characters there.
    #[inline]
    pub fn cuts_before(&self, text: &[u8], at: usize) -> bool {
        let Kind::Scanner(scanner) = self.kind else { return false };
        let starts = text.get(at).is_some_and(|byte| byte & 0xC0 != 0x80);
        starts
            && match (char_before(text, at), char_at(text, at)) {
                (Some(before), Some(after)) => scanner.cuts_between(before, after),
                _ => false,
            }
    }

    /// The same of two characters that stand side by side.
    pub fn cuts_between(&self, before: char, after: char) -> bool {
        let Kind::Scanner(scanner) = self.kind else { return false };
        let of = |c: char| Char { class: Class::of(c as u32), code: c as u32, end: 0 };
        scanner.cuts_between(of(before), of(after))
    }

    /// Whether there are places where [`Splitter::cuts_before`] lets a text be cut.
    pub fn cuts(&self) -> bool {
        matches!(self.kind, Kind::Scanner(_))
    }
}

fn named_kind(named: Named) -> Kind {
    let cl100k = |digits, space_to_end| Scanner::Cl100k(Rules { digits, space_to_end });
    Kind::Scanner(match named {
        Named::Gpt2 => Scanner::Gpt2,
        Named::Cl100k => cl100k(3, true),
        Named::Llama3 => cl100k(3, false),
        Named::Qwen2 => cl100k(1, false),
        Named::O200k => Scanner::O200k,
        Named::DeepseekV3 => Scanner::DeepseekV3,
        Named::Bert => Scanner::Bert,
        Named::Whitespace => Scanner::Whitespace,
        Named::None => return Kind::Whole,
    })
}

fn collect_regexes<'p>(pattern: &'p Pattern, regexes: &mut Vec<&'p str>) {
    match pattern {
        Pattern::Named(named) => regexes.extend(named.regexes()),
        Pattern::Regex(regex) => regexes.push(regex),
        Pattern::Sequence(parts) => parts.iter().for_each(|part| collect_regexes(part, regexes)),
    }
}

/// A walk over the pieces of a text.
pub struct Cursor<'s, 't> {
    splitter: &'s Splitter,
    text: &'t [u8],
    at: usize,
    /// For regular expressions: the ends, found at once.
    found: std::vec::IntoIter<usize>,
    /// For scanners: what is found ahead of `at`.
    ahead: Sections,
}

impl Cursor<'_, '_> {
    /// The ends of the next pieces, about [`BATCH`] of them; `ends` is room for them. The first piece
    /// starts where the last of the batch before ended; an empty batch is the end of the text.
    #[inline]
    pub fn next_batch<'a>(&'a mut self, ends: &'a mut Vec<usize>) -> &'a [usize] {
        let Cursor { splitter, text, at, found, ahead } = self;
        ends.clear();
        let batch = match &splitter.kind {
            Kind::Whole => {
                ends.extend((*at < text.len()).then_some(text.len()));
                ends
            }
            Kind::Regexes(_) => {
                ends.extend(found.by_ref().take(BATCH));
                ends
            }
            Kind::Scanner(scanner) => {
                if ahead.is_empty() && text.len() - *at >= sections::LEAST {
                    let sections = ahead.cut(*at, |place| splitter.cuts_before(text, place));
                    splitter.level.run(Fill {
                        scanner: *scanner,
                        text,
                        sections,
                        most: usize::MAX,
                    });
                }
                if ahead.is_empty() {
                    splitter.scan_from(*scanner, text, *at, BATCH, ends);
                    ends
                } else {
                    ahead.next(BATCH)
                }
            }
        };
        *at = batch.last().copied().unwrap_or(*at);
        batch
    }
}

/// Finds the ends of the pieces of each section, all or about `most` of them.
struct Fill<'a> {
    scanner: Scanner,
    text: &'a [u8],
    sections: &'a mut [Section],
    most: usize,
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Isa>(self) {
        let scanner = self.scanner;
        let scan = |text: &[u8], at| scanner.end(text, at);
        match scanner {
            Scanner::Gpt2 => self.alternate(family::<_, C>(families::Gpt2), scan),
            Scanner::Cl100k(Rules { digits: 1, .. }) => {
                self.alternate(family::<_, C>(families::Cl100k::<1>), scan);
            }
            Scanner::Cl100k(_) => self.alternate(family::<_, C>(families::Cl100k::<3>), scan),
            Scanner::O200k => self.alternate(family::<_, C>(families::O200k), scan),
            Scanner::Bert => self.alternate(family::<_, C>(bert::BertWords), scan),
            Scanner::Classes(pairs) => self.alternate(family::<_, C>(pairs), scan),
            Scanner::SpaceWords => self.alternate(family::<_, C>(SpaceWords), scan),
            Scanner::DeepseekV3 | Scanner::Whitespace => self.alternate(|_, _, _| None, scan),
        }
    }
}

/// The blocks of a family of patterns.
#[inline(always)]
fn family<F: Family, C: Isa>(family: F) -> impl Fn(&[u8], usize, &mut Vec<usize>) -> Option<usize> {
    move |text, at, ends| blocks::step::<F, C>(&family, text, at, ends)
}

impl Fill<'_> {
    /// A block of each section in turn; where a block cannot tell, one piece by the plain scanner.
    #[inline(always)]
    fn alternate(
        self,
        block: impl Fn(&[u8], usize, &mut Vec<usize>) -> Option<usize>,
        scan: impl Fn(&[u8], usize) -> usize,
    ) {
        let Fill { text, sections, most, .. } = self;
        let mut open = true;
        while open {
            open = false;
            for Section { at, stop, ends } in sections.iter_mut() {
                if *at < *stop && ends.len() < most {
                    // PERF: the processor does not see sections coming: 4.7 ms for en_10mb, not 7.3
                    // (2026-11-15).
                    prefetch_at(text, *at + sections::LEAST);
                    *at = block(text, *at, ends).unwrap_or_else(|| {
                        let end = scan(text, *at);
                        ends.push(end);
                        end
                    });
                    open = true;
                }
            }
        }
        sections.iter_mut().for_each(Section::close);
    }
}

#[cfg(test)]
mod tests;
