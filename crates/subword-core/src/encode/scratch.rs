//! What one thread writes while it encodes: its cache, and buffers that keep their memory between calls.

use super::misses::{DocumentMark, Miss};
use super::packed::Packed;
use super::prefetch::Entries;
use super::superwords::SuperwordScratch;
use super::wordpiece::WordBatch;
use crate::bpe::Merged;
use crate::cache::Cache;
use crate::chain::ChainScratch;
use crate::longest;
use crate::types::TokenId;

/// The cache and the buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) cache: Cache,
    /// The ends of the pieces of a batch.
    pub(super) ends: Vec<usize>,
    /// The pieces and segments of a batch, with their keys.
    pub(super) entries: Entries,
    /// The ids of cache hits.
    pub(super) hits: Vec<TokenId>,
    /// How many of `hits` are not flushed yet.
    pub(super) held: usize,
    /// The misses between the hits, in order.
    pub(super) misses: Vec<Miss>,
    /// The hits with the ids of the misses between them.
    pub(super) complete: Vec<TokenId>,
    /// How many ids of a row of packed documents were flushed.
    pub(super) flushed: usize,
    /// Where documents end among what is not flushed yet.
    pub(super) document_marks: Vec<DocumentMark>,
    /// After how many ids each document of a row ends.
    pub(super) document_ends: Vec<usize>,
    /// The row of packed documents.
    pub(super) packed: Packed,
    /// The bounds of what is to be merged.
    pub(super) unmerged: Vec<(usize, usize)>,
    /// The ids of what was merged.
    pub(super) merged: Merged,
    /// The ids of the misses that the table of long pieces has.
    pub(super) long_hits: Vec<TokenId>,
    /// The ids of one piece.
    pub(super) ids: Vec<TokenId>,
    pub(super) longest: longest::LongestScratch,
    /// The words of a batch of WordPiece.
    pub(super) words: WordBatch,
    pub(super) chain: ChainScratch,
    pub(super) superwords: SuperwordScratch,
    /// A text, or its first piece, with a space before it.
    pub(super) prefixed: Vec<u8>,
}

impl Scratch {
    /// With a cache of at most `cache_bytes`.
    pub(crate) fn new(cache_bytes: usize) -> Scratch {
        Scratch { cache: Cache::new(cache_bytes), ..Scratch::default() }
    }

    /// Drops what is left of a text whose encoding ended with an error.
    pub(super) fn forget(&mut self) {
        self.held = 0;
        self.misses.clear();
        self.document_marks.clear();
        self.document_ends.clear();
        self.words.clear();
    }
}
