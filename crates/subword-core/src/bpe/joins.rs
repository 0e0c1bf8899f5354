/*!
Where a piece may be cut before it is merged.

A merge makes a token, so no merge crosses a boundary that no token spans, and the two sides can be merged separately.
Such a boundary is *safe*. Chinese has pieces of dozens of characters but few tokens of more than three, so cut at
every safe boundary its segments are short, and recur often enough for the cache.

```text
本次会议讨论了预算  ->  本次 | 会议 | 讨论 | 了 | 预算       (if no token holds 次会, 议讨, 论了, 了预)
```

When it is built, the set takes every two adjacent characters inside every token. A token may begin or end within a
character; then the set takes the two *bytes* at that boundary. The pairs of characters are kept as bits indexed by a
hash (`simd::JoinedPairs`). Two pairs may share bits; then a safe boundary is missed, which costs time, but never
changes the ids.

```text
safe between c and d  =  neither hash(c, d) nor (last byte of c, first byte of d) is in the set
```

For characters of three bytes there is a faster test of sixteen boundaries at a time ([`Joins::cuts`]); all other
boundaries are tested one by one.
*/

use crate::error::Result;
use crate::interrupt;
use crate::simd::{Cuts, Isa, JoinedPairs};
use crate::vocab::Vocab;

/// How many parts [`Joins::cut`] finds in one call.
pub const CUTS: usize = 64;

/// The boundaries that some token spans.
#[derive(Debug)]
pub struct Joins {
    /// Pairs of characters.
    pairs: JoinedPairs,
    /// Pairs of bytes, one bit each.
    bytes: Vec<u64>,
}

impl Joins {
    /// Collects the boundaries inside all tokens.
    pub fn new(vocab: &Vocab) -> Joins {
        let log_words = vocab.len().next_power_of_two().trailing_zeros().min(17);
        let mut joins = Joins { pairs: JoinedPairs::new(log_words), bytes: vec![0; 65536 / 64] };
        for (_, token) in vocab.iter() {
            joins.enter(token);
        }
        Joins { pairs: joins.pairs.folded(), ..joins }
    }

    /// Adds the boundaries inside a token.
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

    /// Writes the ends of the first parts of the piece, and returns how many there are. If they do not reach the end
    /// of the piece, the caller goes on with the rest.
    ///
    /// PERF: every boundary is written and only counted if it is safe, because a branch on that could not be predicted.
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

    /// Calls `each` with the start and the end of every part of the piece, in order. Ends with its first error.
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

/// A character, or one byte that is not part of a character. (Overlong forms and surrogates count as characters; they
/// are never split, neither in tokens nor in text.)
#[derive(Clone, Copy)]
struct JoinUnit {
    /// Its bytes, the first one highest.
    word: u32,
    /// Where it ends.
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

/// The number of the bit for the two bytes around a boundary.
#[inline(always)]
fn byte_bit(text: &[u8], at: usize) -> usize {
    usize::from(text[at - 1]) << 8 | usize::from(text[at])
}
