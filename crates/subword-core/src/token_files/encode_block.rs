/*!
Encodes one block: its documents as ids, each with its end.

A block may start within a document and end within one; only the writer, which sees the blocks in order,
knows which. A document that cannot be encoded has no ids and is listed with its error.
*/

use std::borrow::Cow;

use memchr::memmem;

use super::read::{BlockShape, SourceBlock};
use super::record::SourcePosition;
use super::{Split, TokenFileSettings, Width};
use crate::corpus::lines;
use crate::error::{Error, Result};
use crate::memory;
use crate::tokenizer::{DocumentEncoder, Session};
use crate::types::TokenId;

/// The ids of a block.
pub(super) struct EncodedBlock {
    /// The ids, as wide as they are in files.
    pub(super) bytes: Vec<u8>,
    /// Where each document ends, in ids.
    pub(super) ends: Vec<usize>,
    /// The documents that cannot be encoded, by their number in the block, and why. The number after the
    /// last end is that of the document that goes on in the next block.
    pub(super) bad: Vec<(usize, Error)>,
    pub(super) tail: BlockTail,
    pub(super) here: SourcePosition,
    pub(super) next: SourcePosition,
    pub(super) read: u64,
}

/// What comes after the last end of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockTail {
    /// Nothing.
    Nothing,
    /// A document that goes on in the next block.
    Open,
    /// Nothing. The last document of the block counts only if it started in a block before: the file may
    /// have ended with a separator, after which there is no document.
    Ended,
}

/// Encodes blocks, on one thread.
pub(super) struct BlockEncoder<'e> {
    settings: &'e TokenFileSettings,
    encoder: &'e DocumentEncoder<'e>,
    session: Session<'e>,
    separator: Option<memmem::Finder<'e>>,
    ids: Vec<TokenId>,
    ends: Vec<usize>,
    bad: Vec<(usize, Error)>,
    /// An error that ends the run and is not the fault of a document.
    ended: Option<Error>,
}

impl<'e> BlockEncoder<'e> {
    pub(super) fn new(
        settings: &'e TokenFileSettings,
        encoder: &'e DocumentEncoder<'e>,
    ) -> BlockEncoder<'e> {
        BlockEncoder {
            settings,
            encoder,
            session: encoder.session(),
            separator: settings.split.separator().map(memmem::Finder::new),
            ids: Vec::new(),
            ends: Vec::new(),
            bad: Vec::new(),
            ended: None,
        }
    }

    /// Encodes a block; `bytes` is a buffer that may be used. An error is never the fault of a document: the
    /// caller has interrupted the run, or there is no memory.
    pub(super) fn encode_block(
        &mut self,
        block: &SourceBlock,
        bytes: Vec<u8>,
    ) -> Result<EncodedBlock> {
        self.ids.clear();
        let tail = match &block.shape {
            BlockShape::Text => self.text(block),
            BlockShape::Lines => self.lines(block),
            BlockShape::Rows { ends, missing } => self.rows(block, ends, missing),
        };
        let (ends, bad) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.bad));
        if let Some(error) = self.ended.take() {
            return Err(error);
        }
        Ok(EncodedBlock {
            bytes: in_files(&self.ids, self.settings.width, bytes)?,
            ends,
            bad,
            tail,
            here: block.here,
            next: block.next,
            read: block.read,
        })
    }

    /// The documents of a text, each ended by a separator, the last by the end of the file.
    fn text(&mut self, block: &SourceBlock) -> BlockTail {
        let text = &block.bytes[..];
        let valid = std::str::from_utf8(text).is_ok();
        let mut start = 0;
        if let Some(finder) = self.separator.take() {
            for end in finder.find_iter(text) {
                let mut document = &text[start..end];
                if self.settings.split == Split::Line {
                    document = document.strip_suffix(b"\r").unwrap_or(document);
                }
                self.document(block, document, start, valid, true);
                start = end + finder.needle().len();
            }
            self.separator = Some(finder);
        }
        let rest = &text[start..];
        match (block.last, rest.is_empty()) {
            (false, true) => BlockTail::Nothing,
            (false, false) => {
                self.document(block, rest, start, valid, false);
                BlockTail::Open
            }
            (true, true) if self.separator.is_some() => {
                if start > 0 {
                    return BlockTail::Nothing;
                }
                self.document(block, rest, start, valid, true);
                BlockTail::Ended
            }
            (true, _) => {
                self.document(block, rest, start, valid, true);
                BlockTail::Nothing
            }
        }
    }

    fn lines(&mut self, block: &SourceBlock) -> BlockTail {
        let text = &block.bytes[..];
        let mut start = 0;
        while start < text.len() {
            let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
            let line = &text[start..end];
            if !line.trim_ascii().is_empty() {
                let from = self.ids.len();
                let encoded = self.line(block, line, start);
                self.end(block, start, from, encoded, true);
            }
            start = end;
        }
        BlockTail::Nothing
    }

    fn line(&mut self, block: &SourceBlock, line: &[u8], start: usize) -> Result<()> {
        let line = self.checked(block, line, start)?;
        let document = lines::text_of(&line, &self.settings.field)?;
        self.encode(document.as_bytes())
    }

    fn rows(&mut self, block: &SourceBlock, ends: &[usize], missing: &[usize]) -> BlockTail {
        let mut missing = missing.iter().peekable();
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let from = self.ids.len();
            let encoded = if missing.next_if(|&&without| without == row).is_some() {
                let field = &self.settings.field;
                let message = format!("expected text in the column {field:?}, found null");
                Err(Error::corpus("", message))
            } else {
                self.checked(block, &block.bytes[start..end], row)
                    .and_then(|text| self.encode(&text))
            };
            self.end(block, row, from, encoded, true);
            start = end;
        }
        BlockTail::Nothing
    }

    /// Encodes a document, or a part of one, that starts at `start` of its block.
    fn document(
        &mut self,
        block: &SourceBlock,
        text: &[u8],
        start: usize,
        valid: bool,
        ended: bool,
    ) {
        let from = self.ids.len();
        let encoded = if valid {
            self.encode(text)
        } else {
            self.checked(block, text, start).and_then(|text| self.encode(&text))
        };
        self.end(block, start, from, encoded, ended);
    }

    /// Encodes a document, or a part of one. Whether it goes on from the block before is not known here, so the
    /// id before a document comes before every part, and the writer leaves it out.
    fn encode(&mut self, text: &[u8]) -> Result<()> {
        self.ids.extend(self.settings.prepend);
        self.encoder.encode(text, &mut self.session, &mut self.ids)
    }

    /// The text as UTF-8, with U+FFFD for what is not if the settings say so.
    fn checked<'t>(
        &self,
        block: &SourceBlock,
        text: &'t [u8],
        start: usize,
    ) -> Result<Cow<'t, [u8]>> {
        let position = match self.settings.errors.decode(text) {
            Ok(text) => return Ok(text),
            Err(position) => position,
        };
        Err(match block.shape {
            BlockShape::Rows { .. } => {
                Error::NotUtf8 { place: place(block, start), position: position as u64 }
            }
            _ => Error::NotUtf8 {
                place: place(block, start + position),
                position: block.here.start + (start + position) as u64,
            },
        })
    }

    /// Ends a document, or what this block has of it. Its ids are those after `from`.
    fn end(
        &mut self,
        block: &SourceBlock,
        start: usize,
        from: usize,
        encoded: Result<()>,
        ended: bool,
    ) {
        match encoded {
            Err(error @ (Error::Stopped | Error::Memory { .. })) => self.ended = Some(error),
            Err(error) => {
                self.ids.truncate(from);
                self.bad.push((self.ends.len(), placed(error, block, start)));
            }
            Ok(()) if ended => self.ids.extend(self.settings.append),
            Ok(()) => {}
        }
        if ended {
            self.ends.push(self.ids.len());
        }
    }
}

/// The file and the line of a place in a block, or its row.
fn place(block: &SourceBlock, at: usize) -> String {
    let path = block.path.display();
    match block.shape {
        BlockShape::Rows { .. } => format!("{path}: row {}", block.here.start + at as u64),
        _ => {
            let lines = memchr::memchr_iter(b'\n', &block.bytes[..at]).count();
            format!("{path}:{}", block.here.line + lines)
        }
    }
}

/// The error of a document that starts at `start`, with the place where it is.
fn placed(error: Error, block: &SourceBlock, start: usize) -> Error {
    let lies_at = |position: usize| match block.shape {
        BlockShape::Text => place(block, (start + position).min(block.bytes.len())),
        _ => place(block, start),
    };
    match error {
        Error::NotUtf8 { .. } => error,
        Error::SpecialToken { token, position } => {
            let message = format!("the text spells the special token {token:?}");
            let error = Error::corpus(lies_at(position), message);
            error.with_hint("pass special=\"encode\" or special=\"text\"")
        }
        Error::Text { message, position } => Error::corpus(lies_at(position), message),
        Error::Corpus { message, hint, .. } => Error::Corpus { place: lies_at(0), message, hint },
        other => Error::corpus(lies_at(0), other.to_string()),
    }
}

/// Ids as wide as they are in files, in the buffer `bytes`.
fn in_files(ids: &[TokenId], width: Width, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    bytes.truncate(ids.len() * width.bytes());
    memory::fill_up(&mut bytes, ids.len() * width.bytes(), 0)?;
    match width {
        Width::Two => {
            let (places, _) = bytes.as_chunks_mut::<2>();
            places.iter_mut().zip(ids).for_each(|(place, &id)| *place = (id as u16).to_le_bytes());
        }
        Width::Four => {
            let (places, _) = bytes.as_chunks_mut::<4>();
            places.iter_mut().zip(ids).for_each(|(place, &id)| *place = id.to_le_bytes());
        }
    }
    Ok(bytes)
}
