/*!
The normalizer steps, each as the list of changes that it makes: see [`aligned`](super::aligned).

A step is compiled once, when the tokenizer is made; [`Normalizers::apply`] runs all of them on the text between
two added tokens. Every step is tested against Hugging Face's library, text and offsets.
*/

use super::aligned::{Aligned, Change, View};
use super::characters;
use super::charsmap::Charsmap;
use super::piece_text::PieceNormalizer;
use super::search::Search;
use crate::bert::Bert;
use crate::error::Result;
use crate::model::{Matcher, NormalizerStep};
use crate::normalize::UnicodeForm;

/// The steps of a chain, ready to run.
#[derive(Debug)]
pub(crate) struct Normalizers(Vec<Step>);

#[derive(Debug)]
enum Step {
    Form(UnicodeForm),
    Lowercase,
    StripAccents,
    Strip {
        left: bool,
        right: bool,
    },
    /// A single ASCII character becomes this text: Replace without a search engine.
    ReplaceByte {
        byte: u8,
        content: String,
    },
    Replace {
        search: Search,
        content: String,
    },
    Prepend(String),
    Nmt,
    Precompiled(Charsmap),
    Bert(Bert),
    ByteLevel,
    SentencePiece(PieceNormalizer),
}

impl Normalizers {
    pub(crate) fn new(steps: &[NormalizerStep]) -> Result<Normalizers> {
        steps.iter().map(Step::new).collect::<Result<_>>().map(Normalizers)
    }

    /// The normalised form of a whole text.
    pub(crate) fn text(&self, text: &str) -> Result<String> {
        let mut aligned = Aligned::identity(text.to_owned());
        let original = (0, text.len() as u32);
        self.apply(&mut aligned, original)?;
        Ok(aligned.text)
    }

    /// Normalises a text that was cut from `original`.
    pub(super) fn apply(&self, text: &mut Aligned, original: (u32, u32)) -> Result<()> {
        let mut next = Aligned::default();
        for step in &self.0 {
            next.clear();
            let view = View { text: &text.text, sources: &text.sources, original };
            if step.apply(view, &mut next)? {
                std::mem::swap(text, &mut next);
            }
        }
        Ok(())
    }

    /// Whether no step does anything.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Step {
    fn new(step: &NormalizerStep) -> Result<Step> {
        let form = |compatible, composed| Step::Form(UnicodeForm { compatible, composed });
        Ok(match step {
            NormalizerStep::Nfc => form(false, true),
            NormalizerStep::Nfd => form(false, false),
            NormalizerStep::Nfkc => form(true, true),
            NormalizerStep::Nfkd => form(true, false),
            NormalizerStep::Lowercase => Step::Lowercase,
            NormalizerStep::StripAccents => Step::StripAccents,
            &NormalizerStep::Strip { left, right } => Step::Strip { left, right },
            NormalizerStep::Replace { pattern, content } => match pattern {
                Matcher::Text(text) if text.len() == 1 => {
                    Step::ReplaceByte { byte: text.as_bytes()[0], content: content.clone() }
                }
                _ => Step::Replace { search: Search::new(pattern)?, content: content.clone() },
            },
            NormalizerStep::Prepend(text) => Step::Prepend(text.clone()),
            NormalizerStep::Nmt => Step::Nmt,
            NormalizerStep::Precompiled(bytes) => Step::Precompiled(Charsmap::new(bytes)?),
            NormalizerStep::Bert(bert) => Step::Bert(*bert),
            NormalizerStep::ByteLevel => Step::ByteLevel,
            NormalizerStep::SentencePiece(settings) => {
                Step::SentencePiece(PieceNormalizer::new(settings)?)
            }
        })
    }

    /// Writes the changed text; false if nothing changes.
    fn apply(&self, view: View, out: &mut Aligned) -> Result<bool> {
        match self {
            Step::Form(form) => {
                if view.is_changed_whole() && form.is_normal(view.text) {
                    return Ok(false);
                }
                out.change(view, form.changes(view.text), 0);
            }
            Step::Lowercase => lowercase(view, out),
            Step::StripAccents => filter(view, |c| !characters::is_combining_mark(c), out),
            &Step::Strip { left, right } => return Ok(strip(view, left, right, out)),
            Step::ReplaceByte { byte, content } => {
                replace_byte(view, *byte, content, out);
            }
            Step::Replace { search, content } => {
                let mut at = 0;
                search.each_part(view.text, |part| {
                    if part.matches {
                        out.copy(view, at, part.start);
                        replace(view, part.end, content, out);
                        at = part.end;
                    }
                })?;
                out.copy(view, at, view.text.len());
            }
            Step::Prepend(text) => return Ok(prepend(view, text, out)),
            Step::Nmt => return two(view, out, nmt_filter, |view, out| map(view, nmt_map, out)),
            Step::Precompiled(charsmap) => match charsmap.changes(view.text) {
                Some(changes) => out.change(view, changes, 0),
                None => return Ok(false),
            },
            Step::Bert(bert) => bert_steps(*bert, view, out),
            Step::ByteLevel => {
                if view.text.is_empty() {
                    return Ok(false);
                }
                byte_level(view, out);
            }
            Step::SentencePiece(normalizer) => normalizer.apply(view, out),
        }
        Ok(true)
    }
}

/// Runs two changes, the second on the result of the first.
fn two(
    view: View,
    out: &mut Aligned,
    first: impl Fn(View, &mut Aligned),
    second: impl Fn(View, &mut Aligned),
) -> Result<bool> {
    let mut between = Aligned::default();
    first(view, &mut between);
    second(View { text: &between.text, sources: &between.sources, ..view }, out);
    Ok(true)
}

/// `content` in place of every character that is this byte.
pub(super) fn replace_byte(view: View, byte: u8, content: &str, out: &mut Aligned) {
    let mut at = 0;
    for found in memchr::memchr_iter(byte, view.text.as_bytes()) {
        out.copy(view, at, found);
        replace(view, found + 1, content, out);
        at = found + 1;
    }
    out.copy(view, at, view.text.len());
}

/// `content` in place of a match that ends at `end`: all of it comes from the last byte of the match.
fn replace(view: View, end: usize, content: &str, out: &mut Aligned) {
    let source = view.source_before(end);
    out.text.push_str(content);
    out.sources.extend(std::iter::repeat_n(source, content.len()));
}

/// Puts `text` before a text; false if that one is empty.
pub(super) fn prepend(view: View, text: &str, out: &mut Aligned) -> bool {
    let Some(first) = view.text.chars().next() else { return false };
    let before = text.chars().enumerate().map(|(i, c)| (c, isize::from(i != 0)));
    let end = first.len_utf8();
    out.change_range(view, 0, end, before.chain([(first, 1)]), 0);
    out.copy(view, end, view.text.len());
    true
}

/// Every byte as a character of GPT-2's alphabet.
pub(super) fn byte_level(view: View, out: &mut Aligned) {
    let bytes = view.text.char_indices().flat_map(|(start, c)| {
        let bytes = &view.text.as_bytes()[start..start + c.len_utf8()];
        bytes.iter().enumerate().map(|(i, &byte)| (characters::of_byte(byte), isize::from(i > 0)))
    });
    out.change(view, bytes, 0);
}

/// The characters that `keep` accepts. Those that are dropped count to the one before them.
fn filter(view: View, keep: impl Fn(char) -> bool, out: &mut Aligned) {
    let mut changes: Vec<Change> = Vec::with_capacity(view.text.len());
    let (mut skipped, mut dropped) = (0, 0);
    for c in view.text.chars() {
        if !keep(c) {
            dropped += 1;
            continue;
        }
        match changes.last_mut() {
            Some(last) => last.1 = -dropped,
            None => skipped = dropped.unsigned_abs(),
        }
        changes.push((c, 0));
        dropped = 0;
    }
    if let Some(last) = changes.last_mut() {
        last.1 = -dropped;
    }
    out.change(view, changes, skipped);
}

fn map(view: View, of: impl Fn(char) -> char, out: &mut Aligned) {
    out.change(view, view.text.chars().map(|c| (of(c), 0)), 0);
}

fn lowercase(view: View, out: &mut Aligned) {
    let lower = |c| characters::lowercase(c).enumerate().map(|(i, c)| (c, isize::from(i > 0)));
    out.change(view, view.text.chars().flat_map(lower), 0);
}

fn strip(view: View, left: bool, right: bool, out: &mut Aligned) -> bool {
    let white = |c: &char| c.is_whitespace();
    let leading = if left { view.text.chars().take_while(white).count() } else { 0 };
    let trailing = if right { view.text.chars().rev().take_while(white).count() } else { 0 };
    if leading + trailing == 0 {
        return false;
    }
    let count = view.text.chars().count();
    let kept = count.saturating_sub(leading + trailing);
    // The library looks for the last character by the length in bytes, so it finds it in ASCII only.
    let last = view.text.len().wrapping_sub(trailing).wrapping_sub(1);
    let change = |(i, c)| (c, if leading + i == last { -(trailing as isize) } else { 0 });
    out.change(view, view.text.chars().skip(leading).take(kept).enumerate().map(change), leading);
    true
}

fn nmt_filter(view: View, out: &mut Aligned) {
    let control = |c| matches!(c, '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}');
    filter(view, |c| !control(c), out);
}

fn nmt_map(c: char) -> char {
    match c {
        '\t'
        | '\n'
        | '\u{C}'
        | '\r'
        | '\u{1680}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{FEFF}'
        | '\u{FFFD}' => ' ',
        _ => c,
    }
}

/// BERT's normaliser, one change after the other.
fn bert_steps(bert: Bert, view: View, out: &mut Aligned) {
    out.copy(view, 0, view.text.len());
    let mut step = |change: &dyn Fn(View, &mut Aligned)| {
        let mut next = Aligned::default();
        change(View { text: &out.text, sources: &out.sources, ..view }, &mut next);
        *out = next;
    };
    if bert.clean {
        step(&|view, out| filter(view, |c| !characters::is_bert_control(c), out));
        step(&|view, out| map(view, |c| if c.is_whitespace() { ' ' } else { c }, out));
    }
    if bert.cjk {
        step(&|view, out| {
            let around = |c| match crate::bert::is_cjk(u32::from(c)) {
                true => vec![(' ', 0), (c, 1), (' ', 1)],
                false => vec![(c, 0)],
            };
            out.change(view, view.text.chars().flat_map(around), 0);
        });
    }
    if bert.strip_accents {
        let form = UnicodeForm { compatible: false, composed: false };
        step(&|view, out| out.change(view, form.changes(view.text), 0));
        step(&|view, out| filter(view, |c| !characters::is_nonspacing_mark(c), out));
    }
    if bert.lowercase {
        step(&|view, out| lowercase(view, out));
    }
}
