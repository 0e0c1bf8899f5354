//! Bytes as text, checked many at a time.

use std::str::{Utf8Error, from_utf8, from_utf8_unchecked};

/// How many bytes are checked at a time.
const BLOCK: usize = 64;

/// How many bytes the standard library checks before blocks are tried again.
const STRETCH: usize = 1 << 12;

/// The text that bytes are, if they are UTF-8.
///
/// PERF: files of tokens are ASCII and characters of two bytes, for which a byte is right or wrong by the one
/// before it. The compiler compares sixteen at a time; the standard library goes from character to character,
/// which was a sixth of loading o200k (2026-11-16).
pub fn checked_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    let mut at = 0;
    loop {
        while let Some(narrow) = bytes[at..].first_chunk().and_then(narrow_length) {
            at += narrow;
        }
        let mut stop = bytes.len().min(at + STRETCH);
        while stop > at && bytes.get(stop).is_some_and(|byte| byte & 0xC0 == 0x80) {
            stop -= 1;
        }
        if at == stop || from_utf8(&bytes[at..stop]).is_err() {
            break;
        }
        at = stop;
    }
    if at < bytes.len() {
        return from_utf8(bytes);
    }
    // SAFETY: the loop passes only what is UTF-8 from one boundary of characters to the next, and it has
    // passed all bytes.
    Ok(unsafe { from_utf8_unchecked(bytes) })
}

/// The length of the characters that a block holds whole, if none of them has more than two bytes.
#[inline(always)]
fn narrow_length(block: &[u8; BLOCK]) -> Option<usize> {
    let continues = |byte: u8| byte & 0xC0 == 0x80;
    let mut wrong = u8::from(continues(block[0]));
    for &byte in block {
        // Characters of three bytes and four, and two bytes for what has one.
        wrong |= u8::from(byte >= 0xE0) | u8::from(byte & 0xFE == 0xC0);
    }
    for (&before, &byte) in block.iter().zip(&block[1..]) {
        wrong |= u8::from((before >= 0xC0) != continues(byte));
    }
    (wrong == 0).then(|| BLOCK - usize::from(block[BLOCK - 1] >= 0xC0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_same(bytes: &[u8]) {
        assert_eq!(checked_utf8(bytes), from_utf8(bytes), "{}", bytes.escape_ascii());
    }

    #[test]
    fn every_two_bytes_are_judged_as_the_standard_library_does() {
        let fills = [&b"a"[..], "\u{e9}".as_bytes(), "\u{4e2d}".as_bytes()];
        for (first, second) in (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))) {
            let fill = fills[usize::from(first ^ second) % 3];
            let at = usize::from(second) % 70 / fill.len() * fill.len();
            let mut text = fill.repeat(160);
            text.splice(at..at, [first, second]);
            assert_same(&text);
        }
    }

    #[test]
    fn characters_of_every_length_at_every_place() {
        for character in ["\u{7f}", "\u{80}", "\u{7ff}", "\u{800}", "\u{ffff}", "\u{10ffff}"] {
            for at in 0..150 {
                let text = ["x".repeat(at), character.repeat(STRETCH / 2), "y".repeat(at)].concat();
                assert_same(text.as_bytes());
                assert_same(&text.as_bytes()[..at + 130]);
                assert_same(&text.as_bytes()[at + 1..]);
            }
        }
        assert_same(b"");
    }
}
