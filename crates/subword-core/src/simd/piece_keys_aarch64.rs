//! The keys of four pieces by NEON: each key in a register, the sums of products of two keys at a time.

use std::arch::aarch64::*;

use super::piece_keys::{ADDED, FIRST_BYTES, TOP};
use super::{Bounds, CHINESE, KEYS, Key, LONGEST_KEY, Odd};

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn keys_neon(
    text: &[u8],
    [starts, ends]: Bounds,
    shift: u32,
    keys: &mut [Key; KEYS],
    lines: &mut [u32; KEYS],
) -> Option<Odd> {
    let last = text.len().checked_sub(16)?;
    if starts[0] > last || starts[1] > last || starts[2] > last || starts[3] > last {
        return None;
    }
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| {
        let len = ends[i].wrapping_sub(starts[i]);
        // SAFETY: each start was compared with `last`, so 16 bytes of the text follow it; a mask has 16 bytes;
        // a load takes any alignment.
        let (window, kept) = unsafe {
            (
                vld1q_u8(text.as_ptr().add(starts[i])),
                vld1q_u8(FIRST_BYTES[len % 16].to_le_bytes().as_ptr()),
            )
        };
        vsetq_lane_u8::<15>(len as u8, vandq_u8(window, kept))
    });
    // SAFETY: these are two words each; a load takes any alignment.
    let [starts, ends] = [starts, ends].map(|four| unsafe {
        [vld1q_u64(four.as_ptr().cast()), vld1q_u64(four.as_ptr().add(2).cast())]
    });
    let is_long = |i: usize| {
        let len = vsubq_u64(ends[i], starts[i]);
        vcgtq_u64(len, vdupq_n_u64(LONGEST_KEY as u64))
    };
    let long = vuzp1q_u32(vreinterpretq_u32_u64(is_long(0)), vreinterpretq_u32_u64(is_long(1)));
    // SAFETY: these are four numbers; a load takes any alignment.
    let added = unsafe { vld1q_u32(ADDED.as_ptr()) };
    let shift = vdupq_n_s64(-i64::from(shift));
    let two = |first, second| {
        let first = vaddq_u32(vreinterpretq_u32_u8(first), added);
        let second = vaddq_u32(vreinterpretq_u32_u8(second), added);
        let (low, high) = (vuzp1q_u32(first, second), vuzp2q_u32(first, second));
        let products = vmull_u32(vget_low_u32(low), vget_low_u32(high));
        let sums = vpaddq_u64(products, vmull_high_u32(low, high));
        vreinterpretq_u32_u64(vshlq_u64(vshlq_n_u64::<{ 63 - TOP as i32 }>(sums), shift))
    };
    let found = vbicq_u32(vuzp1q_u32(two(a, b), two(c, d)), long);
    for (key, lanes) in keys.iter_mut().zip([a, b, c, d]) {
        // SAFETY: a key has 16 bytes; a store takes any alignment.
        unsafe { vst1q_u64(key.as_mut_ptr(), vreinterpretq_u64_u8(lanes)) };
    }
    // SAFETY: these are four numbers; a store takes any alignment.
    unsafe { vst1q_u32(lines.as_mut_ptr(), found) };
    let long = four_bits(long);
    let any = vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d));
    if vmaxvq_u8(any) < 0x80 {
        return Some(Odd { long, chinese: 0 });
    }
    let chinese = |lanes| {
        let from_first = vsubq_u8(lanes, vdupq_n_u8(CHINESE.start));
        vcltq_u8(from_first, vdupq_n_u8(CHINESE.end - CHINESE.start))
    };
    // Four bytes of each key are left.
    let pairs = |first, second| vpmaxq_u8(chinese(first), chinese(second));
    let any = vreinterpretq_u32_u8(vpmaxq_u8(pairs(a, b), pairs(c, d)));
    Some(Odd { long, chinese: four_bits(vtstq_u32(any, any)) & !long })
}

/// Bit i: number i is not zero, but all ones.
#[inline]
#[target_feature(enable = "neon")]
fn four_bits(lanes: uint32x4_t) -> u8 {
    const BITS: [u32; KEYS] = [1, 2, 4, 8];
    // SAFETY: these are four numbers; a load takes any alignment.
    let bits = unsafe { vld1q_u32(BITS.as_ptr()) };
    vaddvq_u32(vandq_u32(lanes, bits)) as u8
}
