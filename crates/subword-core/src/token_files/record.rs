/*!
What a run tells its caller at every commit, and what it has to know to resume.

The caller keeps the records: the Python package writes them as the lines of a manifest, reads them back and
makes a [`Resume`] of them (`_corpus/manifest.py`, which defines the format).
*/

use super::Totals;
use crate::error::Result;

/// A place in the sources where a run can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourcePosition {
    /// The number of the source.
    pub source: usize,
    /// The byte, or the row, where a block starts.
    pub start: u64,
    /// The line of that byte, the first is 1; 0 at the start of a source.
    pub line: usize,
    /// How many of the documents that end in that block are written already.
    pub documents: usize,
    /// Whether a document that is written in part goes on there.
    pub open: bool,
}

/// A row group of a Parquet file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowGroup {
    /// Where it starts in the file.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// How many documents it has.
    pub rows: u64,
    /// How many entries it has: one for each id and each empty document.
    pub entries: u64,
    /// How many ids it has.
    pub tokens: u64,
}

/// A document that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file and the line.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

/// How far an earlier run was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resume {
    /// Where to read on.
    pub place: SourcePosition,
    /// What was done. Only sources that were read to their end count as read.
    pub totals: Totals,
    /// How many shards are complete.
    pub shards: usize,
    /// Length and check sum of the files that are being written.
    pub files: Vec<(u64, u32)>,
    /// The row groups of a Parquet file.
    pub groups: Vec<RowGroup>,
}

/// A file that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedFile {
    /// Its name, without its folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its check sum (CRC-32).
    pub crc: u32,
    /// How many ids and documents it holds; only for files that hold ids.
    pub holds: Option<(u64, u64)>,
}

/// How far a run is. Everything that a record names is on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitRecord {
    /// What was done.
    pub totals: Totals,
    /// Where a resumed run reads on.
    pub place: SourcePosition,
    /// Length and check sum of the files that are being written.
    pub files: Vec<(u64, u32)>,
    /// The row group of a Parquet file that ended.
    pub group: Option<RowGroup>,
    /// The files that are complete, and were not at the commit before.
    pub finished: Vec<FinishedFile>,
    /// The documents that were left out since the commit before.
    pub skipped: Vec<Skipped>,
    /// Whether the run is complete.
    pub complete: bool,
}

/// Keeps a record where a resumed run finds it, also after a power cut. It is called by the thread of the
/// journal, and not any more once the run has ended.
pub type Recorder = Box<dyn FnMut(CommitRecord) -> Result<()> + Send>;
