/*!
Text to normalised text: the four Unicode forms, lower case, and what BERT does.

The tables are those of Unicode 9, because Hugging Face's normalisers have them too and the ids must
be the same. Bytes that are not UTF-8 stay as they are, except in BERT.
*/

mod bert;
mod name;

use std::borrow::Cow;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::model::Normalizer;

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
            && self.quick(text.chars()) == IsNormalized::Yes
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

    /// The normalised text, and where its parts come from.
    pub fn apply_mapped<'t>(self, text: &'t [u8]) -> (Cow<'t, [u8]>, Map) {
        if let Normalizer::Bert(bert) = self {
            let (normal, map) = bert.apply_mapped(text);
            return (Cow::Owned(normal), map);
        }
        let normal = self.apply(text);
        let mut map = Map { parts: Vec::new() };
        if let Cow::Owned(_) = normal {
            let (mut original, mut normalised) = (0, 0);
            let mut add = |source: &[u8], result: &[u8]| {
                let changed = source != result;
                map.parts.push(Part { original, normalised, changed });
                original += source.len();
                normalised += result.len();
            };
            for chunk in text.utf8_chunks() {
                self.parts(chunk.valid()).for_each(|p| add(p.as_bytes(), self.form(p).as_bytes()));
                add(chunk.invalid(), chunk.invalid());
            }
            map.parts.push(Part { original, normalised, changed: false });
        }
        (normal, map)
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

    fn quick(self, text: impl Iterator<Item = char>) -> IsNormalized {
        match self {
            Normalizer::None | Normalizer::Bert(_) => IsNormalized::Yes,
            Normalizer::Nfc | Normalizer::NfcLowercase => is_nfc_quick(text),
            Normalizer::Nfd => is_nfd_quick(text),
            Normalizer::Nfkc => is_nfkc_quick(text),
            Normalizer::Nfkd => is_nfkd_quick(text),
        }
    }

    /// Whether nothing before this character can change it or be changed by it.
    fn stands_alone(self, c: char) -> bool {
        canonical_combining_class(c) == 0 && self.quick(std::iter::once(c)) == IsNormalized::Yes
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

/// Where the parts of a normalised text come from. Empty: nothing was changed.
#[derive(Debug)]
pub struct Map {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    original: usize,
    normalised: usize,
    changed: bool,
}

impl Map {
    /// The place in the original text of a place where something starts in the normalised one.
    pub fn start(&self, at: usize) -> usize {
        let Some(part) = self.part(at) else { return at };
        let part = &self.parts[part];
        part.original + if part.changed { 0 } else { at - part.normalised }
    }

    /// The same where something ends: within a part that was changed, that is the end of the part.
    /// What was deleted after it does not belong to it.
    pub fn end(&self, at: usize) -> usize {
        let before = self.parts.partition_point(|part| part.normalised < at);
        let Some(index) = before.checked_sub(1) else { return at };
        let part = &self.parts[index];
        match part.changed {
            true => self.parts[index + 1].original,
            false => part.original + at - part.normalised,
        }
    }

    fn part(&self, at: usize) -> Option<usize> {
        self.parts.partition_point(|part| part.normalised <= at).checked_sub(1)
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
        let (normal, map) = Normalizer::NfcLowercase.apply_mapped("ABİ".as_bytes());
        assert_eq!(&*normal, "abi\u{307}".as_bytes());
        let places: Vec<_> = (0..=5).map(|at| (map.start(at), map.end(at))).collect();
        assert_eq!(places, [(0, 0), (1, 1), (2, 2), (2, 4), (2, 4), (4, 4)]);
        let (normal, map) = Normalizer::Nfc.apply_mapped("ae\u{301}b".as_bytes());
        assert_eq!(&*normal, "aéb".as_bytes());
        let places: Vec<_> = (0..=4).map(|at| (map.start(at), map.end(at))).collect();
        assert_eq!(places, [(0, 0), (1, 1), (1, 4), (4, 4), (5, 5)]);
    }
}
