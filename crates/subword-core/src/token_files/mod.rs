/*!
The assembly: a corpus to token files.

```text
sources -> blocks -> documents -> ids          on all threads, block by block
parts of the output, in order -> shards        on one
shards synced, manifest, names                 on another
```

Reading, encoding and writing overlap. A worker takes the next block, in the order of the corpus, and
encodes it; the writer takes what comes out in the same order, so the files depend on the corpus and
the settings alone, not on threads. A few blocks per thread are in memory, however large a file is:
a document that is larger than a block is encoded in parts (`tokenizer/documents`). Only a JSON line,
a row of a table, and a document that the pattern gives no place to cut are taken whole, up to
[`TokenFileSettings::max_document`].

What is written is remembered in a manifest ([`Journal`](journal)): every so often the files are synced, and
a line says how far they are and where in the sources that is (a [`SourcePosition`]). A run that ends early, by
a signal, an error or a power cut, is taken up there: what the files have more is cut off. Lines are
written before files get their names, so that no work is lost in between.

One run at a time: the caller holds a lock on the output from before it looks at the manifest until
after this returns.

Invariants
* A file has its name only when it is complete and synced, and a line of the manifest says so.
* The bytes of the files are the same, whether or not a run was interrupted: blocks are cut at places
  that depend on where the block before ended, and on nothing else.
* At most one commit is on its way while at most [`TokenFileSettings::commit_bytes`] more are written: together
  less than a shard.
*/

mod encode_block;
mod journal;
mod manifest;
mod megatron;
mod npy;
mod output;
mod parquet;
mod partial;
mod pipeline;
mod read;
mod reorder;
mod shards;
mod thrift;

use std::path::PathBuf;

pub use manifest::{Resume, RowGroup, Skipped, SourcePosition};
pub use pipeline::encode_files;
pub use read::{RowBlock, RowSource, Source};

use crate::corpus::Errors;
use crate::parallel::Threads;
use crate::special::Allowed;
use crate::types::TokenId;

/// What to write, and from what.
#[derive(Debug, Clone)]
pub struct TokenFileSettings {
    /// Which files.
    pub format: TokenFileFormat,
    /// The file, or the directory of shards.
    pub out: PathBuf,
    /// Where it is written how far we are. The file exists.
    pub manifest: PathBuf,
    /// How wide ids are in the files.
    pub width: Width,
    /// About how large a shard is, in bytes; how much work a run that is taken up repeats at most.
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
    /// The id after each document.
    pub append: Option<TokenId>,
    /// How many threads encode at most; none: as many as the process has cores.
    pub threads: Threads,
    /// How many bytes a JSON line, or a text without a place to cut, may have.
    pub max_document: u64,
}

impl TokenFileSettings {
    /// After how many bytes what was written is synced and remembered.
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
    /// A directory of raw files, each with the ends of its documents beside it.
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
    /// A line, without what ends it.
    Line,
    /// What stands before this text, or after the last one unless that is nothing.
    At(String),
}

impl Split {
    /// What ends a document.
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
    /// Leave it out, and say so.
    Skip,
}

/// How far a run is, or how it ended: all of it, what was done before it was taken up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// How many documents were written.
    pub documents: u64,
    /// How many ids.
    pub tokens: u64,
    /// How many bytes of the sources were read, as they are on disk.
    pub read: u64,
    /// How many documents were left out.
    pub skipped: u64,
}

#[cfg(test)]
mod tests;
