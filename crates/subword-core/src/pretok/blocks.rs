/*!
Piece starts, 64 bytes at a time.

A block starts at a piece boundary. The classifier (`simd`) turns its characters into one 64-bit mask
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
piece to the automaton of the pattern (`compile`). A character whose class is not known
here (see `simd::non_ascii`) ends the block early.

The last block of a text is filled up with spaces. What depends on them is left open like everything that
depends on what follows, and the start of the spaces is certain: there the text ends.

Why not blocks side by side with carries: a run of white space is decided by its end, so the carries
would run backwards too; looking at six bytes of the next block twice costs a tenth and removes all
of that.
*/

use super::class::WIDE;
use crate::simd::{Isa, Masks, WINDOW, WideClasses};

/// A block of fewer characters does not pay.
const LEAST: usize = 8;

/// A family of patterns, as far as these characters can tell them apart.
pub(super) trait Family {
    /// Whether combining marks are parts of words, or symbols.
    fn marks_in_words(&self) -> bool {
        false
    }

    /// The classes of characters beyond ASCII.
    #[inline(always)]
    fn table(&self) -> &'static WideClasses {
        &WIDE
    }

    /// The starts in a block, and how many of its first characters they are certain for. `text` is
    /// the block and what follows it.
    fn starts<C: Isa>(&self, block: &Block, text: &[u8]) -> Starts;

    /// See [`step`]. A family without blocks leaves every piece to its scanner.
    #[inline(always)]
    fn step<C: Isa>(&self, text: &[u8], at: usize, ends: &mut Vec<usize>) -> Option<usize>
    where
        Self: Sized,
    {
        step::<Self, C>(self, text, at, ends)
    }

    /// In a block inside a long word: the characters that go on the word, whatever they are, and those
    /// that end it, whatever follows. `text` is the block and what follows it.
    #[inline(always)]
    fn long_word<C: Isa>(&self, _block: &Block, _text: &[u8]) -> (u64, u64) {
        (0, 0)
    }
}

/// The family of patterns that are not cut by blocks.
pub(super) struct NoBlocks;

impl Family for NoBlocks {
    fn starts<C: Isa>(&self, _: &Block, _: &[u8]) -> Starts {
        Starts { bits: 0, limit: 0 }
    }

    #[inline(always)]
    fn step<C: Isa>(&self, _: &[u8], _: usize, _: &mut Vec<usize>) -> Option<usize> {
        None
    }
}

/// Bit i: a piece starts at character i. Certain for the bits below `limit`.
pub(super) struct Starts {
    pub(super) bits: u64,
    pub(super) limit: u32,
}

/// A block, and the classes that all families use.
pub(super) struct Block {
    pub(super) class: Masks,
    /// How many characters there are.
    pub(super) len: u32,
    pub(super) letter: u64,
    pub(super) white: u64,
    pub(super) other: u64,
}

impl Block {
    #[inline(always)]
    fn new<F: Family, C: Isa>(family: &F, window: &[u8; WINDOW]) -> Block {
        let mut class = C::classify(window, family.table());
        if class.odd != 0 {
            class = before_odd::<C>(class);
        }
        let len = class.len();
        let marks = if family.marks_in_words() { class.mark } else { 0 };
        let letter = class.upper | class.lower | class.caseless | marks;
        let white = class.space | class.tab | class.newline;
        let other = low_bits(len) & !(letter | class.apart | class.digit | white);
        Block { class, len, letter, white, other }
    }

    /// Everything before the last run of white space, if the block ends in one: its end is not
    /// seen.
    #[inline(always)]
    pub(super) fn limit_of(&self, white: u64) -> u32 {
        if self.len == 0 {
            return 0;
        }
        let open = (white << (64 - self.len)).leading_ones().min(self.len);
        if open == 0 { self.len } else { self.len - open + 1 }
    }

    /// The byte at which character i starts.
    #[inline(always)]
    pub(super) fn byte_of<C: Isa>(&self, i: u32) -> usize {
        C::spread(1 << i, self.class.starts).trailing_zeros() as usize
    }

    /// The byte at which the last character starts. There is one.
    #[inline(always)]
    pub(super) fn last_byte(&self) -> usize {
        63 - self.class.starts.leading_zeros() as usize
    }

    /// How many characters start before a byte.
    #[inline(always)]
    pub(super) fn number_of(&self, byte: usize) -> u32 {
        (self.class.starts & low_bits(byte as u32)).count_ones()
    }
}

/// The characters before the first odd one.
#[cold]
fn before_odd<C: Isa>(class: Masks) -> Masks {
    let first = low_bits(class.odd.trailing_zeros());
    Masks {
        upper: class.upper & first,
        lower: class.lower & first,
        caseless: class.caseless & first,
        apart: class.apart & first,
        odd: 0,
        mark: class.mark & first,
        digit: class.digit & first,
        space: class.space & first,
        tab: class.tab & first,
        newline: class.newline & first,
        apostrophe: class.apostrophe & first,
        slash: class.slash & first,
        starts: C::spread(first, class.starts),
    }
}

/// Appends the ends of the pieces that the block at `at` is certain of; returns the last of them.
/// None if there are none.
#[inline(always)]
fn step<F: Family, C: Isa>(
    family: &F,
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
    let block = Block::new::<F, C>(family, window);
    if block.len < LEAST as u32 {
        return None;
    }
    let starts = family.starts::<C>(&block, rest);
    let bits = starts.bits & low_bits(starts.limit) & !1;
    if bits == 0 {
        let end = (starts.limit == block.len)
            .then(|| end_of_word::<F, C>(family, &block, text, at))??;
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
fn end_of_word<F: Family, C: Isa>(
    family: &F,
    block: &Block,
    text: &[u8],
    at: usize,
) -> Option<usize> {
    let (word, _) = family.long_word::<C>(block, text.get(at..at + WINDOW)?);
    if (word | 1).trailing_ones() < block.len {
        return None;
    }
    let mut from = at + block.last_byte();
    loop {
        let window = text[from..].first_chunk()?;
        let block = Block::new::<F, C>(family, window);
        let (word, end) = family.long_word::<C>(&block, window);
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
pub(super) fn low_bits(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Bit i: the character before i is in `mask`.
#[inline(always)]
pub(super) fn after(mask: u64) -> u64 {
    mask << 1
}

/// Bit i: the character after i is in `mask`.
#[inline(always)]
pub(super) fn before(mask: u64) -> u64 {
    mask >> 1
}

/// The first bits of the runs of ones.
#[inline(always)]
pub(super) fn run_starts(mask: u64) -> u64 {
    mask & !after(mask)
}

/// The last bits of the runs of ones.
#[inline(always)]
pub(super) fn run_ends(mask: u64) -> u64 {
    mask & !before(mask)
}
