/*!
The public calls: one text or many, on one thread or several.

A text is shared between threads by cutting it into blocks where the pattern guarantees a piece
boundary, or where a special token stands; a batch is shared text by text. Workers take the next
block from a counter, results are put together in order: the ids are those of one thread, whatever
the number.
*/

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::encode::{Counter, Sink, Worker};
use super::room::room_for_ids;
use super::{Decoding, Finders, Tokenizer};
use crate::arch;
use crate::error::Result;
use crate::model::Normalizer;
use crate::special::{Allowed, Finder, Span};
use crate::types::TokenId;

/// The least work that is worth a thread, in bytes.
const BLOCK_BYTES: usize = 1 << 17;

/// How much of a batch a thread takes at a time, in bytes: little, so that all end at about the same time.
pub(super) const JOB_BYTES: usize = 1 << 16;

/// The least work that is worth a second thread, in bytes.
pub(super) const LEAST_BYTES: usize = 2 * BLOCK_BYTES;

/// How far to look for a place to cut.
const CUT_WINDOW: usize = 1 << 16;

/// How many threads to use at most; none: as many as the process has cores.
pub type Threads = Option<NonZeroUsize>;

/// How many threads a call gets that has so many bytes to encode. Asking for the cores costs more
/// than a short text.
pub(super) fn how_many(threads: Threads, bytes: usize) -> usize {
    if bytes < LEAST_BYTES {
        return 1;
    }
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    threads.map_or_else(cores, NonZeroUsize::get)
}

impl Tokenizer {
    /// The ids of a text.
    pub fn encode(&self, text: &[u8], allowed: &Allowed, threads: Threads) -> Result<Vec<TokenId>> {
        let threads = how_many(threads, text.len());
        self.with_finders(allowed, &[text], |finders| {
            let blocks = self.blocks(text, finders, threads)?;
            if blocks.len() < 2 {
                let mut ids = room_for_ids(text.len() / 4 + 8);
                self.with_worker(|worker| self.encode_text(text, finders, worker, &mut ids))?;
                return Ok(ids);
            }
            let parts = self.share(blocks.len(), threads, |block, worker| {
                let mut ids = Vec::new();
                self.encode_block(text, &blocks[block], finders, worker, &mut ids)?;
                Ok(ids)
            })?;
            Ok(concat(parts, threads))
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
            let decode = |ids: &Vec<TokenId>| self.decode_with(ids, decoding);
            batch[jobs[job].clone()].iter().map(decode).collect::<Result<Vec<_>>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The ids of a text with the model's template around them.
    pub fn surround(&self, ids: Vec<TokenId>) -> Vec<TokenId> {
        let (prefix, suffix) = self.model.template.sides();
        [prefix, ids, suffix].concat()
    }

    /// How much of a text that goes on can be encoded now without knowing how: up to a place where
    /// it may be cut. 0 if there is none yet.
    pub fn settled(&self, text: &[u8], allowed: &Allowed) -> Result<usize> {
        let text = &text[..whole_characters(text)];
        // What is forbidden must not be cut in two either: then nobody would see it.
        let allowed = if *allowed == Allowed::Error { &Allowed::All } else { allowed };
        self.with_finders(allowed, &[], |finders| {
            let (raw, normal) = (&finders.raw, &finders.normal);
            if raw.looks_around() || normal.looks_around() || !self.same_when_normal(normal) {
                return Ok(0);
            }
            // A special token may have started near the end, or be spelled across any place in the
            // text.
            let longest = finders.raw.longest().max(finders.normal.longest());
            let last = (text.len() + 1).saturating_sub(longest.max(1));
            let mut specials = Vec::new();
            for finder in [&finders.raw, &finders.normal] {
                finder.split(text, |span| {
                    specials.extend(span.special.map(|_| span.start..span.end));
                    Ok(())
                })?;
            }
            let inside = |at: usize| specials.iter().any(|span| span.start < at && at < span.end);
            let ended = specials.iter().map(|span| span.end).filter(|&end| end <= last).max();
            let cut = (1..=last.min(text.len().saturating_sub(1)))
                .rev()
                .take_while(|&at| at > ended.unwrap_or(0))
                .find(|&at| self.may_cut(text, at) && !inside(at));
            Ok(cut.or(ended).unwrap_or(0))
        })
    }

    /// Whether a search before normalisation finds the same as one after it. Spaces never compose, and
    /// nothing becomes a space canonically; other tokens may be spelled in many ways.
    pub(super) fn same_when_normal(&self, finder: &Finder) -> bool {
        match self.model.normalizer {
            Normalizer::None => true,
            Normalizer::Nfc | Normalizer::Nfd | Normalizer::NfcLowercase => {
                finder.finds_only_spaces()
            }
            Normalizer::Nfkc | Normalizer::Nfkd | Normalizer::Bert(_) => finder.is_empty(),
        }
    }

    /// Whether an ordinary text may be cut at `at`, normalisation included.
    pub(super) fn may_cut(&self, text: &[u8], at: usize) -> bool {
        if let Normalizer::Bert(bert) = self.model.normalizer {
            return self.splitter.cuts_before_normalised(bert, text, at);
        }
        let normal = self.model.normalizer == Normalizer::None || text[at].is_ascii();
        normal && self.splitter.cuts_before(text, at)
    }

    /// The text in blocks that encode one by one; a single one if it is too small to share.
    fn blocks(&self, text: &[u8], finders: &Finders, threads: usize) -> Result<Vec<Vec<Span>>> {
        if threads < 2 || text.len() < LEAST_BYTES {
            return Ok(Vec::new());
        }
        let target = (text.len() / (threads * 4)).max(BLOCK_BYTES);
        let mut blocks = Vec::new();
        let (mut block, mut size) = (Vec::new(), 0);
        let mut add = |span: Span| {
            size += span.end - span.start;
            block.push(span);
            if size >= target {
                blocks.push(std::mem::take(&mut block));
                size = 0;
            }
        };
        finders.raw.split(text, |mut span| {
            while span.special.is_none() && span.end - span.start > 2 * target {
                let from = span.start + target;
                let window = (from..span.end.min(from + CUT_WINDOW))
                    .find(|&at| finders.normal.is_empty() && self.may_cut(&text[..span.end], at));
                let Some(cut) = window else { break };
                add(Span { end: cut, ..span });
                span.start = cut;
            }
            add(span);
            Ok(())
        })?;
        if !block.is_empty() {
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn encode_block(
        &self,
        text: &[u8],
        block: &[Span],
        finders: &Finders,
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<()> {
        for span in block {
            match span.special {
                Some(id) => sink.many(&[id]),
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
        let threads = threads.min(jobs);
        if threads < 2 {
            return self.with_worker(|worker| (0..jobs).map(|job| run(job, worker)).collect());
        }
        let next = AtomicUsize::new(0);
        let work = || {
            self.with_worker(|worker| {
                let mut results = Vec::new();
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        return results;
                    }
                    results.push((job, run(job, worker)));
                }
            })
        };
        let mut results = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut results = work();
            for other in others {
                match other.join() {
                    Ok(more) => results.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            results
        });
        results.sort_unstable_by_key(|(job, _)| *job);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

/// How much of a text is left without the first bytes of a character at its end, which only what
/// follows can complete.
fn whole_characters(text: &[u8]) -> usize {
    let incomplete = |&at: &usize| {
        matches!(std::str::from_utf8(&text[at..]),
            Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (text.len().saturating_sub(3)..text.len()).find(incomplete).unwrap_or(text.len())
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

/// All parts in one, copied by so many threads; a single part is not copied.
fn concat(mut parts: Vec<Vec<TokenId>>, threads: usize) -> Vec<TokenId> {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let mut all = vec![0; parts.iter().map(Vec::len).sum()];
    arch::prefer_huge_pages(&mut all);
    let mut rest = &mut all[..];
    let mut copies = Vec::with_capacity(parts.len());
    for part in &parts {
        let (to, behind) = rest.split_at_mut(part.len());
        copies.push((to, part));
        rest = behind;
    }
    let copies = Mutex::new(copies.into_iter());
    let work = || {
        while let Some((to, from)) = copies.lock().ok().and_then(|mut copies| copies.next()) {
            to.copy_from_slice(from);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Without another thread this one does all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    all
}
