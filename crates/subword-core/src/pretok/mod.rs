/*!
Text to pieces.

```text
"Hello world!"  ->  "Hello" | " world" | "!"
```

A piece is what the pattern matches; merges never cross it. Concatenated, the pieces are always the
text: what no alternative of a regular expression matches is a piece too. A pattern, named or not, is
compiled to an automaton (`compile`), or, if it needs memory, run by a backtracking engine (`regex`). Two have
scanners that are written by hand, BERT's and `whitespace`. Where the usual patterns meet the usual characters,
`blocks` cut 64 bytes at a time by the `rules` of the pattern, and the automaton is asked only for the pieces
that a block leaves open.

[`Splitter::cursor`] walks a text and hands out the ends of its pieces by the batch.
[`Splitter::cuts_before`] says where a piece ends whatever stands around, which is what lets a text be cut
(`boundary`).
*/

mod bert;
mod blocks;
mod class;
mod class_pairs;
mod class_table;
mod compile;
mod families;
mod limits;
mod regex;
mod report;
mod rules;
mod scanner;
mod sections;
mod space_words;
mod whitespace;

pub use crate::model::Named;
pub(crate) use class_pairs::ClassPairs;
pub(crate) use limits::Limits;
pub use report::PatternReport;

use std::sync::Arc;

use crate::error::Result;
use crate::mem::prefetch_at;
use crate::model::Pattern;
use crate::simd::{Isa, Kernel, Level};
use blocks::{Family, NoBlocks};
use class::{Char, Class, char_at, char_before, deepseek_table, han_table};
use compile::Compiled;
use regex::RegexSplitter;
use rules::{Rules, Words};
use scanner::Scanner;
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
                        regexes_kind(&regexes)?
                    }
                }
            }
        };
        Ok(Splitter { kind, level })
    }

    /// Cuts wherever no token spans two classes of characters.
    pub(crate) fn by_classes(pairs: ClassPairs) -> Result<Splitter> {
        Ok(Splitter { kind: Kind::Scanner(Scanner::Classes(pairs)), level: Level::chosen()? })
    }

    /// Cuts before white space that follows a letter or a visible ASCII character.
    pub fn space_words() -> Result<Splitter> {
        Ok(Splitter { kind: Kind::Scanner(Scanner::SpaceWords), level: Level::chosen()? })
    }

    /// The same pattern, read by the regular expressions that define it: slow, for tests.
    pub fn by_regex(named: Named) -> Result<Splitter> {
        Splitter::by_regexes(named.regexes())
    }

    fn by_regexes(regexes: &[&str]) -> Result<Splitter> {
        let regexes = regexes.iter().copied().map(RegexSplitter::backtracking);
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
    pub(crate) fn end_of_piece(&self, text: &[u8], at: usize) -> Option<usize> {
        match &self.kind {
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
            Kind::Scanner(scanner) => self.scan_from(scanner, text, start, usize::MAX, ends),
        }
        Ok(())
    }

    /// Appends the ends of the pieces from `at` on, all or until there are about `most` of them.
    fn scan_from(
        &self,
        scanner: &Scanner,
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
        let starts = text.get(at).is_some_and(|byte| byte & 0xC0 != 0x80);
        starts
            && match (char_before(text, at), char_at(text, at)) {
                (Some(before), Some(after)) => self.ends_between(before, after),
                _ => false,
            }
    }

    #[inline]
    fn ends_between(&self, before: Char, after: Char) -> bool {
        match &self.kind {
            Kind::Scanner(scanner) => scanner.cuts_between(before, after),
            Kind::Regexes(regexes) => {
                regexes.first().is_some_and(|first| first.cuts_between(before, after))
            }
            Kind::Whole => false,
        }
    }

    /// The same of two characters that stand side by side.
    pub(crate) fn cuts_between(&self, before: char, after: char) -> bool {
        let of = |c: char| Char { class: Class::of(c as u32), code: c as u32, end: 0 };
        self.ends_between(of(before), of(after))
    }

    /// Whether the two characters at a place decide whether a piece ends there, so that texts in a row can be cut as one
    /// text, and between them.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.kind, Kind::Scanner(Scanner::Classes(_) | Scanner::SpaceWords))
    }

    /// Whether there are places where [`Splitter::cuts_before`] lets a text be cut.
    pub fn cuts(&self) -> bool {
        match &self.kind {
            Kind::Scanner(Scanner::Compiled(compiled)) => compiled.cuts(),
            Kind::Scanner(_) => true,
            Kind::Regexes(regexes) => regexes.first().is_some_and(RegexSplitter::cuts),
            Kind::Whole => false,
        }
    }
}

fn named_kind(named: Named) -> Kind {
    Kind::Scanner(match (named, Rules::of(named)) {
        (_, Some(rules)) => Scanner::Compiled(Compiled::named(named, rules)),
        (Named::Bert, _) => Scanner::Bert,
        (Named::Whitespace, _) => Scanner::Whitespace,
        _ => return Kind::Whole,
    })
}

/// One automaton, if that can be done; or one pattern after the other.
fn regexes_kind(regexes: &[&str]) -> Result<Kind> {
    Ok(match (Compiled::new(regexes), regexes) {
        (Ok(compiled), _) => Kind::Scanner(Scanner::Compiled(Arc::new(compiled))),
        (Err(_), [regex]) => Kind::Regexes(vec![RegexSplitter::backtracking(regex)?]),
        (Err(_), regexes) => {
            let regexes = regexes.iter().copied().map(RegexSplitter::new);
            Kind::Regexes(regexes.collect::<Result<_>>()?)
        }
    })
}

fn collect_regexes<'p>(pattern: &'p Pattern, regexes: &mut Vec<&'p str>) {
    match pattern {
        Pattern::Named(named) => regexes.extend(named.regexes()),
        Pattern::Regex(regex) => regexes.push(regex),
        Pattern::Sequence(parts) => parts.iter().for_each(|part| collect_regexes(part, regexes)),
    }
}

/// Whether it is proved that a regular expression matches every text from end to end.
pub(crate) fn covers(regex: &str) -> bool {
    Compiled::new(&[regex]).is_ok_and(|compiled| compiled.covers)
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
                    splitter.level.run(Fill { scanner, text, sections, most: usize::MAX });
                }
                if ahead.is_empty() {
                    splitter.scan_from(scanner, text, *at, BATCH, ends);
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
    scanner: &'a Scanner,
    text: &'a [u8],
    sections: &'a mut [Section],
    most: usize,
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Isa>(self) {
        let rules = self.scanner.rules();
        match (self.scanner, rules) {
            // PERF: with the commonest choices as constants no block looks at them. LLAMA3 differs from CL100K in what
            // blocks leave open.
            (_, Some(Rules::CL100K | Rules::LLAMA3)) => {
                self.alternate::<_, C>(&families::AfterAny(Rules::CL100K, &class::WIDE));
            }
            (_, Some(Rules::O200K)) => {
                self.alternate::<_, C>(&families::AfterAny(Rules::O200K, &class::WIDE));
            }
            (_, Some(Rules::GPT2)) => {
                self.alternate::<_, C>(&families::AfterSpace(Rules::GPT2));
            }
            (_, Some(rules)) => match rules.words {
                Words::AfterSpace => self.alternate::<_, C>(&families::AfterSpace(rules)),
                Words::AfterAny | Words::AfterAnyByCase => {
                    let table = if rules.han_apart { han_table() } else { &class::WIDE };
                    self.alternate::<_, C>(&families::AfterAny(rules, table));
                }
                Words::Deepseek => self.alternate::<_, C>(&families::Deepseek(deepseek_table())),
            },
            (Scanner::Bert, _) => self.alternate::<_, C>(&bert::BertWords),
            (Scanner::Classes(pairs), _) => self.alternate::<_, C>(pairs),
            (Scanner::SpaceWords, _) => self.alternate::<_, C>(&SpaceWords),
            _ => self.alternate::<_, C>(&NoBlocks),
        }
    }
}

impl Fill<'_> {
    /// A block of each section in turn; where a block cannot tell, one piece by the scanner.
    ///
    /// PERF: the family is no closure, which would not be compiled for the instruction set.
    #[inline(always)]
    fn alternate<F: Family, C: Isa>(self, family: &F) {
        let Fill { scanner, text, sections, most } = self;
        let mut open = true;
        while open {
            open = false;
            for Section { at, stop, ends } in sections.iter_mut() {
                if *at < *stop && ends.len() < most {
                    // PERF: the processor does not see sections coming: 4.7 ms for en_10mb, not 7.3
                    // (2026-11-15).
                    prefetch_at(text, *at + sections::LEAST);
                    *at = family.step::<C>(text, *at, ends).unwrap_or_else(|| {
                        let end = scanner.end(text, *at);
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
