/*!
BERT's normaliser: clean, space out Chinese, strip accents, lower case, character by character.

```text
"Crème\u{A0}中"  ->  "creme  中 "
```

`crate::bert` says what a character becomes. Runs of ASCII are done some bytes at a time. A byte that
is not part of valid UTF-8 is one character U+FFFD, which cleaning deletes.

Marks that stripping keeps are put in canonical order, which may move one across others: as far as
the map goes, such a run is one character.
*/

use super::{Map, Part};
use crate::bert::{Characters, Order};
use crate::model::Bert;

/// The bytes that are done at a time.
const LANES: usize = 32;

impl Bert {
    /// Appends the normalised text.
    pub(super) fn apply_into(self, text: &[u8], normal: &mut Vec<u8>) {
        normal.reserve(text.len() + LANES);
        let mut writer = Writer { bert: self, normal, map: None, run: Vec::new() };
        writer.write(text);
    }

    /// The same, and where its parts come from.
    pub(super) fn apply_mapped(self, text: &[u8]) -> (Vec<u8>, Map) {
        let (mut normal, mut map) = (Vec::with_capacity(text.len()), Map { parts: Vec::new() });
        let mut writer =
            Writer { bert: self, normal: &mut normal, map: Some(&mut map), run: Vec::new() };
        writer.write(text);
        let end = Part { original: text.len(), normalised: normal.len(), changed: false };
        map.parts.push(end);
        (normal, map)
    }
}

struct Writer<'a> {
    bert: Bert,
    normal: &'a mut Vec<u8>,
    map: Option<&'a mut Map>,
    /// Marks to be sorted that stand at the end of what is written, by their ranks.
    run: Vec<(u8, char)>,
}

impl Writer<'_> {
    fn write(&mut self, text: &[u8]) {
        let characters = Characters::of(self.bert);
        let mut at = 0;
        while at < text.len() {
            if let Some(lanes) = text[at..].first_chunk::<LANES>()
                && let Some(done) = self.ascii(lanes)
            {
                self.end_run();
                self.note(at, false);
                self.normal.extend_from_slice(&done);
                at += LANES;
                continue;
            }
            let end = text.len().min(at + LANES);
            while at < end {
                at += self.character(characters, text, at);
            }
        }
        self.end_run();
    }

    /// What these bytes become, if each becomes one byte.
    #[inline(always)]
    fn ascii(&self, lanes: &[u8; LANES]) -> Option<[u8; LANES]> {
        let Bert { clean, lowercase, .. } = self.bert;
        let white = |byte: u8| (byte == b'\t') | (byte == b'\n') | (byte == b'\r');
        let odd =
            |byte: u8| (byte >= 0x80) | clean & (((byte < 0x20) & !white(byte)) | (byte == 0x7F));
        if lanes.iter().fold(false, |any, &byte| any | odd(byte)) {
            return None;
        }
        Some(lanes.map(|byte| {
            let upper = lowercase & byte.is_ascii_uppercase();
            let byte = if clean & white(byte) { b' ' } else { byte };
            byte | u8::from(upper) << 5
        }))
    }

    /// Writes the character that starts at `at`; returns its length.
    fn character(&mut self, characters: &Characters, text: &[u8], at: usize) -> usize {
        let (c, len) = first_char(&text[at..]);
        let mut room = [0; 12];
        let mut itself = [0; 4];
        let (result, order) = characters
            .get(c as u32, &mut room)
            .unwrap_or_else(|| (c.encode_utf8(&mut itself), Order::Apart));
        match order {
            Order::Apart => self.end_run(),
            Order::Through if self.run.is_empty() => {}
            Order::Through => return len,
            Order::Sorted => {
                self.sorted(characters, result, at);
                return len;
            }
        }
        // A space that is put around a character comes from no character.
        if result.len() > 1 && result.starts_with(' ') {
            self.note(at, true);
            self.normal.push(b' ');
            self.note_length(at, len, result.len() - 2);
            self.normal.extend_from_slice(&result.as_bytes()[1..result.len() - 1]);
            self.note(at + len, true);
            self.normal.push(b' ');
            return len;
        }
        self.note_length(at, len, result.len());
        self.normal.extend_from_slice(result.as_bytes());
        len
    }

    /// Adds to the run of marks; what is no mark stands before them.
    fn sorted(&mut self, characters: &Characters, result: &str, at: usize) {
        for c in result.chars() {
            let rank = characters.rank(c);
            if rank == 0 {
                self.end_run();
            }
            if self.run.is_empty() {
                self.note(at, true);
            }
            match rank {
                0 => self.normal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                _ => self.run.push((rank, c)),
            }
        }
    }

    /// Writes the run, sorted; of equal rank the first stays first.
    #[inline(always)]
    fn end_run(&mut self) {
        if !self.run.is_empty() {
            self.run.sort_by_key(|&(rank, _)| rank);
            for (_, c) in self.run.drain(..) {
                self.normal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    #[inline(always)]
    fn note_length(&mut self, original: usize, from: usize, to: usize) {
        self.note(original, from != to);
    }

    /// From here on the text comes from `original`; places within it are the same, unless it was
    /// changed.
    #[inline(always)]
    fn note(&mut self, original: usize, changed: bool) {
        let Some(map) = &mut self.map else { return };
        let normalised = self.normal.len();
        let goes_on = |last: &Part| {
            !changed && !last.changed && normalised - last.normalised == original - last.original
        };
        if !map.parts.last().is_some_and(goes_on) {
            map.parts.push(Part { original, normalised, changed });
        }
    }
}

/// The first character and its length; U+FFFD for a byte that belongs to none.
#[inline(always)]
fn first_char(text: &[u8]) -> (char, usize) {
    let len = match text[0] {
        byte @ ..0x80 => return (char::from(byte), 1),
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let c = text.get(..len).and_then(|bytes| std::str::from_utf8(bytes).ok()?.chars().next());
    c.map_or((char::REPLACEMENT_CHARACTER, 1), |c| (c, len))
}

#[cfg(test)]
mod tests;
