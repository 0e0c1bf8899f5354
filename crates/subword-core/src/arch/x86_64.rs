//! AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::scalar::CLASS_BITS;
use super::{AsciiMasks, BLOCK, Classify, Kernel};

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

pub(super) fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    // SAFETY: a prefetch reads nothing, and the reference is valid anyway.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Made only by `run_avx2`.
pub(super) struct Avx2;

impl Classify for Avx2 {
    #[inline(always)]
    fn classify(block: &[u8; BLOCK]) -> AsciiMasks {
        // SAFETY: `Avx2` is only ever used inside `run_avx2`, whose caller has checked for AVX2.
        unsafe { classify_avx2(block) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn classify_avx2(block: &[u8; BLOCK]) -> AsciiMasks {
    // SAFETY: the block has 64 bytes: 32 from 0, 32 from 32; `loadu` takes any alignment.
    let halves = unsafe {
        [
            _mm256_loadu_si256(block.as_ptr().cast()),
            _mm256_loadu_si256(block.as_ptr().add(32).cast()),
        ]
    };
    let mask = |test: &dyn Fn(__m256i) -> __m256i| -> u64 {
        let low = _mm256_movemask_epi8(test(halves[0])) as u32;
        let high = _mm256_movemask_epi8(test(halves[1])) as u32;
        u64::from(low) | u64::from(high) << 32
    };
    let equal = |byte: u8| mask(&|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8)));
    // `first` to `last`, both positive as signed bytes, so bytes above 127 compare as too small.
    let range = |first: u8, last: u8| {
        mask(&|half| {
            let above = _mm256_cmpgt_epi8(half, _mm256_set1_epi8(first as i8 - 1));
            let below = _mm256_cmpgt_epi8(_mm256_set1_epi8(last as i8 + 1), half);
            _mm256_and_si256(above, below)
        })
    };
    AsciiMasks {
        upper: range(b'A', b'Z'),
        lower: range(b'a', b'z'),
        digit: range(b'0', b'9'),
        space: equal(b' '),
        tab: equal(b'\t') | range(0x0B, 0x0C),
        newline: equal(b'\n') | equal(b'\r'),
        apostrophe: equal(b'\''),
        slash: equal(b'/'),
        high: mask(&|half| half),
    }
}

/// Made only by `run_avx512`.
pub(super) struct Avx512;

impl Classify for Avx512 {
    #[inline(always)]
    fn classify(block: &[u8; BLOCK]) -> AsciiMasks {
        // SAFETY: `Avx512` is only ever used inside `run_avx512`, whose caller has checked for
        // these features.
        unsafe { classify_avx512(block) }
    }
}

/// One shuffle looks all 64 bytes up in the table of 128 classes; each bit of the result is then a
/// mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn classify_avx512(block: &[u8; BLOCK]) -> AsciiMasks {
    // SAFETY: the block has 64 bytes and the table 128; `loadu` takes any alignment.
    let (bytes, low, high) = unsafe {
        (
            _mm512_loadu_si512(block.as_ptr().cast()),
            _mm512_loadu_si512(CLASS_BITS.as_ptr().cast()),
            _mm512_loadu_si512(CLASS_BITS.as_ptr().add(64).cast()),
        )
    };
    let above = _mm512_movepi8_mask(bytes);
    // The shuffle ignores the eighth bit of an index: bytes above 127 are cleared by the mask.
    let classes = _mm512_maskz_permutex2var_epi8(!above, low, bytes, high);
    let mask = |bit: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8));
    AsciiMasks {
        upper: mask(1),
        lower: mask(2),
        digit: mask(4),
        space: mask(8),
        tab: mask(16),
        newline: mask(32),
        apostrophe: mask(64),
        slash: mask(128),
        high: above,
    }
}
