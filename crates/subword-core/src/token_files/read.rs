/*!
Sources to blocks, in order.

A source is a file of text or JSON lines (`corpus`), or rows of a table that the caller reads. A block of
text ends where it may be cut so that both parts encode alone; a block of lines or rows ends with a
document.
*/

use std::path::PathBuf;
use std::sync::Arc;

use super::record::SourcePosition;
use crate::corpus::{FileKind, Files};
use crate::error::Result;
use crate::tokenizer::DocumentEncoder;

/// Something to read documents from.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// The rows of a table, and its path.
    Rows(PathBuf, Box<dyn RowSource>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::File(path) | Source::Rows(path, _) => write!(f, "Source({path:?})"),
        }
    }
}

/// A table whose rows are documents.
pub trait RowSource: Send {
    /// Some rows from `row` on, always the same rows for the same `row`; none after the last.
    fn next(&mut self, row: u64) -> Result<Option<RowBlock>>;
}

/// Some rows of a table.
#[derive(Debug, Default)]
pub struct RowBlock {
    /// Their texts, one after the other.
    pub bytes: Vec<u8>,
    /// Where each text ends.
    pub ends: Vec<usize>,
    /// The numbers of the rows that hold no text.
    pub missing: Vec<usize>,
    /// How many bytes of the file these rows are.
    pub read: u64,
}

/// A part of a source.
pub(super) struct SourceBlock {
    /// Its number in the order of the corpus, from 0 on.
    pub(super) number: usize,
    pub(super) path: Arc<PathBuf>,
    pub(super) bytes: Vec<u8>,
    pub(super) shape: BlockShape,
    /// Where it starts.
    pub(super) here: SourcePosition,
    /// Where the next block starts.
    pub(super) next: SourcePosition,
    /// Whether the source ends with it.
    pub(super) last: bool,
    /// How many bytes of the file were read for it.
    pub(super) read: u64,
}

/// What the documents of a block are.
pub(super) enum BlockShape {
    Text,
    Lines,
    Rows { ends: Vec<usize>, missing: Vec<usize> },
}

/// Reads one source after the other.
pub(super) struct SourceReader {
    sources: std::vec::IntoIter<Source>,
    open: Option<OpenSource>,
    /// Where the next block starts.
    place: SourcePosition,
    number: usize,
    max_document: u64,
}

enum OpenSource {
    File(Files),
    Rows(Arc<PathBuf>, Box<dyn RowSource>),
}

impl SourceReader {
    /// Starts to read at `place`. `max_document` is that of the settings.
    pub(super) fn new(
        sources: Vec<Source>,
        place: SourcePosition,
        max_document: u64,
    ) -> SourceReader {
        let mut sources = sources.into_iter();
        sources.by_ref().take(place.source).for_each(drop);
        SourceReader {
            sources,
            open: None,
            place: SourcePosition { documents: 0, open: false, ..place },
            number: 0,
            max_document,
        }
    }

    /// How many blocks were read.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Ends the reading after an error, which takes the number of the next block.
    pub(super) fn give_up(&mut self) {
        self.sources = Vec::new().into_iter();
        self.open = None;
        self.number += 1;
    }

    /// The next block, in the buffer `bytes`; none after the last.
    pub(super) fn next(
        &mut self,
        bytes: Vec<u8>,
        encoder: &DocumentEncoder,
    ) -> Result<Option<SourceBlock>> {
        let open = match &mut self.open {
            Some(open) => open,
            None => match self.sources.next() {
                Some(Source::File(path)) => {
                    let line = self.place.line.max(1);
                    let files = Files::starting_at(path, self.place.start, line)?;
                    self.open.insert(OpenSource::File(files.with_limit(self.max_document)))
                }
                Some(Source::Rows(path, rows)) => {
                    self.open.insert(OpenSource::Rows(Arc::new(path), rows))
                }
                None => return Ok(None),
            },
        };
        let mut block = match open {
            // A text that cannot be cut is taken whole, and what is wrong with it is seen later.
            OpenSource::File(files) => {
                let cut = |text: &[u8], seen| encoder.last_cut(text, seen);
                let read = files.next(bytes, cut)?;
                let Some(block) = read else { return Ok(None) };
                let shape = match block.kind {
                    FileKind::Text => BlockShape::Text,
                    FileKind::Lines => BlockShape::Lines,
                };
                let here = SourcePosition { start: block.start, line: block.line, ..self.place };
                let start = block.start + block.bytes.len() as u64;
                let next = SourcePosition { start, line: block.next_line, ..self.place };
                let (path, bytes) = (block.path, block.bytes);
                SourceBlock {
                    number: 0,
                    path,
                    bytes,
                    shape,
                    here,
                    next,
                    last: block.last,
                    read: block.read,
                }
            }
            OpenSource::Rows(path, rows) => {
                let (path, here) = (path.clone(), self.place);
                let rows = rows.next(here.start)?;
                let last = rows.is_none();
                let RowBlock { bytes, ends, missing, read } = rows.unwrap_or_default();
                let next = SourcePosition { start: here.start + ends.len() as u64, ..here };
                let shape = BlockShape::Rows { ends, missing };
                SourceBlock { number: 0, path, bytes, shape, here, next, last, read }
            }
        };
        block.number = self.number;
        self.number += 1;
        if block.last {
            self.open = None;
            block.next =
                SourcePosition { source: self.place.source + 1, ..SourcePosition::default() };
        }
        self.place = block.next;
        Ok(Some(block))
    }
}
