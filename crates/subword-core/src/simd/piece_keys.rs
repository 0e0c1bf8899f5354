/*!
Short pieces as keys of the cache, and their hashes, which choose a cache line.

```text
key   the piece, zeros . its length as the last byte        at most 15 bytes and one
```

The hash multiplies the two halves of each word, as 32-bit numbers to which constants are added, and
adds the products: a sum of products of this kind is what vectors can do, so that with AVX-512 four
keys are made and hashed at once, with AVX2 two. (Measured 2026-11-18, 10 MB, warm: one key at a time takes 40% longer for English
and code, 15% for Russian.) Bits from the middle of the sum depend on all bytes; they become the
top bits, by which a line is chosen.
*/

use std::ops::Range;

/// A short piece, its length, and whether it is only a part.
pub type Key = [u64; 2];

/// The longest piece that a key can hold.
pub const LONGEST_KEY: usize = 15;

/// The bytes that start a character of Chinese or Japanese.
pub const CHINESE: Range<u8> = 0xE3..0xEA;

/// How many keys are made at a time.
pub const KEYS: usize = 4;

/// Four pieces: where each starts, and where each ends.
pub type Bounds<'a> = [&'a [usize; KEYS]; 2];

/// Which of four pieces need special treatment: bit i stands for piece i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Odd {
    /// The pieces that are too long for a key.
    pub long: u8,
    /// The other pieces that contain Chinese or Japanese characters.
    pub chinese: u8,
}

/// The constants that are added to the four 32-bit halves of a key before they are multiplied.
pub(super) const ADDED: [u32; 4] = [0x9E37_79B9, 0xD6E8_FEB8, 0x6659_FD93, 0x7F4A_7C15];

/// The highest bit of the sum that depends well on every byte of a key. With this bit, pieces share lines as often as
/// chance would have it; with bit 42, keys that differ in one byte do so twice as often.
pub(super) const TOP: u32 = 38;

/// Masks of the first `i` bytes of a word. PERF: a look-up in this table is faster than computing a mask by shifts.
pub const FIRST_BYTES: [u128; 16] = {
    let mut masks = [0; 16];
    let mut len = 0;
    while len < 16 {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// The key of the first `len` bytes of a window; `tag` is its last byte. PERF: made as two words, because both are
/// multiplied next.
#[inline(always)]
pub fn window_key(window: &[u8; 16], len: usize, tag: u8) -> Key {
    let keep = FIRST_BYTES[len % 16];
    let word = |at: usize| window[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    [word(0) & keep as u64, word(8) & (keep >> 64) as u64 | u64::from(tag) << 56]
}

/// The same for a piece near the end of the text, where there is no whole window.
#[inline(always)]
pub fn last_key(piece: &[u8], tag: u8) -> Key {
    let [low, high] = match piece.split_first_chunk() {
        Some((first, rest)) => [u64::from_le_bytes(*first), few_bytes(rest)],
        None => [few_bytes(piece), 0],
    };
    [low, high | u64::from(tag) << 56]
}

/// At most seven bytes as a word, the first of them lowest.
///
/// PERF: two loads that overlap. A copy into eight bytes would be read back before the store has finished, which takes
/// a seventh of the time of loading o200k (2026-11-16).
#[inline(always)]
pub fn few_bytes(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|four| u64::from(u32::from_le_bytes(*four)));
        return first | last << (8 * (len - 4));
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    if len == 0 { 0 } else { byte(0) | byte(len / 2) | byte(len - 1) }
}

/// A number whose top bits depend on all of a key.
#[inline(always)]
pub fn hash(key: Key) -> u64 {
    let product = |word: u64, low: u32, high: u32| {
        let (low, high) =
            ((word as u32).wrapping_add(low), ((word >> 32) as u32).wrapping_add(high));
        u64::from(low) * u64::from(high)
    };
    let [a, b, c, d] = ADDED;
    product(key[0], a, b).wrapping_add(product(key[1], c, d)) << (63 - TOP)
}

/// The plain form of [`super::Isa::keys`].
#[inline(always)]
pub(super) fn keys(
    text: &[u8],
    [starts, ends]: Bounds,
    shift: u32,
    keys: &mut [Key; KEYS],
    lines: &mut [u32; KEYS],
) -> Option<Odd> {
    let mut odd = Odd::default();
    for i in 0..KEYS {
        let len = ends[i].wrapping_sub(starts[i]);
        let window = text.get(starts[i]..)?.first_chunk()?;
        keys[i] = window_key(window, len, len as u8);
        let long = len > LONGEST_KEY;
        let ascii = (keys[i][0] | keys[i][1]) & 0x8080_8080_8080_8080 == 0;
        let chinese = !long && !ascii && window[..len].iter().any(|byte| CHINESE.contains(byte));
        lines[i] = if long { 0 } else { (hash(keys[i]) >> shift) as u32 };
        odd.long |= u8::from(long) << i;
        odd.chinese |= u8::from(chinese) << i;
    }
    Some(odd)
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::{keys_avx2, keys_avx512};

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{ADDED, Bounds, CHINESE, KEYS, Key, LONGEST_KEY, Odd, TOP};

    /// Each byte's place in its key, and the byte of `lens` that has the length of that key.
    const PLACES: [[u8; 16]; KEYS] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; KEYS];
    const LENS: [[u8; 16]; KEYS] = [[0; 16], [8; 16], [16; 16], [24; 16]];

    /// Two keys to a vector.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn keys_avx2(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        // SAFETY: each are four words; `loadu` takes any alignment.
        let [starts, ends] = bounds.map(|four| unsafe { _mm256_loadu_si256(four.as_ptr().cast()) });
        let signs = |words| _mm256_movemask_pd(_mm256_castsi256_pd(words)) as u8;
        let last = text.len().checked_sub(16)?;
        let behind = _mm256_sub_epi64(_mm256_set1_epi64x(last as i64), starts);
        // Where neither number has its highest bit set, the difference has it if it is negative.
        if signs(_mm256_or_si256(behind, starts)) != 0 {
            return None;
        }
        let lens = _mm256_sub_epi64(ends, starts);
        const { assert!(LONGEST_KEY == 15) };
        let short = _mm256_cmpeq_epi64(_mm256_srli_epi64::<4>(lens), _mm256_setzero_si256());
        let long = signs(short) ^ 0xF;
        let window = |i: usize| {
            // SAFETY: each start was compared with `last`, so 16 bytes of the text follow it; `loadu` takes any
            // alignment.
            unsafe { _mm_loadu_si128(text.as_ptr().add(bounds[0][i]).cast()) }
        };
        // SAFETY: the table has 32 bytes; `loadu` takes any alignment.
        let places = unsafe { _mm256_loadu_si256(PLACES.as_ptr().cast()) };
        let [a, b, c, d] = ADDED.map(|n| n as i32);
        let added = _mm256_set_epi32(d, c, b, a, d, c, b, a);
        let last_bytes = _mm256_set_epi64x(0xFF << 56, 0, 0xFF << 56, 0);
        // Two pieces as keys, and the sums of their products. `lens` are their lengths, each twice.
        let two = |windows, lens| {
            let lens = _mm256_shuffle_epi8(lens, _mm256_setzero_si256());
            let piece = _mm256_and_si256(windows, _mm256_cmpgt_epi8(lens, places));
            let key = _mm256_or_si256(piece, _mm256_and_si256(lens, last_bytes));
            let halves = _mm256_add_epi32(key, added);
            let products = _mm256_mul_epu32(halves, _mm256_srli_epi64::<32>(halves));
            // Each product and the one beside it.
            let beside = _mm256_shuffle_epi32::<0b01_00_11_10>(products);
            (piece, key, _mm256_add_epi64(products, beside))
        };
        let (low, low_keys, low_sums) = two(
            _mm256_set_m128i(window(1), window(0)),
            _mm256_permute4x64_epi64::<0b01_01_00_00>(lens),
        );
        let (high, high_keys, high_sums) = two(
            _mm256_set_m128i(window(3), window(2)),
            _mm256_permute4x64_epi64::<0b11_11_10_10>(lens),
        );
        // The first and third, the second and fourth.
        let sums = _mm256_unpacklo_epi64(low_sums, high_sums);
        let hashes = _mm256_slli_epi64::<{ 63 - TOP as i32 }>(sums);
        let found = _mm256_srl_epi64(hashes, _mm_cvtsi32_si128(shift as i32));
        let found = _mm256_permutevar8x32_epi32(found, _mm256_setr_epi32(0, 4, 2, 6, 0, 4, 2, 6));
        let short = _mm256_permutevar8x32_epi32(short, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        let found = _mm256_castsi256_si128(_mm256_and_si256(found, short));
        // SAFETY: four keys have 64 bytes, four lines 16; `storeu` takes any alignment.
        unsafe {
            _mm256_storeu_si256(keys.as_mut_ptr().cast(), low_keys);
            _mm256_storeu_si256(keys.as_mut_ptr().add(2).cast(), high_keys);
            _mm_storeu_si128(lines.as_mut_ptr().cast(), found);
        }
        let ascii = _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0;
        let some = || chinese_pieces(low) | chinese_pieces(high) << 2;
        let chinese = if ascii { 0 } else { !long & some() };
        Some(Odd { long, chinese })
    }

    /// Which of two pieces have a byte of [`CHINESE`].
    #[inline]
    #[target_feature(enable = "avx2")]
    fn chinese_pieces(pieces: __m256i) -> u8 {
        let from_first = _mm256_sub_epi8(pieces, _mm256_set1_epi8(CHINESE.start as i8));
        let most = _mm256_set1_epi8((CHINESE.end - CHINESE.start - 1) as i8);
        let among = _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, most), from_first);
        let among = _mm256_movemask_epi8(among) as u32;
        u8::from(among as u16 != 0) | u8::from(among >> 16 != 0) << 1
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(in super::super) fn keys_avx512(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        // SAFETY: each are four words; `loadu` takes any alignment.
        let [starts, ends] = bounds.map(|four| unsafe {
            _mm512_castsi256_si512(_mm256_loadu_si256(four.as_ptr().cast()))
        });
        let last = text.len().checked_sub(16)?;
        if _mm512_cmpgt_epu64_mask(starts, _mm512_set1_epi64(last as i64)) & 0xF != 0 {
            return None;
        }
        let lens = _mm512_sub_epi64(ends, starts);
        let long = _mm512_cmpgt_epu64_mask(lens, _mm512_set1_epi64(LONGEST_KEY as i64)) & 0xF;
        // SAFETY: each start was compared with `last`, so 16 bytes of the text follow it; the tables
        // have 64 bytes; `loadu` takes any alignment.
        let (windows, places, of_key) = unsafe {
            let window = |i: usize| _mm_loadu_si128(text.as_ptr().add(bounds[0][i]).cast());
            let four = _mm512_castsi128_si512(window(0));
            let four = _mm512_inserti32x4::<1>(four, window(1));
            let four = _mm512_inserti32x4::<2>(four, window(2));
            (
                _mm512_inserti32x4::<3>(four, window(3)),
                _mm512_loadu_si512(PLACES.as_ptr().cast()),
                _mm512_loadu_si512(LENS.as_ptr().cast()),
            )
        };
        let lens = _mm512_permutexvar_epi8(of_key, lens);
        let kept = _mm512_cmplt_epu8_mask(places, lens);
        let four = _mm512_maskz_mov_epi8(kept, windows);
        let from_first = _mm512_sub_epi8(four, _mm512_set1_epi8(CHINESE.start as i8));
        let starts = _mm512_set1_epi8((CHINESE.end - CHINESE.start) as i8);
        let chinese = _mm512_cmplt_epu8_mask(from_first, starts);
        let chinese = if chinese == 0 {
            0
        } else {
            // Sixteen bytes of each key.
            let some = |i: usize| u8::from((chinese >> (16 * i)) as u16 != 0) << i;
            !long & (some(0) | some(1) | some(2) | some(3))
        };
        let four = _mm512_mask_mov_epi8(four, 0x8000_8000_8000_8000, lens);
        let [a, b, c, d] = ADDED.map(|n| n as i32);
        let halves = _mm512_add_epi32(four, _mm512_broadcast_i32x4(_mm_set_epi32(d, c, b, a)));
        let products = _mm512_mul_epu32(halves, _mm512_srli_epi64::<32>(halves));
        // Each product and the one beside it.
        let sums = _mm512_add_epi64(products, _mm512_shuffle_epi32::<0b01_00_11_10>(products));
        let hashes = _mm512_slli_epi64::<{ 63 - TOP }>(sums);
        let found = _mm512_srl_epi64(hashes, _mm_cvtsi32_si128(shift as i32));
        let first = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 8, 4, 0);
        let found = _mm512_maskz_permutexvar_epi32(!u16::from(long), first, found);
        let found = _mm512_castsi512_si128(found);
        // SAFETY: four keys have 64 bytes, four lines 16; `storeu` takes any alignment.
        unsafe {
            _mm512_storeu_si512(keys.as_mut_ptr().cast(), four);
            _mm_storeu_si128(lines.as_mut_ptr().cast(), found);
        }
        Some(Odd { long, chinese })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Isa, Kernel, Level};
    use super::*;

    struct Four<'a>(&'a [u8], Bounds<'a>, u32);

    impl Kernel for Four<'_> {
        type Output = Option<(Odd, [Key; KEYS], [u32; KEYS])>;

        #[inline(always)]
        fn run<C: Isa>(self) -> Self::Output {
            let (mut keys, mut lines) = ([[0; 2]; KEYS], [0; KEYS]);
            let odd = C::keys(self.0, self.1, self.2, &mut keys, &mut lines)?;
            Some((odd, keys, lines))
        }
    }

    #[test]
    fn every_level_makes_the_same_keys_at_every_length() {
        let text: Vec<u8> = (0..200u32).map(|i| (i * i * 7 + 1) as u8).collect();
        for (first, second) in (1..=40).flat_map(|a| (1..=40).map(move |b| (a, b))) {
            // Next to each other, and with something between them.
            let lens = [first, second, 2, second];
            let gap = first % 3;
            let starts = [0, 1, 2, 3].map(|i| 3 + lens[..i].iter().sum::<usize>() + i * gap);
            let ends = [0, 1, 2, 3].map(|i| starts[i] + lens[i]);
            let bounds = [&starts, &ends];
            for (shift, end) in [(63, 200), (47, starts[3] + 16), (40, starts[3] + 15)] {
                let text = &text[..end];
                let plain = Level::SCALAR.run(Four(text, bounds, shift));
                assert_eq!(plain.is_some(), end - starts[3] >= 16);
                for level in Level::available() {
                    let found = level.run(Four(text, bounds, shift));
                    let (Some((odd, keys, lines)), Some(right)) = (found, plain) else {
                        assert_eq!(found, plain, "{level:?}");
                        continue;
                    };
                    assert_eq!((odd, lines), (right.0, right.2), "{level:?} {bounds:?}");
                    for i in (0..KEYS).filter(|i| odd.long >> i & 1 == 0) {
                        assert_eq!(keys[i], right.1[i], "{level:?} {bounds:?}");
                        let (start, end) = (starts[i], ends[i]);
                        let bytes: Vec<u8> = keys[i].iter().flat_map(|w| w.to_le_bytes()).collect();
                        assert_eq!(bytes[..end - start], text[start..end]);
                        assert_eq!(usize::from(bytes[15]), end - start);
                    }
                }
            }
        }
    }

    #[test]
    fn keys_that_differ_in_one_byte_seldom_share_a_line() {
        let mut lines: Vec<u64> = Vec::new();
        for (at, byte) in (0..15).flat_map(|at| (b' '..0x7F).map(move |byte| (at, byte))) {
            let mut window = *b" abcdefghijklmno";
            window[at] = byte;
            (at + 1..=15)
                .for_each(|len| lines.push(hash(window_key(&window, len, len as u8)) >> 47));
        }
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        // The keys are not all different (a byte may stay what it was), and some meet by chance.
        assert!(lines.len() * 100 > all * 94, "{} of {all}", lines.len());
    }
}
