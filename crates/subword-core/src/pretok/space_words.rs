/*!
Pieces of a text whose white space cuts it, before it is normalised: see `chain::RawWords`, which asks whether a
model allows that.

```text
"low lower\n\n  lowest"   ->   "low" | " lower" | "\n\n  lowest"
```

A piece ends before a space, a line feed or a carriage return that follows a letter or a visible ASCII character. What
follows another character may be changed together with it (a mark, another kind of space), so it stays.
*/

use memchr::memchr3;

use super::blocks::{Block, Family, Starts, after, low_bits};
use super::class::{Char, char_at, char_before};
use super::class_pairs::{by_words, high_bytes};
use crate::simd::Isa;

/// Cuts before white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpaceWords;

impl SpaceWords {
    /// Whether a piece ends between two characters.
    #[inline]
    pub(super) fn cuts_between(self, before: Char, after: Char) -> bool {
        let white = matches!(after.code, 0x20 | 0x0A | 0x0D);
        white && (before.class.is_letter() || matches!(before.code, 0x21..0x7F))
    }

    /// Where the piece that starts at `at` ends.
    pub(super) fn scan(self, text: &[u8], at: usize) -> usize {
        let mut from = at + 1;
        while let Some(white) = text.get(from..).and_then(|rest| memchr3(b' ', b'\n', b'\r', rest))
        {
            let place = from + white;
            let before = char_before(text, place);
            if before.zip(char_at(text, place)).is_some_and(|(a, b)| self.cuts_between(a, b)) {
                return place;
            }
            from = place + 1;
        }
        text.len()
    }

    /// Bit i: a piece starts at character i of the block, which `text` starts with.
    #[inline(always)]
    fn cut_bits<C: Isa>(self, m: &Block, text: &[u8]) -> u64 {
        let in_characters = |bytes: u64| match m.class.starts {
            u64::MAX => bytes,
            starts => C::gather(bytes, starts),
        };
        let hidden = in_characters(high_bytes(text) | hidden_bytes(text));
        let visible = low_bits(m.len) & !(hidden | m.white);
        after(visible | m.letter) & (m.class.space | m.class.newline)
    }
}

impl Family for SpaceWords {
    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
        // What fills up the last block of a text are spaces: nothing after the first of them counts.
        Starts { bits: self.cut_bits::<C>(m, text), limit: m.limit_of(m.class.space) }
    }

    #[inline(always)]
    fn long_word<C: Isa>(&self, m: &Block, text: &[u8]) -> (u64, u64) {
        let ends = self.cut_bits::<C>(m, text);
        (!ends | 1, ends)
    }
}

/// Bit i: byte i of the block is an ASCII control character.
#[inline(always)]
fn hidden_bytes(text: &[u8]) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    by_words(text, |word| {
        let below_space = !((word & 0x6060_6060_6060_6060).wrapping_add(LOW) | LOW | word);
        let other = word ^ LOW;
        below_space | !((other & LOW).wrapping_add(LOW) | other | LOW)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Class, Kind, Scanner, Splitter};
    use crate::simd::Level;
    use crate::testing::Random;

    #[test]
    fn blocks_cut_as_the_plain_scanner_does_at_every_level() {
        let units = [
            "a",
            "Z",
            "é",
            "ж",
            "中",
            "7",
            ",",
            " ",
            " ",
            "\n",
            "\r",
            "\t",
            "\u{7F}",
            "\u{1}",
            "\u{301}",
            "\u{3000}",
            "\u{A0}",
            "٣",
            "。",
            "\u{1F600}",
            "\u{D4E}",
            "▁",
            "\u{20000}",
        ];
        let mut random = Random::new(1);
        for round in 0..600 {
            let length = random.below(if round % 20 == 0 { 3000 } else { 150 });
            let kinds = if round % 3 == 0 { 14 } else { units.len() };
            let mut text: String = (0..length).map(|_| units[random.below(kinds)]).collect();
            if round % 5 == 0 {
                text = text.replace(|c: char| !c.is_ascii(), "b");
            }
            let (mut expected, mut at) = (Vec::new(), 0);
            while at < text.len() {
                let (mut chars, before) = (text[at..].char_indices(), text[at..].chars());
                chars.next();
                let end = chars.zip(before).find(|&((_, c), before)| {
                    let seen = before.is_ascii_graphic() || Class::of(before as u32).is_letter();
                    seen && matches!(c, ' ' | '\n' | '\r')
                });
                at = end.map_or(text.len(), |((end, _), _)| at + end);
                expected.push(at);
            }
            for level in Level::available() {
                let splitter = Splitter { kind: Kind::Scanner(Scanner::SpaceWords), level };
                let mut ends = Vec::new();
                splitter.append_ends(text.as_bytes(), 0, &mut ends).unwrap();
                assert_eq!(ends, expected, "{level:?} {text:?}");
            }
        }
    }
}
