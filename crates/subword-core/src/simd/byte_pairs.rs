/*!
The bytes of a piece as tokens, with the merges of two bytes already done that are certain to happen.

Merging always takes the lowest rank first. So two bytes are certain to merge, whatever else happens in the piece, if no
earlier merge can take one of them away. For every two adjacent bytes an entry says which token they make; the *order*
of that merge among all merges of two bytes; and, on the same scale, the earliest merge that takes the right byte to
the left (`from_left`) and the earliest that takes the left byte to the right (`to_right`, read at the next boundary):

```text
a b c d     b c merges for sure  =  order(b c) < from_left(a b)  and  order(b c) < to_right(c d)
```

No two such merges overlap, because both limits of two bytes are at most their own order. `bpe::pairs` fills the entries
and has the proof.

With AVX-512, 16 bytes at a time are looked up and compared, and the tokens that remain are compressed.
*/

/// What is known of two adjacent bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoBytes(u64);

/// All of them, by [`TwoBytes::index`].
pub type AllTwoBytes = [TwoBytes; 1 << 16];

/// Later than all orders: there is no such merge.
pub const NEVER: u32 = (1 << 14) - 1;

/// The longest piece.
pub const MOST_BYTES: usize = 64;

const TOKEN_BITS: u32 = 21;

/// The limit to the right is kept without its last bits, so that it has room beside a token: a few
/// merges fewer are sure.
const ROUNDED: u32 = 3;

impl TwoBytes {
    /// Nothing is known of them.
    pub const UNKNOWN: TwoBytes = TwoBytes::new(0, NEVER, NEVER, NEVER);

    /// An entry.
    pub const fn new(token: u32, order: u32, from_left: u32, to_right: u32) -> TwoBytes {
        let low = token | to_right >> ROUNDED << TOKEN_BITS;
        let high = order | from_left << 16;
        TwoBytes(low as u64 | (high as u64) << 32)
    }

    /// Where the entry of two bytes is.
    #[inline(always)]
    pub fn index(left: u8, right: u8) -> usize {
        usize::from(u16::from_le_bytes([left, right]))
    }

    /// The token that they make.
    #[inline(always)]
    pub fn token(self) -> u32 {
        self.0 as u32 & ((1 << TOKEN_BITS) - 1)
    }

    /// The order of their merge.
    #[inline(always)]
    pub fn order(self) -> u32 {
        (self.0 >> 32) as u32 & 0xFFFF
    }

    /// The earliest merge that takes the right byte away, to the left.
    #[inline(always)]
    #[expect(clippy::wrong_self_convention)] // It says where the merge comes from; nothing is converted.
    pub fn from_left(self) -> u32 {
        (self.0 >> 48) as u32
    }

    /// The earliest merge that takes the left byte away, to the right, or a little earlier.
    #[inline(always)]
    pub fn to_right(self) -> u32 {
        (self.0 as u32 >> TOKEN_BITS) << ROUNDED
    }
}

/// The plain form of [`super::Isa::sure_merges`].
#[inline(always)]
pub(super) fn sure_merges(
    piece: &[u8],
    all: &AllTwoBytes,
    ids: &[u32; 256],
    into: &mut [u32; MOST_BYTES],
) -> usize {
    let entry = |at: usize| match piece.get(at..at + 2) {
        Some(two) => all[TwoBytes::index(two[0], two[1])],
        None => TwoBytes::UNKNOWN,
    };
    let (mut count, mut gone) = (0, 0);
    let (mut limit, mut here) = (NEVER, entry(0));
    for (at, &byte) in piece.iter().enumerate() {
        let next = entry(at + 1);
        let order = here.order();
        let sure = (order < limit) & (order >> ROUNDED << ROUNDED < next.to_right());
        // What is taken into the token before it is written over by the next one.
        into[count % MOST_BYTES] = if sure { here.token() } else { ids[usize::from(byte)] };
        count += 1 - gone;
        gone = usize::from(sure);
        (limit, here) = (here.from_left(), next);
    }
    count
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::sure_merges_avx512;

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{AllTwoBytes, MOST_BYTES, NEVER, ROUNDED, TOKEN_BITS};

    /// How many bytes are done at a time where more follow: the last lane is the next of the one before.
    const STEP: usize = 15;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    pub(in super::super) fn sure_merges_avx512(
        piece: &[u8],
        all: &AllTwoBytes,
        ids: &[u32; 256],
        into: &mut [u32; MOST_BYTES],
    ) -> usize {
        let number = |n: u32| _mm512_set1_epi32(n as i32);
        let ones = |n: usize| ((1u64 << n) - 1) as u32;
        // Every lane takes from the one before it, the first from the last that was done before.
        let before = _mm512_set_epi32(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 30);
        let after = _mm512_set_epi32(15, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
        let (mut count, mut gone, mut last_limits) = (0, 0, number(NEVER));
        let mut rest = &piece[..piece.len().min(MOST_BYTES)];
        while !rest.is_empty() {
            let done = if rest.len() > 16 { STEP } else { rest.len() };
            let (bytes, pairs) = (ones(rest.len().min(16)), ones((rest.len() - 1).min(16)));
            // SAFETY: the masks leave bytes of `rest` only, from its first one and from its second one.
            let (bytes, nexts) = unsafe {
                let at = rest.as_ptr().cast::<i8>();
                (
                    _mm512_maskz_loadu_epi8(u64::from(bytes), at),
                    _mm512_maskz_loadu_epi8(u64::from(pairs), at.wrapping_add(1)),
                )
            };
            let bytes = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
            let nexts = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(nexts));
            let index = _mm512_or_si512(bytes, _mm512_slli_epi32::<8>(nexts));
            // SAFETY: an index has 16 bits and a byte has 8, and the tables have 2^16 and 2^8 entries.
            let (first, second, bytes) = unsafe {
                let (all, ids) = (all.as_ptr().cast(), ids.as_ptr().cast());
                (
                    _mm512_i32gather_epi64::<8>(_mm512_castsi512_si256(index), all),
                    _mm512_i32gather_epi64::<8>(_mm512_extracti64x4_epi64::<1>(index), all),
                    _mm512_i32gather_epi32::<4>(bytes, ids),
                )
            };
            let halves = |a: __m512i, b: __m512i| {
                let (a, b) = (_mm512_cvtepi64_epi32(a), _mm512_cvtepi64_epi32(b));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b)
            };
            let low = halves(first, second);
            let high = halves(_mm512_srli_epi64::<32>(first), _mm512_srli_epi64::<32>(second));

            let pairs = pairs as u16;
            let order = _mm512_and_si512(high, number(0xFFFF));
            let limits = _mm512_srli_epi32::<16>(high);
            let from_left = _mm512_permutex2var_epi32(limits, before, last_limits);
            let low_or_never = _mm512_mask_mov_epi32(number(u32::MAX), pairs, low);
            let to_right = _mm512_srli_epi32::<TOKEN_BITS>(low_or_never);
            let to_right = _mm512_permutexvar_epi32(after, to_right);
            let sure = _mm512_mask_cmplt_epu32_mask(pairs, order, from_left)
                & _mm512_cmplt_epu32_mask(_mm512_srli_epi32::<ROUNDED>(order), to_right);

            let token = _mm512_and_si512(low, number((1 << TOKEN_BITS) - 1));
            let tokens = _mm512_mask_mov_epi32(bytes, sure, token);
            let kept = ones(done) & !(u32::from(sure) << 1 | gone);
            let tokens = _mm512_maskz_compress_epi32(kept as u16, tokens);
            let kept = kept.count_ones() as usize;
            // SAFETY: the mask leaves `kept` tokens, not more than there are bytes so far, and there is
            // room for as many as a piece has bytes.
            unsafe {
                let to = into.as_mut_ptr().add(count).cast();
                _mm512_mask_storeu_epi32(to, ones(kept) as u16, tokens);
            }
            count += kept;
            gone = u32::from(sure) >> (done - 1) & 1;
            last_limits = limits;
            rest = &rest[done..];
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Isa, Kernel, Level};
    use super::*;

    struct Sure<'a>(&'a [u8], &'a AllTwoBytes, &'a [u32; 256]);

    impl Kernel for Sure<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<C: Isa>(self) -> Vec<u32> {
            let mut tokens = [u32::MAX; MOST_BYTES];
            let count = C::sure_merges(self.0, self.1, self.2, &mut tokens);
            tokens[..count].to_vec()
        }
    }

    #[test]
    fn an_entry_keeps_what_it_is_given() {
        let entry = TwoBytes::new((1 << 21) - 1, NEVER - 1, NEVER, 8);
        assert_eq!((entry.token(), entry.order()), ((1 << 21) - 1, NEVER - 1));
        assert_eq!((entry.from_left(), entry.to_right()), (NEVER, 8));
        assert_eq!(TwoBytes::new(5, 6, 0, 15).to_right(), 8);
    }

    #[test]
    fn two_bytes_merge_if_nothing_takes_them_earlier() {
        let mut all = Box::new([TwoBytes::UNKNOWN; 1 << 16]);
        let ids = std::array::from_fn(|byte| byte as u32);
        all[TwoBytes::index(b'b', b'c')] = TwoBytes::new(300, 20, 20, 20);
        for (from_left, to_right, expected) in [
            (NEVER, NEVER, vec![97, 300, 100]),
            (21, 24, vec![97, 300, 100]),
            (20, NEVER, vec![97, 98, 99, 100]),
            (NEVER, 20, vec![97, 98, 99, 100]),
        ] {
            all[TwoBytes::index(b'a', b'b')] = TwoBytes::new(0, NEVER, from_left, NEVER);
            all[TwoBytes::index(b'c', b'd')] = TwoBytes::new(0, NEVER, NEVER, to_right);
            assert_eq!(Level::SCALAR.run(Sure(b"abcd", &all, &ids)), expected);
            assert_eq!(Level::SCALAR.run(Sure(b"bc", &all, &ids)), [300]);
        }
    }

    #[test]
    fn every_level_merges_the_same_at_every_length() {
        let mut state = 1u64;
        let mut random = |n: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % n
        };
        let ids = std::array::from_fn(|byte| 7 * byte as u32);
        let mut all = Box::new([TwoBytes::UNKNOWN; 1 << 16]);
        let limit = |n: u32| if n < 40 { n } else { NEVER };
        for (left, right) in (0..=255).flat_map(|l| (0..=255).map(move |r| (l, r))) {
            let order = limit(random(60));
            let (from_left, to_right) =
                (order.min(limit(random(99))), order.min(limit(random(99))));
            all[TwoBytes::index(left, right)] =
                TwoBytes::new(random(1 << 21), order, from_left, to_right);
        }
        for len in 1..=MOST_BYTES {
            for alphabet in [2, 3, 256, 256, 256] {
                let piece: Vec<u8> = (0..len).map(|_| random(alphabet) as u8).collect();
                let expected = Level::SCALAR.run(Sure(&piece, &all, &ids));
                for level in Level::available() {
                    assert_eq!(
                        level.run(Sure(&piece, &all, &ids)),
                        expected,
                        "{level:?} {piece:?}"
                    );
                }
            }
        }
    }
}
