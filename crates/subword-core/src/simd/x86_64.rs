//! AVX2 and AVX-512.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::bert_x86_64::{bert_avx2, bert_avx512};
use super::non_ascii::{self, Lanes, WideClasses};
use super::non_ascii_x86_64::{Bytes, Halves};
use super::scalar::CLASS_BITS;
use super::{
    AllTwoBytes, BLOCK, BertBlock, BertRules, Bounds, Cuts, FOUR, Isa, JoinedPairs, KEYS, Kernel,
    Key, Line, MOST_BYTES, Masks, Odd, UTF8_GROUP, WINDOW, byte_pairs, cache_probe, cjk_cuts,
    piece_keys,
};

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
        && is_x86_feature_detected!("avx512vbmi2")
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

/// Made only by `run_avx2`.
pub(super) struct Avx2;

impl Isa for Avx2 {
    #[inline(always)]
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks {
        let first = Halves::load(window.first_chunk().expect("a window is a block and more"));
        let high = first.high();
        if high == 0 {
            ascii_classes(first)
        } else {
            // SAFETY: `Avx2` is only ever used inside `run_avx2`, whose caller has checked for AVX2 and
            // BMI2.
            unsafe { wide_classes_avx2(window, high, table) }
        }
    }

    #[inline(always)]
    fn spread(bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pdep_u64(bits, places) }
    }

    #[inline(always)]
    fn gather(bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pext_u64(bits, places) }
    }

    #[inline(always)]
    fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
        // SAFETY: as above.
        unsafe { positions_avx2(bits, base, into) }
    }

    #[inline(always)]
    fn look_up(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        // SAFETY: as above.
        unsafe { cache_probe::look_up_avx2(line, key, into) }
    }

    #[inline(always)]
    fn look_up_four(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        // SAFETY: as above.
        unsafe { cache_probe::look_up_four_avx2(lines, keys, into) }
    }

    #[inline(always)]
    fn number(line: &Line, key: Key) -> usize {
        // SAFETY: as above.
        unsafe { cache_probe::number_avx2(line, key) }
    }

    #[inline(always)]
    fn keys(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        // SAFETY: as above.
        unsafe { piece_keys::keys_avx2(text, bounds, shift, keys, lines) }
    }

    #[inline(always)]
    fn equal_bytes(text: &[u8], byte: u8) -> u64 {
        Halves::load(text.first_chunk().expect("a block")).equal(byte)
    }

    #[inline(always)]
    fn bert(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
        // SAFETY: as above.
        unsafe { bert_avx2(text, bytes, rules) }
    }
}

/// PERF: compiled into the loop that asks, so that the masks are in registers: a call would write and read them.
#[inline(always)]
fn ascii_classes(bytes: Halves) -> Masks {
    let newline = bytes.equal(b'\n') | bytes.equal(b'\r');
    Masks {
        upper: bytes.between(b'A', b'Z'),
        lower: bytes.between(b'a', b'z'),
        digit: bytes.between(b'0', b'9'),
        space: bytes.equal(b' '),
        tab: bytes.between(b'\t', b'\r') & !newline,
        newline,
        apostrophe: bytes.equal(b'\''),
        slash: bytes.equal(b'/'),
        starts: u64::MAX,
        ..Masks::default()
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn wide_classes_avx2(window: &[u8; WINDOW], high: u64, table: &WideClasses) -> Masks {
    non_ascii::classify::<Halves>(window, high, table)
}

/// Eight places at a time, whether there are as many or not: a branch for each could not be predicted.
#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn positions_avx2(mut bits: u64, base: usize, into: &mut Vec<usize>) {
    const GROUP: usize = 8;
    let count = bits.count_ones() as usize;
    into.reserve(BLOCK);
    let to = into.spare_capacity_mut().as_mut_ptr();
    let mut first = 0;
    while first < count {
        for place in first..first + GROUP {
            let found = base.wrapping_add(bits.trailing_zeros() as usize);
            // SAFETY: `first` is a multiple of eight below 64, and there is room for 64 beyond the length.
            unsafe { to.add(place).write(MaybeUninit::new(found)) };
            bits &= bits.wrapping_sub(1);
        }
        first += GROUP;
    }
    // SAFETY: the first `count` places beyond the length are written, and there is room for them.
    unsafe { into.set_len(into.len() + count) };
}

/// Made only by `run_avx512`.
pub(super) struct Avx512;

impl Isa for Avx512 {
    #[inline(always)]
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks {
        // SAFETY: `Avx512` is only ever used inside `run_avx512`, whose caller has checked for
        // these features.
        unsafe { classify_avx512(window, table) }
    }

    #[inline(always)]
    fn spread(bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pdep_u64(bits, places) }
    }

    #[inline(always)]
    fn gather(bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pext_u64(bits, places) }
    }

    #[inline(always)]
    fn positions(bits: u64, base: usize, into: &mut Vec<usize>) {
        // SAFETY: as above.
        unsafe { positions_avx512(bits, base, into) }
    }

    #[inline(always)]
    fn look_up(line: &Line, key: Key, into: &mut [u32; 8]) -> usize {
        // SAFETY: as above.
        unsafe { cache_probe::look_up_avx512(line, key, into) }
    }

    #[inline(always)]
    fn look_up_four(
        lines: [&Line; KEYS],
        keys: &[Key; KEYS],
        into: &mut [u32; FOUR],
    ) -> Option<[usize; KEYS]> {
        // SAFETY: as above.
        unsafe { cache_probe::look_up_four_avx512(lines, keys, into) }
    }

    #[inline(always)]
    fn number(line: &Line, key: Key) -> usize {
        // SAFETY: as above.
        unsafe { cache_probe::number_avx512(line, key) }
    }

    #[inline(always)]
    fn keys(
        text: &[u8],
        bounds: Bounds,
        shift: u32,
        keys: &mut [Key; KEYS],
        lines: &mut [u32; KEYS],
    ) -> Option<Odd> {
        // SAFETY: as above.
        unsafe { piece_keys::keys_avx512(text, bounds, shift, keys, lines) }
    }

    #[inline(always)]
    fn cuts(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
        // SAFETY: as above.
        unsafe { cjk_cuts::cuts_avx512(block, pairs) }
    }

    #[inline(always)]
    fn sure_merges(
        piece: &[u8],
        all: &AllTwoBytes,
        ids: &[u32; 256],
        into: &mut [u32; MOST_BYTES],
    ) -> usize {
        // SAFETY: as above.
        unsafe { byte_pairs::sure_merges_avx512(piece, all, ids, into) }
    }

    #[inline(always)]
    fn equal_bytes(text: &[u8], byte: u8) -> u64 {
        Bytes::load(text.first_chunk().expect("a block")).equal(byte)
    }

    #[inline(always)]
    fn bert(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
        // SAFETY: as above.
        unsafe { bert_avx512(text, bytes, rules) }
    }

    #[inline(always)]
    fn utf8(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
        // SAFETY: as above.
        unsafe { utf8_avx512(codes, into) }
    }
}

/// One shuffle looks all 64 bytes up in the table of 128 classes; each bit of the result is then a
/// mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2")]
fn classify_avx512(window: &[u8; WINDOW], table: &WideClasses) -> Masks {
    let first = Bytes::load(window.first_chunk().expect("a window is a block and more"));
    // SAFETY: the table has 128 bytes; `loadu` takes any alignment.
    let (low, high) = unsafe {
        (
            _mm512_loadu_si512(CLASS_BITS.as_ptr().cast()),
            _mm512_loadu_si512(CLASS_BITS.as_ptr().add(64).cast()),
        )
    };
    let above = _mm512_movepi8_mask(first.0);
    // The shuffle ignores the eighth bit of an index: bytes above 127 are cleared by the mask.
    let classes = _mm512_maskz_permutex2var_epi8(!above, low, first.0, high);
    let mask = |bit: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8));
    let ascii = Masks {
        upper: mask(1),
        lower: mask(2),
        digit: mask(4),
        space: mask(8),
        tab: mask(16),
        newline: mask(32),
        apostrophe: mask(64),
        slash: mask(128),
        starts: u64::MAX,
        ..Masks::default()
    };
    if above == 0 { ascii } else { non_ascii::classify::<Bytes>(window, above, table) }
}

/// The places of the ones as bytes, by one compression; then eight at a time as words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn positions_avx512(bits: u64, base: usize, into: &mut Vec<usize>) {
    const PLACES: [u8; BLOCK] = {
        let mut places = [0; BLOCK];
        let mut at = 0;
        while at < BLOCK {
            places[at] = at as u8;
            at += 1;
        }
        places
    };
    let count = bits.count_ones() as usize;
    into.reserve(BLOCK);
    // SAFETY: the table has 64 bytes; `loadu` takes any alignment.
    let places = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    let mut list = [0u8; BLOCK];
    // SAFETY: the list has 64 bytes; `storeu` takes any alignment.
    unsafe {
        _mm512_storeu_si512(list.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(bits, places));
    }
    let base = _mm512_set1_epi64(base as i64);
    let to = into.spare_capacity_mut().as_mut_ptr();
    let mut write = |group: usize| {
        let eight: [u8; 8] = list[8 * group..].first_chunk().copied().expect("a group of eight");
        let eight = _mm_cvtsi64_si128(i64::from_le_bytes(eight));
        let eight = _mm512_add_epi64(_mm512_cvtepu8_epi64(eight), base);
        // SAFETY: there are at most eight groups of eight, and room for 64 beyond the length.
        unsafe { _mm512_storeu_si512(to.add(8 * group).cast(), eight) };
    };
    (0..3).for_each(&mut write);
    if count > 24 {
        (3..8).for_each(write);
    }
    // SAFETY: the first `count` places beyond the length are written, and there is room for them.
    unsafe { into.set_len(into.len() + count) };
}

/// All characters as four bytes, the bytes that they do not need squeezed out.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi2")]
fn utf8_avx512(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
    // SAFETY: these are 64 bytes; `loadu` takes any alignment.
    let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().cast()) };
    let number = |n: u32| _mm512_set1_epi32(n as i32);
    let from = |n: u32| _mm512_cmpge_epu32_mask(codes, number(n));
    let (two, three, four) = (from(0x80), from(0x800), from(0x1_0000));
    let surrogates =
        _mm512_cmplt_epu32_mask(_mm512_sub_epi32(codes, number(0xD800)), number(0x800));
    if surrogates | from(0x11_0000) != 0 {
        return None;
    }
    // The last byte of each, the one before it, and so on: six bits of the code point and a mark.
    let six = |shifted| _mm512_or_si512(_mm512_and_si512(shifted, number(0x3F)), number(0x80));
    let [a, b, c] =
        [six(codes), six(_mm512_srli_epi32::<6>(codes)), six(_mm512_srli_epi32::<12>(codes))];
    let pair = |first, second| _mm512_or_si512(first, _mm512_slli_epi32::<8>(second));
    let mut bytes = codes;
    let lead = _mm512_or_si512(_mm512_srli_epi32::<6>(codes), number(0xC0));
    bytes = _mm512_mask_mov_epi32(bytes, two, pair(lead, a));
    if three != 0 {
        let lead = _mm512_or_si512(_mm512_srli_epi32::<12>(codes), number(0xE0));
        bytes = _mm512_mask_mov_epi32(bytes, three, pair(lead, pair(b, a)));
    }
    if four != 0 {
        let lead = _mm512_or_si512(_mm512_srli_epi32::<18>(codes), number(0xF0));
        bytes = _mm512_mask_mov_epi32(bytes, four, pair(lead, pair(c, pair(b, a))));
    }
    let every_fourth =
        |mask: u16, byte: u32| _pdep_u64(u64::from(mask), 0x1111_1111_1111_1111) << byte;
    let kept = 0x1111_1111_1111_1111
        | every_fourth(two, 1)
        | every_fourth(three, 2)
        | every_fourth(four, 3);
    // SAFETY: there are 64 bytes; `storeu` takes any alignment.
    unsafe {
        _mm512_storeu_si512(into.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(kept, bytes));
    }
    Some(kept.count_ones() as usize)
}
