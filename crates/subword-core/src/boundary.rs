/*!
Where may a text be cut so that both parts encode alone?

Counting, one large text on several threads, streams, documents, files and large Python strings all cut texts,
and all ask here. A text goes through four steps, and a place is safe if each of them does the same on both sides
of it as it does without the cut:

```text
text -> special tokens of the raw text -> normalised -> special tokens of that text -> pieces
```

**Special tokens.** The leftmost is found first, of those that start at the same place the longest. That is the
same on both sides if no token is spelled across the place, found or not: one that is not found because another
one overlaps it may be found when that one is cut off. Tokens of the raw text win over those of the normalised
text, so both kinds must not be spelled across, each in its own text. A token may swallow the white space
around it or look whether it stands between words: then it must not touch the place either, and no white space may
stand before the place. With `special="error"` the tokens that are not wanted count too: if one were cut in two,
nobody would see it. Two bytes tell all that (`special::Edges`).

**Normaliser.** It may compose a character with the one before it (`e` and U+0301, Korean letters), sort marks that
follow one another, delete a character (a control character, an accent), make several of one (`ﬁ`, `中` with
spaces around it), or make a letter and a mark, or a symbol, of a letter (U+095C; `ŀ`). So the characters around the
place are looked at as they will be, and only where three of them decide that for certain (`normalize::sides`). The
third is the one after the place and its neighbour: `=` and U+0338 become one character. No normaliser of ours
looks further: lower case is that of single characters, there is no rule for the end of a word, and white space is
not collapsed.

**Pattern.** A piece must end there whatever stands around the two characters, because what stands around them
may be cut off too, by a special token for instance ([`Splitter::cuts_between`]). For each two kinds of characters that
is proved of the automaton of the pattern (`pretok::compile`). The pattern `none`, and expressions that only a
backtracking engine runs, have no such places. As a rule a text may be cut before white space and not after it: where a
run of white space ends decides whether its last character belongs to the next word.

**Pieces** are encoded one by one, so what comes after the pattern does not matter.

Where a special token of the raw text ends is a safe place too: nothing crosses it. But only a search from the start
of the text can tell which of several tokens that overlap are found, so such places are used only where there are
no others, or where that search was made anyway. Ends of tokens of the normalised text are not used: where they
are in the raw text is not known.

A text that goes on is cut only where all that decides is there already.
*/

use std::ops::Range;

use memchr::memmem;

use crate::error::Result;
use crate::interrupt;
use crate::model::Normalizer;
use crate::pretok::Splitter;
use crate::special::{Edges, Finder, Span};

/// How far to look for the end of a block.
const WINDOW: usize = 1 << 16;

/// The longest character, in bytes.
const CHARACTER: usize = 4;

/// The places where texts may be cut.
#[derive(Debug, Clone, Copy)]
pub struct Boundary<'a> {
    normalizer: Normalizer,
    splitter: &'a Splitter,
    /// Special tokens that are found in the raw text, and in the normalised one.
    raw: &'a Finder,
    normal: Option<&'a Finder>,
    /// Tokens of both kinds are searched for in the raw text as well, to refuse it.
    refuses: bool,
    separator: Option<&'a Separator>,
    /// What follows a special token depends on what stands before it.
    never_after_special: bool,
    part_start: PartStart,
}

/// What must follow a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartStart {
    /// Anything.
    Any,
    /// A space: before other texts of their own a space is put.
    Space,
    /// Nothing makes it safe.
    Never,
}

/// What ends a document.
#[derive(Debug)]
pub struct Separator {
    finder: memmem::Finder<'static>,
    edges: Edges,
}

impl Separator {
    /// These bytes. A new line may have a carriage return before it, which belongs to it.
    pub fn new(separator: &[u8]) -> Separator {
        let mut edges = Edges::default();
        edges.insert(separator);
        if separator == b"\n" {
            edges.insert(b"\r\n");
        }
        Separator { finder: memmem::Finder::new(separator).into_owned(), edges }
    }

    fn len(&self) -> usize {
        self.finder.needle().len()
    }
}

impl<'a> Boundary<'a> {
    /// For texts that go through these.
    pub fn new(normalizer: Normalizer, splitter: &'a Splitter, raw: &'a Finder) -> Boundary<'a> {
        Boundary {
            normalizer,
            splitter,
            raw,
            normal: None,
            refuses: false,
            separator: None,
            never_after_special: false,
            part_start: PartStart::Any,
        }
    }

    /// With special tokens that are found in the normalised text.
    pub fn with_normal(self, normal: &'a Finder) -> Boundary<'a> {
        Boundary { normal: Some(normal).filter(|normal| !normal.is_empty()), ..self }
    }

    /// For texts that are refused if they spell a special token.
    pub fn refusing(self, refuses: bool) -> Boundary<'a> {
        Boundary { refuses, ..self }
    }

    /// For texts of several documents.
    pub fn with_separator(self, separator: Option<&'a Separator>) -> Boundary<'a> {
        Boundary { separator, ..self }
    }

    /// For texts whose parts encode differently at the start of a text, wherever they are cut.
    pub fn never_after_special(self, never_after_special: bool) -> Boundary<'a> {
        Boundary { never_after_special, ..self }
    }

    /// For texts whose parts encode alone only if they start so. It never allows more than before.
    pub fn with_part_start(self, part_start: PartStart) -> Boundary<'a> {
        if self.part_start == PartStart::Never { self } else { Boundary { part_start, ..self } }
    }

    /// Whether a few characters can tell where a text may be cut.
    pub fn is_local(&self) -> bool {
        self.splitter.cuts() && self.part_start != PartStart::Never
    }

    /// The first of these places where a text that is all there may be cut.
    pub fn first(&self, text: &[u8], places: Range<usize>) -> Option<usize> {
        self.local(places.start.max(1)..places.end.min(text.len()))
            .find(|&at| self.may_cut(text, at))
    }

    /// The last place where `text`, which goes on, may be cut; 0 if there is none. Places up to `seen` were looked
    /// at before. All looks together take linear time, if the text doubles from one to the next.
    pub fn last(&self, text: &[u8], seen: usize) -> usize {
        self.near(text, seen).unwrap_or_else(|| match self.separator {
            Some(separator) => match separator.finder.find_iter(text).last() {
                Some(start) => start + separator.len(),
                None => self.after_special(text),
            },
            None => self.after_special(text),
        })
    }

    /// The same where a few characters tell it.
    pub fn near(&self, text: &[u8], seen: usize) -> Option<usize> {
        // What is not there yet may complete a character, or the one after it.
        let open = if self.normalizer == Normalizer::None { CHARACTER } else { 2 * CHARACTER };
        let first = (seen + 1).saturating_sub(open).max(1);
        let end = (text.len() + 1).saturating_sub(open);
        self.local(first..end).rev().find(|&at| self.may_cut(text, at))
    }

    /// All places where a text that is all there may be cut, each at the start of a character or after a special
    /// token.
    pub fn all(&self, text: &[u8]) -> Result<Vec<usize>> {
        let mut places: Vec<usize> = Vec::new();
        self.raw.split(text, |span| {
            let Span { start, end, special, .. } = span;
            if special.is_some() {
                let inside = end < text.len() && !self.never_after_special;
                if inside && self.may_cut_after(text, end) {
                    places.push(end);
                }
                return Ok(());
            }
            let inside = self.local(start.max(1)..end).filter(|&at| self.may_cut(text, at));
            places.extend(inside);
            interrupt::worked(end - start)
        })?;
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// How many bytes after a place decide whether a text may be cut there.
    pub fn lookahead(&self) -> usize {
        self.raw.longest().max(2 * CHARACTER)
    }

    /// A text in blocks of about `size` bytes that encode one by one, each some spans between and of the special
    /// tokens of the raw text. A block is larger where there is no place to cut.
    pub fn blocks(&self, text: &[u8], size: usize) -> Result<Vec<Vec<Span>>> {
        let mut blocks = Vec::new();
        let (mut block, mut filled) = (Vec::new(), 0);
        let mut add = |span: Span| {
            filled += span.end - span.start;
            block.push(span);
            if filled >= size {
                blocks.push(std::mem::take(&mut block));
                filled = 0;
            }
        };
        self.raw.split(text, |mut span| {
            while span.special.is_none() && span.end - span.start > 2 * size {
                let from = span.start + size;
                let cut = self.first(&text[..span.end], from..from + WINDOW);
                let Some(cut) = cut else { break };
                add(Span { end: cut, ..span });
                (span.start, span.goes_on) = (cut, true);
            }
            add(span);
            Ok(())
        })?;
        if !block.is_empty() {
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn local(&self, places: Range<usize>) -> Range<usize> {
        if self.is_local() { places } else { 0..0 }
    }

    /// Whether the characters around a place make it safe.
    #[inline]
    fn may_cut(&self, text: &[u8], at: usize) -> bool {
        if !self.part_starts(text, at) {
            return false;
        }
        if self.normalizer == Normalizer::None {
            let normal = |normal| is_apart(normal, text, at);
            // A byte that is no character may become U+FFFD yet, and a special token may have that.
            return self.splitter.cuts_before(text, at)
                && char_at(text, at).is_some()
                && self.is_apart_in_raw(text, at)
                && self.normal.is_none_or(normal);
        }
        let (Some(before), Some(after)) = (char_before(text, at), char_at(text, at)) else {
            return false;
        };
        let next = char_at(text, at + after.len_utf8());
        let Some((before, after)) = self.normalizer.sides(before, after, next) else {
            return false;
        };
        self.splitter.cuts_between(before, after)
            && self.is_apart_in_raw(text, at)
            && self.normal.is_none_or(|normal| {
                let mut two = [0; 2 * CHARACTER];
                let place = before.encode_utf8(&mut two).len();
                after.encode_utf8(&mut two[place..]);
                is_apart(normal, &two, place)
            })
    }

    /// Whether what follows a place encodes alone as it does after what stands before it.
    #[inline]
    fn part_starts(&self, text: &[u8], at: usize) -> bool {
        match self.part_start {
            PartStart::Any => true,
            PartStart::Space => text[at] == b' ',
            PartStart::Never => false,
        }
    }

    /// Whether nothing that is searched for in the raw text is spelled across a place, or sees across it.
    #[inline]
    fn is_apart_in_raw(&self, text: &[u8], at: usize) -> bool {
        let (before, after) = (text[at - 1], text[at]);
        is_apart(self.raw, text, at) && !self.is_in_other(before, after)
    }

    /// Whether something else than a special token of the raw text may be spelled across the place between two
    /// bytes of it.
    #[inline]
    fn is_in_other(&self, before: u8, after: u8) -> bool {
        let refused = self.normal.filter(|_| self.refuses);
        refused.is_some_and(|normal| normal.edges().span(before, after))
            || self.separator.is_some_and(|separator| separator.edges.span(before, after))
    }

    /// Where the last special token of the raw text ends, of a text that goes on and has no separator; 0 if there
    /// is none.
    fn after_special(&self, text: &[u8]) -> usize {
        // What starts so early is there to its end, however long it is, and so is the character after it.
        if self.never_after_special {
            return 0;
        }
        let longest = self.raw.longest().max(self.separator.map_or(0, Separator::len));
        let open = longest.max(1 + CHARACTER);
        let end = (text.len() + 1).saturating_sub(open);
        let mut last = 0;
        let note = |span: Span| {
            if span.special.is_some() && span.end <= end && self.may_cut_after(text, span.end) {
                last = span.end;
            }
            Ok(())
        };
        // `note` does not fail.
        let _ = self.raw.split(text, note);
        last
    }

    /// Whether a text may be cut where a special token of the raw text ends.
    fn may_cut_after(&self, text: &[u8], at: usize) -> bool {
        let (before, after) = (text[at - 1], text[at]);
        let white = || char_before(text, at).is_some_and(char::is_whitespace);
        !self.raw.edges().see(before, after, white) && !self.is_in_other(before, after)
    }
}

/// Whether no token that is found is spelled across a place of its text, or sees across it.
#[inline]
fn is_apart(finder: &Finder, text: &[u8], at: usize) -> bool {
    let (before, after) = (text[at - 1], text[at]);
    let white = || char_before(text, at).is_some_and(char::is_whitespace);
    let edges = finder.edges();
    !edges.span(before, after) && !edges.see(before, after, white)
}

/// The character that starts at `at`; none at the end, and where there is none.
fn char_at(text: &[u8], at: usize) -> Option<char> {
    let rest = text.get(at..)?;
    let &first = rest.first()?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    let chunk = rest[..rest.len().min(CHARACTER)].utf8_chunks().next()?;
    chunk.valid().chars().next()
}

/// The character that ends at `at`.
fn char_before(text: &[u8], at: usize) -> Option<char> {
    let start = (at.saturating_sub(CHARACTER)..at).rev().find(|&i| text[i] & 0xC0 != 0x80)?;
    char_at(&text[..at], start).filter(|c| start + c.len_utf8() == at)
}

#[cfg(test)]
mod tests;
