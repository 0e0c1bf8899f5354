/*!
BERT's normaliser and word split for 64 bytes at a time: the normalised bytes, and masks of words and punctuation.

This handles ASCII, the two-byte letters of Latin, Greek and Cyrillic, and common punctuation. A block ends before the
first character that it does not handle.

```text
text         Où, «там»             É and é are two bytes, e is one: what is written may be shorter
becomes      ou, «там»
word         11..|.111111.|        « and » are two bytes each, а is two
punctuation  ..1.10......10        its first byte
last         ..1.01......01        its last byte
```

The plain form is in here; the SIMD forms are in `bert_x86_64` and `bert_aarch64`.
*/

use super::BLOCK;

/// What the first of 64 bytes become. Bit i of a mask is byte i of what is written; what is in no mask
/// is white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BertBlock {
    /// Letters, digits.
    pub word: u64,
    /// Punctuation and symbols: the first byte of each.
    pub punctuation: u64,
    /// The last byte of each.
    pub last: u64,
    /// The bytes that were read and have a place among those written: bit i is byte i of the text.
    pub kept: u64,
    /// How many bytes were read. After them comes the end of the text or of the block, or a character that is not
    /// handled here.
    pub read: usize,
}

/// ASCII, of which this is what it is: as many bytes as are before the first that is odd.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn ascii(word: u64, punctuation: u64, odd: u64) -> BertBlock {
    let read = odd.trailing_zeros() as usize;
    let kept = first(read);
    let punctuation = punctuation & kept;
    BertBlock { word: word & kept, punctuation, last: punctuation, kept, read }
}

/// The first `n` bits.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn first(n: usize) -> u64 {
    if n < BLOCK { (1 << n) - 1 } else { u64::MAX }
}

/// What to do with characters.
#[derive(Debug, Clone, Default)]
pub struct BertRules {
    /// Whether ASCII letters are put into lower case.
    pub lowercase: bool,
    /// What letters of two bytes become, by their first byte.
    pub letters: Vec<BertLetters>,
    /// What follows `C2`, and what follows `E2 80`: [`BERT_PUNCTUATION`], [`BERT_WHITE`], or unknown.
    pub symbols: BertSymbols,
}

/// The kinds of 64 characters each, by the six low bits of their last bytes.
#[derive(Debug, Clone, Copy)]
pub struct BertSymbols {
    /// Of those that start with `C2`.
    pub c2: [u8; 64],
    /// Of those that start with `E2 80`.
    pub e2_80: [u8; 64],
}

impl Default for BertSymbols {
    fn default() -> BertSymbols {
        BertSymbols { c2: [0; 64], e2_80: [0; 64] }
    }
}

/// See [`BertRules::symbols`].
pub const BERT_PUNCTUATION: u8 = 1;
/// See [`BertRules::symbols`].
pub const BERT_WHITE: u8 = 2;

/// The letters of two bytes that start with the same one, by the six low bits of the other.
#[derive(Debug, Clone)]
pub struct BertLetters {
    /// The byte that they start with.
    pub lead: u8,
    /// The first byte of what each letter becomes; 0 for a letter that is not handled here.
    pub first: [u8; 64],
    /// The second byte; 0 if there is none.
    pub second: [u8; 64],
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

/// The plain form.
pub(super) fn plain(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
    let text = &text[..text.len().min(BLOCK)];
    let mut block = BertBlock::default();
    let mut to = 0;
    while let Some((&byte, rest)) = text[block.read..].split_first() {
        let (mut read, mut written, mut symbol) = (1, 1, 0);
        match (byte, rest) {
            (0..0x80, _) => {
                let class = BERT_BITS[usize::from(byte)];
                if class == ODD {
                    break;
                }
                let upper = rules.lowercase && byte.is_ascii_uppercase();
                bytes[to] = byte | u8::from(upper) << 5;
                block.word |= u64::from(class & WORD) << to;
                symbol = if class == PUNCTUATION { BERT_PUNCTUATION } else { 0 };
            }
            (0xC2, &[second @ 0x80..0xC0, ..]) => {
                symbol = rules.symbols.c2[usize::from(second & 0x3F)];
                (read, written) = (2, 2);
            }
            (0xE2, &[0x80, third @ 0x80..0xC0, ..]) => {
                symbol = rules.symbols.e2_80[usize::from(third & 0x3F)];
                (read, written) = (3, 3);
            }
            (_, &[second @ 0x80..0xC0, ..]) => {
                let Some(letters) = rules.letters.iter().find(|of| of.lead == byte) else { break };
                let at = usize::from(second & 0x3F);
                let (first, second) = (letters.first[at], letters.second[at]);
                if first == 0 {
                    break;
                }
                (read, written) = (2, 1 + usize::from(second != 0));
                bytes[to] = first;
                if second != 0 {
                    bytes[to + 1] = second;
                }
                block.word |= ((1 << written) - 1) << to;
            }
            _ => break,
        }
        if byte >= 0x80 && block.word >> to & 1 == 0 {
            if symbol == 0 {
                break;
            }
            bytes[to..to + written].copy_from_slice(&text[block.read..block.read + read]);
        }
        if symbol == BERT_PUNCTUATION {
            block.punctuation |= 1 << to;
            block.last |= 1 << (to + written - 1);
        }
        block.kept |= ((1 << written) - 1) << block.read;
        block.read += read;
        to += written;
    }
    block
}
