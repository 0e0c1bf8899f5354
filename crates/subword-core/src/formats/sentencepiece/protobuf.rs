/*!
Protocol buffers, as far as a SentencePiece model needs them: a message as its fields, one after the other.

```text
0A 05 3C 75 6E 6B 3E      field 1, 5 bytes: "<unk>"
15 00 00 80 BF            field 2, 4 bytes: -1.0
18 02                     field 3, a number: 2
```

A field that repeats has its last value, as the format asks for. Nothing is copied, and errors say at which byte of
the file they are.
*/

use crate::error::{Error, Result};

/// A message: its bytes, and where in the file they start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    bytes: &'a [u8],
    start: usize,
}

/// A field of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    value: Value<'a>,
    /// Where in the file the field starts.
    start: usize,
}

#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Varint(u64),
    Fixed64,
    Bytes(Message<'a>),
    Fixed32(u32),
}

impl<'a> Message<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Message<'a> {
        Message { bytes, start: 0 }
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Calls `each` with every field, in order.
    pub(super) fn fields(self, mut each: impl FnMut(Field<'a>) -> Result<()>) -> Result<()> {
        let mut reader = Reader { message: self, at: 0 };
        while reader.at < self.bytes.len() {
            each(reader.field()?)?;
        }
        Ok(())
    }
}

impl<'a> Field<'a> {
    /// An error about this field.
    pub(super) fn error(self, message: impl std::fmt::Display) -> Error {
        error(self.start, message)
    }

    fn expected(self, what: &str) -> Error {
        let found = match self.value {
            Value::Varint(_) => "a number",
            Value::Fixed64 => "8 bytes",
            Value::Bytes(_) => "a string of bytes",
            Value::Fixed32(_) => "4 bytes",
        };
        self.error(format_args!("expected {what} in field {}, found {found}", self.number))
    }

    pub(super) fn message(self) -> Result<Message<'a>> {
        match self.value {
            Value::Bytes(message) => Ok(message),
            _ => Err(self.expected("a string of bytes")),
        }
    }

    pub(super) fn text(self) -> Result<String> {
        match std::str::from_utf8(self.message()?.bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(self.error("expected text, found bytes that are not UTF-8")),
        }
    }

    pub(super) fn number(self) -> Result<u64> {
        match self.value {
            Value::Varint(number) => Ok(number),
            _ => Err(self.expected("a number")),
        }
    }

    pub(super) fn bool(self) -> Result<bool> {
        Ok(self.number()? != 0)
    }

    pub(super) fn float(self) -> Result<f32> {
        match self.value {
            Value::Fixed32(bits) => Ok(f32::from_bits(bits)),
            _ => Err(self.expected("4 bytes")),
        }
    }
}

struct Reader<'a> {
    message: Message<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn field(&mut self) -> Result<Field<'a>> {
        let start = self.place();
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                self.take(8)?;
                Value::Fixed64
            }
            2 => {
                let len = self.varint()?;
                let start = self.place();
                let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX))?;
                Value::Bytes(Message { bytes, start })
            }
            5 => {
                let bytes = self.take(4)?;
                Value::Fixed32(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            }
            kind => return Err(error(start, format_args!("a field of kind {kind} is unknown"))),
        };
        Ok(Field { number: tag >> 3, value, start })
    }

    fn varint(&mut self) -> Result<u64> {
        let start = self.place();
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(error(start, "expected a number, found one of more than ten bytes"))
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let rest = &self.message.bytes[self.at..];
        let Some(bytes) = rest.get(..len) else {
            let left = rest.len();
            let message = format_args!("expected {len} more bytes, found {left}");
            return Err(error(self.place(), message));
        };
        self.at += len;
        Ok(bytes)
    }

    fn place(&self) -> usize {
        self.message.start + self.at
    }
}

fn error(at: usize, message: impl std::fmt::Display) -> Error {
    Error::format(format!("{message} (byte {at})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u64, String)>> {
        let mut found = Vec::new();
        Message::new(bytes).fields(|field| {
            found.push((field.number, field.text()?));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn a_message_is_its_fields_in_order() {
        let bytes = b"\x0A\x05<unk>\x12\x01a";
        assert_eq!(read(bytes).unwrap(), [(1, "<unk>".to_owned()), (2, "a".to_owned())]);
    }

    #[test]
    fn what_ends_too_early_or_makes_no_sense_is_an_error_with_its_place() {
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert_eq!(message(b"\x0A\x05<un"), "expected 5 more bytes, found 3 (byte 2)");
        assert_eq!(message(b"\x0A"), "expected 1 more bytes, found 0 (byte 1)");
        assert_eq!(message(b"\x0A\x01a\x0B"), "a field of kind 3 is unknown (byte 3)");
        assert_eq!(
            message(b"\x08\x05"),
            "expected a string of bytes in field 1, found a number (byte 0)"
        );
        assert_eq!(
            message(&[0xFF; 12]),
            "expected a number, found one of more than ten bytes (byte 0)"
        );
        assert_eq!(message(b"\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7Fa").find("expected"), Some(0));
        assert_eq!(
            message(b"\x0A\x01\xFF"),
            "expected text, found bytes that are not UTF-8 (byte 0)"
        );
    }
}
