/*!
64 bytes at a time for BERT's front: small letters, and what is a word, punctuation or odd.

The plain form is in here; the SIMD forms are in `x86_64`.
*/

use super::BLOCK;

/// What 64 bytes are: bit i is byte i. What is in no mask is white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BertMasks {
    /// Letters, digits.
    pub word: u64,
    /// Punctuation and symbols.
    pub punctuation: u64,
    /// Control characters, and what is not ASCII.
    pub odd: u64,
}

/// The bits of `BERT_BITS`.
pub(super) const WORD: u8 = 1;
/// See [`WORD`].
pub(super) const PUNCTUATION: u8 = 2;
/// See [`WORD`].
pub(super) const ODD: u8 = 4;

/// What a byte of ASCII is.
pub(super) const BERT_BITS: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => WORD,
            b' ' | b'\t' | b'\n' | b'\r' => 0,
            0..0x20 | 0x7F => ODD,
            _ => PUNCTUATION,
        };
        byte += 1;
    }
    table
};

/// The first bytes of a text; 0, which is odd, beyond its end.
#[inline(always)]
pub(super) fn load(text: &[u8], bytes: &mut [u8; BLOCK]) {
    match text.first_chunk() {
        Some(block) => *bytes = *block,
        None => {
            *bytes = [0; BLOCK];
            bytes[..text.len()].copy_from_slice(text);
        }
    }
}

/// The plain form. `lower`: with small letters.
#[inline(always)]
pub(super) fn plain(text: &[u8], bytes: &mut [u8; BLOCK], lower: bool) -> BertMasks {
    load(text, bytes);
    let mut masks = BertMasks::default();
    for (i, byte) in bytes.iter_mut().enumerate() {
        let class = BERT_BITS.get(usize::from(*byte)).copied().unwrap_or(ODD);
        masks.word |= u64::from(class & WORD) << i;
        masks.punctuation |= u64::from((class / PUNCTUATION) & 1) << i;
        masks.odd |= u64::from(class / ODD) << i;
        if lower {
            byte.make_ascii_lowercase();
        }
    }
    masks
}
