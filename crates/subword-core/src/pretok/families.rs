/*!
The rules of each family of patterns, as arithmetic on the masks of a block (see `blocks`).

A family says where pieces start in a block, and up to which character that is certain. The plain scanners in
`scan` define the answers.
*/

use super::blocks::{Block, Family, Starts, after, before, low_bits, run_ends, run_starts};
use super::scan::contraction;
use crate::simd::Isa;

/// `gpt2`
pub(super) struct Gpt2;

impl Family for Gpt2 {
    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
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
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
        (m.letter, !m.letter)
    }
}

/// `cl100k`, `llama3` (`DIGITS` = 3) and `qwen2` (`DIGITS` = 1); they differ only at the end of the
/// text.
pub(super) struct Cl100k<const DIGITS: usize>;

impl<const DIGITS: usize> Family for Cl100k<DIGITS> {
    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
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
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
        (m.letter, !m.letter)
    }
}

/// `o200k`
pub(super) struct O200k;

impl Family for O200k {
    const MARKS_IN_WORDS: bool = true;

    #[inline(always)]
    fn starts<C: Isa>(&self, m: &Block, text: &[u8]) -> Starts {
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
    fn long_word<C: Isa>(&self, m: &Block, _: &[u8]) -> (u64, u64) {
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
