/*!
Where a piece may be cut before it is merged.

A merge makes a token, so no merge crosses a boundary that no token spans, and the two sides can be
merged apart. Chinese has pieces of dozens of characters but few tokens of more than three: cut at
every safe boundary, the segments are short and come back often enough for the cache.

```text
本次会议讨论了预算  ->  本次 | 会议 | 讨论 | 了 | 预算       (if no token holds 次会, 议讨, 论了, 了预)
```

For every token, every two adjacent characters inside it are entered here. A token may begin or end
within a character; then the two *bytes* at the boundary are entered. The set of characters is a
table of bits indexed by a hash (`simd::JoinedPairs`): two pairs that share a bit cost a cut, never the
right answer.

```text
safe between c and d  =  neither hash(c, d) nor (last byte of c, first byte of d) is entered
```

Of characters of three bytes more is known than the two bytes, sixteen pairs at a time (`cuts`); what such a
walk leaves over is cut one by one.
*/

use crate::error::Result;
use crate::interrupt;
use crate::simd::{Cuts, Isa, JoinedPairs};
use crate::vocab::Vocab;

/// How many parts are found at a time.
pub const CUTS: usize = 64;

/// The boundaries that some token spans.
#[derive(Debug)]
pub struct Joins {
    pairs: JoinedPairs,
    /// Bits by two bytes.
    bytes: Vec<u64>,
}

impl Joins {
    /// Reads the tokens.
    pub fn new(vocab: &Vocab) -> Joins {
        let log_words = vocab.len().next_power_of_two().trailing_zeros().min(17);
        let mut joins = Joins { pairs: JoinedPairs::new(log_words), bytes: vec![0; 65536 / 64] };
        for (_, token) in vocab.iter() {
            joins.enter(token);
        }
        Joins { pairs: joins.pairs.folded(), ..joins }
    }

    fn enter(&mut self, token: &[u8]) {
        let mut left = JoinUnit::at(token, 0);
        while left.end < token.len() {
            let right = JoinUnit::at(token, left.end);
            if left.is_char && right.is_char {
                self.pairs.join(left.word, right.word);
            } else {
                let bit = byte_bit(token, left.end);
                self.bytes[bit / 64] |= 1 << (bit % 64);
                let (last, first) = (token[left.end - 1], token[left.end]);
                match (left.is_char, right.is_char) {
                    (true, _) => self.pairs.join_first(left.word, first),
                    (_, true) => self.pairs.join_last(last, right.word),
                    _ => self.pairs.join_bytes(last, first),
                }
            }
            left = right;
        }
    }

    /// The boundaries between the first characters of a text, as far as they have three bytes and it is
    /// not near its end.
    #[inline(always)]
    pub fn cuts<C: Isa>(&self, text: &[u8]) -> Option<Cuts> {
        text.first_chunk().map(|block| C::cuts(block, &self.pairs))
    }

    /// The ends of the first parts of the piece; returns how many. Where that is not the whole piece,
    /// the rest is cut as a piece of its own.
    ///
    /// PERF: every end is written, and only counted if it is safe: whether it is cannot be predicted.
    #[inline(always)]
    pub fn cut(&self, piece: &[u8], ends: &mut [usize; CUTS]) -> usize {
        let mut count = 0;
        let mut left = JoinUnit::at(piece, 0);
        while left.end < piece.len() && count < CUTS - 1 {
            let right = JoinUnit::at(piece, left.end);
            ends[count] = left.end;
            count += usize::from(self.is_safe(piece, left, right));
            left = right;
        }
        if left.end == piece.len() {
            ends[count] = left.end;
            count += 1;
        }
        count
    }

    /// Where the first part of the piece ends.
    pub fn first_part(&self, piece: &[u8]) -> usize {
        let mut left = JoinUnit::at(piece, 0);
        while left.end < piece.len() {
            let right = JoinUnit::at(piece, left.end);
            if self.is_safe(piece, left, right) {
                break;
            }
            left = right;
        }
        left.end
    }

    /// Calls `each` with every part of the piece, in order: where it starts and ends; ends with its first
    /// error.
    #[inline(always)]
    pub fn each_part(
        &self,
        piece: &[u8],
        mut each: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        let mut ends = [0; CUTS];
        let (mut start, mut base) = (0, 0);
        while start < piece.len() {
            let count = self.cut(&piece[start..], &mut ends);
            for &end in &ends[..count] {
                each(start, base + end)?;
                start = base + end;
            }
            interrupt::worked(start - base)?;
            base = start;
        }
        Ok(())
    }

    #[inline(always)]
    fn is_safe(&self, piece: &[u8], left: JoinUnit, right: JoinUnit) -> bool {
        let entered = |set: &[u64], bit: usize| set[bit / 64 % set.len()] >> (bit % 64) & 1 == 1;
        left.is_char
            & right.is_char
            & !self.pairs.joined(left.word, right.word)
            & !entered(&self.bytes, byte_bit(piece, left.end))
    }
}

/// A character, or one byte that is not part of one. (Overlong forms and surrogates count as
/// characters; they are whole in tokens and in text alike.)
#[derive(Clone, Copy)]
struct JoinUnit {
    /// Its bytes.
    word: u32,
    end: usize,
    is_char: bool,
}

impl JoinUnit {
    /// The unit at `at`.
    #[inline(always)]
    fn at(text: &[u8], at: usize) -> JoinUnit {
        // PERF: the usual character of a long piece has three bytes, and something follows it.
        if let Some(&four) = text[at..].first_chunk::<4>() {
            let word = u32::from_be_bytes(four);
            if word & 0xF0C0_C000 == 0xE080_8000 {
                return JoinUnit { word: word >> 8, end: at + 3, is_char: true };
            }
        }
        let first = text[at];
        if first < 0x80 {
            return JoinUnit { word: u32::from(first), end: at + 1, is_char: true };
        }
        let len = match first {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        let follows = |byte: &u8| byte & 0xC0 == 0x80;
        match text.get(at + 1..at + len) {
            Some(rest) if len > 1 && rest.iter().all(follows) => {
                let word =
                    rest.iter().fold(u32::from(first), |word, &byte| word << 8 | u32::from(byte));
                JoinUnit { word, end: at + len, is_char: true }
            }
            _ => JoinUnit { word: u32::from(first), end: at + 1, is_char: false },
        }
    }
}

/// The two bytes around a boundary.
#[inline(always)]
fn byte_bit(text: &[u8], at: usize) -> usize {
    usize::from(text[at - 1]) << 8 | usize::from(text[at])
}
