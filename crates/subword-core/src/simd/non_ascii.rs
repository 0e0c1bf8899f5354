/*!
The classes of all characters of two and three bytes, for blocks of 64 bytes.

The classes come in pages of 128 characters: the bytes before the last are the same, but for one bit. A
block is written in one or two scripts, so it has characters of few pages, and each page is one look-up
of all 64 bytes:

```text
for all characters of three bytes   the class of the 512 around it, if they have one class: Chinese, Hangul
while a character has no class      take the first of them; look up its page for all that are on it
```

Characters of four bytes and invalid bytes have no class here. They are left to scanners that know all of Unicode.
*/

// Where there are no lanes the scalar form runs, which needs the tables alone.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]

use super::scalar::CLASS_BITS;
use super::{BLOCK, Masks, WINDOW};

/// The longest character that has a class here, in bytes.
pub(super) const LONGEST: usize = 3;

/// The class of a character, as bits. What has none is a symbol.
pub mod class {
    /// A capital letter.
    pub const UPPER: u8 = 1;
    /// A small letter.
    pub const LOWER: u8 = 2;
    /// A letter without case.
    pub const CASELESS: u8 = UPPER | LOWER;
    /// A number.
    pub const DIGIT: u8 = 4;
    /// The space.
    pub const SPACE: u8 = 8;
    /// White space that is neither the space nor a newline.
    pub const TAB: u8 = 16;
    /// Line feed and carriage return.
    pub const NEWLINE: u8 = 32;
    /// `'`
    pub const APOSTROPHE: u8 = 64;
    /// `/`
    pub const SLASH: u8 = 128;
    /// A combining mark.
    pub const MARK: u8 = APOSTROPHE | SLASH;
    /// A letter that a pattern tells apart from all others.
    pub const APART: u8 = CASELESS | DIGIT;
    /// A character of which a pattern knows more than its class.
    pub const ODD: u8 = SPACE | TAB;
}

/// The classes of characters, as a table of two levels has them.
#[derive(Debug)]
pub struct WideClasses {
    /// The block of 128 characters that `c` is in: `index[c / 128]`.
    index: &'static [u8],
    /// The numbers of the classes in each block: below 16.
    numbers: &'static [u8],
    /// The class of each number.
    bits: [u8; 64],
    /// For 512 characters at a time, all of three bytes: the number of their class, or `MIXED`, or
    /// `NONE`.
    groups: [u8; 128],
}

/// The characters of a group have more than one class.
const MIXED: u8 = 0x40;
/// Bytes that look like a character of this group are not valid UTF-8.
const NONE: u8 = 0x80;

impl WideClasses {
    /// From the two levels, with the class of each number.
    pub const fn new(index: &'static [u8], numbers: &'static [u8], classes: [u8; 16]) -> Self {
        let (mut bits, mut groups) = ([0; 64], [NONE; 128]);
        let mut at = 0;
        while at < classes.len() {
            bits[at] = classes[at];
            at += 1;
        }
        let mut code = 0x800;
        while code < 0x1_0000 {
            let number = numbers[(index[code >> 7] as usize) << 7 | code & 127];
            let group = &mut groups[code >> 9];
            if code & 511 == 0 {
                *group = number;
            } else if *group != number {
                *group = MIXED;
            }
            code += 1;
        }
        // Surrogates.
        let mut group = 0xD800 >> 9;
        while group < 0xE000 >> 9 {
            groups[group] = NONE;
            group += 1;
        }
        WideClasses { index, numbers, bits, groups }
    }

    /// The numbers of the classes of the 128 characters from `128 * page`.
    #[inline(always)]
    fn page(&self, page: usize) -> &[u8; 128] {
        let from = usize::from(self.index[page]) << 7;
        self.numbers[from..].first_chunk().expect("whole pages")
    }

    /// The class and the length of the character at the start of `bytes`, if it has one here.
    pub fn of(&self, bytes: &[u8]) -> Option<(u8, usize)> {
        let next = |i: usize| {
            let byte = bytes.get(i).filter(|&&byte| byte & 0xC0 == 0x80)?;
            Some(usize::from(byte & 0x3F))
        };
        let (code, len) = match *bytes.first()? {
            lead @ 0xC2..0xE0 => (usize::from(lead & 0x1F) << 6 | next(1)?, 2),
            lead @ 0xE0..0xF0 => (usize::from(lead & 0x0F) << 12 | next(1)? << 6 | next(2)?, 3),
            _ => return None,
        };
        if len == 3 && self.groups[code >> 9] == NONE {
            return None;
        }
        Some((self.bits[usize::from(self.page(code >> 7)[code & 127])], len))
    }
}

/// The first page of the characters that start with a byte, by its six lowest bits.
const FIRST_PAGE: [u16; 64] = {
    let mut pages = [0; 64];
    let mut lead = 0;
    while lead < 32 {
        pages[lead] = lead as u16 >> 1;
        pages[32 + lead] = (lead as u16 & 15) << 5;
        lead += 1;
    }
    pages
};

/// 64 bytes, and what can be asked of them at once. Bit i of an answer is byte i.
pub(super) trait Lanes: Copy {
    /// This byte, 64 times.
    fn all(byte: u8) -> Self;
    /// These bytes.
    fn load(bytes: &[u8; BLOCK]) -> Self;
    /// Which bytes are this one.
    fn equal(self, byte: u8) -> u64;
    /// Which bytes are at least this one, which is above 127. For bytes up to 127 the answer may be
    /// anything.
    fn at_least(self, byte: u8) -> u64;
    /// Which bytes continue a character: 0x80 to 0xBF.
    fn continuation(self) -> u64;
    /// Each byte becomes `first << 3 & 0x78 | second >> 3 & 7`.
    fn groups(first: Self, second: Self) -> Self;
    /// Each byte becomes `before << 6 & 0x40 | last & 0x3F`.
    fn places(before: Self, last: Self) -> Self;
    /// Each byte becomes that of the table, whose place is in its six lowest bits.
    fn look_up_64(self, table: &[u8; 64]) -> Self;
    /// The same with seven bits. For bytes above 127 the answer may be anything.
    fn look_up_128(self, table: &[u8; 128]) -> Self;
    /// Zero where the mask is.
    fn only(self, mask: u64) -> Self;
    /// Bit by bit.
    fn or(self, other: Self) -> Self;
    /// Which bytes have this bit.
    fn with(self, bit: u8) -> u64;
    /// For each bit, lowest first: which bytes have it, of those in `places`, closed up.
    fn pack(self, places: u64) -> [u64; 8];
}

/// The classes of the characters of a block in which the bytes `high` are not ASCII.
#[inline(always)]
pub(super) fn classify<L: Lanes>(window: &[u8; WINDOW], high: u64, table: &WideClasses) -> Masks {
    let load =
        |at: usize| L::load(window[at..].first_chunk().expect("a window is a block and more"));
    let [first, second, third] = [load(0), load(1), load(2)];
    let continued = second.continuation() & high;
    let from_three = first.at_least(0xE0);
    let two = first.at_least(0xC2) & !from_three & continued;
    let three = from_three & !first.at_least(0xF0) & continued & third.continuation();

    let mut numbers = L::groups(first, second).look_up_128(&table.groups).only(three);
    let three = three & !numbers.with(NONE);
    // What is the same in all characters of a page, and where in the page they are.
    let one = L::all(1);
    let key = [first.or(one.only(two)), second.or(one).only(three)];
    let place =
        L::places(first.only(two).or(second.only(three)), second.only(two).or(third.only(three)));
    let mut open = two | numbers.with(MIXED);
    while open != 0 {
        let at = open.trailing_zeros() as usize;
        let (lead, next) = (window[at], window[at + 1]);
        // PERF: what comes next cannot be guessed, so no branches here.
        let is_three = u8::from(lead >= 0xE0).wrapping_neg();
        let page = usize::from(FIRST_PAGE[usize::from(lead & 0x3F)])
            | usize::from((next & 0x3F & is_three) >> 1);
        let same = key[0].equal(lead | 1 & !is_three) & key[1].equal((next | 1) & is_three) & open;
        numbers = numbers.or(place.look_up_128(table.page(page)).only(same));
        open &= !same;
    }

    let known = !high | two | two << 1 | three | three << 1 | three << 2;
    let within = match known.trailing_ones() {
        64 => u64::MAX,
        len => (1 << len) - 1,
    };
    let starts = (!high | two | three) & within;
    let wide = numbers.look_up_64(&table.bits).only(two | three);
    let classes = first.look_up_128(&CLASS_BITS).only(!high).or(wide);
    Masks::new(classes.pack(starts), starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Kernel, Level};
    use crate::testing::every;

    /// Classes that change in many ways: with each character, with each page, and seldom.
    static TABLE: WideClasses = {
        static INDEX: [u8; 512] = {
            let mut index = [0; 512];
            let mut at = 0;
            while at < 512 {
                index[at] = if at < 0x20 || at >> 4 & 3 == 1 {
                    at as u8 % 5
                } else {
                    5 + (at >> 5 & 1) as u8
                };
                at += 1;
            }
            index
        };
        static NUMBERS: [u8; 7 * 128] = {
            let mut numbers = [0; 7 * 128];
            let mut at = 0;
            while at < numbers.len() {
                numbers[at] = match at / 128 {
                    0 => at as u8 % 9,
                    1 => at as u8 / 7 % 9,
                    2 => at as u8 / 64,
                    3 => at as u8 % 2 * 4,
                    4 => at as u8 / 16 % 9,
                    block => block as u8 - 3,
                };
                at += 1;
            }
            numbers
        };
        use class::*;
        let classes = [0, UPPER, LOWER, CASELESS, MARK, DIGIT, 0, TAB, TAB, 0, 0, 0, 0, 0, 0, 0];
        WideClasses::new(&INDEX, &NUMBERS, classes)
    };

    struct One<'a>(&'a [u8; WINDOW]);

    impl Kernel for One<'_> {
        type Output = Masks;
        #[inline(always)]
        fn run<C: Isa>(self) -> Masks {
            C::classify(self.0, &TABLE)
        }
    }

    fn assert_same(window: &[u8; WINDOW]) {
        let expected = Level::SCALAR.run(One(window));
        for level in Level::available() {
            assert_eq!(level.run(One(window)), expected, "{level:?} {}", window.escape_ascii());
        }
    }

    #[test]
    fn every_level_classifies_every_byte_as_the_scalar_one() {
        for byte in 0..=255u8 {
            for at in 0..WINDOW {
                let mut window = [b'.'; WINDOW];
                window[at] = byte;
                assert_same(&window);
            }
        }
    }

    #[test]
    fn every_level_classifies_every_character_as_the_scalar_one() {
        let seconds = [0, b'a', 0x7F].into_iter().chain(0x80..0xC2).chain([0xD0, 0xE3, 0xFF]);
        let seconds: Vec<u8> = seconds.collect();
        // Unbroken, so that they stand at every place of a block, and cut short at its end.
        let mut text = Vec::new();
        for first in 0xC0..=0xFFu8 {
            for &second in &seconds {
                for &third in &seconds {
                    text.extend([first, second, third]);
                }
                text.extend([first, second, b' ']);
            }
        }
        for at in (0..text.len() - WINDOW).step_by(every()) {
            assert_same(text[at..].first_chunk().unwrap());
        }
    }

    #[test]
    fn the_scalar_classes_are_what_their_names_say() {
        for byte in 0..128u8 {
            let masks = Level::SCALAR.run(One(&[byte; WINDOW]));
            let all = |yes: bool| if yes { u64::MAX } else { 0 };
            assert_eq!(masks.upper, all(byte.is_ascii_uppercase()));
            assert_eq!(masks.lower, all(byte.is_ascii_lowercase()));
            assert_eq!(masks.caseless | masks.mark, 0);
            assert_eq!(masks.digit, all(byte.is_ascii_digit()));
            assert_eq!(masks.space, all(byte == b' '));
            assert_eq!(masks.tab, all(matches!(byte, b'\t' | 0x0B | 0x0C)));
            assert_eq!(masks.newline, all(matches!(byte, b'\r' | b'\n')));
            assert_eq!(masks.apostrophe, all(byte == b'\''));
            assert_eq!(masks.slash, all(byte == b'/'));
            assert_eq!(masks.starts, u64::MAX);
        }
    }
}
