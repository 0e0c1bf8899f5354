/*!
Piece starts in ASCII text, 64 bytes at a time.

A block starts at a piece boundary. The classifier (`arch`) turns its bytes into one 64-bit mask per
class, bit i for byte i; shifts, ands and one addition per rule turn those into the mask of piece
starts:

```text
text      H e l l o   w o r l d ! \n
letters   1 1 1 1 1 . 1 1 1 1 1 .  .
spaces    . . . . . 1 . . . . . .  1
starts    1 . . . . 1 . . . . . 1  .         `Hello`, ` world`, `!\n`
```

What the end of the block leaves open (a run of white space whose end is not seen, an apostrophe
whose letters are not seen) is not used: the next block starts at the last start that is certain. So
blocks are independent, no state is carried, and a block that has nothing certain to say leaves one
piece to the plain scanner in `scan`, which defines the answer. A byte that is not ASCII ends the
block early.

Why not blocks side by side with carries: a run of white space is decided by its end, so the carries
would run backwards too; looking at six bytes of the next block twice costs a tenth and removes all
of that.
*/

use super::scan::contraction;
use crate::arch::{AsciiMasks, BLOCK, Classify};

/// A family of patterns, as far as ASCII text can tell them apart.
pub(super) trait Family {
    /// The starts in a block, and how many of its first bytes they are certain for. `text` is the
    /// block and what follows it.
    fn starts(masks: &Masks, text: &[u8]) -> Starts;
}

/// Bit i: a piece starts at byte i. Certain for the bits below `limit`.
pub(super) struct Starts {
    bits: u64,
    limit: u32,
}

/// The classes of a block that all families use.
pub(super) struct Masks {
    ascii: AsciiMasks,
    /// How many bytes count: up to the first that is not ASCII.
    len: u32,
    letter: u64,
    white: u64,
    other: u64,
}

impl Masks {
    #[inline(always)]
    fn new(mut ascii: AsciiMasks) -> Masks {
        let len = ascii.high.trailing_zeros();
        let valid = low_bits(len);
        ascii.upper &= valid;
        ascii.lower &= valid;
        ascii.digit &= valid;
        ascii.space &= valid;
        ascii.tab &= valid;
        ascii.newline &= valid;
        let letter = ascii.upper | ascii.lower;
        let white = ascii.space | ascii.tab | ascii.newline;
        let other = valid & !(letter | ascii.digit | white);
        Masks { ascii, len, letter, white, other }
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
}

/// Appends the ends of the pieces from `at` to `ends` while blocks can tell; returns where they
/// stopped. All but the last `BLOCK` bytes of the text may be used.
#[inline(always)]
pub(super) fn fill<F: Family, C: Classify>(
    text: &[u8],
    mut at: usize,
    ends: &mut Vec<usize>,
    most: usize,
) -> usize {
    while ends.len() < most {
        let Some(block) = text[at..].first_chunk::<BLOCK>() else { break };
        let masks = Masks::new(C::classify(block));
        if masks.len < 8 {
            break;
        }
        let starts = F::starts(&masks, &text[at..]);
        let bits = starts.bits & low_bits(starts.limit) & !1;
        if bits == 0 {
            break;
        }
        let last = 63 - bits.leading_zeros() as usize;
        ends.extend(positions(bits).map(|i| at + i as usize));
        at += last;
    }
    at
}

#[inline(always)]
fn low_bits(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Bit i: the character before i is in `mask`.
#[inline(always)]
fn after(mask: u64) -> u64 {
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
    fn starts(m: &Masks, text: &[u8]) -> Starts {
        let runs = run_starts(m.letter) | run_starts(m.ascii.digit) | run_starts(m.other);
        // A word takes one space before it; the last space of a run is a start in any case.
        let words = runs & !after(m.ascii.space);
        let bits = words | run_starts(m.white) | run_ends(m.white);
        let mut starts = Starts { bits, limit: m.limit_of(m.white) };
        let open = run_starts(m.other) & words & m.ascii.apostrophe & before(m.letter);
        for i in positions(open) {
            split_contraction(&mut starts, m, text, i, false);
        }
        starts
    }
}

/// `cl100k`, `llama3` (`DIGITS` = 3) and `qwen2` (`DIGITS` = 1); they differ only at the end of the
/// text.
pub(super) struct Cl100k<const DIGITS: usize>;

impl<const DIGITS: usize> Family for Cl100k<DIGITS> {
    #[inline(always)]
    fn starts(m: &Masks, text: &[u8]) -> Starts {
        let parts = Parts::new(m, m.ascii.newline);
        let mut starts = parts.starts(m, digits::<DIGITS>(m.ascii.digit));
        let open = parts.prefix & m.ascii.apostrophe;
        for i in positions(open) {
            split_contraction(&mut starts, m, text, i, true);
        }
        limit_apostrophe(&mut starts, m);
        starts
    }
}

/// `o200k`
pub(super) struct O200k;

impl Family for O200k {
    #[inline(always)]
    fn starts(m: &Masks, text: &[u8]) -> Starts {
        let parts = Parts::new(m, m.ascii.newline | m.ascii.slash);
        let mut starts = parts.starts(m, digits::<3>(m.ascii.digit));
        starts.bits |= m.ascii.upper & after(m.ascii.lower);
        // A contraction ends the word before it. Right after another contraction it is a word of
        // its own.
        let mut taken = 0;
        for i in positions(parts.prefix & m.ascii.apostrophe & after(m.letter)) {
            if i != taken
                && let Some(end) = split_contraction(&mut starts, m, text, i, true)
            {
                starts.bits &= !(1 << i);
                taken = end;
            }
        }
        limit_apostrophe(&mut starts, m);
        starts
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
    fn new(m: &Masks, swallow: u64) -> Parts {
        let from = m.ascii.newline & after(m.other);
        // Adding a run's first bit clears the run up to its end.
        let swallowed = from | swallow & !from.wrapping_add(swallow);
        let other = m.other & !swallowed;
        let white = m.white & !swallowed;
        let prefix = run_starts(other) & !after(m.ascii.space) & before(m.letter);
        Parts { other, white, prefix }
    }

    #[inline(always)]
    fn starts(&self, m: &Masks, digits: u64) -> Starts {
        let blank = m.ascii.space | m.ascii.tab;
        let words = run_starts(m.letter) & !after(self.prefix | blank);
        let symbols = run_starts(self.other) & !after(m.ascii.space);
        let last_blank = run_ends(self.white) & blank;
        let bits = words | symbols | digits | run_starts(self.white) | last_blank;
        let limit = m.limit_of(self.white);
        Starts { bits: bits | after_last_newline(m.ascii.newline & self.white, blank), limit }
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

/// An apostrophe at byte i, if a contraction starts there: its letters are no start, what follows
/// them is. Returns the end. Where the letters are not all seen nothing from i on is certain.
#[inline(always)]
fn split_contraction(
    starts: &mut Starts,
    m: &Masks,
    text: &[u8],
    i: u32,
    fold: bool,
) -> Option<u32> {
    if i + 3 >= m.len {
        starts.limit = starts.limit.min(i);
        return None;
    }
    let end = contraction(text, i as usize, fold)? as u32;
    starts.bits &= !(low_bits(end) & !low_bits(i + 1));
    starts.bits |= 1 << end & m.letter;
    Some(end)
}

/// An apostrophe as the last byte may be followed by `ſ`, which is not ASCII.
#[inline(always)]
fn limit_apostrophe(starts: &mut Starts, m: &Masks) {
    if m.len > 0 && m.ascii.apostrophe >> (m.len - 1) & 1 == 1 {
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
