/*!
GPT-2's alphabet: every byte as one printable character, so that any token can be written as text.

The bytes that print (`!` to `~`, `¡` to `¬`, `®` to `ÿ`) are the character of the same number. The
other 68, in rising order, are U+0100, U+0101, ... : the space is `Ġ`, the newline `Ċ`.

```text
b" the\n"   <->   Ġ t h e Ċ
```

Invariant: 256 bytes, 256 different characters, none of them white space.
*/

use crate::error::Error;

/// The character of every byte.
const CHARS: [char; 256] = chars();

/// One more than the largest character of the alphabet.
const LIMIT: usize = 0x144;

/// The byte of every character below [`LIMIT`], `NO_BYTE` where there is none.
const BYTES: [u16; LIMIT] = bytes();

const NO_BYTE: u16 = u16::MAX;

const fn chars() -> [char; 256] {
    let mut table = ['\0'; 256];
    let mut byte = 0u8;
    let mut moved = 0;
    loop {
        table[byte as usize] = if matches!(byte, 33..=126 | 161..=172 | 174..=255) {
            byte as char
        } else {
            moved += 1;
            match char::from_u32(0xFF + moved) {
                Some(character) => character,
                None => unreachable!(),
            }
        };
        if byte == 255 {
            return table;
        }
        byte += 1;
    }
}

const fn bytes() -> [u16; LIMIT] {
    let mut table = [NO_BYTE; LIMIT];
    let mut byte = 0;
    while byte < 256 {
        table[CHARS[byte] as usize] = byte as u16;
        byte += 1;
    }
    table
}

/// Appends `bytes`, written in the alphabet, to `out`.
pub(super) fn write_into(out: &mut String, bytes: &[u8]) {
    out.extend(bytes.iter().map(|&byte| CHARS[usize::from(byte)]));
}

/// `bytes`, written in the alphabet.
pub(crate) fn written(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    write_into(&mut out, bytes);
    out
}

/// Replaces `out` by the bytes that `text` stands for; false if a character is not of the alphabet.
pub(super) fn read_into(out: &mut Vec<u8>, text: &str) -> bool {
    out.clear();
    append_to(out, text)
}

/// Appends the bytes that `text` stands for; false if a character is not of the alphabet.
pub(super) fn append_to(out: &mut Vec<u8>, text: &str) -> bool {
    out.reserve(text.len());
    let mut bytes = text.bytes();
    while let Some(first) = bytes.next() {
        // PERF: by hand, as the alphabet has no characters of more than two bytes.
        let character = match first {
            0..0x80 => usize::from(first),
            0x80..0xE0 => {
                usize::from(first & 0x1F) << 6 | usize::from(bytes.next().unwrap_or(0) & 0x3F)
            }
            _ => LIMIT,
        };
        match BYTES.get(character) {
            Some(&byte) if byte != NO_BYTE => out.push(byte as u8),
            _ => return false,
        }
    }
    true
}

/// The error that `token` is not written in the alphabet.
pub(super) fn refusal(token: &str) -> Error {
    Error::format(format!("expected a token in GPT-2's byte alphabet, found {token:?}"))
        .with_hint("in this alphabet a space is written 'Ġ' and a line break 'Ċ'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = written(&all);
        let mut back = Vec::new();
        assert!(read_into(&mut back, &text));
        assert_eq!(back, all);
        assert_eq!(text.chars().count(), 256);
        assert!(!text.chars().any(|c| c.is_whitespace() || c.is_control()));
    }

    #[test]
    fn the_well_known_characters_are_where_gpt2_has_them() {
        assert_eq!(written(b" the\n\t\x00\x7f\xa0\xad\xff"), "ĠtheĊĉĀġłŃÿ");
    }

    #[test]
    fn other_characters_are_refused() {
        let mut out = Vec::new();
        for text in [" ", "\n", "a b", "\u{a0}", "\u{ad}", "\u{144}", "中", "\u{10ffff}"] {
            assert!(!read_into(&mut out, text), "{text:?}");
        }
        assert!(read_into(&mut out, ""));
    }
}
