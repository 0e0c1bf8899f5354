/*!
Text to normalised text: the four Unicode forms, lower case, and what BERT does.

The tables are those of Unicode 9, because Hugging Face's normalisers have them too and the ids must
be the same. Bytes that are not UTF-8 stay as they are, except in BERT. Where every character comes
from is a slower question, which [`Normalizer::apply_mapped`] answers: see `aligned`.
*/

mod aligned;
mod bert;
mod map;
mod sides;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::error::Result;
use crate::model::Normalizer;
use crate::{interrupt, memory};
pub use aligned::UnicodeForm;
use aligned::with_sources;
pub use map::Map;

/// A larger text is normalised in blocks of about this size.
const BLOCK: usize = 1 << 16;

impl Normalizer {
    /// The normalised text.
    pub fn apply(self, text: &[u8]) -> Cow<'_, [u8]> {
        if let Normalizer::Bert(bert) = self {
            let mut normal = Vec::new();
            bert.apply_into(text, &mut normal);
            return Cow::Owned(normal);
        }
        let upper = |text: &[u8]| text.iter().any(u8::is_ascii_uppercase);
        let lower = self == Normalizer::NfcLowercase;
        if self == Normalizer::None || text.is_ascii() && !(lower && upper(text)) {
            return Cow::Borrowed(text);
        }
        if let Ok(text) = std::str::from_utf8(text)
            && self.holds(text.chars())
            && !(lower && text.chars().any(|c| !c.to_lowercase().eq([c])))
        {
            return Cow::Borrowed(text.as_bytes());
        }
        let mut normal = Vec::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            normal.extend_from_slice(self.form(chunk.valid()).as_bytes());
            normal.extend_from_slice(chunk.invalid());
        }
        Cow::Owned(normal)
    }

    /// The same for a text of any size: block by block, so that it can be interrupted, and memory that runs
    /// out is an error.
    pub fn apply_by_blocks(self, text: &[u8]) -> Result<Cow<'_, [u8]>> {
        if text.len() < 2 * BLOCK || self == Normalizer::None {
            return Ok(self.apply(text));
        }
        // What is not changed, and then what was made of the rest.
        let (mut same, mut normal): (usize, Vec<u8>) = (0, Vec::new());
        let mut start = 0;
        while start < text.len() {
            let end = self.end_of_block(text, start);
            match self.apply(&text[start..end]) {
                Cow::Borrowed(_) if same == start => same = end,
                block => {
                    if same == start {
                        normal = memory::with_capacity(text.len())?;
                        normal.extend_from_slice(&text[..same]);
                    }
                    memory::extend(&mut normal, &block)?;
                }
            }
            interrupt::worked(end - start)?;
            start = end;
        }
        Ok(if same == text.len() { Cow::Borrowed(text) } else { Cow::Owned(normal) })
    }

    /// Where the block ends that starts at `start`: before a character that no other changes.
    fn end_of_block(self, text: &[u8], start: usize) -> usize {
        let form = if let Normalizer::Bert(_) = self { Normalizer::Nfd } else { self };
        let alone = |&at: &usize| {
            let head = &text[at..text.len().min(at + 4)];
            let valid = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            valid.chars().next().is_some_and(|c| form.stands_alone(c))
        };
        (start + BLOCK..text.len()).find(alone).unwrap_or(text.len())
    }

    /// The normalised text, and where its parts come from.
    pub fn apply_mapped<'t>(self, text: &'t [u8]) -> Result<(Cow<'t, [u8]>, Map)> {
        if let Normalizer::Bert(bert) = self {
            let (normal, map) = bert.apply_mapped(text)?;
            return Ok((Cow::Owned(normal), map));
        }
        let normal = self.apply_by_blocks(text)?;
        let mut map = Map::default();
        if let Cow::Owned(normal) = &normal {
            let (mut at, mut to) = (0, 0);
            for chunk in text.utf8_chunks() {
                for part in self.parts(chunk.valid()) {
                    map.reserve(part.len())?;
                    to += self.align(part, at, to, &mut map);
                    interrupt::worked(part.len())?;
                    at += part.len();
                }
                if !chunk.invalid().is_empty() {
                    map.same(to, at);
                    to += chunk.invalid().len();
                    at += chunk.invalid().len();
                }
            }
            debug_assert_eq!(to, normal.len());
        }
        Ok((normal, map))
    }

    /// Notes where the characters of a part come from, which starts at `at` in the original text and at
    /// `to` in the normalised one. Returns the length of what the part becomes.
    fn align(self, part: &str, at: usize, to: usize, map: &mut Map) -> usize {
        let lower = self == Normalizer::NfcLowercase;
        let same = |c: char| !lower || c.to_lowercase().eq([c]);
        let mut chars = part.chars();
        let only = chars.next().filter(|_| chars.next().is_none());
        if only.is_some_and(|c| self.holds(std::iter::once(c)) && same(c)) {
            map.same(to, at);
            return part.len();
        }
        let sources = part.char_indices().map(|(i, c)| (at + i, at + i + c.len_utf8()));
        let mut len = 0;
        with_sources(&self.aligned_form().units(part.chars()), sources, |unit, source| {
            map.whole(to + len, source);
            let lower_len = || unit.c.to_lowercase().map(char::len_utf8).sum();
            len += if lower { lower_len() } else { unit.c.len_utf8() };
        });
        len
    }

    fn aligned_form(self) -> UnicodeForm {
        UnicodeForm {
            compatible: matches!(self, Normalizer::Nfkc | Normalizer::Nfkd),
            composed: !matches!(self, Normalizer::Nfd | Normalizer::Nfkd),
        }
    }

    fn form(self, text: &str) -> String {
        match self {
            Normalizer::None | Normalizer::Bert(_) => text.to_owned(),
            Normalizer::Nfc => text.nfc().collect(),
            Normalizer::Nfd => text.nfd().collect(),
            Normalizer::Nfkc => text.nfkc().collect(),
            Normalizer::Nfkd => text.nfkd().collect(),
            Normalizer::NfcLowercase => text.nfc().flat_map(char::to_lowercase).collect(),
        }
    }

    /// Whether characters in a row are certainly in the form of this normaliser, lower case aside.
    fn holds(self, characters: impl Iterator<Item = char>) -> bool {
        matches!(self, Normalizer::None | Normalizer::Bert(_))
            || self.aligned_form().holds(characters)
    }

    /// Whether nothing before this character can change it or be changed by it.
    fn stands_alone(self, c: char) -> bool {
        canonical_combining_class(c) == 0 && self.holds(std::iter::once(c))
    }

    /// The text in parts that normalise one by one.
    fn parts(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let second = rest.char_indices().skip(1).find(|&(_, c)| self.stands_alone(c));
            let (part, after) = rest.split_at(second.map_or(rest.len(), |(at, _)| at));
            rest = after;
            (!part.is_empty()).then_some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_stay() {
        assert_eq!(&*Normalizer::Nfc.apply(b"e\xCC\x81\xFFe\xCC\x81"), b"\xC3\xA9\xFF\xC3\xA9");
        assert_eq!(&*Normalizer::Nfkc.apply("ﬁ".as_bytes()), b"fi");
    }

    #[test]
    fn a_large_text_normalises_block_by_block_to_the_same() {
        let marks = "a\u{316}\u{301}".repeat(BLOCK / 4);
        let hangul = "\u{1100}\u{1161}\u{11A8}".repeat(BLOCK / 2);
        let mixed = [&"plain text ".repeat(BLOCK / 5), "É", &marks, "\u{344}", &hangul, "中文Σ"];
        let only_marks = format!("e{}", "\u{301}\u{316}".repeat(BLOCK));
        let mut broken = mixed.concat().into_bytes();
        broken.splice(BLOCK..BLOCK, [0xFF, 0xE4, 0xB8]);
        let texts =
            [mixed.concat().into_bytes(), only_marks.into_bytes(), broken, vec![b'a'; 3 * BLOCK]];
        let forms = [Normalizer::Nfc, Normalizer::Nfd, Normalizer::Nfkc, Normalizer::Nfkd];
        let bert = crate::model::Bert::UNCASED;
        let kept = crate::model::Bert { strip_accents: false, ..bert };
        let berts = [Normalizer::Bert(bert), Normalizer::Bert(kept)];
        for form in forms.into_iter().chain([Normalizer::NfcLowercase]).chain(berts) {
            for text in &texts {
                assert!(form.apply_by_blocks(text).unwrap() == form.apply(text), "{form:?}");
            }
        }
    }

    #[test]
    fn parts_normalise_to_the_whole_and_map_back() {
        let text = "xe\u{301}\u{316}y각각ﬁ\u{344}z\u{f71}\u{f73}éÉE\u{301}AİΣ";
        let forms = [Normalizer::Nfc, Normalizer::Nfd, Normalizer::Nfkc, Normalizer::Nfkd];
        for form in forms.into_iter().chain([Normalizer::NfcLowercase]) {
            let whole = form.form(text);
            let joined: String = form.parts(text).map(|part| form.form(part)).collect();
            assert_eq!(joined, whole, "{form:?}");
        }
        assert_eq!(&*Normalizer::NfcLowercase.apply("aBÉE\u{301}Σ".as_bytes()), "abééσ".as_bytes());
        assert_eq!(&*Normalizer::NfcLowercase.apply(b"ABc d"), b"abc d");
        let (normal, map) = Normalizer::NfcLowercase.apply_mapped("ABİ".as_bytes()).unwrap();
        assert_eq!(&*normal, "abi\u{307}".as_bytes());
        let place = |start, end| map.place(start, end);
        assert_eq!([place(0, 1), place(1, 2), place(1, 3)], [(0, 1), (1, 2), (1, 4)]);
        assert_eq!([place(2, 3), place(3, 5), place(3, 4)], [(2, 4); 3]);
        assert_eq!(place(5, 5), (4, 4));
    }

    /// The characters of the original text that the characters of the normalised one come from.
    fn sources(form: Normalizer, text: &str) -> Vec<(String, String)> {
        let (normal, map) = form.apply_mapped(text.as_bytes()).unwrap();
        let normal = std::str::from_utf8(&normal).unwrap();
        let source = |(at, c): (usize, char)| {
            let (from, to) = map.place(at, at + c.len_utf8());
            (c.to_string(), text[from..to].to_owned())
        };
        normal.char_indices().map(source).collect()
    }

    fn expect(form: Normalizer, text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|&(c, s)| (c.into(), s.into())).collect();
        assert_eq!(sources(form, text), expected, "{form:?} {text:?}");
    }

    #[test]
    fn a_character_comes_from_the_first_that_it_replaces() {
        expect(Normalizer::Nfc, "b\u{2126}", &[("b", "b"), ("Ω", "\u{2126}")]);
        expect(Normalizer::Nfc, "ae\u{301}b", &[("a", "a"), ("é", "e"), ("b", "b")]);
        expect(Normalizer::Nfd, "éx", &[("e", "é"), ("\u{301}", "é"), ("x", "x")]);
        expect(Normalizer::Nfkc, "ﬁ", &[("f", "ﬁ"), ("i", "ﬁ")]);
        // What a ligature ends in takes no source; with the mark it takes that of the mark.
        expect(Normalizer::Nfkc, "ﬁ\u{301}", &[("f", "ﬁ"), ("í", "\u{301}")]);
        expect(Normalizer::Nfc, "\u{1100}\u{1161}\u{11A8}", &[("각", "\u{1100}")]);
    }

    #[test]
    fn marks_that_change_places_keep_the_sources_in_order() {
        expect(
            Normalizer::Nfd,
            "e\u{301}\u{316}",
            &[("e", "e"), ("\u{316}", "\u{301}"), ("\u{301}", "\u{316}")],
        );
        expect(
            Normalizer::Nfd,
            "é\u{316}",
            &[("e", "é"), ("\u{316}", "\u{316}"), ("\u{301}", "\u{316}")],
        );
    }
}
