/*!
Large texts that come again.

Python has most text that is not ASCII as two or four bytes for each character. It is converted as it is
encoded, and nothing of that is kept: a text is mostly encoded once, and would take its memory twice for as
long as it lives. But one that comes a second time may come a third time, and is converted by Python, which
keeps the UTF-8 in the string. (A ninth to an eighth of the time of the calls after that, 2026-11-16.)

Texts are known by their places in memory, their lengths and some of their characters: a new string may well
be where the last one was.
*/

use std::sync::atomic::{AtomicU64, Ordering};

use subword_core::utf8::Characters;

/// The most characters that are kept as UTF-8.
const LARGEST: usize = 1 << 26;

/// How many characters of each text are looked at.
const SAMPLES: usize = 8;

/// What came last, each at a place that it says itself.
static SEEN: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// Whether these texts, or texts with this sample, came before, as far as one can tell, and have not too many
/// characters to be kept. Either answer is right; a wrong one costs time or memory.
pub(crate) fn came_before(texts: &[Characters<'_>], chars: usize) -> bool {
    let mark = mark(texts, chars);
    let seen = &SEEN[(mark >> 32) as usize % SEEN.len()];
    chars <= LARGEST && seen.swap(mark, Ordering::Relaxed) == mark
}

fn mark(texts: &[Characters<'_>], chars: usize) -> u64 {
    let mut mark = Mark(1);
    mark.add(chars);
    for &text in texts {
        mark.add(text.len());
        match text {
            Characters::Utf8(units) | Characters::One(units) => mark.sample(units),
            Characters::Two(units) => mark.sample(units),
            Characters::Four(units) => mark.sample(units),
        }
    }
    mark.0
}

struct Mark(u64);

impl Mark {
    fn add(&mut self, word: usize) {
        self.0 = (self.0 ^ word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }

    /// Where characters are, and some of them.
    fn sample<U: Copy + Into<u32>>(&mut self, units: &[U]) {
        self.add(units.as_ptr().addr());
        some(units).for_each(|&unit| self.add(unit.into() as usize));
    }
}

fn some<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len() / SAMPLES + 1)
}
