/*!
Piece starts, 64 bytes at a time.

A block starts at a piece boundary. The classifier (`arch`) turns its characters into one 64-bit mask
per class, bit i for character i; shifts, ands and one addition per rule turn those into the mask of
piece starts, whose bits are then spread from characters to bytes:

```text
text      H e l l o   w o r l d ! \n
letters   1 1 1 1 1 . 1 1 1 1 1 .  .
spaces    . . . . . 1 . . . . . .  1
starts    1 . . . . 1 . . . . . 1  .         `Hello`, ` world`, `!\n`
```

What the end of the block leaves open (a run of white space whose end is not seen, an apostrophe
whose letters are not seen) is not used: the next block starts at the last start that is certain. So
blocks are independent, no state is carried, and a block that has nothing certain to say leaves one
piece to the plain scanner in `scan`, which defines the answer. A character whose class is not known
here (see `simd::wide`) ends the block early.

The last block of a text is filled up with spaces. What depends on them is left open like everything that
depends on what follows, and the start of the spaces is certain: there the text ends.

Why not blocks side by side with carries: a run of white space is decided by its end, so the carries
would run backwards too; looking at six bytes of the next block twice costs a tenth and removes all
of that.
*/

use super::class::WIDE;
use super::scan::contraction;
use crate::simd::{Isa, Masks, WINDOW};

/// A block of fewer characters does not pay.
const LEAST: usize = 8;

/// A family of patterns, as far as these characters can tell them apart.
pub(super) trait Family {
    /// Whether combining marks are parts of words, or symbols.
    const MARKS_IN_WORDS: bool = false;

    /// The starts in a block, and how many of its first characters they are certain for. `text` is
    /// the block and what follows it.
    fn starts<C: Isa>(block: &Block, text: &[u8]) -> Starts;

    /// In a block inside a long word: the characters that go on the word, whatever they are, and those
    /// that end it, whatever follows.
    #[inline(always)]
    fn long_word(_block: &Block) -> (u64, u64) {
        (0, 0)
    }
}

/// Bit i: a piece starts at character i. Certain for the bits below `limit`.
pub(super) struct Starts {
    pub(super) bits: u64,
    pub(super) limit: u32,
}

/// A block, and the classes that all families use.
pub(super) struct Block {
    class: Masks,
    /// How many characters there are.
    pub(super) len: u32,
    letter: u64,
    pub(super) white: u64,
    pub(super) other: u64,
}

impl Block {
    #[inline(always)]
    fn new<F: Family>(class: Masks) -> Block {
        let len = class.len();
        let marks = if F::MARKS_IN_WORDS { class.mark } else { 0 };
        let letter = class.upper | class.lower | class.caseless | marks;
        let white = class.space | class.tab | class.newline;
        let other = low_bits(len) & !(letter | class.digit | white);
        Block { class, len, letter, white, other }
    }

    /// Everything before the last run of white space, if the block ends in one: its end is not
    /// seen.
    #[inline(always)]
    fn limit_of(&self, white: u64) -> u32 {
        if self.len == 0 {
            return 0;
        }
        let open = (white << (64 - self.len)).leading_ones().min(self.len);
        if open == 0 { self.len } else { self.len - open + 1 }
    }

    /// The byte at which character i starts.
    #[inline(always)]
    fn byte_of<C: Isa>(&self, i: u32) -> usize {
        C::spread(1 << i, self.class.starts).trailing_zeros() as usize
    }

    /// The byte at which the last character starts. There is one.
    #[inline(always)]
    fn last_byte(&self) -> usize {
        63 - self.class.starts.leading_zeros() as usize
    }

    /// How many characters start before a byte.
    #[inline(always)]
    fn number_of(&self, byte: usize) -> u32 {
        (self.class.starts & low_bits(byte as u32)).count_ones()
    }
}

/// Appends the ends of the pieces that the block at `at` is certain of; returns the last of them.
/// None if there are none.
#[inline(always)]
pub(super) fn step<F: Family, C: Isa>(
    text: &[u8],
    at: usize,
    ends: &mut Vec<usize>,
) -> Option<usize> {
    if !may_know(text, at) {
        return None;
    }
    let (rest, mut last) = (&text[at..], [b' '; WINDOW]);
    let (window, rest) = match rest.first_chunk() {
        Some(window) => (window, rest),
        None if rest.len() < LEAST => return None,
        None => {
            last[..rest.len()].copy_from_slice(rest);
            (&last, &last[..])
        }
    };
    let block = Block::new::<F>(C::classify(window, &WIDE));
    if block.len < LEAST as u32 {
        return None;
    }
    let starts = F::starts::<C>(&block, rest);
    let bits = starts.bits & low_bits(starts.limit) & !1;
    if bits == 0 {
        let end = (starts.limit == block.len).then(|| end_of_word::<F, C>(&block, text, at))??;
        ends.push(end);
        return Some(end);
    }
    let bits = match block.class.starts {
        u64::MAX => bits,
        starts => C::spread(bits, starts),
    };
    C::positions(bits, at, ends);
    Some(at + 63 - bits.leading_zeros() as usize)
}

/// The end of the piece at `at`, if all of its block is one long word: Chinese between two marks.
#[inline(always)]
fn end_of_word<F: Family, C: Isa>(block: &Block, text: &[u8], at: usize) -> Option<usize> {
    let (word, _) = F::long_word(block);
    if (word | 1).trailing_ones() < block.len {
        return None;
    }
    let mut from = at + block.last_byte();
    loop {
        let block = Block::new::<F>(C::classify(text[from..].first_chunk()?, &WIDE));
        let (word, end) = F::long_word(&block);
        let inside = word.trailing_ones();
        if inside < block.len {
            return (end >> inside & 1 == 1).then(|| from + block.byte_of::<C>(inside));
        }
        if block.len < 2 {
            return None;
        }
        // The last character once more, which may go beyond the block.
        from += block.last_byte();
    }
}

/// Whether it is worth a try: the first character, or that after a space, may have a class here.
#[inline(always)]
fn may_know(text: &[u8], at: usize) -> bool {
    let first = match text[at] {
        b' ' => text.get(at + 1).copied().unwrap_or(b' '),
        first => first,
    };
    matches!(first, ..0x80 | 0xC2..0xF0)
}

#[inline(always)]
fn low_bits(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Bit i: the character before i is in `mask`.
#[inline(always)]
pub(super) fn after(mask: u64) -> u64 {
    mask << 1
}

/// Bit i: the character after i is in `mask`.
#[inline(always)]
fn before(mask: u64) -> u64 {
    mask >> 1
}

/// The first bits of the runs of ones.
#[inline(always)]
fn run_starts(mask: u64) -> u64 {
    mask & !after(mask)
}

/// The last bits of the runs of ones.
#[inline(always)]
fn run_ends(mask: u64) -> u64 {
    mask & !before(mask)
}

/// `gpt2`
pub(super) struct Gpt2;

impl Family for Gpt2 {
    #[inline(always)]
    fn starts<C: Isa>(m: &Block, text: &[u8]) -> Starts {
        let runs = run_starts(m.letter) | run_starts(m.class.digit) | run_starts(m.other);
        // A word takes one space before it; the last space of a run is a start in any case.
        let words = runs & !after(m.class.space);
        let bits = words | run_starts(m.white) | run_ends(m.white);
        let mut starts = Starts { bits, limit: m.limit_of(m.white) };
        let open = run_starts(m.other) & words & m.class.apostrophe & before(m.letter);
        for i in positions(open) {
            split_contraction::<C>(&mut starts, m, text, i, false);
        }
        starts
    }

    #[inline(always)]
    fn long_word(m: &Block) -> (u64, u64) {
        (m.letter, !m.letter)
    }
}

/// `cl100k`, `llama3` (`DIGITS` = 3) and `qwen2` (`DIGITS` = 1); they differ only at the end of the
/// text.
pub(super) struct Cl100k<const DIGITS: usize>;

impl<const DIGITS: usize> Family for Cl100k<DIGITS> {
    #[inline(always)]
    fn starts<C: Isa>(m: &Block, text: &[u8]) -> Starts {
        let parts = Parts::new(m, m.class.newline);
        let mut starts = parts.starts(m, digits::<DIGITS>(m.class.digit));
        let open = parts.prefix & m.class.apostrophe;
        for i in positions(open) {
            split_contraction::<C>(&mut starts, m, text, i, true);
        }
        limit_apostrophe(&mut starts, m);
        starts
    }

    #[inline(always)]
    fn long_word(m: &Block) -> (u64, u64) {
        (m.letter, !m.letter)
    }
}

/// `o200k`
pub(super) struct O200k;

impl Family for O200k {
    const MARKS_IN_WORDS: bool = true;

    #[inline(always)]
    fn starts<C: Isa>(m: &Block, text: &[u8]) -> Starts {
        let parts = Parts::new(m, m.class.newline | m.class.slash);
        let mut starts = parts.starts(m, digits::<3>(m.class.digit));
        starts.bits |= m.class.upper & after(m.class.lower);
        limit_mixed(&mut starts, m);
        limit_marks(&mut starts, m);
        // A contraction ends the word before it. Right after another contraction it is a word of
        // its own.
        let mut taken = 0;
        for i in positions(parts.prefix & m.class.apostrophe & after(m.letter)) {
            if i != taken
                && let Some(end) = split_contraction::<C>(&mut starts, m, text, i, true)
            {
                starts.bits &= !(1 << i);
                taken = end;
            }
        }
        limit_apostrophe(&mut starts, m);
        starts
    }

    #[inline(always)]
    fn long_word(m: &Block) -> (u64, u64) {
        (m.class.caseless | m.class.mark, !(m.letter | m.class.apostrophe))
    }
}

/// What cl100k and o200k share.
struct Parts {
    /// Symbols that are not swallowed by a run of symbols before them.
    other: u64,
    /// White space that is not swallowed.
    white: u64,
    /// The single symbols that a word takes as its first character.
    prefix: u64,
}

impl Parts {
    /// `swallow`: what a run of symbols takes after itself, starting with a newline.
    #[inline(always)]
    fn new(m: &Block, swallow: u64) -> Parts {
        let from = m.class.newline & after(m.other);
        // Adding a run's first bit clears the run up to its end.
        let swallowed = from | swallow & !from.wrapping_add(swallow);
        let other = m.other & !swallowed;
        let white = m.white & !swallowed;
        let prefix = run_starts(other) & !after(m.class.space) & before(m.letter);
        Parts { other, white, prefix }
    }

    #[inline(always)]
    fn starts(&self, m: &Block, digits: u64) -> Starts {
        let blank = m.class.space | m.class.tab;
        let words = run_starts(m.letter) & !after(self.prefix | blank);
        let symbols = run_starts(self.other) & !after(m.class.space);
        let last_blank = run_ends(self.white) & blank;
        let bits = words | symbols | digits | run_starts(self.white) | last_blank;
        let limit = m.limit_of(self.white);
        Starts { bits: bits | after_last_newline(m.class.newline & self.white, blank), limit }
    }
}

/// The blanks right after the last newline of a run of white space: those whose run does not end in
/// a newline.
#[inline(always)]
fn after_last_newline(newline: u64, blank: u64) -> u64 {
    let mut first = blank & after(newline);
    let mut wrong = first.wrapping_add(blank) & !blank & newline;
    while wrong != 0 {
        let below = (wrong & wrong.wrapping_neg()) - 1;
        let start = 64 - (!blank & below).leading_zeros();
        first &= !(1 << start);
        wrong &= wrong - 1;
    }
    first
}

/// The starts of the groups of at most `N` digits.
#[inline(always)]
fn digits<const N: usize>(digit: u64) -> u64 {
    if N == 1 {
        return digit;
    }
    let third = digit & after(digit) & after(after(digit));
    let mut group = run_starts(digit);
    let mut starts = 0;
    while group != 0 {
        starts |= group;
        group = after(group << 2 & third) & digit;
    }
    starts
}

/// An apostrophe at character i, if a contraction starts there: its letters are no start, what follows
/// them is. Returns the end. Where the letters are not all seen nothing from i on is certain.
#[inline(always)]
fn split_contraction<C: Isa>(
    starts: &mut Starts,
    m: &Block,
    text: &[u8],
    i: u32,
    fold: bool,
) -> Option<u32> {
    if i + 3 >= m.len {
        starts.limit = starts.limit.min(i);
        return None;
    }
    let end = m.number_of(contraction(text, m.byte_of::<C>(i), fold)?);
    starts.bits &= !(low_bits(end) & !low_bits(i + 1));
    starts.bits |= 1 << end & m.letter;
    Some(end)
}

/// Where letters with and without case meet, the end of a word takes more than a look at two
/// neighbours: only its start is certain.
#[inline(always)]
fn limit_mixed(starts: &mut Starts, m: &Block) {
    let cased = m.class.upper | m.class.lower;
    let mixed = (m.class.caseless | m.class.mark) & (after(cased) | before(cased));
    if mixed != 0 {
        let before = low_bits(mixed.trailing_zeros()) & !m.letter;
        starts.limit = starts.limit.min(65 - before.leading_zeros());
    }
}

/// A mark after a symbol may belong to a word or to a run of symbols: only the start of what it follows is
/// certain.
#[inline(always)]
fn limit_marks(starts: &mut Starts, m: &Block) {
    let open = m.class.mark & after(m.other);
    if open != 0 {
        let before = low_bits(open.trailing_zeros()) & !(m.other | m.class.mark);
        starts.limit = starts.limit.min(65 - before.leading_zeros());
    }
}

/// An apostrophe as the last character may be followed by `ſ`, which has no class here.
#[inline(always)]
fn limit_apostrophe(starts: &mut Starts, m: &Block) {
    if m.len > 0 && m.class.apostrophe >> (m.len - 1) & 1 == 1 {
        starts.limit = starts.limit.min(m.len - 1);
    }
}

/// The positions of the ones.
#[inline(always)]
fn positions(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        (at < 64).then(|| bits &= bits - 1).map(|()| at)
    })
}
