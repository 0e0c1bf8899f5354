/*!
Pieces for a model without a pattern: a text is cut between two characters wherever their classes show that no
token spans them.

Such a model (SentencePiece's) merges a whole text as one piece. A merge makes a token, so where no token spans two
characters the text may be cut, and both sides have the ids that they have in the whole (`bpe::Joins` is the same
idea for single pairs of characters). Vocabularies are learned from words, so most pairs of classes never stand
side by side in a token:

```text
tokens    ▁the  ▁cat  ing  ,"  ...  ▁(      pairs   space letter . letter letter . symbol symbol . space symbol
text      the cat, sitting                  pieces  the | ␣cat | , | ␣sitting
```

The spaces of tokens are spaces here, not `▁`. A character `▁` in a text is never next to a cut, because what stands
for it after normalisation is a space.

Why classes and not single pairs of characters: 64 bytes at a time are cut by a few operations on masks. Symbols
are told apart by whether they are ASCII, because tokens of joiners and of digits of other scripts would otherwise keep
words and ASCII punctuation together. Gemma has one token of `>` and a space, so up to one symbol may be an
exception that is never next to a cut.
*/

use super::blocks::{Block, Family, Starts, after, low_bits};
use super::class::{Char, Class, char_at};
use crate::simd::{BLOCK, Isa};

/// U+0020.
const SPACE: usize = 0;
/// Letters and marks.
const LETTER: usize = 1;
/// ASCII digits.
const DIGIT: usize = 2;
/// Other ASCII characters.
const SYMBOL: usize = 3;
/// Characters beyond ASCII that are no letters.
const OTHER: usize = 4;
/// The exceptional symbol, and `▁`.
const EXCEPTION: usize = 5;
const CLASSES: usize = 6;

/// The classes that a part of a character may stand in.
const PARTS: u8 = 1 << LETTER | 1 << OTHER | 1 << EXCEPTION;

/// What SentencePiece writes for a space.
const SPACE_MARK: u32 = 0x2581;

/// The exception of a model that needs none: a byte that is not ASCII.
const NO_EXCEPTION: u8 = 0xFF;

/// Which classes of characters no token holds side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassPairs {
    /// Bit b of `cuts[a]`: a text is cut between a character of class a and one of class b.
    cuts: [u8; CLASSES],
    /// The pairs of classes that are not cut, but for those with the exception, and how many they are.
    joined: [[u8; 2]; EXCEPTION * EXCEPTION],
    joined_count: u8,
    /// The ASCII symbol that is never next to a cut.
    exception: u8,
}

impl ClassPairs {
    /// What these tokens allow. Their spaces are spelled as spaces. A part of a character may be any character
    /// beyond ASCII.
    pub fn of<'t>(tokens: impl Iterator<Item = &'t [u8]> + Clone) -> ClassPairs {
        let mut before_space = tokens
            .clone()
            .flat_map(|token| token.windows(2))
            .filter(|two| two[1] == b' ' && two[0] != b' ' && two[0].is_ascii())
            .map(|two| two[0]);
        let first = before_space.next();
        let exception = first.filter(|&first| before_space.all(|other| other == first));
        let all = ((1 << CLASSES) - 1) & !(1 << EXCEPTION);
        let mut pairs = ClassPairs {
            cuts: [all; CLASSES],
            joined: [[0; 2]; EXCEPTION * EXCEPTION],
            joined_count: 0,
            exception: exception.filter(|c| !c.is_ascii_alphanumeric()).unwrap_or(NO_EXCEPTION),
        };
        pairs.cuts[EXCEPTION] = 0;
        for token in tokens {
            let mut before = 0;
            for chunk in token.utf8_chunks() {
                for c in chunk.valid().chars() {
                    let class = 1 << pairs.class_of(c as u32);
                    pairs.join(before, class);
                    before = class;
                }
                if !chunk.invalid().is_empty() {
                    pairs.join(before | PARTS, PARTS);
                    before = PARTS;
                }
            }
        }
        for (before, cuts) in pairs.cuts[..EXCEPTION].iter().enumerate() {
            for after in (0..EXCEPTION).filter(|after| cuts >> after & 1 == 0) {
                pairs.joined[usize::from(pairs.joined_count)] = [before as u8, after as u8];
                pairs.joined_count += 1;
            }
        }
        pairs
    }

    /// No cut between a character of the first classes and one of the second.
    fn join(&mut self, before: u8, after: u8) {
        let classes = self.cuts.iter_mut().enumerate();
        classes.filter(|(class, _)| before >> class & 1 == 1).for_each(|(_, cuts)| *cuts &= !after);
    }

    fn class_of(self, code: u32) -> usize {
        let class = Class::of(code);
        match code {
            0x20 => SPACE,
            SPACE_MARK => EXCEPTION,
            _ if class.is_letter() || class == Class::Mark => LETTER,
            _ if code == u32::from(self.exception) && code < 0x80 => EXCEPTION,
            _ if code >= 0x80 => OTHER,
            _ if class == Class::Number => DIGIT,
            _ => SYMBOL,
        }
    }

    /// Whether a piece ends between two characters.
    #[inline]
    pub(super) fn cuts_between(self, before: Char, after: Char) -> bool {
        self.cuts[self.class_of(before.code)] >> self.class_of(after.code) & 1 == 1
    }

    /// Where the piece that starts at `at` ends.
    pub(super) fn scan(self, text: &[u8], at: usize) -> usize {
        let Some(mut last) = char_at(text, at) else { return at };
        while let Some(next) = char_at(text, last.end) {
            if self.cuts_between(last, next) {
                break;
            }
            last = next;
        }
        last.end
    }

    /// Bit i: a piece starts at character i of the block, which `text` starts with. The first bit says nothing.
    #[inline(always)]
    fn cut_bits<C: Isa>(self, m: &Block, text: &[u8]) -> u64 {
        let all = low_bits(m.len);
        let in_characters = |bytes: u64| match m.class.starts {
            u64::MAX => bytes,
            starts => C::gather(bytes, starts),
        };
        let ascii = match m.class.starts {
            u64::MAX => all,
            // The byte after an ASCII character is the start of a character; of the last one that is not known. A block
            // may be empty.
            starts => {
                let last = BLOCK - 1 - (starts | 1).leading_zeros() as usize;
                in_characters(starts & starts >> 1 | u64::from(text[last] < 0x80) << last)
            }
        };
        let exception = match self.exception {
            NO_EXCEPTION => 0,
            byte => in_characters(C::equal_bytes(text, byte)) & all,
        };
        let known = m.letter | m.class.space | exception;
        let digit = m.class.digit & ascii;
        let masks =
            [m.class.space, m.letter, digit, all & ascii & !(known | digit), all & !ascii & !known];
        // PERF: few pairs of classes are joined, and which ones is the same for all blocks.
        let mut joined = exception | after(exception);
        for &[before, next] in &self.joined[..usize::from(self.joined_count)] {
            joined |= after(masks[usize::from(before)]) & masks[usize::from(next)];
        }
        all & !joined
    }
}

impl Family for ClassPairs {
    #[inline(always)]
    fn marks_in_words(&self) -> bool {
        true
    }

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

/// The highest bit of each byte of eight words in a row, as the bits of one word.
#[inline(always)]
pub(super) fn by_words(text: &[u8], high_bits: impl Fn(u64) -> u64) -> u64 {
    let (words, _) = text[..BLOCK].as_chunks::<8>();
    let bits = words.iter().map(|&word| {
        // The product moves the bits of the eight bytes into the top byte, in order.
        (high_bits(u64::from_le_bytes(word)) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    bits.enumerate().fold(0, |all, (at, bits)| all | bits << (8 * at))
}

/// Bit i: byte i of the block is not ASCII.
#[inline(always)]
pub(super) fn high_bytes(text: &[u8]) -> u64 {
    by_words(text, |word| word & 0x8080_8080_8080_8080)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Scanner, Splitter};
    use super::*;
    use crate::simd::Level;
    use crate::testing::Random;

    const UNITS: [&str; 18] = [
        " ",
        "a",
        "Z",
        "é",
        "ж",
        "中",
        "\u{301}",
        "7",
        "٣",
        ",",
        ">",
        "\n",
        "\t",
        "“",
        "\u{200D}",
        "\u{A0}",
        "\u{1F600}",
        "\u{378}",
    ];

    fn random_text(random: &mut Random, length: usize) -> String {
        (0..length).map(|_| UNITS[random.below(UNITS.len())]).collect()
    }

    #[test]
    fn blocks_cut_as_the_plain_scanner_does_at_every_level() {
        let mut random = Random::new(1);
        for round in 0..400 {
            let count = random.below(6);
            let tokens: Vec<String> = (0..count).map(|_| random_text(&mut random, 3)).collect();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let pairs = ClassPairs::of(tokens.iter().map(|token| token.as_bytes()));
            let length = random.below(if round % 20 == 0 { 3000 } else { 150 });
            let mut text = random_text(&mut random, length);
            if round % 3 == 0 {
                text = text.replace(|c: char| !c.is_ascii(), "b");
            }
            let (mut expected, mut at) = (Vec::new(), 0);
            while at < text.len() {
                at = pairs.scan(text.as_bytes(), at);
                expected.push(at);
            }
            for level in Level::available() {
                let splitter = Splitter { kind: Kind::Scanner(Scanner::Classes(pairs)), level };
                let mut ends = Vec::new();
                splitter.append_ends(text.as_bytes(), 0, &mut ends).unwrap();
                assert_eq!(ends, expected, "{level:?} {tokens:?} {text:?}");
            }
        }
    }

    #[test]
    fn no_token_spans_a_cut() {
        let mut random = Random::new(2);
        for _ in 0..2000 {
            let tokens: Vec<String> = (0..6).map(|_| random_text(&mut random, 4)).collect();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let pairs = ClassPairs::of(tokens.iter().map(|token| token.as_bytes()));
            for token in tokens {
                assert_eq!(pairs.scan(token.as_bytes(), 0), token.len(), "{token:?}");
            }
        }
    }

    #[test]
    fn no_token_that_cuts_characters_spans_a_cut() {
        let mut random = Random::new(3);
        let part = |random: &mut Random| {
            let text = random_text(random, 4).into_bytes();
            let from = random.below(text.len());
            text[from..from + random.below(text.len() - from + 1)].to_vec()
        };
        for _ in 0..2000 {
            let tokens: Vec<Vec<u8>> = (0..6).map(|_| part(&mut random)).collect();
            let pairs = ClassPairs::of(tokens.iter().map(Vec::as_slice));
            for token in tokens {
                let text = [&random_text(&mut random, 3).into_bytes(), &token[..], b"a"].concat();
                let (start, mut at) = (text.len() - token.len() - 1, 0);
                while at < text.len() {
                    at = pairs.scan(&text, at);
                    let inside = start < at && at < start + token.len();
                    assert!(!inside, "{} in {}", token.escape_ascii(), text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn a_symbol_that_joins_a_space_keeps_no_other_from_being_cut() {
        let pairs = ClassPairs::of([&b"> "[..], b" a", b"ab"].into_iter());
        let pieces = |text: &'static str| pairs.scan(text.as_bytes(), 0);
        assert_eq!((pieces(", a"), pieces("> a"), pieces("ab, a")), (1, 3, 2));
        let two = ClassPairs::of([&b"> "[..], b"< ", b" a"].into_iter());
        assert_eq!(two.scan(b", a", 0), 3);
    }

    #[test]
    fn a_space_mark_is_never_next_to_a_cut() {
        let pairs = ClassPairs::of(std::iter::once(&b"ab"[..]));
        assert_eq!(pairs.scan("a\u{2581}b,".as_bytes(), 0), 5);
    }
}
