//! The plain form, which defines the answer.

use super::non_ascii::{WideClasses, class};
use super::{BLOCK, Isa, Masks, WINDOW};

/// One bit per class of ASCII.
pub(super) const CLASS_BITS: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => class::UPPER,
            b'a'..=b'z' => class::LOWER,
            b'0'..=b'9' => class::DIGIT,
            b' ' => class::SPACE,
            b'\t' | 0x0B | 0x0C => class::TAB,
            b'\r' | b'\n' => class::NEWLINE,
            b'\'' => class::APOSTROPHE,
            b'/' => class::SLASH,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Each bit of a class as the lowest of a byte.
///
/// PERF: eight characters become eight bits of each class by eight shifts of a word, and not by 64 of a bit.
static BIT_BYTES: [u64; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 8 * table.len() {
        let (class, bit) = (at / 8, at % 8);
        table[class] |= (class as u64 >> bit & 1) << (8 * bit);
        at += 1;
    }
    table
};

/// The instruction set of any processor.
pub(crate) struct Scalar;

impl Isa for Scalar {
    #[inline(always)]
    fn classify(window: &[u8; WINDOW], table: &WideClasses) -> Masks {
        let (mut rows, mut starts) = ([0u64; 8], 0u64);
        let (mut at, mut number) = (0, 0);
        while at < BLOCK {
            let byte = window[at];
            let (class, len) = if byte.is_ascii() {
                (CLASS_BITS[usize::from(byte)], 1)
            } else {
                let Some(wide) = table.of(&window[at..]) else { break };
                wide
            };
            rows[number / 8] |= BIT_BYTES[usize::from(class)] << (number % 8);
            starts |= 1 << at;
            at += len;
            number += 1;
        }
        let rows = rows.map(u64::to_le_bytes);
        let packed = std::array::from_fn(|bit| u64::from_le_bytes(rows.map(|row| row[bit])));
        Masks::new(packed, starts)
    }

    #[inline(always)]
    fn spread(mut bits: u64, mut places: u64) -> u64 {
        let mut word = 0;
        while bits != 0 && places != 0 {
            let lowest = places & places.wrapping_neg();
            word |= if bits & 1 == 1 { lowest } else { 0 };
            bits >>= 1;
            places ^= lowest;
        }
        word
    }

    #[inline(always)]
    fn gather(bits: u64, mut places: u64) -> u64 {
        let (mut word, mut at) = (0, 0);
        while places != 0 {
            word |= (bits >> places.trailing_zeros() & 1) << at;
            places &= places - 1;
            at += 1;
        }
        word
    }
}

/// The plain form of [`Isa::equal_bytes`].
#[inline(always)]
pub(super) fn equal_bytes(text: &[u8], byte: u8) -> u64 {
    let block = text[..BLOCK].iter().rev();
    block.fold(0, |bits, &other| bits << 1 | u64::from(other == byte))
}

/// The plain form of [`Isa::positions`].
#[inline(always)]
pub(super) fn positions(mut bits: u64, base: usize, into: &mut Vec<usize>) {
    while bits != 0 {
        into.push(base + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
