/*!
BERT's normaliser: clean, space out Chinese, strip accents, lower case, character by character.

```text
"Crème\u{A0}中"  ->  "creme  中 "
```

`crate::bert` says what a character becomes. Runs of ASCII are done some bytes at a time. A byte that
is not part of valid UTF-8 is one character U+FFFD, which cleaning deletes.

Marks that stripping keeps are put in canonical order, which may move one across others. Where they
come from then depends on the dropped marks beside them too, so this is asked of all characters since
the last one that keeps marks apart: see `aligned`.
*/

use super::aligned::{UnicodeForm, with_sources};
use super::map::Map;
use crate::bert::{BertCharacters, Order};
use crate::error::Result;
use crate::memory;
use crate::model::Bert;

/// The bytes that are done at a time.
const LANES: usize = 32;

impl Bert {
    /// Appends the normalised text.
    pub(super) fn apply_into(self, text: &[u8], normal: &mut Vec<u8>) {
        normal.reserve(text.len() + LANES);
        Writer::new(self, normal, None).write(text);
    }

    /// The same, and where its parts come from.
    pub(super) fn apply_mapped(self, text: &[u8]) -> Result<(Vec<u8>, Map)> {
        let (mut normal, mut map) = (memory::with_capacity(text.len())?, Map::default());
        // Most characters have a part of their own at most.
        map.reserve(text.len() + 1)?;
        Writer::new(self, &mut normal, Some(&mut map)).write(text);
        Ok((normal, map))
    }
}

struct Writer<'a> {
    bert: Bert,
    normal: &'a mut Vec<u8>,
    map: Option<&'a mut Map>,
    /// Marks to be sorted that stand at the end of what is written, by their ranks.
    run: Vec<(u8, char)>,
    /// Where the last character starts across which no mark moves.
    apart: usize,
}

impl<'a> Writer<'a> {
    fn new(bert: Bert, normal: &'a mut Vec<u8>, map: Option<&'a mut Map>) -> Writer<'a> {
        Writer { bert, normal, map, run: Vec::new(), apart: 0 }
    }

    fn write(&mut self, text: &[u8]) {
        let characters = BertCharacters::of(self.bert);
        let mut at = 0;
        while at < text.len() {
            if let Some(lanes) = text[at..].first_chunk::<LANES>()
                && let Some(done) = self.ascii(lanes)
            {
                self.end_run(text, at);
                self.note_same(at);
                self.normal.extend_from_slice(&done);
                at += LANES;
                self.apart = at - 1;
                continue;
            }
            let end = text.len().min(at + LANES);
            while at < end {
                at += self.character(characters, text, at);
            }
        }
        self.end_run(text, at);
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
    fn character(&mut self, characters: &BertCharacters, text: &[u8], at: usize) -> usize {
        let (c, len) = first_char(&text[at..]);
        let mut room = [0; 12];
        let mut itself = [0; 4];
        let (result, order) = characters
            .get(c as u32, &mut room)
            .unwrap_or_else(|| (c.encode_utf8(&mut itself), Order::Apart));
        match order {
            Order::Apart => {
                self.end_run(text, at);
                self.apart = at;
            }
            Order::Through => return len,
            Order::Sorted => {
                self.sorted(characters, result, text, at);
                return len;
            }
        }
        match result.len() == len {
            true => self.note_same(at),
            false if result.is_empty() => {}
            false => self.note_whole((at, at + len)),
        }
        self.normal.extend_from_slice(result.as_bytes());
        len
    }

    /// Adds to the run of marks; what is no mark stands before them.
    fn sorted(&mut self, characters: &BertCharacters, result: &str, text: &[u8], at: usize) {
        for c in result.chars() {
            let rank = characters.rank(c);
            if rank > 0 {
                self.run.push((rank, c));
                continue;
            }
            self.end_run(text, at);
            self.apart = at;
            self.note_whole((at, at + first_char(&text[at..]).1));
            self.normal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Writes the run, which ends before `end` in the text, sorted; of equal rank the first stays first.
    #[inline(always)]
    fn end_run(&mut self, text: &[u8], end: usize) {
        if !self.run.is_empty() {
            self.write_run(text, end);
        }
    }

    fn write_run(&mut self, text: &[u8], end: usize) {
        let sources = self.run_sources(text, end);
        let mut run = std::mem::take(&mut self.run);
        run.sort_by_key(|&(rank, _)| rank);
        // Newer marks are not in the tables of `aligned`: then the run comes from all of its text.
        let known = sources.len() == run.len();
        for (i, (_, c)) in run.drain(..).enumerate() {
            self.note_whole(if known { sources[i] } else { (self.apart, end) });
            self.normal.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.run = run;
    }

    /// The sources of the marks of the run, in their order after sorting.
    fn run_sources(&self, text: &[u8], end: usize) -> Vec<(usize, usize)> {
        let mut sources = Vec::new();
        if self.map.is_none() {
            return sources;
        }
        let characters = BertCharacters::of(self.bert);
        let (mut source, mut at) = (Vec::new(), self.apart);
        while at < end {
            let (c, len) = first_char(&text[at..end]);
            // What cleaning deletes is gone before marks are sorted.
            if !self.bert.clean || !crate::bert::is_deleted(c as u32) {
                source.push((c, (at, at + len)));
            }
            at += len;
        }
        let units = UnicodeForm { compatible: false, composed: false }
            .units(source.iter().map(|&(c, _)| c));
        with_sources(&units, source.iter().map(|&(_, place)| place), |unit, place| {
            if unit.class > 0 && characters.rank(unit.c) > 0 {
                sources.push(place);
            }
        });
        sources
    }

    /// From here on the text comes byte for byte from `original`.
    #[inline(always)]
    fn note_same(&mut self, original: usize) {
        let normalised = self.normal.len();
        if let Some(map) = &mut self.map {
            map.same(normalised, original);
        }
    }

    /// From here on every byte comes from all of `source`.
    #[inline(always)]
    fn note_whole(&mut self, source: (usize, usize)) {
        let normalised = self.normal.len();
        if let Some(map) = &mut self.map {
            map.whole(normalised, source);
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
