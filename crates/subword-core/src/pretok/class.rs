/*!
What kind of character stands at a place in a text.

Text is bytes. A byte that is not part of a valid UTF-8 sequence counts as one character of the
class that U+FFFD has, so every text has pieces, and on valid UTF-8 they are those of the regular
expression.
*/

use regex_syntax::hir::{self, HirKind};

use super::class_table::{CLASSES, INDEX};
use crate::mem::FirstUse;
use crate::simd::{WideClasses, class};

/// The classes that the named patterns tell apart, numbered as in the generated table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class(u8);

#[expect(non_upper_case_globals, reason = "they are used as the variants of an enumeration")]
impl Class {
    /// Controls, formats, private use, unassigned.
    pub(super) const Other: Class = Class(0);
    /// `\p{Lu}` and `\p{Lt}`.
    pub(super) const Upper: Class = Class(1);
    /// `\p{Ll}`.
    pub(super) const Lower: Class = Class(2);
    /// `\p{Lm}` and `\p{Lo}`: letters without case.
    pub(super) const Letter: Class = Class(3);
    /// `\p{M}`.
    pub(super) const Mark: Class = Class(4);
    /// `\p{N}`.
    pub(super) const Number: Class = Class(5);
    /// `\p{P}` and `\p{S}`.
    pub(super) const Symbol: Class = Class(6);
    /// `\s` without the two newlines.
    pub(super) const Space: Class = Class(7);
    /// `\r` and `\n`.
    pub(super) const Newline: Class = Class(8);

    /// The class of a code point.
    #[inline(always)]
    pub(super) fn of(code: u32) -> Class {
        // PERF: Chinese and Korean without a look at the table.
        if matches!(code, 0x4E00..=0x9FFF | 0xAC00..=0xD7A3) {
            return Class::Letter;
        }
        let block = INDEX[(code >> 7) as usize % INDEX.len()] as usize;
        Class(CLASSES[(block << 7 | (code & 127) as usize) % CLASSES.len()])
    }

    #[inline(always)]
    fn is_in(self, set: &[Class]) -> bool {
        set.iter().fold(0u16, |bits, class| bits | 1 << class.0) >> self.0 & 1 == 1
    }

    /// `\p{L}`
    #[inline(always)]
    pub(super) fn is_letter(self) -> bool {
        self.is_in(&[Class::Upper, Class::Lower, Class::Letter])
    }

    /// `\s`
    #[inline(always)]
    pub(super) fn is_space(self) -> bool {
        self.is_in(&[Class::Space, Class::Newline])
    }
}

/// The same table for blocks, which know no unassigned characters from symbols.
pub(super) static WIDE: WideClasses = WideClasses::new(&INDEX, &CLASSES, WIDE_BITS);

/// The bits of each class in blocks.
const WIDE_BITS: [u8; 16] = {
    let mut classes = [0; 16];
    classes[Class::Upper.0 as usize] = class::UPPER;
    classes[Class::Lower.0 as usize] = class::LOWER;
    classes[Class::Letter.0 as usize] = class::CASELESS;
    classes[Class::Mark.0 as usize] = class::MARK;
    classes[Class::Number.0 as usize] = class::DIGIT;
    classes[Class::Space.0 as usize] = class::TAB;
    classes
};

/// The numbers that blocks have for more classes than the table.
const APART: u8 = 9;
const ODD: u8 = 10;

/// The table of a pattern that tells `\p{Han}` from other letters; what is Han and no letter is odd.
pub(super) fn han_table() -> &'static WideClasses {
    static TABLE: FirstUse<WideClasses> = FirstUse::new();
    let make = || {
        let parsed = regex_syntax::parse(r"\p{Han}").expect("a script of Unicode");
        let HirKind::Class(hir::Class::Unicode(han)) = parsed.kind() else {
            unreachable!("a script is a class")
        };
        let mut is_han = vec![false; 0x1_0000];
        for range in han.ranges() {
            let (first, last) = (range.start() as usize, (range.end() as usize).min(0xFFFF));
            (first..=last).for_each(|code| is_han[code] = true);
        }
        table_with(|code, class| match (is_han[code as usize], class) {
            (true, Class::Letter) => APART,
            (true, _) => ODD,
            (false, class) => class.0,
        })
    };
    TABLE.get_or_make(make)
}

/// The table of DeepSeek's pattern, which tells Chinese and Japanese from other letters; what is neither symbol
/// nor letter, number or space is odd.
pub(super) fn deepseek_table() -> &'static WideClasses {
    static TABLE: FirstUse<WideClasses> = FirstUse::new();
    let make = || {
        table_with(|code, class| match (is_cjk(code), class) {
            (true, Class::Letter) => APART,
            (true, _) | (false, Class::Other) => ODD,
            (false, class) => class.0,
        })
    };
    TABLE.get_or_make(make)
}

/// `[一-龥぀-ゟ゠-ヿ]`
pub(super) fn is_cjk(code: u32) -> bool {
    matches!(code, 0x4E00..=0x9FA5 | 0x3040..=0x30FF)
}

/// A table for blocks of which `number` is the class of each character of at most three bytes.
fn table_with(number: impl Fn(u32, Class) -> u8) -> WideClasses {
    let mut numbers: Vec<u8> = Vec::new();
    let mut index = Vec::new();
    for first in (0..0x1_0000).step_by(128) {
        let page: Vec<u8> =
            (first..first + 128).map(|code| number(code, Class::of(code))).collect();
        let known = numbers.chunks(128).position(|known| known == page);
        let at = known.unwrap_or_else(|| {
            numbers.extend_from_slice(&page);
            numbers.len() / 128 - 1
        });
        index.push(u8::try_from(at).expect("at most 256 distinct pages"));
    }
    let mut classes = WIDE_BITS;
    classes[usize::from(APART)] = class::APART;
    classes[usize::from(ODD)] = class::ODD;
    // A table is made once, for a static.
    WideClasses::new(index.leak(), numbers.leak(), classes)
}

/// A character at a place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Char {
    pub(super) class: Class,
    /// The code point; U+FFFD for an invalid byte.
    pub(super) code: u32,
    /// Where the next character starts.
    pub(super) end: usize,
}

/// The character that starts at `at`, or none at the end of the text.
#[inline(always)]
pub(super) fn char_at(text: &[u8], at: usize) -> Option<Char> {
    let &first = text.get(at)?;
    if first < 0x80 {
        return Some(Char {
            class: Class::of(u32::from(first)),
            code: u32::from(first),
            end: at + 1,
        });
    }
    Some(match decode(&text[at..]) {
        Some((code, len)) => Char { class: Class::of(code), code, end: at + len },
        None => Char { class: Class::Symbol, code: 0xFFFD, end: at + 1 },
    })
}

/// The valid character that ends at `at`, if one does.
pub(super) fn char_before(text: &[u8], at: usize) -> Option<Char> {
    let start = (at.saturating_sub(4)..at).rev().find(|&i| text[i] & 0xC0 != 0x80)?;
    char_at(text, start).filter(|c| c.end == at && (c.code != 0xFFFD || at - start == 3))
}

/// The code point at the start of `text` and its length, if `text` starts with a valid sequence of
/// several bytes.
#[inline(always)]
pub(super) fn decode(text: &[u8]) -> Option<(u32, usize)> {
    let next = |i: usize| text.get(i).filter(|&&b| b & 0xC0 == 0x80).map(|&b| u32::from(b & 0x3F));
    let first = u32::from(text[0]);
    match first {
        0xC2..=0xDF => Some(((first & 0x1F) << 6 | next(1)?, 2)),
        0xE0..=0xEF => {
            let code = (first & 0x0F) << 12 | next(1)? << 6 | next(2)?;
            (code >= 0x800 && !(0xD800..0xE000).contains(&code)).then_some((code, 3))
        }
        0xF0..=0xF4 => {
            let code = (first & 0x07) << 18 | next(1)? << 12 | next(2)? << 6 | next(3)?;
            (0x1_0000..0x11_0000).contains(&code).then_some((code, 4))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_valid_sequence_decodes_to_itself() {
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer).as_bytes();
            let found = char_at(text, 0).unwrap();
            assert_eq!((found.code, found.end), (c as u32, text.len()));
        }
    }

    #[test]
    fn decoding_accepts_exactly_what_the_standard_library_accepts() {
        let bytes = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF];
        let bytes = bytes.iter().chain(&[0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF]);
        let bytes: Vec<u8> = bytes.copied().collect();
        for &a in &bytes {
            for &b in &bytes {
                for &c in &bytes {
                    for &d in &bytes {
                        let text = [a, b, c, d];
                        let found = char_at(&text, 0).unwrap();
                        let valid = (1..=4).find(|&n| std::str::from_utf8(&text[..n]).is_ok());
                        let invalid = valid.is_none();
                        assert_eq!(found.end, valid.unwrap_or(1), "{text:02X?}");
                        assert_eq!(found.code == 0xFFFD, invalid, "{text:02X?}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_invalid_byte_has_the_class_of_the_replacement_character() {
        assert_eq!(char_at(b"\xFF", 0).unwrap().class, Class::of(0xFFFD));
    }

    #[test]
    fn the_table_says_what_the_regex_engine_says() {
        let classes = [
            (r"[\p{Lu}\p{Lt}]", Class::Upper),
            (r"\p{Ll}", Class::Lower),
            (r"[\p{Lm}\p{Lo}]", Class::Letter),
            (r"\p{M}", Class::Mark),
            (r"\p{N}", Class::Number),
            (r"[\p{P}\p{S}]", Class::Symbol),
            (r"[\s--\r\n]", Class::Space),
            (r"[\r\n]", Class::Newline),
        ];
        let mut in_none = vec![true; 0x11_0000];
        for (pattern, class) in classes {
            let regex =
                fancy_regex::Regex::new(&pattern.replace(r"[\s--\r\n]", r"[^\S\r\n]")).unwrap();
            for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
                let matches = regex.is_match(c.encode_utf8(&mut [0; 4])).unwrap();
                assert_eq!(matches, Class::of(c as u32) == class, "{c:?} {pattern}");
                in_none[c as usize] &= !matches;
            }
        }
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            assert_eq!(in_none[c as usize], Class::of(c as u32) == Class::Other, "{c:?}");
        }
    }
}
