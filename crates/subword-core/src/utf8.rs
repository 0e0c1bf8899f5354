/*!
Converts strings as CPython stores them, with one, two or four bytes per character, to UTF-8.

CPython's own conversion handles one character at a time: 5 MB take 22 ms, which is as long as encoding them
(2026-11-15). Here runs of ASCII are copied 32 characters at a time, and other characters are converted in groups (see
`simd::Isa::utf8`), all through a small buffer that stays in the first-level cache.

[`Characters`] is a text in any of these forms. It is passed on as it is, and converted by the thread that encodes it.
*/

use std::borrow::Cow;

use crate::mem::{self, Line};
use crate::memory;
use crate::simd::{self, Isa, Kernel, Level, UTF8_GROUP};

/// A text in one of the forms that Python keeps it in.
#[derive(Debug, Clone, Copy)]
pub enum Characters<'a> {
    /// UTF-8, or bytes that need not be.
    Utf8(&'a [u8]),
    /// A byte for each character, up to U+00FF.
    One(&'a [u8]),
    /// Two bytes for each character.
    Two(&'a [u16]),
    /// Four bytes for each character.
    Four(&'a [u32]),
}

impl<'a> Characters<'a> {
    /// How many units there are.
    pub fn len(self) -> usize {
        match self {
            Characters::Utf8(units) | Characters::One(units) => units.len(),
            Characters::Two(units) => units.len(),
            Characters::Four(units) => units.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The text, if it is UTF-8 as it is.
    pub fn as_utf8(self) -> Option<&'a [u8]> {
        if let Characters::Utf8(text) = self { Some(text) } else { None }
    }

    /// Prefetches the start of the text.
    pub fn prefetch(self) {
        let (start, bytes) = match self {
            Characters::Utf8(units) | Characters::One(units) => (units.as_ptr(), units.len()),
            Characters::Two(units) => (units.as_ptr().cast(), 2 * units.len()),
            Characters::Four(units) => (units.as_ptr().cast(), 4 * units.len()),
        };
        for at in (0..bytes.min(START)).step_by(size_of::<Line>()) {
            mem::prefetch_pointer(start.wrapping_add(at));
        }
    }

    /// Appends the text as UTF-8. The error is the position of the first unit that is not a character (a lone
    /// surrogate); then a part of the text may have been appended. If there is no memory, the position is 0: the caller
    /// then converts the text in another way, which reports that.
    pub fn append_to(self, text: &mut Vec<u8>) -> Result<(), usize> {
        memory::reserve(text, self.most_bytes()).map_err(|_| 0usize)?;
        match self {
            Characters::Utf8(units) => {
                text.extend_from_slice(units);
                Ok(())
            }
            Characters::One(units) => append_units(units, text),
            Characters::Two(units) => append_units(units, text),
            Characters::Four(units) => append_units(units, text),
        }
    }

    /// The most bytes that it can have as UTF-8.
    fn most_bytes(self) -> usize {
        match self {
            Characters::Utf8(units) => units.len(),
            Characters::One(units) => 2 * units.len(),
            Characters::Two(units) => 3 * units.len(),
            Characters::Four(units) => 4 * units.len(),
        }
    }

    /// The text as UTF-8, borrowed if it already is UTF-8. The error is that of [`Characters::append_to`].
    pub fn utf8(self) -> Result<Cow<'a, [u8]>, usize> {
        match self.as_utf8() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.to_utf8().map(Cow::Owned),
        }
    }

    /// The text as UTF-8, in new memory. The error is that of [`Characters::append_to`].
    pub fn to_utf8(self) -> Result<Vec<u8>, usize> {
        let mut text = memory::with_capacity(self.most_bytes()).map_err(|_| 0usize)?;
        mem::prefer_huge_pages(text.spare_capacity_mut());
        self.append_to(&mut text)?;
        Ok(text)
    }
}

/// How many units are converted before the buffer is emptied.
const BLOCK: usize = 1024;

/// How many bytes ahead the text is prefetched. PERF: this saves a third of the time of a large text, because the
/// processor's own prefetching stops at the end of each page.
const AHEAD: usize = 4096;

/// How many bytes at the start of a text are prefetched; after them the processor's own prefetching follows the text.
const START: usize = 1024;

/// How many units are tried as ASCII at once.
const RUN: usize = 32;

/// Appends the text as UTF-8. If that fails some of it may have been appended.
fn append_units<U: Copy + Into<u32>>(units: &[U], text: &mut Vec<u8>) -> Result<(), usize> {
    // A wrong `SUBWORD_SIMD` is reported when a tokenizer is made; text can be converted all the same.
    Level::chosen().unwrap_or(Level::SCALAR).run(AppendUnits(units, text))
}

struct AppendUnits<'a, U>(&'a [U], &'a mut Vec<u8>);

impl<U: Copy + Into<u32>> Kernel for AppendUnits<'_, U> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<C: Isa>(self) -> Result<(), usize> {
        let AppendUnits(units, text) = self;
        // Whole groups are written into it, also beyond what counts.
        let mut buffer = [0; 4 * (BLOCK + UTF8_GROUP)];
        for (number, block) in units.chunks(BLOCK).enumerate() {
            let (mut at, mut len) = (0, 0);
            while at < block.len() {
                mem::prefetch_at(units, number * BLOCK + at + AHEAD / size_of::<U>());
                if let Some(run) = block[at..].first_chunk::<RUN>()
                    && run.iter().fold(0, |all, unit| all | (*unit).into()) < 0x80
                {
                    for (byte, unit) in buffer[len..len + RUN].iter_mut().zip(run) {
                        *byte = (*unit).into() as u8;
                    }
                    (at, len) = (at + RUN, len + RUN);
                } else if let Some(group) = block[at..].first_chunk::<UTF8_GROUP>()
                    && let Some(room) = buffer[len..].first_chunk_mut()
                    && let Some(written) = C::utf8(&group.map(Into::into), room)
                {
                    (at, len) = (at + UTF8_GROUP, len + written);
                } else {
                    // The last few, or one of them is no character.
                    for unit in &block[at..block.len().min(at + UTF8_GROUP)] {
                        len += simd::write_utf8((*unit).into(), &mut buffer[len..])
                            .ok_or_else(|| number * BLOCK + at)?;
                        at += 1;
                    }
                }
            }
            text.extend_from_slice(&buffer[..len]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Characters;

    #[test]
    fn every_character_comes_out_at_every_place() {
        for pad in [0, 1, 31, 32, 33, 1000, 1023, 1024, 1025, 3000] {
            for c in ['a', '\0', 'é', 'ÿ', 'Ж', '中', '\u{FFFF}', '😀', '\u{10FFFF}'] {
                let text = format!("{}{c}{}{c}", "x".repeat(pad), "y".repeat(40));
                let codes: Vec<u32> = text.chars().map(u32::from).collect();
                assert_eq!(Characters::Four(&codes).to_utf8().unwrap(), text.as_bytes());
                if let Ok(units) =
                    codes.iter().map(|&c| u16::try_from(c)).collect::<Result<Vec<_>, _>>()
                {
                    assert_eq!(Characters::Two(&units).to_utf8().unwrap(), text.as_bytes());
                }
                if let Ok(units) =
                    codes.iter().map(|&c| u8::try_from(c)).collect::<Result<Vec<_>, _>>()
                {
                    assert_eq!(Characters::One(&units).to_utf8().unwrap(), text.as_bytes());
                }
            }
        }
    }

    #[test]
    fn a_lone_surrogate_is_told_by_its_position() {
        for at in [0, 5, 40, 1023, 1024, 2500] {
            let mut units = vec![u16::from(b'x'); 3000];
            units[at] = 0xD800;
            assert_eq!(Characters::Two(&units).to_utf8(), Err(at));
        }
    }
}
