/*!
Strings in JSON: reading them, with their escapes, and writing them.

A string without escapes is borrowed from the text. Most strings of a vocabulary are such strings, so
the end of one is looked for eight bytes at a time.
*/

use std::borrow::Cow;

use super::Json;
use crate::error::{Error, Result};

impl<'a> Json<'a> {
    pub(super) fn string_or(&mut self, what: &str) -> Result<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.expected(what));
        }
        let start = self.at + 1;
        let end = start + plain_length(&self.text.as_bytes()[start..]);
        let plain = &self.text[start..end];
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.at = end;
        self.escaped_string(plain).map(Cow::Owned)
    }

    /// The rest of a string, from its first escape on.
    fn escaped_string(&mut self, start: &str) -> Result<String> {
        let mut out = start.to_owned();
        loop {
            let rest = &self.text[self.at..];
            let plain = plain_length(rest.as_bytes());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match rest.as_bytes().get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(&control) => {
                    let message =
                        format!("expected '\"' to end the string, found the byte 0x{control:02X}");
                    return Err(Error::format_line(self.line(), message));
                }
                None => return Err(self.expected("'\"' to end the string")),
            }
        }
    }

    /// The character of an escape like `\n` or `\u0120`.
    fn escape(&mut self) -> Result<char> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let plain = match rest.first() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let (character, length) = unicode_escape(rest).ok_or_else(|| self.bad_escape())?;
                self.at += 1 + length;
                return Ok(character);
            }
            _ => return Err(self.bad_escape()),
        };
        self.at += 2;
        Ok(plain)
    }

    fn bad_escape(&self) -> Error {
        let found: String = self.text[self.at..].chars().take(6).collect();
        Error::format_line(
            self.line(),
            format!("expected an escape like \\n or \\u0120, found {found:?}"),
        )
    }
}

/// How many bytes there are before a quote mark, a backslash or a control character.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = 0;
    // PERF: eight at a time. Subtracting sets the top bit of a byte that is smaller, and of some above
    // it, so the lowest bit that is set is right.
    while let Some(&word) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(word);
        let smaller = |word: u64, than: u8| word.wrapping_sub(ONES * u64::from(than)) & !word;
        let equal = |byte: u8| smaller(word ^ (ONES * u64::from(byte)), 1);
        let stops = (equal(b'"') | equal(b'\\') | smaller(word, 0x20)) & (ONES << 7);
        if stops != 0 {
            return at + stops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let stop = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
    at + bytes[at..].iter().position(stop).unwrap_or(bytes.len() - at)
}

/// The character of `u0120` or `ud83d\ude00`, and how many bytes it is written in.
fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 5).filter(|digits| digits[0] == b'u')?;
        digits[1..]
            .iter()
            .try_fold(0, |unit, &digit| Some(unit << 4 | (digit as char).to_digit(16)?))
    };
    let high = unit(0)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 5));
    }
    let low = (text.get(5) == Some(&b'\\')).then(|| unit(6)).flatten()?;
    let pair = (0xD800..0xDC00).contains(&high) && (0xDC00..0xE000).contains(&low);
    let character = pair.then(|| 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))?;
    Some((char::from_u32(character)?, 11))
}

/// Appends `text` as a JSON string.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' => out.push_str(&format!("\\u{:04x}", character as u32)),
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Appends items, each on a line of its own with this indentation, between brackets that the caller writes.
pub(crate) fn write_lines<T>(
    out: &mut String,
    indent: &str,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    let mut any = false;
    for item in items {
        out.push_str(if any { ",\n" } else { "\n" });
        out.push_str(indent);
        write(out, item);
        any = true;
    }
    if any {
        out.push('\n');
        out.push_str(&indent[2..]);
    }
}
