/*!
A line with two keys: which is it, and which ids does it have?

```text
key (128 bits) . key . ids (128 bits) . ids          ids  first . second . number | third . fourth . fifth
```

An id has 21 bits (`cache` says why). The plain form compares words and shifts; with AVX2 one comparison looks at
both keys, and two shifts give four ids; with AVX-512 one instruction that takes bytes from any bit of a word
gives all ids. (Measured 2026-11-18, 10 MB, warm: with the plain form of one key cl100k takes 4% longer for English, with
that of four keys WordPiece takes 7 to 9% longer.)
*/

use super::{KEYS, Key, Line};

/// How many bits an id has.
const ID_BITS: u32 = 21;

const ID_MASK: u32 = (1 << ID_BITS) - 1;

/// Whether a line has a key, and where its ids start; somewhere among ids if it does not.
///
/// PERF: which of the two places it is cannot be predicted, that it is one of them can.
#[inline(always)]
fn find(line: &Line, key: Key) -> (bool, usize) {
    let first = (line[0] ^ key[0]) | (line[1] ^ key[1]) == 0;
    let second = (line[2] ^ key[0]) | (line[3] ^ key[1]) == 0;
    (first | second, if first { 4 } else { 6 })
}

/// How many ids there are, by their first word.
#[inline(always)]
fn number_in(word: u64) -> usize {
    (word >> (2 * ID_BITS)) as usize
}

/// The plain form of [`super::Isa::look_up`].
#[inline(always)]
pub fn look_up(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
    let (found, at) = find(line, key);
    let (v, w) = (line[at], line[at + 1]);
    let id = |word: u64, place: u32| (word >> (place * ID_BITS)) as u32 & ID_MASK;
    into[..5].copy_from_slice(&[id(v, 0), id(v, 1), id(w, 0), id(w, 1), id(w, 2)]);
    if found { number_in(v) } else { 0 }
}

/// Room for the ids of four keys: a line has no more than seven for each, and eight are written.
pub const FOUR: usize = 32;

/// The plain form of [`super::Isa::look_up_four`].
#[inline(always)]
pub(super) fn look_up_four(
    lines: [&Line; KEYS],
    keys: &[Key; KEYS],
    into: &mut [u32; FOUR],
) -> Option<[usize; KEYS]> {
    let (mut ends, mut end) = ([0; KEYS], 0);
    for i in 0..KEYS {
        let count = look_up(lines[i], keys[i], into[end..].first_chunk_mut()?);
        if count == 0 {
            return None;
        }
        end += count % 8;
        ends[i] = end;
    }
    Some(ends)
}

/// The plain form of [`super::Isa::number`].
#[inline(always)]
pub(super) fn number(line: &Line, key: Key) -> usize {
    let (found, at) = find(line, key);
    if found { number_in(line[at]) } else { 0 }
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::{
    look_up_avx2, look_up_avx512, look_up_four_avx2, look_up_four_avx512, number_avx2,
    number_avx512,
};

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{FOUR, ID_BITS, ID_MASK, KEYS, Key, Line, number_in};

    /// The same as `find`, both keys by one comparison.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn find_avx2(line: &Line, key: Key) -> (bool, usize) {
        // SAFETY: a line has 64 bytes, a key 16; `loadu` takes any alignment.
        let (keys, key) = unsafe {
            (_mm256_loadu_si256(line.as_ptr().cast()), _mm_loadu_si128(key.as_ptr().cast()))
        };
        let equal = _mm256_cmpeq_epi64(keys, _mm256_broadcastsi128_si256(key));
        place_of(_mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u32)
    }

    /// Whether both words of a key are equal, and where its ids start. Bit i: word i of the line is equal.
    ///
    /// PERF: what is not found reads some place too, and no branch is taken.
    #[inline(always)]
    fn place_of(equal: u32) -> (bool, usize) {
        let found = equal & equal >> 1 & 0b101;
        (found != 0, 4 + (found as usize >> 1 & 2))
    }

    /// Writes the ids from word 4 or 6 of a line on; returns how many there are.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn unpack_avx2(line: &Line, at: usize, into: &mut [u32; 8]) -> usize {
        let at = 4 + (at & 2);
        // SAFETY: there are two words from word 6 on, and room for eight ids; these take any alignment.
        unsafe {
            let words = _mm_loadu_si128(line.as_ptr().add(at).cast());
            let first = _mm_and_si128(words, _mm_set1_epi64x(i64::from(ID_MASK)));
            let second = _mm_slli_epi64::<{ 32 - ID_BITS as i32 }>(words);
            let second = _mm_and_si128(second, _mm_set1_epi64x(i64::from(ID_MASK) << 32));
            _mm_storeu_si128(into.as_mut_ptr().cast(), _mm_or_si128(first, second));
        }
        // Three ids take 63 bits, and the last bit is never set.
        into[4] = (line[at + 1] >> (2 * ID_BITS)) as u32;
        number_in(line[at])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn look_up_avx2(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        let (found, at) = find_avx2(line, key);
        let count = unpack_avx2(line, at, into);
        if found { count } else { 0 }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn look_up_four_avx2(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        let mut places = [0; KEYS];
        let mut all = true;
        for i in 0..KEYS {
            let (found, at) = find_avx2(lines[i], keys[i]);
            (places[i], all) = (at, all & found);
        }
        if !all {
            return None;
        }
        let (mut ends, mut end) = ([0; KEYS], 0);
        for i in 0..KEYS {
            end += unpack_avx2(lines[i], places[i], into[end..].first_chunk_mut()?) % 8;
            ends[i] = end;
        }
        Some(ends)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn number_avx2(line: &Line, key: Key) -> usize {
        let (found, at) = find_avx2(line, key);
        if found { number_in(line[at % 8]) } else { 0 }
    }

    /// The bits from which the bytes of two ids are taken, each id as four bytes.
    const fn bits_of(first: u32, second: u32) -> i64 {
        let (mut bits, mut byte) = (0, 0);
        while byte < 4 {
            bits |= ((first * ID_BITS + 8 * byte) as i64 & 63) << (8 * byte);
            bits |= ((second * ID_BITS + 8 * byte) as i64 & 63) << (32 + 8 * byte);
            byte += 1;
        }
        bits
    }

    /// The same as `find`, both keys by one comparison.
    #[inline]
    #[target_feature(enable = "avx512f,bmi1")]
    fn find_avx512(line: &Line, key: Key) -> (bool, usize) {
        // SAFETY: a line has 64 bytes, a key 16; `loadu` takes any alignment.
        let (lanes, key) = unsafe {
            (_mm512_loadu_si512(line.as_ptr().cast()), _mm_loadu_si128(key.as_ptr().cast()))
        };
        place_of(_mm512_cmpeq_epi64_mask(lanes, _mm512_broadcast_i32x4(key)).into())
    }

    /// All ids of two words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn unpacked(ids: __m128i) -> __m256i {
        // The words as they are, and the second twice more.
        let words = _mm512_permutex_epi64::<0b01_01_01_00>(_mm512_castsi128_si512(ids));
        let bits = _mm512_set_epi64(0, 0, 0, 0, 0, bits_of(2, 2), bits_of(0, 1), bits_of(0, 1));
        let ids = _mm512_multishift_epi64_epi8(bits, words);
        _mm512_castsi512_si256(_mm512_and_si512(ids, _mm512_set1_epi32(ID_MASK as i32)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1")]
    pub(in super::super) fn look_up_avx512(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        let (found, at) = find_avx512(line, key);
        // SAFETY: `at` is 4 or 6, so these are 16 bytes of the line; `loadu` takes any alignment.
        let ids = unsafe { _mm_loadu_si128(line.as_ptr().add(at).cast()) };
        // SAFETY: there is room for eight ids, which are 32 bytes; `storeu` takes any alignment.
        unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), unpacked(ids)) };
        if found { number_in(line[at % 8]) } else { 0 }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi1")]
    pub(in super::super) fn look_up_four_avx512(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        let equal = |i: usize| {
            // SAFETY: a line has 64 bytes, a key 16; `loadu` takes any alignment.
            let (lanes, key) = unsafe {
                (
                    _mm512_loadu_si512(lines[i].as_ptr().cast()),
                    _mm_loadu_si128(keys[i].as_ptr().cast()),
                )
            };
            __mmask16::from(_mm512_cmpeq_epi64_mask(lanes, _mm512_broadcast_i32x4(key)))
        };
        let (low, high) =
            (_mm512_kunpackb(equal(1), equal(0)), _mm512_kunpackb(equal(3), equal(2)));
        let equal = _mm512_kunpackw(high.into(), low.into());
        // Bit 0 or bit 2 of each byte: both words of the first or of the second key are equal.
        let found = equal & equal >> 1 & 0x0505_0505;
        if (found | found >> 2) & 0x0101_0101 != 0x0101_0101 {
            return None;
        }
        let mut end = 0;
        Some([0, 1, 2, 3].map(|i: usize| {
            let at = 4 + (found >> (8 * i + 1) & 2) as usize;
            // SAFETY: `at` is 4 or 6, so these are 16 bytes of the line. `end` is at most seven times three,
            // so 32 bytes of the room follow it. These take any alignment.
            unsafe {
                let ids = _mm_loadu_si128(lines[i].as_ptr().add(at).cast());
                _mm256_storeu_si256(into.as_mut_ptr().add(end).cast(), unpacked(ids));
            }
            end += number_in(lines[i][at % 8]) % 8;
            end
        }))
    }

    #[inline]
    #[target_feature(enable = "avx512f,bmi1")]
    pub(in super::super) fn number_avx512(line: &Line, key: Key) -> usize {
        let (found, at) = find_avx512(line, key);
        if found { number_in(line[at % 8]) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Isa, Kernel, Level};
    use super::*;

    struct LookUpFour<'a>([&'a Line; KEYS], &'a [Key; KEYS]);

    impl Kernel for LookUpFour<'_> {
        type Output = Option<Vec<Vec<u32>>>;

        #[inline(always)]
        fn run<C: Isa>(self) -> Self::Output {
            let mut ids = [u32::MAX; FOUR];
            let ends = C::look_up_four(self.0, self.1, &mut ids)?;
            let starts = [0].into_iter().chain(ends);
            Some(starts.zip(ends).map(|(start, end)| ids[start..end].to_vec()).collect())
        }
    }

    #[test]
    fn every_level_finds_four_keys_or_says_that_one_is_missing() {
        let word = |a: u64, b: u64, c: u64| a | b << ID_BITS | c << (2 * ID_BITS);
        // Two keys in each line, and one to five ids for each key.
        let (mut lines, mut keys, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..20 {
            let [f, s] = [0, 1].map(|half| {
                let first = u64::from(ID_MASK) - 10 * i - 5 * half;
                [0, 1, 2, 3, 4].map(|n| first - n)
            });
            let (many, few) = (i % 5 + 1, i / 5 % 5 + 1);
            lines.push([
                i,
                100,
                i,
                200,
                word(f[0], f[1], many),
                word(f[2], f[3], f[4]),
                word(s[0], s[1], few),
                word(s[2], s[3], s[4]),
            ]);
            keys.push([[i, 100], [i, 200]]);
            let listed = |ids: [u64; 5], count: u64| -> Vec<u32> {
                ids.iter().map(|&id| id as u32).take(count as usize).collect()
            };
            ids.push([listed(f, many), listed(s, few)]);
        }
        for (i, halves) in (0..20).flat_map(|i| (0..16).map(move |halves| (i, halves))) {
            let at = [i, i + 7, i + 3, i + 14].map(|at| at % 20);
            let half = |n: usize| halves >> n & 1;
            let four: [Key; KEYS] = std::array::from_fn(|n| keys[at[n]][half(n)]);
            let expected: Vec<_> = (0..KEYS).map(|n| ids[at[n]][half(n)].clone()).collect();
            let places = at.map(|at| &lines[at]);
            for level in Level::available() {
                assert_eq!(level.run(LookUpFour(places, &four)).as_ref(), Some(&expected));
                for missing in 0..KEYS {
                    let mut four = four;
                    four[missing][1] += 1;
                    assert_eq!(level.run(LookUpFour(places, &four)), None, "{level:?}");
                }
            }
        }
    }
}
