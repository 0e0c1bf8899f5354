//! Pieces as words: what is compared, and what says where a piece lives.

use super::{LONGEST_MIDDLE, LONGEST_SHORT};
use crate::simd::{self, FIRST_BYTES, Key, last_key, window_key};

/// The key of no piece.
pub const NO_KEY: Key = [u64::MAX; 2];

/// A piece of a text, or a segment of one.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Where it starts in the text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// It is a part of a piece, and the model tells parts from pieces.
    pub part: bool,
}

/// Added to the length of a part.
const PART: u8 = 0x80;

/// Added to the length in the mark of a piece.
const MARK: u8 = 0x40;

/// A middle piece, in the same form.
pub(super) type MiddleKey = [u64; 4];

/// The first `i` bytes of two words.
const FIRST_BYTES_OF_TWO: [[u128; 2]; 32] = {
    let mut masks = [[u128::MAX, 0]; 32];
    let mut len = 0;
    while len < 16 {
        masks[len][0] = FIRST_BYTES[len];
        masks[len + 16][1] = FIRST_BYTES[len];
        len += 1;
    }
    masks
};

/// The key of `text[start..end]`, at most 15 bytes; never 0.
#[inline(always)]
pub fn short_key(text: &[u8], start: usize, end: usize, part: bool) -> Key {
    let len = end - start;
    debug_assert!((1..=LONGEST_SHORT).contains(&len));
    match text[start..].first_chunk::<16>() {
        Some(window) => window_key(window, len, tag(len, part)),
        None => last_key(&text[start..end], tag(len, part)),
    }
}

/// The key of `text[start..end]`, at most 31 bytes.
#[inline(always)]
pub(super) fn middle_key(text: &[u8], start: usize, end: usize, part: bool) -> MiddleKey {
    let len = end - start;
    debug_assert!((1..=LONGEST_MIDDLE).contains(&len));
    let word = |half: &[u8]| u128::from_le_bytes(half.try_into().unwrap_or_default());
    let halves = match text[start..].first_chunk::<32>() {
        Some(window) => {
            // The bytes behind the piece become 0.
            let (low, high) = window.split_at(16);
            let [keep_low, keep_high] = FIRST_BYTES_OF_TWO[len % 32];
            [word(low) & keep_low, word(high) & keep_high]
        }
        None => {
            let mut bytes = [0; 32];
            bytes[..len].copy_from_slice(&text[start..end]);
            [word(&bytes[..16]), word(&bytes[16..])]
        }
    };
    let [low, high] = [halves[0], halves[1] | u128::from(tag(len, part)) << 120];
    [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]
}

/// What stands in the table of short pieces for one that is in the middle table.
#[inline(always)]
pub(super) fn mark_of([low, high]: Key) -> Key {
    [low, high | u64::from(MARK) << 56]
}

/// Says where a short piece lives; its mark lives there too.
#[inline(always)]
pub(super) fn short_hash([low, high]: Key) -> u64 {
    simd::hash([low, high & !(u64::from(MARK) << 56)])
}

/// The last byte of a key.
#[inline(always)]
fn tag(len: usize, part: bool) -> u8 {
    len as u8 | if part { PART } else { 0 }
}

#[inline(always)]
pub(super) fn middle_hash(key: &MiddleKey) -> u64 {
    mix(key[0], key[1]) ^ mix(key[2], key[3]).rotate_left(32)
}

/// Two words into one whose top bits depend on all of both.
#[inline(always)]
pub(super) fn mix(low: u64, high: u64) -> u64 {
    let wide = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
    wide as u64 ^ (wide >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_depend_on_what_follows_the_piece() {
        let text: Vec<u8> = (1..80).collect();
        for len in 1..=LONGEST_MIDDLE {
            let alone = &text[..3 + len];
            if len <= LONGEST_SHORT {
                assert_eq!(
                    short_key(&text, 3, 3 + len, false),
                    short_key(alone, 3, 3 + len, false)
                );
            }
            assert_eq!(middle_key(&text, 3, 3 + len, true), middle_key(alone, 3, 3 + len, true));
        }
    }
}
