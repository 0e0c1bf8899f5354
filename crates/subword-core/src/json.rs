/*!
A pull reader for JSON: the caller says what must come next, and reads only what it needs.

```text
{"a": 0, "b": 1}      object(|json, key| vocab.insert(json.id()?, key))
```

Small objects are read as [`Fields`]: take the known keys, then `finish` refuses what is left over.

Invariants
* Every error says the line, what was expected and what was found.
* Nothing recurses on the input: `skip` counts its depth, and gives up at [`MAX_DEPTH`].
* What `skip` passes over is valid JSON.

Why not serde_json: its errors speak of its own types, it knows no line for a value that parses but makes no
sense, and here a vocabulary is read straight into its arena. The tests compare this reader with serde_json,
which accepts and refuses the same texts.
*/

pub(crate) mod decimal;
mod fields;
mod strings;

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::interrupt;
use crate::types::{MAX_ID, TokenId};

pub(super) use fields::Fields;
pub(super) use strings::{write_lines, write_string};

/// How deep lists and objects may be nested.
const MAX_DEPTH: usize = 127;

/// How many characters of the input an error shows.
const SHOWN: usize = 40;

/// A position in a JSON text. Copies are cheap: a copy is a position to come back to.
#[derive(Clone, Copy)]
pub(super) struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Json<'a> {
    /// The start of a text. A byte order mark is skipped.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => Ok(Json { text, at: 0 }),
            Err(error) => {
                let (good, bad) = bytes.split_at(error.valid_up_to());
                let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
                let found = format!("expected UTF-8 text, found the byte 0x{:02X}", bad[0]);
                Err(Error::format_line(line, found).with_hint("the file is damaged"))
            }
        }
    }

    /// The line of this position, the first is 1.
    pub(super) fn line(&self) -> usize {
        let before = &self.text[..self.at];
        let before = if self.at == self.text.len() { before.trim_end() } else { before };
        1 + before.bytes().filter(|&byte| byte == b'\n').count()
    }

    /// How many bytes there are from here on.
    pub(super) fn left(&self) -> usize {
        self.text.len() - self.at
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Error {
        let ended = self.peek().is_none();
        let message = format!("expected {what}, found {}", self.found());
        let error = Error::format_line(self.line(), message);
        if ended {
            error.with_hint("the file is cut off: copy or download it again")
        } else {
            error
        }
    }

    /// The next byte that is not white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// An object: `field` is called for each key and reads the value.
    pub(super) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>,
    ) -> Result<()> {
        self.take(b'{', "an object")?;
        if self.takes(b'}') {
            return Ok(());
        }
        loop {
            let key = self.string_or("a key in quotes")?;
            interrupt::worked(key.len())?;
            self.take(b':', "':'")?;
            field(self, key)?;
            if self.takes(b'}') {
                return Ok(());
            }
            self.take(b',', "',' or '}'")?;
        }
    }

    /// A list: `item` is called for each item and reads it.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.take(b'[', "a list")?;
        if self.takes(b']') {
            return Ok(());
        }
        loop {
            interrupt::worked(1)?;
            item(self)?;
            if self.takes(b']') {
                return Ok(());
            }
            self.take(b',', "',' or ']'")?;
        }
    }

    /// A string.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        self.string_or("a string")
    }

    /// True or false.
    pub(super) fn bool(&mut self) -> Result<bool> {
        match self.peek() {
            Some(b't') if self.takes_word("true") => Ok(true),
            Some(b'f') if self.takes_word("false") => Ok(false),
            _ => Err(self.expected("true or false")),
        }
    }

    /// Whether null comes next; passes it.
    pub(super) fn null(&mut self) -> bool {
        self.peek() == Some(b'n') && self.takes_word("null")
    }

    /// The id of a token.
    pub(super) fn id(&mut self) -> Result<TokenId> {
        self.peek();
        let digits = self.text.as_bytes()[self.at..].iter();
        let (mut id, mut length) = (0, 0);
        for digit in digits.take_while(|byte| byte.is_ascii_digit()).take(9) {
            id = id * 10 + TokenId::from(digit - b'0');
            length += 1;
        }
        let after = self.text.as_bytes().get(self.at + length);
        let whole = !matches!(after, Some(b'0'..=b'9' | b'.' | b'e' | b'E'));
        let plain = length == 1 || self.text.as_bytes().get(self.at) != Some(&b'0');
        if length > 0 && whole && plain && id <= MAX_ID {
            self.at += length;
            return Ok(id);
        }
        Err(self.expected(&format!("an id from 0 to {MAX_ID}")))
    }

    /// A number, as it is written.
    pub(super) fn number(&mut self) -> Result<&'a str> {
        self.peek();
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |at: &mut usize| {
            let first = *at;
            while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            *at > first
        };
        let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
        let zero = bytes.get(at) == Some(&b'0');
        let mut good =
            digits(&mut at) && !(zero && at > start + 1 + usize::from(bytes[start] == b'-'));
        if good && bytes.get(at) == Some(&b'.') {
            at += 1;
            good = digits(&mut at);
        }
        if good && matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1;
            at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
            good = digits(&mut at);
        }
        if !good {
            return Err(self.expected("a number"));
        }
        self.at = at;
        Ok(&self.text[start..at])
    }

    /// Passes any value.
    pub(super) fn skip(&mut self) -> Result<()> {
        // One bit per open bracket, the innermost last: set for an object.
        let (mut open, mut depth) = (0u128, 0);
        loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    self.at += 1;
                    let object = bracket == b'{';
                    if !self.takes(bracket + 2) {
                        if depth == MAX_DEPTH {
                            let message = format!("nested more than {MAX_DEPTH} levels deep");
                            return Err(Error::format_line(self.line(), message));
                        }
                        (open, depth) = (open << 1 | u128::from(object), depth + 1);
                        if object {
                            self.skip_key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                Some(b't') if self.takes_word("true") => {}
                Some(b'f') if self.takes_word("false") => {}
                Some(b'n') if self.takes_word("null") => {}
                _ => return Err(self.expected("a value")),
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let object = open & 1 == 1;
                if self.takes(if object { b'}' } else { b']' }) {
                    (open, depth) = (open >> 1, depth - 1);
                    continue;
                }
                self.take(b',', if object { "',' or '}'" } else { "',' or ']'" })?;
                if object {
                    self.skip_key()?;
                }
                break;
            }
        }
    }

    /// Passes any value, and returns it as it is written, but for the white space between its parts.
    pub(super) fn compact(&mut self) -> Result<String> {
        self.peek();
        let start = self.at;
        self.skip()?;
        let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
        for c in self.text[start..self.at].chars() {
            if quoted || !c.is_ascii_whitespace() {
                out.push(c);
            }
            quoted ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
        }
        Ok(out)
    }

    /// Refuses anything after the value that was read last.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the file")),
        }
    }

    fn skip_key(&mut self) -> Result<()> {
        self.string_or("a key in quotes")?;
        self.take(b':', "':'")
    }

    fn takes(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn take(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.takes(byte) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if there { word.len() } else { 0 };
        there
    }

    /// A short description of what is at this position.
    fn found(&self) -> String {
        let rest = &self.text[self.at..];
        let mut shown: String = rest.chars().take(SHOWN).collect();
        match rest.chars().next() {
            None => "the end of the file".to_owned(),
            Some('{') => "an object".to_owned(),
            Some('[') => "a list".to_owned(),
            Some('"') => match { *self }.string() {
                Ok(text) if text.chars().count() <= SHOWN => format!("{text:?}"),
                Ok(text) => format!("{:?}...", text.chars().take(SHOWN).collect::<String>()),
                Err(_) => format!("{shown:?}"),
            },
            Some('-' | '0'..='9' | 'a'..='z' | 'A'..='Z') => {
                let word =
                    |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
                shown.truncate(shown.find(|c| !word(c)).unwrap_or(shown.len()));
                shown
            }
            Some(character) => format!("{character:?}"),
        }
    }
}

#[cfg(test)]
mod tests;
