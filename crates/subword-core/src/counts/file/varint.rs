/*!
Numbers and strings as bytes, and back.

A number is a variable-length integer, 7 bits to a byte, the lowest first; the top bit of a byte says
that more follow. A string is its length and its bytes.

```text
5 -> 05      300 -> AC 02      "low" -> 03 6C 6F 77
```

Nothing that is read is believed: a number that does not fit, a length above its limit and text that is
not UTF-8 are errors, and memory is only taken for bytes that are there.
*/

use std::io::{self, Read, Write};

use crate::error::{Error, Result};

/// How much is read at a time.
pub(super) const BUFFER: usize = 1 << 16;

/// How many bytes a number takes.
pub(super) fn number_len(number: u64) -> u64 {
    u64::from((u64::BITS - (number | 1).leading_zeros()).div_ceil(7))
}

pub(super) fn write_number(to: &mut impl Write, mut number: u64) -> io::Result<()> {
    let (mut bytes, mut len) = ([0; 10], 0);
    while number >= 0x80 {
        bytes[len] = number as u8 | 0x80;
        number >>= 7;
        len += 1;
    }
    bytes[len] = number as u8;
    to.write_all(&bytes[..=len])
}

pub(super) fn write_string(to: &mut impl Write, text: &str) -> io::Result<()> {
    write_number(to, text.len() as u64)?;
    to.write_all(text.as_bytes())
}

/// Bytes, some at a time.
#[derive(Debug)]
pub(super) struct Input<R> {
    from: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// How many bytes came before those in the buffer.
    before: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn new(from: R) -> Self {
        Input { from, buffer: vec![0; BUFFER], at: 0, end: 0, before: 0 }
    }

    /// How many bytes were taken.
    pub(super) fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// What is there, at least one byte; empty at the end.
    #[inline]
    pub(super) fn fill(&mut self) -> Result<&[u8]> {
        while self.at == self.end {
            match self.from.read(&mut self.buffer) {
                Ok(0) => return Ok(&[]),
                Ok(len) => {
                    self.before += self.end as u64;
                    (self.at, self.end) = (0, len);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::counts(format!("cannot be read: {error}"))),
            }
        }
        Ok(&self.buffer[self.at..self.end])
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        let byte = self.fill()?.first().copied().ok_or_else(cut_off)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.byte()?);
            let bits = byte & 0x7F;
            if bits << shift >> shift != bits {
                return Err(damaged());
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    pub(super) fn number_up_to(&mut self, most: u64) -> Result<u64> {
        self.number().and_then(|number| if number <= most { Ok(number) } else { Err(damaged()) })
    }

    /// Appends `len` bytes. Memory is only taken for bytes that are there, whatever `len` says.
    #[inline]
    pub(super) fn append(&mut self, to: &mut Vec<u8>, mut len: u64) -> Result<()> {
        while len > 0 {
            let there = self.fill()?;
            if there.is_empty() {
                return Err(cut_off());
            }
            let taken = there.len().min(usize::try_from(len).unwrap_or(usize::MAX));
            to.extend_from_slice(&there[..taken]);
            self.at += taken;
            len -= taken as u64;
        }
        Ok(())
    }

    pub(super) fn exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        bytes.iter_mut().try_for_each(|byte| {
            *byte = self.byte()?;
            Ok(())
        })
    }

    pub(super) fn string(&mut self, most: u64) -> Result<String> {
        let len = self.number_up_to(most)?;
        let mut bytes = Vec::new();
        self.append(&mut bytes, len)?;
        String::from_utf8(bytes).map_err(|_| damaged())
    }
}

pub(super) fn cut_off() -> Error {
    Error::counts("the file is cut off").with_hint("copy or download it again")
}

pub(super) fn damaged() -> Error {
    Error::counts("the file is damaged").with_hint("copy or download it again")
}
