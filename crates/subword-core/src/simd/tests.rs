//! Every level computes what the scalar form does.

use std::io::Write;

use super::bert::BertSymbols;
use super::*;
use crate::testing::every;

/// The levels that must be there, separated by commas: a machine that lacks one tests less than it should.
const EXPECTED: &str = "SUBWORD_EXPECT_SIMD";

/// Every test of levels goes through those that this processor has. Here they are told (past the
/// harness, which shows nothing of a test that passes), and those that are expected must be among them.
#[test]
fn the_levels_that_are_tested_are_told_and_none_is_missing() {
    let tested: Vec<&str> = Level::available().into_iter().map(Level::name).collect();
    writeln!(std::io::stderr(), "SIMD levels tested: {}", tested.join(", ")).unwrap();
    let expected = std::env::var(EXPECTED).unwrap_or_default();
    for name in expected.split(',').filter(|name| !name.is_empty()) {
        assert!(
            tested.contains(&name),
            "{EXPECTED}={expected}: this processor has only {tested:?}"
        );
    }
}

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
    let expected = "expected one of scalar, avx2, avx512, neon";
    assert_eq!(refusal("avx"), format!("SUBWORD_SIMD=\"avx\": {expected}"));
    assert_eq!(refusal("AVX2"), format!("SUBWORD_SIMD=\"AVX2\": {expected}"));
    assert_eq!(refusal("avx512"), "SUBWORD_SIMD=avx512: this processor has only scalar");
}

struct Bert<'a>(&'a [u8], &'a BertRules);

impl Kernel for Bert<'_> {
    type Output = (BertBlock, Vec<u8>);

    #[inline(always)]
    fn run<C: Isa>(self) -> Self::Output {
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
    fn run<C: Isa>(self) -> Self::Output {
        let mut ids = [u32::MAX; 8];
        let count = C::look_up(self.0, self.1, &mut ids);
        assert_eq!(C::number(self.0, self.1), count);
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
    fn run<C: Isa>(self) -> Option<Vec<u8>> {
        let mut into = [0; 4 * UTF8_GROUP];
        C::utf8(self.0, &mut into).map(|len| into[..len].to_vec())
    }
}

#[test]
fn every_level_writes_every_code_point() {
    let codes: Vec<u32> = (0..0x3100).chain(0xD7E0..0xE020).chain(0xFFE0..0x11_0010).collect();
    for level in Level::available() {
        for (i, &code) in codes.iter().enumerate().step_by(every()) {
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
    fn run<C: Isa>(self) -> (u64, Vec<usize>) {
        let mut positions = vec![7];
        C::positions(self.0, 1000, &mut positions);
        let spread = C::spread(self.0, self.1);
        assert_eq!(C::gather(spread, self.1), Scalar::gather(spread, self.1));
        assert_eq!(Scalar::spread(C::gather(self.0, self.1), self.1), self.0 & self.1);
        (spread, positions)
    }
}

#[test]
fn bits_are_spread_and_listed() {
    let mut words = vec![0, 1, 1 << 63, u64::MAX, 0b1011, u64::MAX << 60];
    for i in 1..50u64 {
        words.push(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        words.push(i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & i.wrapping_mul(0xD6E8_FEB8_6659_FD93));
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

struct Equal<'a>(&'a [u8], u8);

impl Kernel for Equal<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<C: Isa>(self) -> u64 {
        C::equal_bytes(self.0, self.1)
    }
}

#[test]
fn equal_bytes_are_found_at_every_position() {
    let mut text = [0u8; BLOCK + 3];
    for (byte, place) in (0..=255u8).flat_map(|byte| (0..BLOCK).map(move |place| (byte, place))) {
        text.fill(byte.wrapping_add(128));
        (text[place], text[BLOCK]) = (byte, byte);
        for level in Level::available() {
            assert_eq!(level.run(Equal(&text, byte)), 1 << place, "{level:?} {byte} {place}");
        }
    }
}
