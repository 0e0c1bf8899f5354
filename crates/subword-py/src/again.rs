/*!
Large strings that come again.

Python has most text that is not ASCII as two or four bytes for each character. A large string is converted
as it is encoded, and nothing of that is kept: a text is mostly encoded once, and would take its memory twice
for as long as it lives. But one that comes a second time may come a third time, and is converted by Python,
which keeps the UTF-8 in the string. (A ninth to an eighth of the time of the calls after that, 2026-11-16.)

A string is known by its place in memory, its length and some of its characters: a new string may well be
where the last one was.
*/

use std::sync::atomic::{AtomicU64, Ordering};

use subword_core::utf8::Characters;

/// The most characters of a string that is kept as UTF-8.
const LARGEST: usize = 1 << 26;

/// How many characters of a string are looked at.
const SAMPLES: usize = 8;

/// The last strings that came, each at a place that its memory says.
static SEEN: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// Whether this string came before, as far as one can tell, and is not too large to be kept. Either answer
/// is right; a wrong one costs time or memory.
pub(crate) fn came_before(text: Characters<'_>) -> bool {
    let mark = mark(text);
    let seen = &SEEN[(mark >> 32) as usize % SEEN.len()];
    text.len() <= LARGEST && seen.swap(mark, Ordering::Relaxed) == mark
}

fn mark(text: Characters<'_>) -> u64 {
    let (len, step) = (text.len(), text.len() / SAMPLES + 1);
    let (place, samples) = match text {
        Characters::Utf8(units) | Characters::One(units) => sampled(units, step),
        Characters::Two(units) => sampled(units, step),
        Characters::Four(units) => sampled(units, step),
    };
    let mix =
        |mark: u64, word: u64| (mark ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    [place as u64, len as u64].into_iter().chain(samples).fold(1, mix)
}

/// Where characters are, and some of them.
fn sampled<U: Copy + Into<u32>>(units: &[U], step: usize) -> (usize, Vec<u64>) {
    let samples = units.iter().step_by(step).map(|&unit| unit.into().into());
    (units.as_ptr().addr(), samples.collect())
}
