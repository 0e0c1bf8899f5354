//! 64 bytes at once: AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::BLOCK;
use super::non_ascii::Lanes;

/// 64 bytes. Only made where AVX2 is enabled.
#[derive(Clone, Copy)]
pub(super) struct Halves(pub(super) [__m256i; 2]);

impl Halves {
    #[inline(always)]
    pub(super) fn mask(self, test: impl Fn(__m256i) -> __m256i) -> u64 {
        // SAFETY: `Halves` are only made where AVX2 is enabled.
        let mask = |half| unsafe { _mm256_movemask_epi8(test(half)) as u32 };
        u64::from(mask(self.0[0])) | u64::from(mask(self.0[1])) << 32
    }

    /// The bytes from `from` to `to`. Those before are large when `from` is subtracted; with 128 subtracted as well,
    /// signed bytes have the order of the differences.
    #[inline(always)]
    pub(super) fn between(self, from: u8, to: u8) -> u64 {
        // SAFETY: as above.
        self.mask(|half| unsafe {
            let from_first = _mm256_sub_epi8(half, _mm256_set1_epi8((from ^ 0x80) as i8));
            _mm256_cmpgt_epi8(_mm256_set1_epi8(((to - from + 1) ^ 0x80) as i8), from_first)
        })
    }

    /// The bytes beyond ASCII.
    #[inline(always)]
    pub(super) fn high(self) -> u64 {
        self.mask(|half| half)
    }
}

/// Sixteen bytes of the table at a time: `vpshufb` gives zero where the highest bit of a place is set,
/// and a saturating addition sets it in all that are not among these sixteen.
///
/// PERF: not a closure, which would not be compiled for AVX2.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up_half(half: __m256i, table: &[u8], low_bits: u8) -> __m256i {
    let places = _mm256_and_si256(half, _mm256_set1_epi8(low_bits as i8));
    let mut found = _mm256_setzero_si256();
    for (number, sixteen) in table.as_chunks::<16>().0.iter().enumerate() {
        let here = _mm256_xor_si256(places, _mm256_set1_epi8((number << 4) as i8));
        let here = _mm256_adds_epu8(here, _mm256_set1_epi8(0x70));
        // SAFETY: these are 16 bytes; `loadu` takes any alignment.
        let sixteen = unsafe { _mm_loadu_si128(sixteen.as_ptr().cast()) };
        let sixteen = _mm256_broadcastsi128_si256(sixteen);
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen, here));
    }
    found
}

/// Zero where the mask is: each byte of it to the eight bytes that it is about, then one bit of each.
#[inline]
#[target_feature(enable = "avx2")]
fn only_half(half: __m256i, mask: u32) -> __m256i {
    const EIGHT: i64 = 0x0101_0101_0101_0101;
    let places = _mm256_setr_epi64x(0, EIGHT, 2 * EIGHT, 3 * EIGHT);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), places);
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
    _mm256_and_si256(half, _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit))
}

impl Lanes for Halves {
    #[inline(always)]
    fn all(byte: u8) -> Halves {
        // SAFETY: only where AVX2 is enabled.
        Halves(unsafe { [_mm256_set1_epi8(byte as i8); 2] })
    }

    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> Halves {
        // SAFETY: these are 64 bytes: 32 from 0, 32 from 32; `loadu` takes any alignment.
        unsafe {
            Halves([
                _mm256_loadu_si256(bytes.as_ptr().cast()),
                _mm256_loadu_si256(bytes.as_ptr().add(32).cast()),
            ])
        }
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: `Halves` are only made where AVX2 is enabled.
        self.mask(|half| unsafe { _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8)) })
    }

    #[inline(always)]
    fn at_least(self, byte: u8) -> u64 {
        // Bytes above 127 keep their order as signed bytes.
        // SAFETY: as above.
        self.mask(|half| unsafe { _mm256_cmpgt_epi8(half, _mm256_set1_epi8(byte as i8 - 1)) })
    }

    #[inline(always)]
    fn continuation(self) -> u64 {
        // SAFETY: as above.
        self.mask(|half| unsafe { _mm256_cmpgt_epi8(_mm256_set1_epi8(0xC0u8 as i8), half) })
    }

    #[inline(always)]
    fn groups(first: Halves, second: Halves) -> Halves {
        // SAFETY: as above.
        let group = |first, second| unsafe {
            let high = _mm256_and_si256(_mm256_slli_epi16::<3>(first), _mm256_set1_epi8(0x78));
            let low = _mm256_and_si256(_mm256_srli_epi16::<3>(second), _mm256_set1_epi8(7));
            _mm256_or_si256(high, low)
        };
        Halves([group(first.0[0], second.0[0]), group(first.0[1], second.0[1])])
    }

    #[inline(always)]
    fn places(before: Halves, last: Halves) -> Halves {
        // SAFETY: as above.
        let place = |before, last| unsafe {
            let high = _mm256_and_si256(_mm256_slli_epi16::<6>(before), _mm256_set1_epi8(0x40));
            _mm256_or_si256(high, _mm256_and_si256(last, _mm256_set1_epi8(0x3F)))
        };
        Halves([place(before.0[0], last.0[0]), place(before.0[1], last.0[1])])
    }

    #[inline(always)]
    fn look_up_64(self, table: &[u8; 64]) -> Halves {
        // SAFETY: as above.
        Halves(unsafe {
            [look_up_half(self.0[0], table, 0x3F), look_up_half(self.0[1], table, 0x3F)]
        })
    }

    #[inline(always)]
    fn look_up_128(self, table: &[u8; 128]) -> Halves {
        // SAFETY: as above.
        Halves(unsafe {
            [look_up_half(self.0[0], table, 0x7F), look_up_half(self.0[1], table, 0x7F)]
        })
    }

    #[inline(always)]
    fn only(self, mask: u64) -> Halves {
        // SAFETY: as above.
        Halves(unsafe {
            [only_half(self.0[0], mask as u32), only_half(self.0[1], (mask >> 32) as u32)]
        })
    }

    #[inline(always)]
    fn or(self, other: Halves) -> Halves {
        // SAFETY: as above.
        let or = |i: usize| unsafe { _mm256_or_si256(self.0[i], other.0[i]) };
        Halves([or(0), or(1)])
    }

    #[inline(always)]
    fn with(self, bit: u8) -> u64 {
        // SAFETY: as above.
        self.mask(|half| unsafe {
            let bit = _mm256_set1_epi8(bit as i8);
            _mm256_cmpeq_epi8(_mm256_and_si256(half, bit), bit)
        })
    }

    #[inline(always)]
    fn pack(self, places: u64) -> [u64; 8] {
        // PERF: no closure, which is not always compiled for BMI2.
        // SAFETY: where AVX2 is enabled, BMI2 is too.
        unsafe {
            [
                _pext_u64(self.with(1), places),
                _pext_u64(self.with(2), places),
                _pext_u64(self.with(4), places),
                _pext_u64(self.with(8), places),
                _pext_u64(self.with(16), places),
                _pext_u64(self.with(32), places),
                _pext_u64(self.with(64), places),
                _pext_u64(self.with(128), places),
            ]
        }
    }
}

/// 64 bytes. Only made where AVX-512 is enabled.
#[derive(Clone, Copy)]
pub(super) struct Bytes(pub(super) __m512i);

impl Lanes for Bytes {
    #[inline(always)]
    fn all(byte: u8) -> Bytes {
        // SAFETY: only where AVX-512 is enabled.
        Bytes(unsafe { _mm512_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> Bytes {
        // SAFETY: these are 64 bytes; `loadu` takes any alignment.
        Bytes(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: `Bytes` are only made where AVX-512 is enabled.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn at_least(self, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpge_epu8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn continuation(self) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmplt_epi8_mask(self.0, _mm512_set1_epi8(0xC0u8 as i8)) }
    }

    #[inline(always)]
    fn groups(first: Bytes, second: Bytes) -> Bytes {
        // SAFETY: as above.
        unsafe {
            let high = _mm512_and_si512(_mm512_slli_epi16::<3>(first.0), _mm512_set1_epi8(0x78));
            let low = _mm512_and_si512(_mm512_srli_epi16::<3>(second.0), _mm512_set1_epi8(7));
            Bytes(_mm512_or_si512(high, low))
        }
    }

    #[inline(always)]
    fn places(before: Bytes, last: Bytes) -> Bytes {
        // SAFETY: as above.
        unsafe {
            let high = _mm512_and_si512(_mm512_slli_epi16::<6>(before.0), _mm512_set1_epi8(0x40));
            Bytes(_mm512_or_si512(high, _mm512_and_si512(last.0, _mm512_set1_epi8(0x3F))))
        }
    }

    #[inline(always)]
    fn look_up_64(self, table: &[u8; 64]) -> Bytes {
        // SAFETY: as above; the table has 64 bytes, and `loadu` takes any alignment.
        Bytes(unsafe { _mm512_permutexvar_epi8(self.0, _mm512_loadu_si512(table.as_ptr().cast())) })
    }

    #[inline(always)]
    fn look_up_128(self, table: &[u8; 128]) -> Bytes {
        // SAFETY: as above; the table has 128 bytes.
        Bytes(unsafe {
            let low = _mm512_loadu_si512(table.as_ptr().cast());
            let high = _mm512_loadu_si512(table.as_ptr().add(64).cast());
            _mm512_permutex2var_epi8(low, self.0, high)
        })
    }

    #[inline(always)]
    fn only(self, mask: u64) -> Bytes {
        // SAFETY: as above.
        Bytes(unsafe { _mm512_maskz_mov_epi8(mask, self.0) })
    }

    #[inline(always)]
    fn or(self, other: Bytes) -> Bytes {
        // SAFETY: as above.
        Bytes(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn with(self, bit: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_test_epi8_mask(self.0, _mm512_set1_epi8(bit as i8)) }
    }

    #[inline(always)]
    fn pack(self, places: u64) -> [u64; 8] {
        // SAFETY: as above; VBMI2 belongs to it.
        let packed = Bytes(unsafe { _mm512_maskz_compress_epi8(places, self.0) });
        [
            packed.with(1),
            packed.with(2),
            packed.with(4),
            packed.with(8),
            packed.with(16),
            packed.with(32),
            packed.with(64),
            packed.with(128),
        ]
    }
}
