/*!
The hot loop: an ordinary text to ids, in one thread.

Pieces come by the batch, and each batch is done in two passes, so that the cache lines of the
second are on their way while the first goes on:

```text
for each piece    build its key, ask for its cache line
for each piece    compare, take the ids; on a miss merge, and remember
```

A long piece is first cut where no token can span (see `bpe::Joins`), and its segments are treated
like pieces. Where the script is written with spaces a long piece is a long word: it is looked up
whole, and cut only if it is new.
*/

mod words;

use super::{Finders, Tokenizer};
use crate::bpe::Scratch;
use crate::cache::{Cache, Ids, Key, LONGEST_MIDDLE, LONGEST_SHORT, SHORT_IDS, short_key};
use crate::error::{Error, Result};
use crate::pretok::BATCH;
use crate::types::TokenId;

/// What one thread needs.
#[derive(Debug)]
pub(super) struct Worker {
    cache: Cache,
    scratch: Scratch,
    ends: Vec<usize>,
    /// The pieces and segments of a batch.
    entries: Vec<Entry>,
    ids: Vec<TokenId>,
}

/// A piece or segment on its way.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its key if it is short, else 0, which is no key.
    key: Key,
    line: u32,
    end: usize,
    /// It is a part of a piece, and the model tells parts from pieces.
    part: bool,
}

impl Entry {
    #[inline(always)]
    fn new(cache: &Cache, text: &[u8], start: usize, end: usize, part: bool) -> Entry {
        if end - start <= LONGEST_SHORT {
            let key = short_key(text, start, end, part);
            Entry { key, line: cache.line_of(key), end, part }
        } else {
            if end - start <= LONGEST_MIDDLE {
                cache.prefetch_middle(text, start, end, part);
            }
            Entry { key: 0, line: 0, end, part }
        }
    }
}

impl Worker {
    pub(super) fn new(cache_bytes: usize) -> Worker {
        Worker {
            cache: Cache::new(cache_bytes),
            scratch: Scratch::default(),
            ends: Vec::with_capacity(2 * BATCH),
            entries: Vec::with_capacity(2 * BATCH),
            ids: Vec::new(),
        }
    }
}

/// Where ids go.
pub(super) trait Sink {
    /// Makes room for the ids of so many pieces.
    fn reserve(&mut self, pieces: usize);
    /// Takes a few ids.
    fn few(&mut self, ids: Ids);
    /// Takes any number.
    fn many(&mut self, ids: &[TokenId]);
    /// Whether it wants no more.
    fn is_full(&self) -> bool;
}

impl Sink for Vec<TokenId> {
    #[inline(always)]
    fn reserve(&mut self, pieces: usize) {
        Vec::reserve(self, pieces * SHORT_IDS);
    }

    #[inline(always)]
    fn few(&mut self, ids: Ids) {
        // Three places at once and then the right length: no loop, and branches that go one way.
        let len = self.len();
        self.extend_from_slice(&ids.first());
        if ids.len() > 3 {
            self.extend_from_slice(&ids.rest());
        }
        self.truncate(len + ids.len());
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
    fn few(&mut self, ids: Ids) {
        self.count += ids.len();
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
        if !self.plain {
            return self.encode_words(text, worker, sink);
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
        // Where the first of the entries starts.
        let mut first = start;
        for &end in ends {
            let piece = &text[start..end];
            if piece.len() <= LONGEST_SHORT || !is_wide(piece) {
                worker.entries.push(Entry::new(&worker.cache, text, start, end, false));
            } else {
                for (from, to) in self.joins.cut(piece) {
                    let part = self.model.ignore_merges && to - from < piece.len();
                    let (from, to) = (start + from, start + to);
                    worker.entries.push(Entry::new(&worker.cache, text, from, to, part));
                    if worker.entries.len() >= 4 * BATCH {
                        first = self.encode_entries(text, first, worker, sink)?;
                    }
                }
            }
            start = end;
        }
        self.encode_entries(text, first, worker, sink)?;
        Ok(())
    }

    /// The second pass; returns where the last entry ends. The first one starts at `start`.
    #[inline]
    fn encode_entries(
        &self,
        text: &[u8],
        mut start: usize,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<usize> {
        let mut entries = std::mem::take(&mut worker.entries);
        sink.reserve(entries.len());
        for &entry in &entries {
            match worker.cache.short(entry.key, entry.line) {
                Some(ids) if entry.key != 0 => sink.few(ids),
                _ => self.encode_uncommon(text, start, entry, worker, sink)?,
            }
            start = entry.end;
        }
        entries.clear();
        worker.entries = entries;
        Ok(start)
    }

    /// `text[start..entry.end]`, which is not in the short table.
    #[cold]
    #[inline(never)]
    fn encode_uncommon(
        &self,
        text: &[u8],
        start: usize,
        Entry { end, part, .. }: Entry,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let piece = &text[start..end];
        if u32::try_from(piece.len()).is_err() {
            return Err(Error::Text {
                message: format!("a piece of {} bytes is over the limit of 4 GiB", piece.len()),
                position: start,
            });
        }
        if worker.cache.other(text, start, end, part, |ids| sink.many(ids)) {
            return Ok(());
        }
        if piece.len() <= LONGEST_SHORT || is_wide(piece) {
            self.encode_new(piece, part, worker, sink);
        } else {
            self.encode_long_word(piece, worker, sink);
        }
        Ok(())
    }

    /// A long piece that is new, and was not cut yet.
    fn encode_long_word(&self, piece: &[u8], worker: &mut Worker, sink: &mut impl Sink) {
        let Worker { cache, scratch, ids, .. } = worker;
        ids.clear();
        for (from, to) in self.joins.cut(piece) {
            let part = self.model.ignore_merges && to - from < piece.len();
            if to - from <= LONGEST_SHORT {
                let key = short_key(piece, from, to, part);
                if let Some(known) = cache.short(key, cache.line_of(key)) {
                    Sink::few(ids, known);
                    continue;
                }
            }
            self.merger.encode(&self.model.vocab, &piece[from..to], part, scratch, ids);
        }
        cache.insert(piece, false, ids);
        sink.many(ids);
    }

    /// A piece or segment that no table remembers.
    fn encode_new(&self, piece: &[u8], part: bool, worker: &mut Worker, sink: &mut impl Sink) {
        let Worker { cache, scratch, ids, .. } = worker;
        ids.clear();
        self.merger.encode(&self.model.vocab, piece, part, scratch, ids);
        cache.insert(piece, part, ids);
        sink.many(ids);
    }
}

/// Whether a piece starts, after an optional space, with a character of three bytes or more:
/// Chinese, Japanese, Thai and other scripts without spaces, where pieces are long and seldom come
/// twice.
#[inline(always)]
fn is_wide(piece: &[u8]) -> bool {
    piece[0] >= 0xE0 || piece[0].is_ascii() && piece.get(1).is_some_and(|&byte| byte >= 0xE0)
}
