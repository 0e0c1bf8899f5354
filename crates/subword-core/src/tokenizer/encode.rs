/*!
The hot loop: an ordinary text to ids, in one thread.

Pieces come by the batch, and each batch is done in two passes, so that the cache lines of the second are on their way
while the first goes on:

    for each piece    build its key, ask for its cache line
    for each piece    compare, take the ids; on a miss merge, and remember

A long piece is looked up whole; if it is new, it is cut where no token can span (see `bpe::Joins`) and its segments are
treated like pieces.
*/

use super::{Finders, Tokenizer};
use crate::bpe::Scratch;
use crate::cache::{Cache, INLINE_IDS, Ids, Key, SHORTEST_LONG, key_of};
use crate::error::{Error, Result};
use crate::pretok::BATCH;
use crate::types::TokenId;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct Worker {
    cache: Cache,
    scratch: Scratch,
    ends: Vec<usize>,
    /// For each piece of a batch its key and cache line; 0 for a long piece.
    keys: Vec<(Key, u32)>,
    ids: Vec<TokenId>,
}

impl Worker {
    pub(super) fn new(cache_bytes: usize) -> Worker {
        Worker {
            cache: Cache::new(cache_bytes),
            scratch: Scratch::default(),
            ends: Vec::with_capacity(2 * BATCH),
            keys: Vec::with_capacity(2 * BATCH),
            ids: Vec::new(),
        }
    }
}

/// Where ids go.
pub(super) trait Sink {
    /// Makes room for the ids of so many pieces.
    fn reserve(&mut self, pieces: usize);
    /// Takes up to three ids.
    fn few(&mut self, ids: &Ids);
    /// Takes any number.
    fn many(&mut self, ids: &[TokenId]);
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
}

impl Sink for Vec<TokenId> {
    #[inline(always)]
    fn reserve(&mut self, pieces: usize) {
        Vec::reserve(self, pieces * INLINE_IDS);
    }

    #[inline(always)]
    fn few(&mut self, ids: &Ids) {
        // Three ids at once and then the right length: no loop, and one branch that is never taken.
        let len = self.len();
        self.extend_from_slice(&ids.ids);
        self.truncate(len + ids.len as usize);
    }

    #[inline]
    fn many(&mut self, ids: &[TokenId]) {
        self.extend_from_slice(ids);
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Counts ids, and stops soon after `limit`.
pub(super) struct Counter {
    pub(super) count: usize,
    pub(super) limit: usize,
}

impl Sink for Counter {
    fn reserve(&mut self, _pieces: usize) {}

    #[inline(always)]
    fn few(&mut self, ids: &Ids) {
        self.count += ids.len as usize;
    }

    #[inline]
    fn many(&mut self, ids: &[TokenId]) {
        self.count += ids.len();
    }

    fn is_full(&self) -> bool {
        self.count > self.limit
    }
}

impl Tokenizer {
    /// A worker for the length of a call.
    pub(super) fn with_worker<R>(&self, run: impl FnOnce(&mut Worker) -> R) -> R {
        let mut worker = self.workers.take(|| Worker::new(self.cache_bytes));
        let result = run(&mut worker);
        self.workers.put(worker);
        result
    }

    /// A text, special tokens and all.
    pub(super) fn encode_text(
        &self,
        text: &[u8],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if finders.raw.is_empty() {
            return self.encode_raw(text, finders, worker, sink);
        }
        finders.raw.split(text, |span| match span.special {
            Some(id) => {
                sink.many(&[id]);
                Ok(())
            }
            None => self.encode_raw(&text[span.start..span.end], finders, worker, sink),
        })
    }

    /// A text between special tokens, not yet normalised.
    pub(super) fn encode_raw(
        &self,
        text: &[u8],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let text = self.model.normalizer.apply(text);
        if finders.normal.is_empty() {
            return self.encode_ordinary(&text, worker, sink);
        }
        finders.normal.split(&text, |span| match span.special {
            Some(id) => {
                sink.many(&[id]);
                Ok(())
            }
            None => self.encode_ordinary(&text[span.start..span.end], worker, sink),
        })
    }

    /// A text that only needs to be cut and merged.
    pub(super) fn encode_ordinary(
        &self,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if !self.missing_bytes.is_empty() {
            self.refuse_missing_bytes(text)?;
        }
        let mut cursor = self.splitter.cursor(text)?;
        let mut ends = std::mem::take(&mut worker.ends);
        let mut start = 0;
        loop {
            cursor.next_batch(&mut ends);
            let Some(&last) = ends.last() else { break };
            self.encode_batch_of_pieces(text, start, &ends, worker, sink)?;
            start = last;
            if sink.is_full() {
                break;
            }
        }
        worker.ends = ends;
        Ok(())
    }

    #[inline]
    fn encode_batch_of_pieces(
        &self,
        text: &[u8],
        mut start: usize,
        ends: &[usize],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let first = start;
        let cache = &worker.cache;
        worker.keys.clear();
        worker.keys.extend(ends.iter().map(|&end| {
            let key = key_of(text, start, end);
            start = end;
            key.map_or((0, 0), |key| (key, cache.line_of(key)))
        }));

        sink.reserve(ends.len());
        let mut start = first;
        for (at, &end) in ends.iter().enumerate() {
            let (key, line) = worker.keys[at];
            match worker.cache.short(key, line) {
                Some(ids) if key != 0 => sink.few(ids),
                _ => self.encode_uncommon(&text[start..end], worker, sink)?,
            }
            start = end;
        }
        Ok(())
    }

    /// A piece that is not in the short table.
    #[cold]
    #[inline(never)]
    fn encode_uncommon(
        &self,
        piece: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if u32::try_from(piece.len()).is_err() {
            return Err(Error::Pattern {
                pattern: String::new(),
                message: format!("makes a piece of {} bytes, the limit is 4 GiB", piece.len()),
            });
        }
        if let Some(ids) = worker.cache.long(piece) {
            sink.many(ids);
        } else if piece.len() < SHORTEST_LONG {
            self.encode_new(piece, worker, sink);
        } else if self.model.ignore_merges
            && let Some(id) = self.model.vocab.id_of(piece)
        {
            worker.cache.insert(piece, &[id]);
            sink.many(&[id]);
        } else {
            self.joins.cut(piece, |segment| self.encode_segment(segment, worker, sink));
        }
        Ok(())
    }

    /// A part of a piece, or all of it, that merges apart from the rest.
    #[inline]
    fn encode_segment(&self, segment: &[u8], worker: &mut Worker, sink: &mut impl Sink) {
        if let Some(key) = key_of(segment, 0, segment.len())
            && let Some(ids) = worker.cache.short(key, worker.cache.line_of(key))
        {
            sink.few(ids);
        } else if let Some(ids) = worker.cache.long(segment) {
            sink.many(ids);
        } else {
            self.encode_new(segment, worker, sink);
        }
    }

    /// A piece or segment that no table remembers.
    fn encode_new(&self, piece: &[u8], worker: &mut Worker, sink: &mut impl Sink) {
        let Worker { cache, scratch, ids, .. } = worker;
        ids.clear();
        self.merger.encode(&self.model.vocab, piece, scratch, ids);
        cache.insert(piece, ids);
        sink.many(ids);
    }
}
