/*!
A corpus to token files: sources in, files of ids out, and a record of every commit.

```text
read, encode_block     sources -> blocks -> ids of documents     on all threads, block by block
reorder, shards        encoded blocks in order -> shards         on one thread
journal                fsync, a record to the caller, rename     on another thread
```

Reading, encoding and writing overlap (`pipeline`). A worker takes the next block, in the order of the
corpus, and encodes it; the writer takes the results in the same order, so the files depend on the
corpus and the settings alone and not on threads. A few blocks per thread are in memory, however large
a file is: a document that is larger than a block is encoded in parts. Only a JSON line, a row of a
table, and a document in which the pattern has no place to cut are held whole, up to
[`TokenFileSettings::max_document`].

Records say how far a run is ([`CommitRecord`]). After every `TokenFileSettings::commit_bytes` the files are
synced, and a record says how long they are and which [`SourcePosition`] that corresponds to. The caller keeps
the records, in a manifest. A run that ended early, by a signal, an error or a power cut, resumes at the last
one: whatever the files hold beyond it is cut off. A record is kept before complete files are renamed, so no
work is lost in between.

One run at a time: the caller holds a lock on the output from before it reads the manifest until after
this returns.

Invariants
* A file has its final name only when it is complete and synced, and a record says so.
* The bytes of the files are the same whether or not a run was interrupted: where a block ends depends
  on where the block before it ended, and on nothing else.
* At most one commit is in flight while at most `TokenFileSettings::commit_bytes` more are written:
  together less than a shard.
*/

mod encode_block;
mod journal;
mod megatron;
mod npy;
mod output;
mod parquet;
mod partial;
mod pipeline;
mod read;
mod record;
mod shards;
mod thrift;

use std::path::PathBuf;

pub use pipeline::encode_files;
pub use read::{RowBlock, RowSource, Source};
pub use record::{CommitRecord, FinishedFile, Recorder, Resume, RowGroup, Skipped, SourcePosition};

use crate::corpus::Errors;
use crate::parallel::Threads;
use crate::special::Allowed;
use crate::types::TokenId;

/// What to write, and how the sources are read.
#[derive(Debug, Clone)]
pub struct TokenFileSettings {
    /// The kind of files.
    pub format: TokenFileFormat,
    /// The file, or the directory of shards.
    pub out: PathBuf,
    /// How wide ids are in the files.
    pub width: Width,
    /// About how large a shard is, in bytes. A resumed run repeats at most this much work.
    pub shard_bytes: u64,
    /// What a document is in a file of text.
    pub split: Split,
    /// The field of a JSON line that is its document.
    pub field: String,
    /// What to do with text that is not UTF-8.
    pub errors: Errors,
    /// What to do with a document that cannot be encoded.
    pub on_error: OnError,
    /// Which special tokens are recognised.
    pub allowed: Allowed,
    /// The id before each document.
    pub prepend: Option<TokenId>,
    /// The id after each document.
    pub append: Option<TokenId>,
    /// How many threads encode at most; `None` means as many as the process has cores.
    pub threads: Threads,
    /// The most bytes that a JSON line, or a text without a place to cut, may have.
    pub max_document: u64,
}

impl TokenFileSettings {
    /// After how many written bytes a commit is made.
    pub(self) fn commit_bytes(&self) -> u64 {
        self.shard_bytes / 3
    }
}

/// A kind of token file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFileFormat {
    /// Ids and nothing else.
    Raw,
    /// An array of numpy.
    Npy,
    /// A directory of raw files, each with a second file that holds the ends of its documents.
    Shards,
    /// A raw file and its index, as Megatron reads it.
    Megatron,
    /// A list of ids per row. Ids are four bytes wide.
    Parquet,
}

/// How wide an id is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Two bytes.
    Two,
    /// Four bytes.
    Four,
}

impl Width {
    /// In bytes.
    pub fn bytes(self) -> usize {
        match self {
            Width::Two => 2,
            Width::Four => 4,
        }
    }
}

/// What a document is in a file of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Split {
    /// The file.
    File,
    /// A line, without its line break.
    Line,
    /// The text before each separator, and what follows the last separator unless that is empty.
    At(String),
}

impl Split {
    /// The bytes that end a document, if anything but the end of the file does.
    fn separator(&self) -> Option<&[u8]> {
        match self {
            Split::File => None,
            Split::Line => Some(b"\n"),
            Split::At(text) => Some(text.as_bytes()),
        }
    }
}

/// What to do with a document that cannot be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// Stop.
    Stop,
    /// Leave it out, and list it in a record.
    Skip,
}

/// How far a run is, or how it ended, including the work of the runs that it resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// How many documents were written.
    pub documents: u64,
    /// How many ids were written.
    pub tokens: u64,
    /// How many bytes of the sources were read, compressed where the sources are.
    pub read: u64,
    /// How many documents were left out.
    pub skipped: u64,
}

#[cfg(test)]
mod tests;
