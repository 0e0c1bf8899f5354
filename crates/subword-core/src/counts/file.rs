/*!
Counts as bytes: the file that a user saves, and the sorted runs that counting spills to disk.

```text
magic      "subword counts\n", then the version as one byte: 1, or 2 if the text was normalised
normalizer its name, a string; only in version 2
pattern    how many parts; each a byte ('n' name, 'r' regular expression) and a string
special    how many special tokens; each a string
entries    in the order of the pieces' bytes:
             how many bytes the piece shares with the start of the one before it
             how many bytes follow, and these bytes
             the count
end        two zeros, where the next entry would be
footer     how many entries, the sum of the counts, a check sum: 8 bytes each
```

Numbers and strings are written as `varint` says. `low: 5, lower: 2, lows: 1` takes 4 + 3, 2 + 3 and 1 + 3
bytes. Equal counts are equal bytes.

A file is written and read in one pass with constant memory. Nothing in it is believed: lengths are
bounded, entries must be in order, and the footer must agree with what was read.

INVARIANT: up to the end of any entry, all pieces together have at most [`MOST_GROWTH`] times the bytes
of the file so far, and [`FREE_BYTES`] more. Without it, `x, xx, xxx, ...` would take five bytes a piece in
the file and any number in memory. A piece shares the longest possible start with the one before it, unless
that would break the invariant; then it shares nothing. So whatever was counted can be saved and loaded
again, and a file that asks for more memory is refused at the entry that does.
*/

mod varint;

use std::io::{self, Read, Write};

use super::key::{FILE, hash_long, mix};
use crate::error::{Error, Result};
use crate::model::{MAX_SPECIAL_BYTES, Named, Normalizer, Pattern};
use crate::pretok::Limits;
use crate::types::Count;
use varint::{Input, damaged, number_len, write_number, write_string};

const MAGIC: &[u8] = b"subword counts\n";
const VERSION: u8 = 2;

/// The longest pattern.
const MAX_PATTERN_BYTES: u64 = 1 << 20;

/// The most parts of a pattern, and the most special tokens.
const MAX_STRINGS: u64 = 1 << 20;

/// How many times the bytes of the file all pieces may have. The words of a language have three times these
/// bytes, long words that begin alike ten times.
const MOST_GROWTH: u64 = 64;

/// How many bytes all pieces may have in addition.
const FREE_BYTES: u64 = 64 << 20;

/// Whether pieces of `pieces` bytes in all may come out of `file` bytes of a file.
fn may_grow(pieces: u64, file: u64) -> bool {
    pieces <= file.saturating_mul(MOST_GROWTH).saturating_add(FREE_BYTES)
}

/// What counts were made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CountsHeader {
    pub(super) normalizer: Normalizer,
    pub(super) pattern: Pattern,
    pub(super) special_tokens: Vec<String>,
}

impl CountsHeader {
    /// The lowest version that can hold it, so that equal counts are equal bytes in every release.
    fn version(&self) -> u8 {
        if self.normalizer == Normalizer::None { 1 } else { VERSION }
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        if self.normalizer != Normalizer::None {
            write_string(to, &self.normalizer.name())?;
        }
        let parts = match &self.pattern {
            Pattern::Sequence(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        write_number(to, parts.len() as u64)?;
        for part in parts {
            let (kind, text) = match part {
                Pattern::Named(named) => (b'n', named.name()),
                Pattern::Regex(regex) => (b'r', regex.as_str()),
                Pattern::Sequence(_) => return Err(io::Error::other("a sequence in a sequence")),
            };
            to.write_all(&[kind])?;
            write_string(to, text)?;
        }
        write_number(to, self.special_tokens.len() as u64)?;
        self.special_tokens.iter().try_for_each(|token| write_string(to, token))
    }

    fn read(input: &mut Input<impl Read>, version: u8) -> Result<CountsHeader> {
        let normalizer = match version {
            1 => Normalizer::None,
            _ => {
                let name = input.string(MAX_PATTERN_BYTES)?;
                Normalizer::from_name(&name).ok_or_else(|| {
                    Error::counts(format!("no normalizer has the name {name:?}"))
                        .with_hint("a newer version of subword wrote it")
                })?
            }
        };
        let mut parts = Vec::new();
        let mut limits = Limits::default();
        for _ in 0..input.number_up_to(MAX_STRINGS)? {
            let kind = input.byte()?;
            let text = input.string(MAX_PATTERN_BYTES)?;
            let pattern = match kind {
                b'r' => Pattern::Regex(text),
                b'n' => Pattern::Named(Named::from_name(&text).ok_or_else(|| {
                    Error::counts(format!("no pattern has the name {text:?}"))
                        .with_hint("a newer version of subword wrote it")
                })?),
                _ => return Err(damaged()),
            };
            limits.add(&pattern).map_err(|error| {
                Error::counts(format!("pattern number {}: {error}", parts.len() + 1))
            })?;
            parts.push(pattern);
        }
        let mut special_tokens = Vec::new();
        for _ in 0..input.number_up_to(MAX_STRINGS)? {
            special_tokens.push(input.string(MAX_SPECIAL_BYTES as u64)?);
        }
        let pattern = Pattern::Sequence(parts).canonical();
        Ok(CountsHeader { normalizer, pattern, special_tokens })
    }
}

/// Writes entries in the order of their pieces.
pub(super) struct CountsWriter<W> {
    to: W,
    last: Vec<u8>,
    summary: CountsSummary,
    /// How many bytes were written.
    written: u64,
    /// How many bytes the written pieces have.
    pieces: u64,
}

/// What the footer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountsSummary {
    pub(super) len: u64,
    pub(super) total: Count,
    check: u64,
}

impl CountsSummary {
    /// The summary of no entries, after this header.
    fn new(header: &CountsHeader) -> CountsSummary {
        let mut bytes = Vec::new();
        // Writing to memory does not fail.
        let _ = header.write(&mut bytes);
        CountsSummary { len: 0, total: 0, check: hash_long(&bytes, FILE) }
    }

    fn add(&mut self, piece: &[u8], count: Count) -> Option<()> {
        self.len += 1;
        self.total = self.total.checked_add(count)?;
        self.check = mix(self.check ^ count, hash_long(piece, FILE), FILE);
        Some(())
    }
}

impl<W: Write> CountsWriter<W> {
    /// Starts a file.
    pub(super) fn new(mut to: W, header: &CountsHeader) -> io::Result<Self> {
        let mut start = [MAGIC, &[header.version()]].concat();
        header.write(&mut start)?;
        to.write_all(&start)?;
        let (summary, written) = (CountsSummary::new(header), start.len() as u64);
        Ok(CountsWriter { to, last: Vec::new(), summary, written, pieces: 0 })
    }

    /// Writes a piece, which must come after the last one.
    pub(super) fn push(&mut self, piece: &[u8], count: Count) -> io::Result<()> {
        debug_assert!(piece > self.last.as_slice());
        let in_common = self.last.iter().zip(piece).take_while(|(a, b)| a == b).count();
        let bytes_for = |shared: usize| {
            let rest = (piece.len() - shared) as u64;
            number_len(shared as u64) + number_len(rest) + rest + number_len(count)
        };
        self.pieces = self.pieces.saturating_add(piece.len() as u64);
        let fits = may_grow(self.pieces, self.written + bytes_for(in_common));
        let shared = if fits { in_common } else { 0 };
        self.written += bytes_for(shared);
        write_number(&mut self.to, shared as u64)?;
        write_number(&mut self.to, (piece.len() - shared) as u64)?;
        self.to.write_all(&piece[shared..])?;
        write_number(&mut self.to, count)?;
        self.last.truncate(shared);
        self.last.extend_from_slice(&piece[shared..]);
        let sum = self.summary.add(piece, count);
        sum.ok_or_else(|| io::Error::other(super::OVERFLOW))
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> io::Result<(W, CountsSummary)> {
        let CountsSummary { len, total, check } = self.summary;
        self.to.write_all(&[0, 0])?;
        for number in [len, total, check] {
            self.to.write_all(&number.to_le_bytes())?;
        }
        self.to.flush()?;
        Ok((self.to, self.summary))
    }
}

/// Reads entries in the order of their pieces.
#[derive(Debug)]
pub(super) struct CountsReader<R> {
    input: Input<R>,
    header: CountsHeader,
    piece: Vec<u8>,
    summary: CountsSummary,
    /// How many bytes the pieces read so far have.
    pieces: u64,
    ended: bool,
}

impl<R: Read> CountsReader<R> {
    /// Starts to read.
    pub(super) fn new(from: R) -> Result<Self> {
        let mut input = Input::new(from);
        let mut magic = [0; MAGIC.len() + 1];
        let complete = input.exact(&mut magic);
        if complete.is_err() || !magic.starts_with(MAGIC) {
            return Err(Error::counts("expected counts, found a file of another kind"));
        }
        let version = magic[MAGIC.len()];
        if !(1..=VERSION).contains(&version) {
            let message = format!("expected version {VERSION} of counts, found version {version}");
            return Err(Error::counts(message).with_hint("a newer version of subword wrote it"));
        }
        let header = CountsHeader::read(&mut input, version)?;
        let summary = CountsSummary::new(&header);
        Ok(CountsReader { input, header, piece: Vec::new(), summary, pieces: 0, ended: false })
    }

    pub(super) fn header(&self) -> &CountsHeader {
        &self.header
    }

    /// What was read so far.
    pub(super) fn summary(&self) -> CountsSummary {
        self.summary
    }

    /// The piece that was read last.
    pub(super) fn piece(&self) -> &[u8] {
        &self.piece
    }

    /// Reads the next piece; none after the last.
    pub(super) fn next(&mut self) -> Result<Option<(&[u8], Count)>> {
        Ok(self.advance()?.map(|count| (self.piece.as_slice(), count)))
    }

    /// Reads the next piece and returns its count; none after the last.
    pub(super) fn advance(&mut self) -> Result<Option<Count>> {
        if self.ended {
            return Ok(None);
        }
        let shared = self.input.number()?;
        let more = self.input.number()?;
        if (shared, more) == (0, 0) {
            self.read_footer()?;
            return Ok(None);
        }
        let Some(shared) = usize::try_from(shared).ok().filter(|&n| n <= self.piece.len()) else {
            return Err(damaged());
        };
        // Whether the new piece comes after the old one is decided by the first byte that differs: the one
        // after the shared ones as a rule, or a later one if less is shared than both have in common.
        let (old, new) = (self.piece.get(shared).copied(), self.input.fill()?.first().copied());
        let old_rest = (old.is_some() && old == new).then(|| self.piece[shared..].to_vec());
        self.piece.truncate(shared);
        self.input.append(&mut self.piece, more)?;
        let rises = match old_rest {
            Some(rest) => self.piece[shared..] > rest[..],
            None => self.piece.get(shared).copied() > old,
        };
        if !rises {
            return Err(damaged());
        }
        let count = self.input.number()?;
        self.pieces = self.pieces.saturating_add(self.piece.len() as u64);
        if !may_grow(self.pieces, self.input.position()) {
            return Err(self.grows_too_much());
        }
        if count == 0 || self.summary.add(&self.piece, count).is_none() {
            return Err(damaged());
        }
        Ok(Some(count))
    }

    #[cold]
    fn grows_too_much(&self) -> Error {
        let (entry, at) = (self.summary.len + 1, self.input.position());
        Error::counts(format!(
            "entry {entry}, which ends at byte {at}: the pieces up to here have {} bytes, more than \
             {MOST_GROWTH} times those of the file",
            self.pieces
        ))
        .with_hint("the file is damaged, or it was made to fill the memory of whoever reads it")
    }

    fn read_footer(&mut self) -> Result<()> {
        let mut numbers = [0; 3];
        for number in &mut numbers {
            let mut bytes = [0; 8];
            self.input.exact(&mut bytes)?;
            *number = u64::from_le_bytes(bytes);
        }
        let CountsSummary { len, total, check } = self.summary;
        if numbers != [len, total, check] || self.input.byte().is_ok() {
            return Err(damaged());
        }
        self.ended = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
