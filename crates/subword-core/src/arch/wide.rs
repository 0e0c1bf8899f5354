/*!
The characters beyond ASCII that are classified 64 bytes at a time: those that whole texts are made
of.

| bytes              | characters                                  | class                    |
|--------------------|---------------------------------------------|--------------------------|
| `C3`               | Latin-1 letters, not × and ÷                | by case                  |
| `C4` to `C9`       | Latin Extended, not ſ                       | letters of unknown case  |
| `D0` `D1`          | Cyrillic                                    | by case                  |
| `E3` `81` to `83`  | kana, not the marks and symbols among them  | letters without case     |
| `E3 90` to `E9`    | Chinese, not the hexagrams                  | letters without case     |
| `EA B0` to `ED 9D` | Hangul                                      | letters without case     |
| `C2` `E2 80` `E3 80` `EF BC` | quotes, dashes, CJK punctuation   | symbols                  |

Everything else has no class here, and is left to scanners that know all of Unicode (which check in
their tests that this table agrees with theirs).

The rules stand here twice: as [`wide`], character by character, which is plain, and as [`leads`] on
masks of whole blocks.
*/

/// The longest character that has a class here, in bytes.
pub(super) const LONGEST: usize = 3;

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    /// A capital letter.
    Upper,
    /// A small letter.
    Lower,
    /// A letter without case.
    Caseless,
    /// A letter that may be any of the three.
    Unsure,
    /// Neither letter, number nor white space.
    Symbol,
}

/// The class and the length of the character at the start of `bytes`, if it has one here.
pub fn wide(bytes: &[u8]) -> Option<(Wide, usize)> {
    let (first, rest) = bytes.split_first()?;
    let second = *rest.first().filter(|&&byte| is_continuation(byte))?;
    let class = match (first, second) {
        (0xC2, 0xAB | 0xBB) => Wide::Symbol,
        (0xC3, 0x97 | 0xB7) => return None,
        (0xC3, ..0x9F) => Wide::Upper,
        (0xC3, _) => Wide::Lower,
        (0xC5, 0xBF) => return None,
        (0xC4..=0xC9, _) => Wide::Unsure,
        (0xD0, ..0xB0) => Wide::Upper,
        (0xD0, _) | (0xD1, ..0xA0) => Wide::Lower,
        (0xD1, _) => Wide::Unsure,
        _ => return wide_of_three(*first, second, *rest.get(1)?),
    };
    Some((class, 2))
}

fn wide_of_three(first: u8, second: u8, third: u8) -> Option<(Wide, usize)> {
    if !is_continuation(third) {
        return None;
    }
    let class = match (first, second, third) {
        (0xE2, 0x80, 0x90..=0xA7 | 0xB0..=0xBE) => Wide::Symbol,
        (0xE3, 0x80, 0x81..=0x83 | 0x88..=0x91 | 0x94..=0x9F) => Wide::Symbol,
        (0xE3, 0x81, 0x81..) => Wide::Caseless,
        (0xE3, 0x82, ..=0x96 | 0xA1..) => Wide::Caseless,
        (0xE3, 0x83, third) if third != 0xBB => Wide::Caseless,
        (0xE3, 0x90.., _) => Wide::Caseless,
        (0xE4, second, _) if second != 0xB7 => Wide::Caseless,
        (0xE5..=0xE9 | 0xEB | 0xEC, _, _) => Wide::Caseless,
        (0xEA, 0xB0.., _) | (0xED, ..0x9E, _) => Wide::Caseless,
        (0xEF, 0xBC, 0x81..=0x8F | 0x9A..=0xA0) => Wide::Symbol,
        _ => return None,
    };
    Some((class, 3))
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Tests on 64 bytes at once: bit i of an answer is byte i.
pub(super) trait Lanes {
    /// Which bytes are this one.
    fn equal(&self, byte: u8) -> u64;
    /// Which bytes are at least this one, which is above 127. For bytes up to 127 the answer may be
    /// anything.
    fn at_least(&self, byte: u8) -> u64;
    /// Which bytes continue a character: 0x80 to 0xBF.
    fn continuation(&self) -> u64;
}

/// Where characters start that have a class here.
pub(super) struct Leads {
    pub(super) upper: u64,
    pub(super) lower: u64,
    pub(super) caseless: u64,
    pub(super) unsure: u64,
    /// Those of two bytes, those of three.
    pub(super) two: u64,
    pub(super) three: u64,
}

/// The rules of [`wide`] for all bytes at once: `first`, and the bytes one and two after each.
#[inline(always)]
pub(super) fn leads(first: &impl Lanes, second: &impl Lanes, third: &impl Lanes) -> Leads {
    let continued = second.continuation();
    let [c2, c3, d0, d1] = [0xC2, 0xC3, 0xD0, 0xD1].map(|byte| first.equal(byte) & continued);
    let latin = c3 & !(second.equal(0x97) | second.equal(0xB7));
    let small = second.at_least(0x9F);
    let extended = first.at_least(0xC4) & !first.at_least(0xCA) & continued;
    let extended = extended & !(first.equal(0xC5) & second.equal(0xBF));
    let from_a0 = second.at_least(0xA0);
    let from_b0 = second.at_least(0xB0);
    let quotes = c2 & (second.equal(0xAB) | second.equal(0xBB));
    let upper = latin & !small | d0 & !from_b0;
    let lower = latin & small | d0 & from_b0 | d1 & !from_a0;
    let unsure = extended | d1 & from_a0;

    let continued = continued & third.continuation();
    let from = |byte: u8| third.at_least(byte);
    let [e2, e3, e4, ea, ed, ef] =
        [0xE2, 0xE3, 0xE4, 0xEA, 0xED, 0xEF].map(|byte| first.equal(byte));
    let mut caseless = first.at_least(0xE5) & !first.at_least(0xED) & !ea
        | e4 & !second.equal(0xB7)
        | ea & from_b0
        | ed & !second.at_least(0x9E);
    let mut symbol =
        e2 & second.equal(0x80) & (from(0x90) & !from(0xA8) | from(0xB0) & !from(0xBF));
    if e3 != 0 {
        let [s80, s81, s82, s83] = [0x80, 0x81, 0x82, 0x83].map(|byte| second.equal(byte));
        caseless |= e3
            & (s81 & from(0x81)
                | s82 & (!from(0x97) | from(0xA1))
                | s83 & !third.equal(0xBB)
                | second.at_least(0x90));
        let punctuation =
            from(0x81) & !from(0x84) | from(0x88) & !from(0x92) | from(0x94) & !from(0xA0);
        symbol |= e3 & s80 & punctuation;
    }
    if ef != 0 {
        let punctuation = from(0x81) & !from(0x90) | from(0x9A) & !from(0xA1);
        symbol |= ef & second.equal(0xBC) & punctuation;
    }
    let caseless = caseless & continued;
    let three = caseless | symbol & continued;
    Leads { upper, lower, caseless, unsure, two: upper | lower | unsure | quotes, three }
}
