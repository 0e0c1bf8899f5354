/*!
Between which adjacent characters of three bytes may a text be cut?

Pairs of characters that occur inside some token are *joined* (`bpe::Joins` says why), and a text may be cut between all
others. A joined pair is two bits of a word in a table; a hash of the pair chooses the word and the bits. Pairs may
share bits, so about one of a hundred pairs that are not joined seems to be, and never the other way round.

```text
text     本 次 会 议 讨 论
joined    1  0  1  0  1         本次, 会议, 讨论
safe      0  1  0  1  0         bit i: between character i and the next
```

A token may also begin or end within a character. Then a character is joined with every character that starts with a
certain byte, or every character that ends with a certain byte is joined with a character, or both. These joins are
few, and are kept as rows of bits, with a bit for each first byte of the right character:

```text
left  E4 B8 AD   right  E6 96 87        joined, if  by_last[AD] and by_middle[B8]  have the bit of E6
                                               or  to_last[AD] and next[96]        have it
```

Two rows must agree, for two bytes of the characters, because one row alone reports one of fifteen pairs of Chinese as
joined, where one of a thousand is (cl100k, 2026-11-16).

With AVX-512 sixteen pairs are hashed at once, their bits gathered, and the rows taken from registers. (Measured
2026-11-18, 10 MB of Chinese, warm: the plain form takes 28% longer, and looking up all segments in the cache 36%.)
*/

use super::BLOCK;

/// Pairs that are joined.
#[derive(Debug)]
pub struct JoinedPairs {
    /// Bits by hash of two characters. INVARIANT: a power of two of words, and the top bits of a hash without
    /// the last `shift` are the place of one.
    pub(super) characters: Vec<u32>,
    pub(super) shift: u32,
    pub(super) rows: Rows,
}

/// For six bits of a byte, a bit for each first byte of the right character.
pub(super) type Row = [u16; 64];

/// What is joined by bytes, among characters of three bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// A character and a first byte: by the last and the middle byte of the left one.
    pub(super) by_last: Row,
    pub(super) by_middle: Row,
    /// A last byte and a character: by the last byte of the left and the middle byte of the right one.
    pub(super) to_last: Row,
    pub(super) next: Row,
}

impl Rows {
    const NONE: Rows =
        Rows { by_last: [0; 64], by_middle: [0; 64], to_last: [0; 64], next: [0; 64] };

    #[inline(always)]
    fn joined(&self, left: u32, right: u32) -> bool {
        let row = |rows: &Row, byte: u32| rows[byte as usize & 63];
        let bits = row(&self.by_last, left) & row(&self.by_middle, left >> 8)
            | row(&self.to_last, left) & row(&self.next, right >> 8);
        bits >> (right >> 16 & 15) & 1 == 1
    }
}

/// The boundaries between the first characters of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cuts {
    /// Bit i: the text may be cut between character i and the next.
    pub safe: u32,
    /// How many characters of three bytes the block starts with, as far as they were looked at.
    pub characters: u32,
}

/// How many characters are looked at.
const CHARACTERS: usize = 17;

/// What the two characters are multiplied by.
pub(super) const FACTORS: [u32; 2] = [0x9E37_79B1, 0x85EB_CA77];

impl JoinedPairs {
    /// None, in a table of `1 << log_words` words.
    pub fn new(log_words: u32) -> JoinedPairs {
        let log_words = log_words.clamp(1, 20);
        JoinedPairs { characters: vec![0; 1 << log_words], shift: 32 - log_words, rows: Rows::NONE }
    }

    /// Joins two characters, given as their bytes.
    pub fn join(&mut self, left: u32, right: u32) {
        let hash = hash(left, right);
        self.characters[(hash >> self.shift) as usize] |= two_bits(hash);
    }

    /// Joins a character with all that start with a byte. This and the next two say nothing of characters
    /// that do not have three bytes.
    pub fn join_first(&mut self, left: u32, first: u8) {
        if is_three(left) && first & 0xF0 == 0xE0 {
            self.rows.by_last[left as usize & 63] |= 1 << (first & 15);
            self.rows.by_middle[left as usize >> 8 & 63] |= 1 << (first & 15);
        }
    }

    /// Joins all characters that end with a byte with a character.
    pub fn join_last(&mut self, last: u8, right: u32) {
        if last & 0xC0 == 0x80 && is_three(right) {
            let bit = 1 << (right >> 16 & 15);
            self.rows.to_last[usize::from(last & 63)] |= bit;
            self.rows.next[right as usize >> 8 & 63] |= bit;
        }
    }

    /// Joins all characters that end with a byte with all that start with one.
    pub fn join_bytes(&mut self, last: u8, first: u8) {
        if last & 0xC0 == 0x80 && first & 0xF0 == 0xE0 {
            let bit = 1 << (first & 15);
            self.rows.by_last[usize::from(last & 63)] |= bit;
            self.rows.by_middle.iter_mut().for_each(|row| *row |= bit);
        }
    }

    /// Whether two characters are joined, by the table of characters.
    #[inline(always)]
    pub fn joined(&self, left: u32, right: u32) -> bool {
        let hash = hash(left, right);
        let bits = two_bits(hash);
        self.characters[(hash >> self.shift) as usize] & bits == bits
    }

    /// The same in a smaller table, of about a word for each pair.
    ///
    /// PERF: it stays in the processor's caches, 32 kB for cl100k and 128 kB for o200k.
    pub fn folded(self) -> JoinedPairs {
        let ones: u32 = self.characters.iter().map(|word| word.count_ones()).sum();
        let wanted = (ones / 2).next_power_of_two().trailing_zeros();
        let mut small = JoinedPairs::new(wanted.min(32 - self.shift));
        let less = small.shift - self.shift;
        for (place, word) in self.characters.into_iter().enumerate() {
            small.characters[place >> less] |= word;
        }
        JoinedPairs { rows: self.rows, ..small }
    }
}

#[inline(always)]
fn hash(left: u32, right: u32) -> u32 {
    let [a, b] = FACTORS;
    left.wrapping_mul(a).wrapping_add(right.wrapping_mul(b))
}

/// The bits of a word that its last bits name.
#[inline(always)]
fn two_bits(hash: u32) -> u32 {
    1 << (hash & 31) | 1 << (hash >> 5 & 31)
}

/// Whether these are the bytes of a character of three.
fn is_three(character: u32) -> bool {
    character & 0xFFF0_C0C0 == 0xE0_8080
}

/// The plain form of [`super::Isa::cuts`].
#[inline(always)]
pub(super) fn cuts(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
    let character = |i: usize| match block[3 * i..3 * i + 3] {
        [a @ 0xE0..0xF0, b @ 0x80..0xC0, c @ 0x80..0xC0] => Some(u32::from_be_bytes([0, a, b, c])),
        _ => None,
    };
    let mut found = Cuts { safe: 0, characters: 0 };
    let mut last = None;
    for (i, right) in (0..CHARACTERS).map_while(character).enumerate() {
        if let Some(left) = last.replace(right) {
            let joined = pairs.joined(left, right) | pairs.rows.joined(left, right);
            found.safe |= u32::from(!joined) << (i - 1);
        }
        found.characters += 1;
    }
    found
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::cuts_avx512;

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{BLOCK, Cuts, FACTORS, JoinedPairs, Row, Rows};

    /// The bytes of sixteen characters of three, the last first, and nothing; from byte `from` on.
    const fn places(from: u8) -> [u8; BLOCK] {
        let mut places = [0; BLOCK];
        let mut at = 0;
        while at < BLOCK {
            places[at] = from + (at / 4 * 3) as u8 + 2 - (at % 4 % 3) as u8;
            at += 1;
        }
        places
    }
    pub(in super::super) const LEFT: [u8; BLOCK] = places(0);
    const RIGHT: [u8; BLOCK] = places(3);
    /// All but the fourth of four bytes.
    pub(in super::super) const THREE: u64 = 0x7777_7777_7777_7777;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1")]
    pub(in super::super) fn cuts_avx512(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
        // SAFETY: all of these have 64 bytes; `loadu` takes any alignment.
        let [block, left, right] = unsafe {
            [block, &LEFT, &RIGHT].map(|bytes| _mm512_loadu_si512(bytes.as_ptr().cast()))
        };
        let number = |n: u32| _mm512_set1_epi32(n as i32);
        let [left, right] =
            [left, right].map(|places| _mm512_maskz_permutexvar_epi8(THREE, places, block));
        let is_character = |lanes| {
            let marks = _mm512_and_si512(lanes, number(0xF0_C0C0));
            u32::from(_mm512_cmpeq_epi32_mask(marks, number(0xE0_8080)))
        };
        let characters = (is_character(left) | is_character(right) << 1).trailing_ones();
        let hashes = _mm512_add_epi32(
            _mm512_mullo_epi32(left, number(FACTORS[0])),
            _mm512_mullo_epi32(right, number(FACTORS[1])),
        );
        let places = _mm512_srl_epi32(hashes, _mm_cvtsi32_si128(pairs.shift as i32));
        // SAFETY: by the invariant of `JoinedPairs` each place is that of a word of the table.
        let words =
            unsafe { _mm512_i32gather_epi32::<4>(places, pairs.characters.as_ptr().cast()) };
        // The shifts of a rotation are taken from its five lowest bits.
        let by_characters = _mm512_and_si512(
            _mm512_rorv_epi32(words, hashes),
            _mm512_rorv_epi32(words, _mm512_srli_epi32::<5>(hashes)),
        );
        let row = |rows: &Row, byte| {
            // SAFETY: 64 rows of two bytes are twice 64; `loadu` takes any alignment.
            let [low, high] =
                unsafe { [0, 32].map(|at| _mm512_loadu_si512(rows.as_ptr().add(at).cast())) };
            _mm512_permutex2var_epi16(low, byte, high)
        };
        let middle = |lanes| _mm512_srli_epi32::<8>(lanes);
        let Rows { by_last, by_middle, to_last, next } = &pairs.rows;
        let rows = _mm512_or_si512(
            _mm512_and_si512(row(by_last, left), row(by_middle, middle(left))),
            _mm512_and_si512(row(to_last, left), row(next, middle(right))),
        );
        // Each lane has a second row above its own, which the shift does not reach: 15 bits at most.
        let first = _mm512_and_si512(_mm512_srli_epi32::<16>(right), number(15));
        let by_bytes = _mm512_srlv_epi32(rows, first);
        let joined = _mm512_test_epi32_mask(_mm512_or_si512(by_characters, by_bytes), number(1));
        let inside = (1 << characters.saturating_sub(1)) - 1;
        Cuts { safe: u32::from(!joined) & inside, characters }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Isa, Kernel, Level};
    use super::*;

    struct Find<'a>(&'a [u8; BLOCK], &'a JoinedPairs);

    impl Kernel for Find<'_> {
        type Output = Cuts;

        #[inline(always)]
        fn run<C: Isa>(self) -> Cuts {
            C::cuts(self.0, self.1)
        }
    }

    fn random() -> impl FnMut(usize) -> usize {
        let mut state = 1u64;
        move |limit| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit
        }
    }

    fn character(number: usize) -> [u8; 3] {
        let six = |shift: usize| 0x80 | (number >> shift) as u8 & 63;
        [0xE0 | (number >> 12) as u8 & 15, six(6), six(0)]
    }

    fn word([a, b, c]: [u8; 3]) -> u32 {
        u32::from_be_bytes([0, a, b, c])
    }

    #[test]
    fn every_level_finds_the_same_cuts_and_none_in_what_is_joined() {
        let mut random = random();
        for round in 0..2000 {
            let mut block: [u8; BLOCK] =
                std::array::from_fn(|at| character(random(1 << 16) & !1)[at % 3]);
            for at in 0..21 {
                block[3 * at..3 * at + 3].copy_from_slice(&character(random(1 << 16)));
            }
            if round % 3 == 0 {
                block[random(BLOCK)] = random(256) as u8;
            }
            let triple = |at: usize| [block[3 * at], block[3 * at + 1], block[3 * at + 2]];
            let mut pairs = JoinedPairs::new(8);
            let joined: Vec<usize> = (0..4).map(|_| random(16)).collect();
            for (kind, &at) in joined.iter().enumerate() {
                let (left, right) = (triple(at), triple(at + 1));
                match kind {
                    0 => pairs.join(word(left), word(right)),
                    1 => pairs.join_first(word(left), right[0]),
                    2 => pairs.join_last(left[2], word(right)),
                    _ => pairs.join_bytes(left[2], right[0]),
                }
            }
            let pairs = if round % 2 == 0 { pairs.folded() } else { pairs };
            let plain = Level::SCALAR.run(Find(&block, &pairs));
            for &at in &joined {
                assert_eq!(plain.safe >> at & 1, 0, "{plain:?} {joined:?}");
            }
            assert_eq!(plain.safe >> plain.characters.saturating_sub(1), 0);
            for level in Level::available() {
                assert_eq!(level.run(Find(&block, &pairs)), plain, "{level:?} {block:?}");
            }
        }
    }

    #[test]
    fn few_pairs_seem_joined() {
        let mut random = random();
        let mut pairs = JoinedPairs::new(17);
        for _ in 0..6000 {
            pairs.join(word(character(random(1 << 16))), word(character(random(1 << 16))));
        }
        let pairs = pairs.folded();
        assert!(pairs.characters.len() <= 1 << 13);
        let pair =
            |_| pairs.joined(word(character(random(1 << 16))), word(character(random(1 << 16))));
        let wrong = (0..10_000).map(pair).filter(|&joined| joined).count();
        assert!(wrong < 200, "{wrong} of 10,000");
    }
}
