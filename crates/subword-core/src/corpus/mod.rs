/*!
Files to blocks of text.

```text
corpus.txt          one text
corpus.jsonl        one text per line: the string in one field of an object
*.gz  *.zst         the same, compressed
```

A file is cut from start to end into blocks of about [`BLOCK`] bytes. Where a block may end is the
caller's business (`cut`): what comes after that place is the start of the next block. Where there is
no such place, the block grows until there is one or the file ends.

A plain file is mapped into memory where the system can do that safely (`arch/map`), and then a block
is a view of it. Anything else is read: compressed files, pipes, what is too new or too old. Both ways
give the same blocks.
*/

mod bytes;
pub mod lines;
mod open;

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::arch::Map;
use crate::error::{Error, Result};
pub use bytes::Bytes;
use open::Opened;

/// How large a block is: small enough to stay in the second-level cache together with what is
/// counted, large enough to be worth a lock.
pub const BLOCK: usize = 1 << 18;

/// What to do with text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Errors {
    /// It is an error.
    #[default]
    Strict,
    /// What cannot be read is U+FFFD.
    Replace,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One text.
    Text,
    /// A JSON object per line.
    Lines,
}

/// Some of a file.
#[derive(Debug)]
pub struct Block {
    /// The bytes.
    pub bytes: Bytes,
    /// What they are.
    pub kind: Kind,
    /// Which block it is, over all files.
    pub number: usize,
    /// The file.
    pub path: Arc<PathBuf>,
    /// Where in the uncompressed file it starts, in bytes.
    pub start: u64,
    /// In which line it starts, the first is 1; only counted where the file is lines, or where the
    /// caller asks.
    pub line: usize,
    /// In which line the next block starts.
    pub next_line: usize,
    /// Whether the file ends with it. It may be empty then.
    pub last: bool,
    /// How much of the file, compressed or not, was read for it.
    pub read: u64,
}

/// Files, one after the other.
#[derive(Debug)]
pub struct Files {
    paths: std::vec::IntoIter<PathBuf>,
    open: Option<Open>,
    next: usize,
}

/// A file that is being read.
#[derive(Debug)]
struct Open {
    file: Opened,
    path: Arc<PathBuf>,
    /// What was read, and how much of it is part of a block already.
    rest: Vec<u8>,
    used: usize,
    start: u64,
    line: usize,
    ended: bool,
    count_lines: bool,
    /// How much is still to be passed over.
    ahead: u64,
}

impl Files {
    /// These.
    pub fn new(paths: Vec<PathBuf>) -> Files {
        Files { paths: paths.into_iter(), open: None, next: 0 }
    }

    /// One file from the byte `start` on, which is in that line; lines are counted. While a
    /// compressed file is read up to there, blocks are empty.
    pub fn starting_at(path: PathBuf, start: u64, line: usize) -> Result<Files> {
        let mut open = Open::new(path, true)?;
        open.ahead =
            start - open.file.skip_to(start).map_err(|error| Error::io(&open.path, &error))?;
        (open.start, open.line) = (start, line);
        Ok(Files { paths: Vec::new().into_iter(), open: Some(open), next: 0 })
    }

    /// The next block, in the memory of `bytes`; none after the last. `cut` is given a text that
    /// goes on and a place; it says how much of the text can be a block, more than that place, or
    /// 0 if it cannot tell.
    pub fn next(
        &mut self,
        mut bytes: Vec<u8>,
        cut: impl Fn(&[u8], usize) -> usize,
    ) -> Result<Option<Block>> {
        let open = match &mut self.open {
            Some(open) => open,
            None => match self.paths.next() {
                Some(path) => self.open.insert(Open::new(path, false)?),
                None => return Ok(None),
            },
        };
        bytes.clear();
        let bytes = match open.file.map() {
            _ if open.ahead > 0 => open.pass(bytes)?,
            Some(map) => open.part(&map.clone(), &cut)?,
            None => open.fill(bytes, &cut)?,
        };
        let block = open.block(bytes, self.next);
        self.next += 1;
        if block.last {
            self.open = None;
        }
        Ok(Some(block))
    }
}

impl Open {
    fn new(path: PathBuf, count_lines: bool) -> Result<Open> {
        let file = Opened::new(&path).map_err(|error| Error::io(&path, &error))?;
        let count_lines = count_lines || file.kind() == Kind::Lines;
        Ok(Open {
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

    /// Passes over some of what is to be passed over, by the memory of `bytes`.
    fn pass(&mut self, mut bytes: Vec<u8>) -> Result<Bytes> {
        let most = usize::try_from(self.ahead).unwrap_or(usize::MAX).min(BLOCK);
        self.read(&mut bytes, most)?;
        self.ahead -= bytes.len() as u64;
        bytes.clear();
        Ok(Bytes::Read(bytes))
    }

    /// The part of a mapped file up to a place to cut.
    fn part(&mut self, map: &Arc<Map>, cut: impl Fn(&[u8], usize) -> usize) -> Result<Bytes> {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let (mut seen, mut wanted) = (0, BLOCK);
        loop {
            let end = map.len().min(start.saturating_add(wanted));
            let text = map.read(start..end).map_err(|error| Error::io(&self.path, &error))?;
            self.ended = end == map.len();
            let cut = if self.ended { text.len() } else { self.cut(text, seen, &cut) };
            if cut > 0 || self.ended {
                self.file.count(cut);
                return Ok(Bytes::part(map, start..start + cut));
            }
            (seen, wanted) = (text.len(), 2 * text.len());
        }
    }

    /// Where a text that goes on can be cut, after `seen`; 0 if nowhere.
    fn cut(&self, text: &[u8], seen: usize, cut: impl Fn(&[u8], usize) -> usize) -> usize {
        match self.file.kind() {
            Kind::Text => cut(text, seen),
            Kind::Lines => memchr::memrchr(b'\n', &text[seen..]).map_or(0, |at| seen + at + 1),
        }
    }

    /// Reads until there is a place to cut. Where that is depends on what follows alone, not on how
    /// much of it was read before.
    fn fill(&mut self, mut bytes: Vec<u8>, cut: impl Fn(&[u8], usize) -> usize) -> Result<Bytes> {
        let (mut seen, mut wanted) = (0, BLOCK);
        loop {
            let missing = wanted - bytes.len();
            self.read(&mut bytes, missing)?;
            if self.ended {
                return Ok(Bytes::Read(bytes));
            }
            let cut = self.cut(&bytes, seen, &cut);
            if cut > 0 {
                self.give_back(&bytes[cut..]);
                bytes.truncate(cut);
                return Ok(Bytes::Read(bytes));
            }
            (seen, wanted) = (bytes.len(), 2 * bytes.len());
        }
    }

    /// What comes after a block is the start of the next.
    fn give_back(&mut self, after: &[u8]) {
        if self.used >= after.len() {
            self.used -= after.len();
            self.rest[self.used..][..after.len()].copy_from_slice(after);
        } else {
            self.rest.splice(..self.used, after.iter().copied());
            self.used = 0;
        }
    }

    /// Reads so many bytes more, or what there is.
    fn read(&mut self, bytes: &mut Vec<u8>, missing: usize) -> Result<()> {
        let rest = &self.rest[self.used..];
        let rest = &rest[..rest.len().min(missing)];
        bytes.extend_from_slice(rest);
        self.used += rest.len();
        let missing = missing - rest.len();
        let mut file = (&mut self.file).take(missing as u64);
        let io = |error| Error::io(&self.path, &error);
        let found = file.read_to_end(bytes).map_err(io)?;
        self.ended = found < missing;
        Ok(())
    }

    fn block(&mut self, bytes: Bytes, number: usize) -> Block {
        let (start, line, kind) = (self.start, self.line, self.file.kind());
        self.start += bytes.len() as u64;
        if self.count_lines {
            self.line += memchr::memchr_iter(b'\n', &bytes).count();
        }
        let (path, read) = (self.path.clone(), self.file.take_read());
        let (next_line, last) = (self.line, self.ended);
        Block { bytes, kind, number, path, start, line, next_line, last, read }
    }
}
