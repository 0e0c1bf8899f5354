/*!
Small numbers of characters, added up.

Every character of three bytes is a number of sixteen bits (see `bpe::Singles`), for which a table has a number
from 0 to 3. Who only counts ids asks for the sum of many at once, of which a mask says which they are:

```text
block   本 次 会 议          each by its place in the table: 1 2 1 1
which    1  0  1  1          1 + 1 + 1 = 3
```
*/

use super::BLOCK;

/// A number from 0 to 3 for each of sixteen bits, sixteen in a word. PERF: 16 kB stay near.
pub type SmallNumbers = [u32; 1 << 12];

/// The plain form of [`super::Classify::sum`].
#[inline(always)]
pub(super) fn sum(block: &[u8; BLOCK], mut which: u32, numbers: &SmallNumbers) -> usize {
    let mut sum = 0;
    while which != 0 {
        let at = 3 * which.trailing_zeros() as usize % (BLOCK - 2);
        let [a, b, c] = [block[at], block[at + 1], block[at + 2]].map(u32::from);
        let character = (a & 15) << 12 | (b & 63) << 6 | c & 63;
        sum += (numbers[character as usize >> 4] >> (2 * (character & 15)) & 3) as usize;
        which &= which - 1;
    }
    sum
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::sum_avx512;

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::super::cuts::{LEFT, THREE};
    use super::{BLOCK, SmallNumbers};

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
    pub(in super::super) fn sum_avx512(
        block: &[u8; BLOCK],
        which: u32,
        numbers: &SmallNumbers,
    ) -> usize {
        // The seventeenth character seldom counts: it has to end a piece.
        let Ok(which) = u16::try_from(which) else { return super::sum(block, which, numbers) };
        // SAFETY: both have 64 bytes; `loadu` takes any alignment.
        let [block, places] =
            unsafe { [block, &LEFT].map(|bytes| _mm512_loadu_si512(bytes.as_ptr().cast())) };
        let bits = |lanes, bits: u32| _mm512_and_si512(lanes, _mm512_set1_epi32(bits as i32));
        let characters = _mm512_maskz_permutexvar_epi8(THREE, places, block);
        // The first twelve of the sixteen bits that a character is.
        let words = _mm512_or_si512(
            bits(_mm512_srli_epi32::<8>(characters), 0xF00),
            _mm512_or_si512(
                bits(_mm512_srli_epi32::<6>(characters), 0xFC),
                bits(_mm512_srli_epi32::<4>(characters), 3),
            ),
        );
        // SAFETY: a place has twelve bits, and there are as many words.
        let words = unsafe {
            let none = _mm512_setzero_si512();
            _mm512_mask_i32gather_epi32::<4>(none, which, words, numbers.as_ptr().cast())
        };
        let found = _mm512_srlv_epi32(words, bits(_mm512_slli_epi32::<1>(characters), 30));
        let ones =
            |bit: i32| (_mm512_test_epi32_mask(found, _mm512_set1_epi32(bit)) & which).count_ones();
        (ones(1) + 2 * ones(2)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Classify, Kernel, Level};
    use super::*;

    struct Sum<'a>(&'a [u8; BLOCK], u32, &'a SmallNumbers);

    impl Kernel for Sum<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<C: Classify>(self) -> usize {
            C::sum(self.0, self.1, self.2)
        }
    }

    #[test]
    fn every_level_adds_up_the_same_for_every_character() {
        let numbers: Box<SmallNumbers> =
            Box::new(std::array::from_fn(|word| (word as u32).wrapping_mul(0x9E37_79B1)));
        let number =
            |character: u32| numbers[character as usize >> 4] >> (2 * (character & 15)) & 3;
        for first in (0..1u32 << 16).step_by(17) {
            let mut block = [b'x'; BLOCK];
            for i in 0..17 {
                let character = (first + i as u32) & 0xFFFF;
                let six = |shift: u32| 0x80 | (character >> shift) as u8 & 0x3F;
                let bytes = [0xE0 | (character >> 12) as u8, six(6), six(0)];
                block[3 * i..3 * i + 3].copy_from_slice(&bytes);
            }
            for which in [0, 1, 1 << 16, 0x1FFFF, 0xFFFF, first.wrapping_mul(0x85EB_CA77) >> 15] {
                let characters = (0..17).filter(|i| which >> i & 1 == 1);
                let expected: u32 = characters.map(|i| number((first + i) & 0xFFFF)).sum();
                for level in Level::available() {
                    let found = level.run(Sum(&block, which, &numbers));
                    assert_eq!(found, expected as usize, "{level:?} {first:x} {which:b}");
                }
            }
        }
    }
}
