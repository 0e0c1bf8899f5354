/*!
The pre-tokenizer steps: pieces in, smaller pieces out. ByteLevel and Metaspace change the text as well.

Pieces are ranges of one text, so a step that only cuts copies nothing. Those that are added tokens are left as
they are, and pieces without text are dropped.
*/

use super::aligned::{Aligned, View};
use super::normalize::{byte_level, prepend, replace_byte};
use super::scripts_table::script;
use super::search::{self, Search, pieces};
use super::{Piece, Pieces, characters};
use crate::error::Result;
use crate::interrupt;
use crate::model::{Behavior, Matcher, Named, Pattern, PreTokenizerStep, PrependScheme};
use crate::pretok::Splitter;

/// The pattern of Whitespace.
const WORDS: &str = r"\w+|[^\w\s]+";

/// A step, ready to run.
#[derive(Debug)]
pub(super) enum PreTokenizer {
    ByteLevel {
        add_prefix_space: bool,
        splitter: Option<Splitter>,
    },
    Whitespace(Search),
    WhitespaceSplit,
    Bert,
    Metaspace {
        replacement: char,
        scheme: PrependScheme,
        split: bool,
    },
    Punctuation(Behavior),
    Digits(Behavior),
    Delimiter(char),
    UnicodeScripts,
    FixedLength(usize),
    Split {
        search: Search,
        behavior: Behavior,
        invert: bool,
    },
    /// A Split into matches and what is between them, by an automaton.
    Pieces(Splitter),
}

impl PreTokenizer {
    pub(super) fn new(step: &PreTokenizerStep) -> Result<PreTokenizer> {
        Ok(match step {
            &PreTokenizerStep::ByteLevel { add_prefix_space, use_regex } => {
                let gpt2 = || Splitter::new(&Pattern::Named(Named::Gpt2));
                let splitter = use_regex.then(gpt2).transpose()?;
                PreTokenizer::ByteLevel { add_prefix_space, splitter }
            }
            PreTokenizerStep::Whitespace => PreTokenizer::Whitespace(Search::regex(WORDS)?),
            PreTokenizerStep::WhitespaceSplit => PreTokenizer::WhitespaceSplit,
            PreTokenizerStep::Bert => PreTokenizer::Bert,
            &PreTokenizerStep::Metaspace { replacement, scheme, split } => {
                PreTokenizer::Metaspace { replacement, scheme, split }
            }
            &PreTokenizerStep::Punctuation(behavior) => PreTokenizer::Punctuation(behavior),
            PreTokenizerStep::Digits { individual: true } => {
                PreTokenizer::Digits(Behavior::Isolated)
            }
            PreTokenizerStep::Digits { individual: false } => {
                PreTokenizer::Digits(Behavior::Contiguous)
            }
            &PreTokenizerStep::Delimiter(c) => PreTokenizer::Delimiter(c),
            PreTokenizerStep::UnicodeScripts => PreTokenizer::UnicodeScripts,
            &PreTokenizerStep::FixedLength(length) => PreTokenizer::FixedLength(length),
            PreTokenizerStep::Split { pattern, behavior, invert } => {
                let search = Search::new(pattern)?;
                match automaton(pattern).filter(|_| *behavior == Behavior::Isolated) {
                    Some(splitter) => PreTokenizer::Pieces(splitter),
                    None => PreTokenizer::Split { search, behavior: *behavior, invert: *invert },
                }
            }
        })
    }

    /// Cuts the pieces.
    pub(super) fn apply(&self, pieces: &mut Pieces) -> Result<()> {
        match self {
            PreTokenizer::ByteLevel { add_prefix_space, splitter } => {
                if *add_prefix_space {
                    pieces
                        .change(|view, out| !view.text.starts_with(' ') && prepend(view, " ", out));
                }
                if let Some(splitter) = splitter {
                    pieces.cut(|text| split(splitter, text))?;
                }
                pieces.change(|view, out| {
                    byte_level(view, out);
                    true
                });
                Ok(())
            }
            &PreTokenizer::Metaspace { replacement, scheme, split } => {
                pieces.change(|view, out| metaspace(view, replacement, scheme, out));
                if !split {
                    return Ok(());
                }
                let is = |c| c == replacement;
                pieces.cut(|text| {
                    Ok(search::pieces(search::characters(text, is), Behavior::MergedWithNext))
                })
            }
            PreTokenizer::Bert => {
                let white = |text: &str| search::characters(text, char::is_whitespace);
                pieces.cut(|text| Ok(search::pieces(white(text), Behavior::Removed)))?;
                let marks = |text: &str| search::characters(text, characters::is_punctuation);
                pieces.cut(|text| Ok(search::pieces(marks(text), Behavior::Isolated)))
            }
            _ => pieces.cut(|text| self.ranges(text)),
        }
    }

    /// The pieces of one text, for steps that only cut, and once.
    fn ranges(&self, text: &str) -> Result<Vec<(usize, usize)>> {
        Ok(match self {
            PreTokenizer::Whitespace(search) => {
                let kept = search.parts(text)?.into_iter().filter(|part| part.matches);
                kept.map(|part| (part.start, part.end)).collect()
            }
            PreTokenizer::WhitespaceSplit => {
                pieces(search::characters(text, char::is_whitespace), Behavior::Removed)
            }
            &PreTokenizer::Punctuation(behavior) => {
                pieces(search::characters(text, characters::is_punctuation), behavior)
            }
            &PreTokenizer::Digits(behavior) => {
                pieces(search::characters(text, characters::is_number), behavior)
            }
            &PreTokenizer::Delimiter(delimiter) => {
                pieces(search::characters(text, |c| c == delimiter), Behavior::Removed)
            }
            PreTokenizer::UnicodeScripts => scripts(text),
            &PreTokenizer::FixedLength(length) => {
                let starts = text.char_indices().step_by(length).map(|(start, _)| start);
                ranges(starts.chain([text.len()]))
            }
            PreTokenizer::Split { search, behavior, invert } => {
                let mut parts = search.parts(text)?;
                if *invert {
                    parts.iter_mut().for_each(|part| part.matches = !part.matches);
                }
                pieces(parts, *behavior)
            }
            PreTokenizer::Pieces(splitter) => split(splitter, text)?,
            PreTokenizer::ByteLevel { .. }
            | PreTokenizer::Metaspace { .. }
            | PreTokenizer::Bert => {
                vec![(0, text.len())]
            }
        })
    }
}

/// A regular expression as an automaton, whose time is linear and which never gives up; none if a backtracking
/// engine has to run it.
fn automaton(pattern: &Matcher) -> Option<Splitter> {
    let Matcher::Regex(regex) = pattern else { return None };
    let splitter = Splitter::new(&Pattern::Regex(regex.clone())).ok()?;
    splitter.end_of_piece(b"a", 0).is_some().then_some(splitter)
}

/// The pieces of a text.
fn split(splitter: &Splitter, text: &str) -> Result<Vec<(usize, usize)>> {
    let (mut ends, mut found, mut start) = (Vec::new(), Vec::new(), 0);
    splitter.for_each_batch(text.as_bytes(), &mut ends, |batch| {
        interrupt::worked(batch.last().map_or(0, |end| end - start))?;
        for &end in batch {
            found.push((start, end));
            start = end;
        }
        Ok(())
    })?;
    Ok(found)
}

/// What is between places.
fn ranges(places: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let places: Vec<usize> = places.collect();
    places.windows(2).map(|two| (two[0], two[1])).collect()
}

/// Cuts where the script changes. A space has none and goes with what stands before it; spaces before the first
/// letter are dropped.
fn scripts(text: &str) -> Vec<(usize, usize)> {
    let mut last = None;
    let mut starts = Vec::new();
    for (start, c) in text.char_indices() {
        if let Some(script) = script(c) {
            if last != Some(script) {
                starts.push(start);
            }
            last = Some(script);
        }
    }
    ranges(starts.into_iter().chain([text.len()]))
}

/// Every space becomes `replacement`; one is put before the text where the scheme says so.
fn metaspace(view: View, replacement: char, scheme: PrependScheme, out: &mut Aligned) -> bool {
    let mark = replacement.to_string();
    let mut spaces = Aligned::default();
    let changed = view.text.contains(' ');
    let new = if changed {
        replace_byte(view, b' ', &mark, &mut spaces);
        View { text: &spaces.text, sources: &spaces.sources, ..view }
    } else {
        view
    };
    let wanted = match scheme {
        PrependScheme::Always => true,
        PrependScheme::First => view.original.0 == 0,
        PrependScheme::Never => false,
    };
    if wanted && !new.text.starts_with(replacement) && prepend(new, &mark, out) {
        return true;
    }
    if changed {
        out.copy(new, 0, new.text.len());
    }
    changed
}

impl Pieces {
    /// Cuts every piece that is no added token. `ranges` are the pieces of a text.
    pub(super) fn cut(
        &mut self,
        ranges: impl Fn(&str) -> Result<Vec<(usize, usize)>>,
    ) -> Result<()> {
        let mut cut = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            if piece.token.is_some() {
                cut.push(*piece);
                continue;
            }
            let view = self.view(piece);
            for (start, end) in ranges(view.text)?.into_iter().filter(|(start, end)| start < end) {
                let original = view.original_of(start, end);
                let (start, end) = (piece.start + start, piece.start + end);
                cut.push(Piece { start, end, original, token: None });
            }
        }
        self.pieces = cut;
        Ok(())
    }

    /// Changes the text of every piece that is no added token. `change` writes what it becomes; false: it stays.
    pub(super) fn change(&mut self, change: impl Fn(View, &mut Aligned) -> bool) {
        let mut out = Aligned::default();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let start = out.text.len();
            let view = self.view(piece);
            if piece.token.is_some() || !change(view, &mut out) {
                out.copy(view, 0, view.text.len());
            }
            if out.text.len() > start || piece.token.is_some() {
                pieces.push(Piece { start, end: out.text.len(), ..*piece });
            }
        }
        self.text = out;
        self.pieces = pieces;
    }
}
