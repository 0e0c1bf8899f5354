/*!
Files to blocks of text.

```text
corpus.txt          one text
corpus.jsonl        one text per line: the string in one field of an object
*.gz  *.zst         the same, compressed
```

A file is read from start to end into blocks of about [`BLOCK`] bytes. Where a block may end is the
caller's business (`cut`): what comes after that place is the start of the next block. Where there is
no such place, the block grows until there is one or the file ends.

Why reading and not mapping files into memory: a mapped file that another process makes shorter kills
this one, its pages count as memory that we use, and it is not faster. (2026-11-15, see the log.)
*/

pub mod lines;
mod open;

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};
use open::Opened;

/// How large a block is: small enough to stay in the second-level cache together with what is
/// counted, large enough to be worth a lock.
pub const BLOCK: usize = 1 << 18;

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
    pub bytes: Vec<u8>,
    /// What they are.
    pub kind: Kind,
    /// Which block it is, over all files.
    pub number: usize,
    /// The file.
    pub path: Arc<PathBuf>,
    /// Where in the uncompressed file it starts, in bytes.
    pub start: u64,
    /// In which line it starts, the first is 1; only counted where the file is lines.
    pub line: usize,
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
    /// What was read and is not part of a block yet.
    rest: Vec<u8>,
    start: u64,
    line: usize,
    ended: bool,
}

impl Files {
    /// These.
    pub fn new(paths: Vec<PathBuf>) -> Files {
        Files { paths: paths.into_iter(), open: None, next: 0 }
    }

    /// The next block, in the memory of `bytes`; none after the last. `cut` is given a text that
    /// goes on and a place; it says how much of the text can be a block, more than that place, or
    /// 0 if it cannot tell.
    pub fn next(
        &mut self,
        mut bytes: Vec<u8>,
        cut: impl Fn(&[u8], usize) -> usize,
    ) -> Result<Option<Block>> {
        loop {
            let open = match &mut self.open {
                Some(open) => open,
                None => match self.paths.next() {
                    Some(path) => self.open.insert(Open::new(path)?),
                    None => return Ok(None),
                },
            };
            bytes.clear();
            open.fill(&mut bytes, &cut)?;
            if bytes.is_empty() {
                self.open = None;
                continue;
            }
            let number = self.next;
            self.next += 1;
            return Ok(Some(open.block(bytes, number)));
        }
    }
}

impl Open {
    fn new(path: PathBuf) -> Result<Open> {
        let file = Opened::new(&path).map_err(|error| Error::io(&path, &error))?;
        let path = Arc::new(path);
        Ok(Open { file, path, rest: Vec::new(), start: 0, line: 1, ended: false })
    }

    /// Reads until there is a place to cut.
    fn fill(&mut self, bytes: &mut Vec<u8>, cut: impl Fn(&[u8], usize) -> usize) -> Result<()> {
        bytes.append(&mut self.rest);
        let mut seen = 0;
        let mut wanted = BLOCK;
        while !self.ended {
            let missing = wanted.saturating_sub(bytes.len());
            self.read(bytes, missing)?;
            if self.ended {
                break;
            }
            let cut = match self.file.kind() {
                Kind::Text => cut(bytes, seen),
                Kind::Lines => memchr::memrchr(b'\n', &bytes[seen..]).map_or(0, |at| seen + at + 1),
            };
            if cut > 0 {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                break;
            }
            seen = bytes.len();
            wanted = 2 * bytes.len();
        }
        Ok(())
    }

    /// Reads up to so many bytes more.
    fn read(&mut self, bytes: &mut Vec<u8>, missing: usize) -> Result<()> {
        let mut file = (&mut self.file).take(missing as u64);
        let io = |error| Error::io(&self.path, &error);
        let found = file.read_to_end(bytes).map_err(io)?;
        self.ended = found < missing;
        Ok(())
    }

    fn block(&mut self, bytes: Vec<u8>, number: usize) -> Block {
        let (start, line, kind) = (self.start, self.line, self.file.kind());
        self.start += bytes.len() as u64;
        if kind == Kind::Lines {
            self.line += memchr::memchr_iter(b'\n', &bytes).count();
        }
        let (path, read) = (self.path.clone(), self.file.take_read());
        Block { bytes, kind, number, path, start, line, read }
    }
}
