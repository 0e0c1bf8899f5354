/*!
A text that grows at its end, or shrinks, and its ids, which are always those of the whole text.

A chat grows turn by turn, and its ids are needed after each. Encoding the whole text anew costs more with every turn.
Here only the end is encoded again, from the last place where the text may be cut (`boundary`) on:

```text
text   "Hello wor"     cut  "Hello| wor"      ids  Hello . ␣wor
append "ld!"           again from there on         ␣world . !        so one id is dropped and two are new
```

The places are kept, one every few kilobytes, so that taking characters back costs no more either.

Invariants
* `marks` are places where `text` may be cut, whatever follows it: all that decides about a place is there.
* The ids before a mark are those of the text before it.
* After an error everything is as it was.
*/

use super::Tokenizer;
use super::documents::DocumentEncoder;
use crate::error::{Error, Result};
use crate::memory;
use crate::special::Allowed;
use crate::types::TokenId;

/// How far two marks are apart, at least.
const MARK_BYTES: usize = 1 << 12;

/// How far to look for the next mark.
const MARK_WINDOW: usize = 1 << 10;

/// A text and its ids.
#[derive(Debug, Clone)]
pub struct GrowingText {
    allowed: Allowed,
    text: Vec<u8>,
    ids: Vec<TokenId>,
    marks: Vec<TextMark>,
    /// Up to here all places were looked at.
    seen: usize,
}

/// A place where the text may be cut.
#[derive(Debug, Clone, Copy, Default)]
struct TextMark {
    /// How many bytes are before it.
    bytes: usize,
    /// How many ids are before it.
    ids: usize,
}

/// What happened to the ids: some at the end were dropped, then some were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// How many were dropped.
    pub dropped: usize,
    /// How many were added.
    pub added: usize,
}

impl GrowingText {
    /// An empty text, in which these special tokens count.
    pub fn new(allowed: Allowed) -> GrowingText {
        let (text, ids, marks) = (Vec::new(), Vec::new(), Vec::new());
        GrowingText { allowed, text, ids, marks, seen: 0 }
    }

    /// The text, as bytes.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The ids of the text.
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Puts more text at the end. The tokenizer is the same in every call.
    pub fn append(&mut self, tokenizer: &Tokenizer, more: &[u8]) -> Result<Change> {
        let old = self.text.len();
        memory::extend(&mut self.text, more)?;
        let changed = self.encode_again(tokenizer, self.marks.len(), self.seen);
        if changed.is_err() {
            self.text.truncate(old);
        }
        changed
    }

    /// Takes the last bytes away, so that `len` are left.
    pub fn truncate(&mut self, tokenizer: &Tokenizer, len: usize) -> Result<Change> {
        if len >= self.text.len() {
            return Ok(Change { dropped: 0, added: 0 });
        }
        let encoder = tokenizer.document_encoder(&self.allowed, None)?;
        let lookahead = encoder.boundary().lookahead();
        let kept = self.marks.partition_point(|mark| mark.bytes + lookahead <= len);
        let rest = self.text.split_off(len);
        let seen = kept.checked_sub(1).map_or(0, |last| self.marks[last].bytes);
        let changed = self.encode_again(tokenizer, kept, seen);
        if changed.is_err() {
            self.text.extend(rest);
        }
        changed
    }

    /// Encodes what stands after the first `kept` marks. Places up to `seen` were looked at before.
    fn encode_again(&mut self, tokenizer: &Tokenizer, kept: usize, seen: usize) -> Result<Change> {
        let encoder = tokenizer.document_encoder(&self.allowed, None)?;
        let start = kept.checked_sub(1).map_or(TextMark::default(), |last| self.marks[last]);
        let mut session = encoder.session();
        let (mut ids, mut marks) = (Vec::new(), Vec::new());
        let mut at = start.bytes;
        loop {
            let next = next_mark(&encoder, &self.text[at..], seen.saturating_sub(at));
            let end = next.map_or(self.text.len(), |next| at + next);
            encoder
                .encode(&self.text[at..end], &mut session, &mut ids)
                .map_err(|error| moved(error, at))?;
            if next.is_none() {
                break;
            }
            marks.push(TextMark { bytes: end, ids: start.ids + ids.len() });
            at = end;
        }
        let old = &self.ids[start.ids..];
        let same = old.iter().zip(&ids).take_while(|(old, new)| old == new).count();
        let change = Change { dropped: old.len() - same, added: ids.len() - same };
        memory::reserve(&mut self.ids, ids.len())?;
        self.ids.truncate(start.ids + same);
        self.ids.extend_from_slice(&ids[same..]);
        self.marks.truncate(kept);
        self.marks.extend(marks);
        self.seen = self.text.len();
        Ok(change)
    }
}

/// Where the next mark of a text that goes on is, if it has one: some kilobytes from its start, or else the last
/// place where it may be cut.
fn next_mark(encoder: &DocumentEncoder, text: &[u8], seen: usize) -> Option<usize> {
    let boundary = encoder.boundary();
    if text.len() > 2 * MARK_BYTES {
        let open = text.len() - boundary.lookahead().min(MARK_BYTES);
        let from = MARK_BYTES.max(seen);
        if let Some(place) = boundary.first(text, from..(from + MARK_WINDOW).min(open)) {
            return Some(place);
        }
    }
    Some(encoder.last_cut(text, seen)).filter(|&place| place > 0)
}

/// An error in a part of a text, told as one of the whole text.
fn moved(error: Error, by: usize) -> Error {
    match error {
        Error::SpecialToken { token, position } => {
            Error::SpecialToken { token, position: position + by }
        }
        Error::Text { message, position } => Error::Text { message, position: position + by },
        other => other,
    }
}
