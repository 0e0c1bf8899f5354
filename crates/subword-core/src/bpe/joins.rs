/*!
Where a piece may be cut before it is merged.

A merge makes a token, so no merge crosses a boundary that no token spans, and the two sides can be merged apart. Chinese
has pieces of dozens of characters but few tokens of more than three: cut at every safe boundary, the segments are short
and come back often enough for the cache.

    本次会议讨论了预算  ->  本次 | 会议 | 讨论 | 了 | 预算       (if no token holds 次会, 议讨, 论了, 了预)

For every token, every two adjacent characters inside it are entered here. A token may begin or end within a character;
then the two *bytes* at the boundary are entered. The set of characters is a table of bits indexed by a hash: two pairs
that share a bit cost a cut, never the right answer.

    safe between c and d  =  neither hash(c, d) nor (last byte of c, first byte of d) is entered
*/

use crate::vocab::Vocab;

/// The boundaries that some token spans.
#[derive(Debug)]
pub struct Joins {
    /// Bits by hash of two characters.
    chars: Vec<u64>,
    shift: u32,
    /// Bits by two bytes.
    bytes: Vec<u64>,
}

impl Joins {
    /// Reads the tokens.
    pub fn new(vocab: &Vocab) -> Joins {
        // Sixteen bits per token of several bytes: few false alarms, and 512 kB at most for any published vocabulary.
        let bits = (vocab.len() * 16).next_power_of_two().clamp(1 << 12, 1 << 22);
        let mut joins = Joins {
            chars: vec![0; bits / 64],
            shift: 64 - bits.trailing_zeros(),
            bytes: vec![0; 65536 / 64],
        };
        for (_, token) in vocab.iter() {
            joins.enter(token);
        }
        joins
    }

    fn enter(&mut self, token: &[u8]) {
        let mut at = unit(token, 0);
        let mut left = &token[..at];
        while at < token.len() {
            let end = unit(token, at);
            let right = &token[at..end];
            if is_char(left) && is_char(right) {
                let bit = self.char_bit(left, right);
                self.chars[bit / 64] |= 1 << (bit % 64);
            } else {
                let bit = byte_bit(left, right);
                self.bytes[bit / 64] |= 1 << (bit % 64);
            }
            (left, at) = (right, end);
        }
    }

    /// Calls `segment` with each part of the piece, in order.
    #[inline]
    pub fn cut<'p>(&self, piece: &'p [u8], mut segment: impl FnMut(&'p [u8])) {
        let mut start = 0;
        let mut at = unit(piece, 0);
        let mut left = &piece[..at];
        while at < piece.len() {
            let end = unit(piece, at);
            let right = &piece[at..end];
            if self.safe(left, right) {
                segment(&piece[start..at]);
                start = at;
            }
            (left, at) = (right, end);
        }
        segment(&piece[start..]);
    }

    #[inline]
    fn safe(&self, left: &[u8], right: &[u8]) -> bool {
        let entered = |set: &[u64], bit: usize| set[bit / 64] >> (bit % 64) & 1 == 1;
        is_char(left)
            && is_char(right)
            && !entered(&self.chars, self.char_bit(left, right))
            && !entered(&self.bytes, byte_bit(left, right))
    }

    #[inline]
    fn char_bit(&self, left: &[u8], right: &[u8]) -> usize {
        let pair = u64::from(word(left)) << 32 | u64::from(word(right));
        let mixed = (pair ^ pair >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> self.shift) as usize
    }
}

/// The end of the unit at `at`: a character, or one byte that is not part of one.
#[inline]
fn unit(text: &[u8], at: usize) -> usize {
    let len = match text[at] {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let whole =
        text.get(at + 1..at + len).is_some_and(|rest| rest.iter().all(|b| b & 0xC0 == 0x80));
    if whole { at + len } else { at + 1 }
}

/// Whether a unit is a character: it starts as one and, by `unit`, is whole. (Overlong forms and surrogates count; they
/// are whole in tokens and in text alike.)
#[inline]
fn is_char(unit: &[u8]) -> bool {
    unit.len() > 1 || unit[0] < 0x80
}

#[inline]
fn byte_bit(left: &[u8], right: &[u8]) -> usize {
    usize::from(left[left.len() - 1]) << 8 | usize::from(right[0])
}

#[inline]
fn word(unit: &[u8]) -> u32 {
    unit.iter().fold(0, |word, &byte| word << 8 | u32::from(byte))
}
