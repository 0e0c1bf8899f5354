//! Where Chinese and Japanese may be cut, by NEON: the bytes of sixteen characters in three registers, as one load deals
//! them, and the same from the second character on. Hashes are made of four pairs at a time, rows taken for all.

use std::arch::aarch64::*;

use super::BLOCK;
use super::cjk_cuts::{Cuts, FACTORS, JoinedPairs, Row, Rows};

/// The place of a bit in a byte, for a first byte with this bit of a row: those of the lower and of the upper byte.
const LOW_BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
const HIGH_BITS: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128];

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn cuts_neon(block: &[u8; BLOCK], pairs: &JoinedPairs) -> Cuts {
    // SAFETY: 48 bytes from the first and from the fourth are in the block; a load takes any alignment.
    let (left, right) = unsafe { (vld3q_u8(block.as_ptr()), vld3q_u8(block.as_ptr().add(3))) };
    let characters = {
        let all = bits(is_character(left)) | bits(is_character(right)) << 1;
        all.trailing_ones()
    };
    let inside = (1 << characters.saturating_sub(1)) - 1;
    if inside == 0 {
        return Cuts { safe: 0, characters };
    }
    let joined = vorrq_u8(by_characters(pairs, left, right), by_bytes(&pairs.rows, left, right));
    Cuts { safe: !bits(vtstq_u8(joined, joined)) & inside, characters }
}

/// 255 for the characters of three bytes.
#[inline]
#[target_feature(enable = "neon")]
fn is_character(uint8x16x3_t(first, second, third): uint8x16x3_t) -> uint8x16_t {
    let lead = vceqq_u8(vandq_u8(first, vdupq_n_u8(0xF0)), vdupq_n_u8(0xE0));
    let below = |lanes| vcltq_s8(vreinterpretq_s8_u8(lanes), vdupq_n_s8(-0x40));
    vandq_u8(lead, vandq_u8(below(second), below(third)))
}

/// Bit i: byte i is 255, and not 0.
#[inline]
#[target_feature(enable = "neon")]
fn bits(lanes: uint8x16_t) -> u32 {
    let bits = vandq_u8(lanes, vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201)));
    let bits = vpaddq_u8(bits, bits);
    let bits = vpaddq_u8(bits, bits);
    u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(vpaddq_u8(bits, bits))))
}

/// The characters as words, four at a time.
#[inline]
#[target_feature(enable = "neon")]
fn words(uint8x16x3_t(first, second, third): uint8x16x3_t) -> [uint32x4_t; 4] {
    let wide = |a, b| (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
    let zero = vdupq_n_u8(0);
    let (low, high) = (
        wide(vzip1q_u8(third, second), vzip2q_u8(third, second)),
        wide(vzip1q_u8(first, zero), vzip2q_u8(first, zero)),
    );
    [
        vzip1q_u16(low.0, high.0),
        vzip2q_u16(low.0, high.0),
        vzip1q_u16(low.1, high.1),
        vzip2q_u16(low.1, high.1),
    ]
    .map(|lanes| vreinterpretq_u32_u16(lanes))
}

/// 255 for the pairs that are joined by the table of characters.
#[inline]
#[target_feature(enable = "neon")]
fn by_characters(pairs: &JoinedPairs, left: uint8x16x3_t, right: uint8x16x3_t) -> uint8x16_t {
    let (left, right) = (words(left), words(right));
    let shift = vdupq_n_s32(-(pairs.shift as i32));
    let joined = |i: usize| {
        let hashes = vmlaq_n_u32(vmulq_n_u32(left[i], FACTORS[0]), right[i], FACTORS[1]);
        let places = vshlq_u32(hashes, shift);
        let word = |place: u32| {
            // SAFETY: by the invariant of `JoinedPairs` each place is that of a word of the table.
            unsafe { pairs.characters.as_ptr().add(place as usize) }
        };
        let mut words = vdupq_n_u32(0);
        // SAFETY: as above.
        unsafe {
            words = vld1q_lane_u32::<0>(word(vgetq_lane_u32::<0>(places)), words);
            words = vld1q_lane_u32::<1>(word(vgetq_lane_u32::<1>(places)), words);
            words = vld1q_lane_u32::<2>(word(vgetq_lane_u32::<2>(places)), words);
            words = vld1q_lane_u32::<3>(word(vgetq_lane_u32::<3>(places)), words);
        }
        let five = |hashes| vandq_u32(hashes, vdupq_n_u32(31));
        let bit = |hashes| vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(five(hashes)));
        let both = vorrq_u32(bit(hashes), bit(vshrq_n_u32::<5>(hashes)));
        vreinterpretq_u16_u32(vceqzq_u32(vbicq_u32(both, words)))
    };
    let (low, high) = (vuzp1q_u16(joined(0), joined(1)), vuzp1q_u16(joined(2), joined(3)));
    vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high))
}

/// Not zero for the pairs that are joined by the rows.
#[inline]
#[target_feature(enable = "neon")]
fn by_bytes(rows: &Rows, left: uint8x16x3_t, right: uint8x16x3_t) -> uint8x16_t {
    let six = |lanes| vandq_u8(lanes, vdupq_n_u8(0x3F));
    let (last, middle, next) = (six(left.2), six(left.1), six(right.1));
    let (by_last, by_middle) = (row(&rows.by_last, last), row(&rows.by_middle, middle));
    let (to_last, next) = (row(&rows.to_last, last), row(&rows.next, next));
    let all =
        |i: usize| vorrq_u8(vandq_u8(by_last[i], by_middle[i]), vandq_u8(to_last[i], next[i]));
    let first = vandq_u8(right.0, vdupq_n_u8(15));
    // SAFETY: these are 16 bytes; a load takes any alignment.
    let bit = |bits: &[u8; 16]| vqtbl1q_u8(unsafe { vld1q_u8(bits.as_ptr()) }, first);
    vorrq_u8(vandq_u8(all(0), bit(&LOW_BITS)), vandq_u8(all(1), bit(&HIGH_BITS)))
}

/// The lower and the upper bytes of a row for each place.
#[inline]
#[target_feature(enable = "neon")]
fn row(rows: &Row, places: uint8x16_t) -> [uint8x16_t; 2] {
    // SAFETY: 64 rows of two bytes are four times 32; a load takes any alignment.
    let part = |i: usize| unsafe { vld2q_u8(rows.as_ptr().add(16 * i).cast()) };
    let [a, b, c, d] = [part(0), part(1), part(2), part(3)];
    [
        vqtbl4q_u8(uint8x16x4_t(a.0, b.0, c.0, d.0), places),
        vqtbl4q_u8(uint8x16x4_t(a.1, b.1, c.1, d.1), places),
    ]
}
