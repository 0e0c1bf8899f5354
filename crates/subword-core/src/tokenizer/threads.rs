/*!
The public calls: one text or many, on one thread or several.

A text is shared between threads by cutting it into blocks where both parts encode alone (`boundary`); a
batch is shared text by text. Workers take the next block from a counter, results are put together in
order: the ids are those of one thread, whatever the number.
*/

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::encode::{Counter, Sink, Worker};
use super::room::{guessed_room_for_ids, room_for_ids};
use super::{Decoding, Finders, Tokenizer};
use crate::arch::Places;
use crate::error::Result;
pub use crate::parallel::Threads;
use crate::parallel::{self, Jobs};
use crate::special::{Allowed, Span};
use crate::types::TokenId;
use crate::{interrupt, memory};

/// The least work that is worth a thread, in bytes.
const BLOCK_BYTES: usize = 1 << 17;

/// How much of a batch a thread takes at a time, in bytes: little, so that all end at about the same time.
pub(super) const JOB_BYTES: usize = 1 << 16;

/// The least work that is worth a second thread, in bytes.
pub(super) const LEAST_BYTES: usize = 2 * BLOCK_BYTES;

/// To begin with a text is about as much work as to read so many bytes.
const TEXT: usize = 64;

/// How many threads a call gets that has so many bytes to encode. Asking for the cores costs more
/// than a short text.
pub(super) fn how_many(threads: Threads, bytes: usize) -> usize {
    if bytes < LEAST_BYTES {
        return 1;
    }
    parallel::allowed(threads)
}

impl Tokenizer {
    /// The ids of a text.
    pub fn encode(&self, text: &[u8], allowed: &Allowed, threads: Threads) -> Result<Vec<TokenId>> {
        let threads = how_many(threads, text.len());
        self.with_finders(allowed, &[text], |finders| {
            let blocks = self.blocks(text, finders, threads)?;
            if blocks.len() < 2 {
                let mut ids = guessed_room_for_ids(text.len() / 4 + 8);
                self.with_worker(|worker| self.encode_text(text, finders, worker, &mut ids))?;
                return Ok(ids);
            }
            let parts = self.share(blocks.len(), threads, |block, worker| {
                let mut ids = Vec::new();
                self.encode_block(text, &blocks[block], finders, worker, &mut ids)?;
                Ok(ids)
            })?;
            concat(parts, threads)
        })
    }

    /// How many ids a text has; none if they are more than `limit`.
    pub fn count(
        &self,
        text: &[u8],
        allowed: &Allowed,
        limit: Option<usize>,
        threads: Threads,
    ) -> Result<Option<usize>> {
        let threads = how_many(threads, text.len());
        let limit = limit.unwrap_or(usize::MAX);
        let counter = || Counter { count: 0, limit };
        self.with_finders(allowed, &[text], |finders| {
            let blocks = self.blocks(text, finders, threads)?;
            if blocks.len() < 2 {
                let mut counter = counter();
                self.with_worker(|worker| self.encode_text(text, finders, worker, &mut counter))?;
                return Ok(Some(counter.count).filter(|&count| count <= limit));
            }
            let counts = self.share(blocks.len(), threads, |block, worker| {
                let mut counter = counter();
                self.encode_block(text, &blocks[block], finders, worker, &mut counter)?;
                Ok(counter.count)
            })?;
            Ok(Some(counts.into_iter().sum()).filter(|&count| count <= limit))
        })
    }

    /// How many ids each of many texts has.
    pub fn count_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Vec<usize>> {
        let threads = how_many(threads, texts.iter().map(|text| text.len()).sum());
        self.with_finders(allowed, texts, |finders| {
            let jobs = jobs(texts.iter().map(|text| text.len()));
            let parts = self.share(jobs.len(), threads, |job, worker| {
                let count = |text: &&[u8]| {
                    let mut counter = Counter { count: 0, limit: usize::MAX };
                    self.encode_text(text, finders, worker, &mut counter)?;
                    interrupt::worked(TEXT)?;
                    Ok(counter.count)
                };
                texts[jobs[job].clone()].iter().map(count).collect::<Result<Vec<_>>>()
            })?;
            Ok(parts.concat())
        })
    }

    /// The bytes that each of many sequences of ids spells.
    pub fn decode_batch(
        &self,
        batch: &[Vec<TokenId>],
        decoding: Decoding,
        threads: Threads,
    ) -> Result<Vec<Vec<u8>>> {
        let bytes = batch.iter().map(|ids| ids.len() * size_of::<TokenId>()).sum();
        let jobs = jobs(batch.iter().map(Vec::len));
        let parts = self.share(jobs.len(), how_many(threads, bytes), |job, _| {
            let decode = |ids: &Vec<TokenId>| {
                interrupt::worked(TEXT)?;
                self.decode_with(ids, decoding)
            };
            batch[jobs[job].clone()].iter().map(decode).collect::<Result<Vec<_>>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The ids of a text with the model's template around them.
    pub fn surround(&self, mut ids: Vec<TokenId>) -> Result<Vec<TokenId>> {
        let (prefix, suffix) = self.model.template.sides();
        memory::reserve(&mut ids, prefix.len() + suffix.len())?;
        ids.splice(0..0, prefix);
        ids.extend(suffix);
        Ok(ids)
    }
    /// How much of a text that goes on can be encoded now without knowing how: up to a place where
    /// it may be cut. 0 if there is none yet.
    pub fn settled(&self, text: &[u8], allowed: &Allowed) -> Result<usize> {
        Ok(self.document_encoder(allowed, None)?.last_cut(text, 0))
    }

    /// The text in blocks that encode one by one; a single one if it is too small to share.
    fn blocks(&self, text: &[u8], finders: &Finders, threads: usize) -> Result<Vec<Vec<Span>>> {
        if threads < 2 || text.len() < LEAST_BYTES {
            return Ok(Vec::new());
        }
        let target = (text.len() / threads.saturating_mul(4)).max(BLOCK_BYTES);
        self.boundary(finders).blocks(text, target)
    }

    pub(super) fn encode_block(
        &self,
        text: &[u8],
        block: &[Span],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        for span in block {
            match span.special {
                Some(id) => sink.many(&[id])?,
                None => self.encode_raw(&text[span.start..span.end], finders, worker, sink)?,
            }
        }
        Ok(())
    }

    /// Runs the jobs on at most `threads` threads and gives their results in order; the first error
    /// wins.
    fn share<R: Send>(
        &self,
        jobs: usize,
        threads: usize,
        run: impl Fn(usize, &mut Worker) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let work = |jobs: &Jobs| {
            self.with_worker(|worker| {
                let mut results = Vec::new();
                while let Some(job) = jobs.next() {
                    results.push((job, run(job, worker)));
                }
                results
            })
        };
        let mut results =
            parallel::run(jobs, threads, work)?.into_iter().flatten().collect::<Vec<_>>();
        results.sort_unstable_by_key(|(job, _)| *job);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// Texts of these sizes in groups that are worth a job each.
pub(super) fn jobs(sizes: impl ExactSizeIterator<Item = usize>) -> Vec<Range<usize>> {
    let texts = sizes.len();
    let mut jobs = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, text) in sizes.enumerate() {
        size += text + 64;
        if size >= JOB_BYTES || at + 1 == texts {
            jobs.push(start..at + 1);
            (start, size) = (at + 1, 0);
        }
    }
    jobs
}

/// All parts in one, copied by at most so many threads; a single part is not copied.
fn concat(mut parts: Vec<Vec<TokenId>>, threads: usize) -> Result<Vec<TokenId>> {
    if parts.len() == 1 {
        return Ok(parts.swap_remove(0));
    }
    let places = Places::new(room_for_ids(parts.iter().map(Vec::len).sum())?);
    let copies = parts.iter().filter_map(|part| Some((places.next(part.len())?, part)));
    let copies: Vec<_> = copies.map(|copy| Mutex::new(Some(copy))).collect();
    let work = |jobs: &Jobs| {
        while let Some(job) = jobs.next() {
            let mut copy = copies[job].lock().unwrap_or_else(PoisonError::into_inner);
            copy.take().into_iter().for_each(|(place, part)| place.copy(part));
        }
    };
    parallel::run(copies.len(), threads, work)?;
    drop(copies);
    // There is a place for every part, and all were filled.
    Ok(places.into_vec().unwrap_or_else(|| parts.concat()))
}
