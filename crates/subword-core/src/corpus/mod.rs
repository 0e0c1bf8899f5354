/*!
Files to blocks of text.

```text
corpus.txt          one text
corpus.jsonl        one text per line: the string in one field of an object
*.gz  *.zst         the same, compressed
```

A file is read from start to end into blocks of about [`BLOCK`] bytes. The caller's function `cut` says
where a block may end; what comes after that place is the start of the next block. If there is no such
place, the block grows until there is one or the file ends, up to a limit ([`Files::with_limit`]): a few
kilobytes of a compressed file may hold gigabytes of one line.

Why reading and not mapping files into memory: a mapped file that another process truncates kills this
process, its pages count as our memory, and it is not faster (docs/decisions/read-or-map.md).
*/

pub mod lines;
mod open;

use std::borrow::Cow;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, InFile, Result};
use open::FileReader;

/// How large a block is: small enough to stay in the second-level cache together with what is
/// counted, large enough to be worth a lock.
pub const BLOCK: usize = 1 << 18;

/// How large a block may grow where no limit is given: 1 GiB.
pub(crate) const MAX_DOCUMENT: u64 = 1 << 30;

/// What to do with text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Errors {
    /// It is an error.
    #[default]
    Strict,
    /// What cannot be read is U+FFFD.
    Replace,
}

impl Errors {
    /// The text as UTF-8, or the position of the first byte that is not.
    pub fn decode(self, text: &[u8]) -> std::result::Result<Cow<'_, [u8]>, usize> {
        match (std::str::from_utf8(text), self) {
            (Ok(_), _) => Ok(Cow::Borrowed(text)),
            (Err(_), Errors::Replace) => {
                Ok(Cow::Owned(String::from_utf8_lossy(text).into_owned().into_bytes()))
            }
            (Err(error), Errors::Strict) => Err(error.valid_up_to()),
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// One text.
    Text,
    /// A JSON object per line.
    Lines,
}

/// A part of a file.
#[derive(Debug)]
pub struct CorpusBlock {
    /// Its bytes, decompressed.
    pub bytes: Vec<u8>,
    /// What the file holds.
    pub kind: FileKind,
    /// Its number over all files, from 0 on.
    pub number: usize,
    /// The file.
    pub path: Arc<PathBuf>,
    /// The byte of the decompressed file where it starts.
    pub start: u64,
    /// The line where it starts, the first is 1. Only counted for JSON lines, and for a file that starts
    /// in the middle.
    pub line: usize,
    /// The line where the next block starts.
    pub next_line: usize,
    /// Whether the file ends with it; then it may be empty.
    pub last: bool,
    /// How many bytes of the file on disk were read for it.
    pub read: u64,
}

/// Files, one after the other.
#[derive(Debug)]
pub struct Files {
    paths: std::vec::IntoIter<PathBuf>,
    open: Option<OpenFile>,
    next: usize,
    limit: u64,
}

/// A file that is being read.
#[derive(Debug)]
struct OpenFile {
    file: FileReader,
    path: Arc<PathBuf>,
    /// Bytes that were read and given back.
    rest: Vec<u8>,
    /// How many bytes of `rest` are part of a block already.
    used: usize,
    start: u64,
    line: usize,
    ended: bool,
    count_lines: bool,
    /// How many bytes are still to be skipped.
    ahead: u64,
}

impl Files {
    /// Files to be read one after the other.
    pub fn new(paths: Vec<PathBuf>) -> Files {
        Files { paths: paths.into_iter(), open: None, next: 0, limit: MAX_DOCUMENT }
    }

    /// One file from the byte `start` on, which is in line `line`; lines are counted. While a compressed
    /// file is read up to there, blocks are empty.
    pub(crate) fn starting_at(path: PathBuf, start: u64, line: usize) -> Result<Files> {
        let mut open = OpenFile::new(path, true)?;
        open.ahead = start - open.file.skip_to(start).in_file(&open.path)?;
        (open.start, open.line) = (start, line);
        Ok(Files { open: Some(open), ..Files::new(Vec::new()) })
    }

    /// The same with a limit on the bytes of a line, or of a text without a place to cut. What fits in one
    /// block is never refused.
    #[must_use]
    pub fn with_limit(self, limit: u64) -> Files {
        Files { limit: limit.max(BLOCK as u64), ..self }
    }

    /// The next block, in the buffer `bytes`; none after the last. `cut` is called with a text that goes on
    /// and with how much of it was seen before; it returns how much of the text can be a block, always
    /// more than was seen, or 0 if there is no place to cut.
    pub fn next(
        &mut self,
        mut bytes: Vec<u8>,
        cut: impl Fn(&[u8], usize) -> usize,
    ) -> Result<Option<CorpusBlock>> {
        let open = match &mut self.open {
            Some(open) => open,
            None => match self.paths.next() {
                Some(path) => self.open.insert(OpenFile::new(path, false)?),
                None => return Ok(None),
            },
        };
        bytes.clear();
        if open.ahead > 0 {
            open.pass(&mut bytes)?;
        } else {
            open.fill(&mut bytes, &cut, self.limit)?;
        }
        let block = open.block(bytes, self.next);
        self.next += 1;
        if block.last {
            self.open = None;
        }
        Ok(Some(block))
    }
}

impl OpenFile {
    fn new(path: PathBuf, count_lines: bool) -> Result<OpenFile> {
        let file = FileReader::new(&path).in_file(&path)?;
        let count_lines = count_lines || file.kind() == FileKind::Lines;
        Ok(OpenFile {
            file,
            path: Arc::new(path),
            rest: Vec::new(),
            used: 0,
            start: 0,
            line: 1,
            ended: false,
            count_lines,
            ahead: 0,
        })
    }

    /// Skips up to one block, using the buffer `bytes`.
    fn pass(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let most = usize::try_from(self.ahead).unwrap_or(usize::MAX).min(BLOCK);
        self.read(bytes, most)?;
        self.ahead -= bytes.len() as u64;
        bytes.clear();
        Ok(())
    }

    /// Reads until there is a place to cut. That place depends only on the text, not on how much of it was
    /// read before.
    fn fill(
        &mut self,
        bytes: &mut Vec<u8>,
        cut: impl Fn(&[u8], usize) -> usize,
        limit: u64,
    ) -> Result<()> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut seen = 0;
        let mut wanted = BLOCK;
        loop {
            self.read(bytes, wanted - bytes.len())?;
            if self.ended {
                return Ok(());
            }
            let cut = match self.file.kind() {
                FileKind::Text => cut(bytes, seen),
                FileKind::Lines => {
                    memchr::memrchr(b'\n', &bytes[seen..]).map_or(0, |at| seen + at + 1)
                }
            };
            if cut > 0 {
                self.give_back(&bytes[cut..]);
                bytes.truncate(cut);
                return Ok(());
            }
            if bytes.len() > most {
                return Err(self.too_large(limit));
            }
            seen = bytes.len();
            // One byte over the limit tells a text that is as long as the limit from a longer one.
            wanted = seen.saturating_mul(2).min(most.saturating_add(1));
        }
    }

    /// The error for a block that would be larger than the limit.
    fn too_large(&self, limit: u64) -> Error {
        let path = self.path.display();
        let place =
            if self.count_lines { format!("{path}:{}", self.line) } else { path.to_string() };
        let message = match self.file.kind() {
            FileKind::Lines => format!("the line has more than {limit} bytes"),
            FileKind::Text => format!(
                "the text from byte {} on has no place to cut it within {limit} bytes",
                self.start
            ),
        };
        let hint = "pass a larger max_document if this much memory may be used";
        Error::corpus(place, message).with_hint(hint)
    }

    /// Keeps what comes after a block, as the start of the next.
    fn give_back(&mut self, after: &[u8]) {
        if self.used >= after.len() {
            self.used -= after.len();
            self.rest[self.used..][..after.len()].copy_from_slice(after);
        } else {
            self.rest.splice(..self.used, after.iter().copied());
            self.used = 0;
        }
    }

    /// Reads `missing` more bytes, or as many as there are.
    fn read(&mut self, bytes: &mut Vec<u8>, missing: usize) -> Result<()> {
        let rest = &self.rest[self.used..];
        let rest = &rest[..rest.len().min(missing)];
        bytes.extend_from_slice(rest);
        self.used += rest.len();
        let missing = missing - rest.len();
        let mut file = (&mut self.file).take(missing as u64);
        let found = file.read_to_end(bytes).in_file(&self.path)?;
        self.ended = found < missing;
        Ok(())
    }

    fn block(&mut self, bytes: Vec<u8>, number: usize) -> CorpusBlock {
        let (start, line, kind) = (self.start, self.line, self.file.kind());
        self.start += bytes.len() as u64;
        if self.count_lines {
            self.line += memchr::memchr_iter(b'\n', &bytes).count();
        }
        let (path, read) = (self.path.clone(), self.file.take_read());
        let (next_line, last) = (self.line, self.ended);
        CorpusBlock { bytes, kind, number, path, start, line, next_line, last, read }
    }
}
