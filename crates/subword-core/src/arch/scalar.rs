//! The plain form, which defines the answer.

use super::{AsciiMasks, BLOCK, Classify};

/// One bit per class; the order of the fields of `AsciiMasks`.
pub(super) const CLASS_BITS: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => 1,
            b'a'..=b'z' => 2,
            b'0'..=b'9' => 4,
            b' ' => 8,
            b'\t' | 0x0B | 0x0C => 16,
            b'\r' | b'\n' => 32,
            b'\'' => 64,
            b'/' => 128,
            _ => 0,
        };
        byte += 1;
    }
    table
};

pub(super) struct Scalar;

impl Classify for Scalar {
    #[inline(always)]
    fn classify(block: &[u8; BLOCK]) -> AsciiMasks {
        let mut masks = [0u64; 9];
        for (i, &byte) in block.iter().enumerate() {
            let high = byte >> 7;
            let class = CLASS_BITS[usize::from(byte & 127)] & high.wrapping_sub(1);
            for (bit, mask) in masks.iter_mut().take(8).enumerate() {
                *mask |= u64::from(class >> bit & 1) << i;
            }
            masks[8] |= u64::from(high) << i;
        }
        let [upper, lower, digit, space, tab, newline, apostrophe, slash, high] = masks;
        AsciiMasks { upper, lower, digit, space, tab, newline, apostrophe, slash, high }
    }
}
