/*!
Byte scans with SIMD forms, behind safe signatures.

`scalar` defines the answer; the others are tested against it at every byte value and position.
Which one runs is decided once, from what the processor has, or from the environment variable
`SUBWORD_SIMD` (`scalar`, `avx2`, `avx512`), which tests and benchmarks use to force a path. Any other name
is an error, and so is a level that the processor lacks.

A caller hands a [`Kernel`] to [`Level::run`], which calls it with the right [`Classify`] from
inside a function that has the processor's features enabled, so that the whole kernel is compiled
for them.
*/

#![allow(unsafe_code)]

use std::fmt;

use crate::error::{Error, Result};

mod bert;
#[cfg(target_arch = "x86_64")]
mod bert_x86_64;
mod checked;
mod cuts;
mod first_use;
mod keys;
mod lines;
mod pages;
mod scalar;
mod sets;
mod sure;
mod utf8;
mod wide;
#[cfg(target_arch = "x86_64")]
mod wide_x86_64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use bert::{BERT_PUNCTUATION, BERT_WHITE, BertBlock, BertLetters, BertRules, BertSymbols};
pub use checked::checked_utf8;
pub use cuts::{Cuts, JoinedPairs};
pub use first_use::FirstUse;
pub use keys::{
    Bounds, CHINESE, FIRST_BYTES, KEYS, Key, LONGEST_KEY, Odd, few_bytes, hash, last_key,
    window_key,
};
pub use lines::{Line, Lines};
pub use pages::prefer_huge_pages;
pub use sets::{FOUR, look_up};
pub use sure::{AllTwoBytes, MOST_BYTES, NEVER, TwoBytes};
pub use utf8::{UTF8_GROUP, write_utf8};
pub use wide::{WideClasses, class};

/// How many bytes are classified at a time: one bit of a word each.
pub const BLOCK: usize = 64;

/// The block and the rest of a character that starts in it.
pub const WINDOW: usize = BLOCK + wide::LONGEST - 1;

/// The characters that start in 64 bytes, up to the first whose class is not known here: bit i of a
/// class is the i-th character. What is in no class is a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Masks {
    /// Capital letters.
    pub upper: u64,
    /// Small letters.
    pub lower: u64,
    /// Letters without case.
    pub caseless: u64,
    /// Combining marks.
    pub mark: u64,
    /// Numbers.
    pub digit: u64,
    /// The space.
    pub space: u64,
    /// Other white space, without newlines.
    pub tab: u64,
    /// Line feed and carriage return.
    pub newline: u64,
    /// `'`
    pub apostrophe: u64,
    /// `/`
    pub slash: u64,
    /// Where the characters start: bit i is byte i. One bit for each character.
    pub starts: u64,
}

impl Masks {
    /// From a mask for each bit of a class (see [`class`]).
    #[inline(always)]
    fn new(packed: [u64; 8], starts: u64) -> Masks {
        let [upper, lower, digit, space, tab, newline, apostrophe, slash] = packed;
        let (caseless, mark) = (upper & lower, apostrophe & slash);
        let (upper, lower) = (upper & !caseless, lower & !caseless);
        let (apostrophe, slash) = (apostrophe & !mark, slash & !mark);
        Masks {
            upper,
            lower,
            caseless,
            mark,
            digit,
            space,
            tab,
            newline,
            apostrophe,
            slash,
            starts,
        }
    }

    /// How many characters there are.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.starts.count_ones()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts == 0
    }
}

/// A way to classify 64 bytes, and what else has a form of its own at some level. Where a level has none it
/// takes the plain one, which stands here.
pub trait Classify {
    /// The classes of the characters that start in the first 64 bytes; those beyond ASCII by a table.
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks;

    /// The bits of `bits`, spread to the places of the ones in `places`, in order.
    fn spread(bits: u64, places: u64) -> u64;

    /// Appends the positions of the ones, each with `base` added.
    #[inline(always)]
    fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
        scalar::positions(bits, base, into);
    }

    /// The ids of a key in a line of two keys and their ids (see `cache`): writes all places, says how
    /// many count, 0 if it is not there.
    #[inline(always)]
    fn look_up(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        sets::look_up(line, key, into)
    }

    /// The same for four keys, each in its line: writes the ids one after the other, and says where those
    /// of each key end; none if one of them is not there.
    #[inline(always)]
    fn look_up_four(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        sets::look_up_four(lines, keys, into)
    }

    /// The keys of four pieces and the lines where they live: the top bits of their
    /// hashes without the last `shift`. The line of a piece that is too long is 0, and its key means
    /// nothing. None if a piece starts in the last 15 bytes of the text.
    #[inline(always)]
    fn keys(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        keys::keys(text, bounds, shift, keys, lines)
    }

    /// Where a text may be cut between the characters of three bytes that a block starts with.
    #[inline(always)]
    fn cuts(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
        cuts::cuts(block, pairs)
    }

    /// The bytes of a piece, at most 64, as tokens, two of them as one where that merge is sure: how many
    /// there are. What was written beyond them means nothing. `ids` are those of the bytes.
    #[inline(always)]
    fn sure_merges(
        piece: &[u8],
        all: &AllTwoBytes,
        ids: &[u32; 256],
        into: &mut [u32; MOST_BYTES],
    ) -> usize {
        sure::sure_merges(piece, all, ids, into)
    }

    /// What the first bytes of a text, at most 64, become by BERT's rules. What was written beyond the
    /// bytes that count means nothing.
    #[inline(always)]
    fn bert(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
        bert::plain(text, bytes, rules)
    }

    /// Code points as UTF-8: how many bytes were written; none if one of them is no character.
    #[inline(always)]
    fn utf8(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
        utf8::plain(codes, into)
    }
}

/// Work that is compiled for each level.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Does it; mark this `#[inline(always)]`.
    fn run<C: Classify>(self) -> Self::Output;
}

/// A level of SIMD that this processor has.
///
/// INVARIANT: only [`Level::available`] makes a level above [`Level::SCALAR`], after it has asked the
/// processor. The field is private, so safe code cannot run instructions that the processor lacks:
///
/// ```compile_fail
/// let forged = subword_core::arch::Level(subword_core::arch::Features::Avx512);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Level(Features);

/// What the kernels of a level need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Features {
    /// Plain Rust, any processor.
    Scalar,
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// x86-64 with AVX-512 (BW, VBMI).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The environment variable that chooses a level.
const CHOICE: &str = "SUBWORD_SIMD";

/// The names of all levels, also of those that this processor does not have.
const NAMES: [&str; 3] = ["scalar", "avx2", "avx512"];

impl Level {
    /// Plain Rust, any processor.
    pub const SCALAR: Level = Level(Features::Scalar);

    /// The levels that this processor has, the best last.
    pub fn available() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx2() {
                levels.push(Level(Features::Avx2));
            }
            if x86_64::has_avx512() {
                levels.push(Level(Features::Avx512));
            }
        }
        levels
    }

    /// The name that `SUBWORD_SIMD` takes.
    pub fn name(self) -> &'static str {
        match self.0 {
            Features::Scalar => NAMES[0],
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => NAMES[1],
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => NAMES[2],
        }
    }

    /// The level to use: the best one, or the one that `SUBWORD_SIMD` names. It is read once. A name that
    /// is no level, or that of a level which this processor does not have, is an error.
    pub fn chosen() -> Result<Level> {
        static CHOSEN: FirstUse<Result<Level>> = FirstUse::new();
        let choose = || {
            let name = std::env::var_os(CHOICE).unwrap_or_default();
            Level::named(&name.to_string_lossy(), &Level::available())
        };
        CHOSEN.get_or_make(choose).clone()
    }

    /// The level of this name among those that there are; for no name the best.
    fn named(name: &str, available: &[Level]) -> Result<Level> {
        let named = available.iter().copied().find(|level| level.name() == name);
        let best = available.last().copied().filter(|_| name.is_empty());
        named.or(best).ok_or_else(|| {
            let has: Vec<&str> = available.iter().map(|level| level.name()).collect();
            let message = if NAMES.contains(&name) {
                format!("{CHOICE}={name}: this processor has only {}", has.join(", "))
            } else {
                format!("{CHOICE}={name:?}: expected one of {}", NAMES.join(", "))
            };
            Error::Argument { message }
        })
    }

    /// Runs the kernel at this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Features::Scalar => kernel.run::<scalar::Scalar>(),
            // SAFETY: by the invariant `available` has asked the processor for these features.
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => unsafe { x86_64::run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => unsafe { x86_64::run_avx512(kernel) },
        }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Asks for the cache line of `value` ahead of its use. A hint: it changes nothing but time.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_at(std::slice::from_ref(value), 0);
}

/// Asks for the cache line of an element ahead of its use. A hint: it changes nothing but time, and
/// the element need not be there.
#[inline(always)]
pub fn prefetch_at<T>(values: &[T], at: usize) {
    prefetch_pointer(values.as_ptr().wrapping_add(at));
}

/// Asks for a cache line ahead of its use. A hint: nothing is read, and nothing need be there.
#[inline(always)]
pub fn prefetch_pointer<T>(pointer: *const T) {
    #[cfg(target_arch = "x86_64")]
    x86_64::prefetch(pointer);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = pointer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_chosen_by_its_name() {
        let all = Level::available();
        assert_eq!(Level::named("", &all), Ok(all[all.len() - 1]));
        for &level in &all {
            assert_eq!(Level::named(level.name(), &all), Ok(level));
        }
        assert_eq!(Level::chosen(), Level::chosen());
    }

    #[test]
    fn a_name_that_is_no_level_and_a_level_that_is_not_there_are_refused() {
        let refusal = |name: &str| Level::named(name, &[Level::SCALAR]).unwrap_err().to_string();
        let expected = "expected one of scalar, avx2, avx512";
        assert_eq!(refusal("avx"), format!("SUBWORD_SIMD=\"avx\": {expected}"));
        assert_eq!(refusal("AVX2"), format!("SUBWORD_SIMD=\"AVX2\": {expected}"));
        assert_eq!(refusal("avx512"), "SUBWORD_SIMD=avx512: this processor has only scalar");
    }

    struct Bert<'a>(&'a [u8], &'a BertRules);

    impl Kernel for Bert<'_> {
        type Output = (BertBlock, Vec<u8>);

        #[inline(always)]
        fn run<C: Classify>(self) -> Self::Output {
            let mut block = [0; BLOCK];
            let masks = C::bert(self.0, &mut block, self.1);
            (masks, block[..masks.kept.count_ones() as usize].to_vec())
        }
    }

    /// Rules that say something else for every character, some of them unknown, some that get shorter.
    fn bert_rules(lowercase: bool) -> BertRules {
        let letters = [0xC3, 0xD0, 0xD1].map(|lead| BertLetters {
            lead,
            first: std::array::from_fn(|i| if i % 7 == 6 { 0 } else { lead ^ i as u8 & 1 }),
            second: std::array::from_fn(|i| if i % 5 == 4 { 0 } else { 0x80 + (63 - i as u8) }),
        });
        let symbols = BertSymbols {
            c2: std::array::from_fn(|i| i as u8 % 3),
            e2_80: std::array::from_fn(|i| i as u8 / 3 % 3),
        };
        BertRules { lowercase, letters: letters.to_vec(), symbols }
    }

    fn assert_same_for_bert(text: &[u8], rules: &BertRules) {
        let plain = Level::SCALAR.run(Bert(text, rules));
        for level in Level::available() {
            assert_eq!(level.run(Bert(text, rules)), plain, "{level:?} {}", text.escape_ascii());
        }
    }

    #[test]
    fn every_level_sees_the_same_words_for_bert() {
        let rules = [false, true].map(bert_rules);
        for (byte, at) in (0..=255).flat_map(|byte| (0..BLOCK).map(move |at| (byte, at))) {
            let mut text: [u8; BLOCK + 1] = std::array::from_fn(|i| b' ' + (i * 7 + at) as u8 % 95);
            text[at] = byte;
            for (lower, len) in [(0, BLOCK + 1), (1, BLOCK), (1, at), (0, at + 1)] {
                assert_same_for_bert(&text[..len], &rules[lower]);
            }
        }
    }

    #[test]
    fn every_level_sees_the_same_characters_for_bert() {
        let rules = bert_rules(true);
        let seconds: Vec<u8> = [b'a', 0x7F].into_iter().chain(0x7F..0xC2).chain([0xD0]).collect();
        let mut text = Vec::new();
        for first in [0xC2, 0xC3, 0xC4, 0xD0, 0xD1, 0xE2, 0xF0] {
            for &second in &seconds {
                text.extend([first, second, b'x', 0xD0, 0x80]);
            }
        }
        seconds.iter().for_each(|&third| text.extend([b'.', 0xE2, 0x80, third]));
        for at in 0..text.len() {
            assert_same_for_bert(&text[at..], &rules);
        }
    }

    #[test]
    fn bert_blocks_say_what_they_read_and_wrote() {
        let mut rules = bert_rules(true);
        let letters = &mut rules.letters[0];
        (letters.first[0x29], letters.second[0x29]) = (b'e', 0);
        rules.symbols.c2[0x2B] = BERT_PUNCTUATION;
        // é becomes e, « is punctuation, and U+0100 is unknown.
        let (block, written) = Level::SCALAR.run(Bert("é «A\u{100}".as_bytes(), &rules));
        assert_eq!(written, "e «a".as_bytes());
        let expected =
            BertBlock { word: 0b10001, punctuation: 0b100, last: 0b1000, kept: 0b11_1101, read: 6 };
        assert_eq!(block, expected);
    }

    struct LookUp<'a>(&'a Line, [u64; 2]);

    impl Kernel for LookUp<'_> {
        type Output = (usize, [u32; 8]);

        #[inline(always)]
        fn run<C: Classify>(self) -> Self::Output {
            let mut ids = [u32::MAX; 8];
            let count = C::look_up(self.0, self.1, &mut ids);
            (count, ids)
        }
    }

    #[test]
    fn every_level_finds_both_keys_of_a_line_and_no_other() {
        let ids: [[u64; 5]; 2] = [[1, (1 << 21) - 1, 3, 4, 5], [6, 7, (1 << 21) - 2, 0, 9]];
        let word = |a: u64, b: u64, c: u64| a | b << 21 | c << 42;
        for (first, second) in (1..=5).flat_map(|a| (1..=5).map(move |b| (a, b))) {
            let [f, s] = ids;
            let keys = [[1, 2], [1, 3]];
            let line: Line = [
                1,
                2,
                1,
                3,
                word(f[0], f[1], first),
                word(f[2], f[3], f[4]),
                word(s[0], s[1], second),
                word(s[2], s[3], s[4]),
            ];
            for level in Level::available() {
                for ((key, ids), count) in keys.iter().zip(ids).zip([first, second]) {
                    let (found, places) = level.run(LookUp(&line, *key));
                    assert_eq!(found as u64, count, "{level:?}");
                    assert!(places.iter().zip(ids).all(|(&a, b)| u64::from(a) == b), "{level:?}");
                }
                // Halves of keys, both keys crossed, and ids that look like a key.
                for key in [[1, 1], [2, 1], [3, 2], [2, 3], [line[4], line[5]], [0, 0]] {
                    assert_eq!(level.run(LookUp(&line, key)).0, 0, "{level:?} {key:?}");
                }
            }
        }
    }

    struct Utf8<'a>(&'a [u32; UTF8_GROUP]);

    impl Kernel for Utf8<'_> {
        type Output = Option<Vec<u8>>;
        #[inline(always)]
        fn run<C: Classify>(self) -> Option<Vec<u8>> {
            let mut into = [0; 4 * UTF8_GROUP];
            C::utf8(self.0, &mut into).map(|len| into[..len].to_vec())
        }
    }

    #[test]
    fn every_level_writes_every_code_point() {
        let codes: Vec<u32> = (0..0x3100).chain(0xD7E0..0xE020).chain(0xFFE0..0x11_0010).collect();
        for level in Level::available() {
            for (i, &code) in codes.iter().enumerate() {
                let mut group = [0x20, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x1_0000, 0x61];
                group[i % 8] = code;
                let group = std::array::from_fn(|i| group[i * 5 % 8]);
                let text: Option<String> = group.iter().map(|&code| char::from_u32(code)).collect();
                assert_eq!(level.run(Utf8(&group)), text.map(String::into_bytes), "{level:?}");
            }
        }
    }

    struct Bits(u64, u64);

    impl Kernel for Bits {
        type Output = (u64, Vec<usize>);
        #[inline(always)]
        fn run<C: Classify>(self) -> (u64, Vec<usize>) {
            let mut positions = vec![7];
            C::positions(self.0, 1000, &mut positions);
            (C::spread(self.0, self.1), positions)
        }
    }

    #[test]
    fn bits_are_spread_and_listed() {
        let mut words = vec![0, 1, 1 << 63, u64::MAX, 0b1011, u64::MAX << 60];
        for i in 1..50u64 {
            words.push(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            words.push(
                i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & i.wrapping_mul(0xD6E8_FEB8_6659_FD93),
            );
        }
        for level in Level::available() {
            for &bits in &words {
                let ones = (0..64).filter(|i| bits >> i & 1 == 1);
                let expected: Vec<usize> = [7].into_iter().chain(ones.map(|i| 1000 + i)).collect();
                for &places in &words {
                    let (spread, positions) = level.run(Bits(bits, places));
                    let set = (0..64).filter(|i| places >> i & 1 == 1).enumerate();
                    let chosen = set.filter(|(n, _)| bits >> n & 1 == 1);
                    assert_eq!(spread, chosen.fold(0, |word, (_, i)| word | 1 << i), "{level:?}");
                    assert_eq!(positions, expected, "{level:?}");
                }
            }
        }
    }
}
