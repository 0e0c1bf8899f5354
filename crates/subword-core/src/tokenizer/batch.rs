/*!
The ids of many texts.

Threads take the texts by the job, some at a time and in order. The thread that was called takes what they
give, in order too, while the others go on:

```text
called     encode 0   encode 2   take 0, 1, 2   encode 5   ...
another    encode 1   encode 3   encode 4       encode 6   ...
```

So the ids of a job are copied, or made a Python list, while they are in the processor's caches, their memory
is used again, and little is left to do when the last job is done. (All parts kept, and put together by all
threads at the end: 1.0 ms more of 13, 2026-11-15.)
*/

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::encode::Worker;
use super::room::room_for_ids;
use super::threads::{Threads, how_many, jobs};
use super::{Finders, Tokenizer};
use crate::error::Result;
use crate::model::Normalizer;
use crate::special::Allowed;
use crate::types::TokenId;
use crate::utf8::Characters;

/// How many parts are taken at a time: a few, so that who needs Python's lock for it asks seldom.
const TAKEN: usize = 8;

/// The ids of many texts: those of text i are `ids[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ragged {
    /// All ids.
    pub ids: Vec<TokenId>,
    /// One more than there are texts; starts with 0.
    pub offsets: Vec<u64>,
}

impl Tokenizer {
    /// The ids of many texts.
    pub fn encode_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Ragged> {
        self.with_finders(allowed, texts, |finders| {
            let texts: Vec<_> = texts.iter().map(|text| Characters::Utf8(text)).collect();
            Ok(self.encode_jobs(&texts, finders, threads)?.unwrap_or_default())
        })
    }

    /// The ids of many texts that are converted as they are encoded; none if one of the units is no
    /// character. Only if [`Tokenizer::takes_units`].
    pub fn encode_batch_units(
        &self,
        texts: &[Characters],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Option<Ragged>> {
        self.encode_jobs(texts, self.chosen(allowed)?.finders(), threads)
    }

    /// The same without an array of all: `take` gets the ids of some texts at a time, in order, on this
    /// thread. False if one of the units is no character, perhaps after some texts.
    pub fn encode_batch_parts(
        &self,
        texts: &[Characters],
        allowed: &Allowed,
        threads: Threads,
        take: impl FnMut(&[Ragged]),
    ) -> Result<bool> {
        let threads = how_many(threads, texts.iter().map(|&text| size(text)).sum());
        let jobs = jobs(texts.iter().map(|&text| size(text)));
        self.encode_parts(texts, &jobs, self.chosen(allowed)?.finders(), threads, take)
    }

    /// Whether nothing in a text can be an error, which would have to say where it is.
    pub fn takes_units(&self, allowed: &Allowed) -> bool {
        let knows_all = self.plain || self.words.is_some();
        knows_all && self.missing_bytes.is_empty() && *allowed != Allowed::Error
    }

    fn encode_jobs(
        &self,
        texts: &[Characters],
        finders: &Finders,
        threads: Threads,
    ) -> Result<Option<Ragged>> {
        let bytes = texts.iter().map(|&text| size(text)).sum();
        let threads = how_many(threads, bytes);
        let jobs = jobs(texts.iter().map(|&text| size(text)));
        // PERF: room that is not used costs nothing; Russian has an id for each letter in vocabularies
        // that were made for English.
        let most = bytes / if self.words.is_some() { 2 } else { 4 } + 8;
        let mut all = Ragged { ids: room_for_ids(most), offsets: Vec::new() };
        all.offsets.reserve(texts.len() + 1);
        all.offsets.push(0);
        if threads < 2 {
            let encode = |worker: &mut Worker| {
                for job in jobs {
                    if !self.encode_job(&texts[job], finders, worker, &mut all)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            };
            return Ok(self.with_worker(encode)?.then_some(all));
        }
        let done = self.encode_parts(texts, &jobs, finders, threads, |parts| {
            for part in parts {
                let base = all.ids.len() as u64;
                all.ids.extend_from_slice(&part.ids);
                all.offsets.extend(part.offsets.iter().map(|end| base + end));
            }
        })?;
        Ok(done.then_some(all))
    }

    /// Hands the ids of all texts to `take`, some jobs at a time, in order and on this thread; false if
    /// one of the units is no character.
    fn encode_parts(
        &self,
        texts: &[Characters],
        jobs: &[Range<usize>],
        finders: &Finders,
        threads: usize,
        mut take: impl FnMut(&[Ragged]),
    ) -> Result<bool> {
        let parts = Parts::new(jobs.len());
        let encode = |job: usize, worker: &mut Worker| {
            let mut part = parts.empty();
            let done = self.encode_job(&texts[jobs[job].clone()], finders, worker, &mut part);
            parts.add(job, done.map(|done| done.then_some(part)));
        };
        let work = || {
            self.with_worker(|worker| {
                while let Some(job) = parts.next_job() {
                    encode(job, worker);
                }
            });
        };
        std::thread::scope(|scope| {
            let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads.min(jobs.len())).map_while(spawn).collect();
            let mut encode_and_take = |worker: &mut Worker| {
                while let Some(job) = parts.next_job() {
                    encode(job, worker);
                    if !parts.take(TAKEN, &mut take)? {
                        return Ok(false);
                    }
                }
                parts.take(1, &mut take)
            };
            let done = self.with_worker(&mut encode_and_take);
            if !matches!(done, Ok(true)) {
                parts.stop();
            }
            for other in others {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            Ok(done? && parts.take(1, &mut take)?)
        })
    }

    /// Appends the ids of some texts; false if one of the units is no character.
    fn encode_job(
        &self,
        texts: &[Characters],
        finders: &Finders,
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> Result<bool> {
        let ordinary = finders.raw.is_empty() && finders.normal.is_empty();
        if ordinary && self.only_merges() && self.model.normalizer == Normalizer::None {
            return self.encode_joined(texts, worker, part);
        }
        let mut converted = Vec::new();
        let Some(texts) = as_utf8(texts, &mut converted) else { return Ok(false) };
        if self.encode_plain_texts(&texts, finders, worker, part) {
            return Ok(true);
        }
        for text in texts {
            self.encode_text(text, finders, worker, &mut part.ids)?;
            part.offsets.push(part.ids.len() as u64);
        }
        Ok(true)
    }

    /// The ids of many texts with the model's template around each.
    pub fn surround_all(&self, ragged: Ragged) -> Ragged {
        let (prefix, suffix) = self.model.template.sides();
        let mut all = Ragged { ids: Vec::new(), offsets: vec![0] };
        for two in ragged.offsets.windows(2) {
            all.ids.extend_from_slice(&prefix);
            all.ids.extend_from_slice(&ragged.ids[two[0] as usize..two[1] as usize]);
            all.ids.extend_from_slice(&suffix);
            all.offsets.push(all.ids.len() as u64);
        }
        all
    }
}

/// About how many bytes a text has as UTF-8.
fn size(text: Characters) -> usize {
    match text {
        Characters::Utf8(text) | Characters::One(text) => text.len(),
        wide => 2 * wide.len(),
    }
}

/// All texts as UTF-8, those that are not among what was converted; none if a unit is no character.
fn as_utf8<'a>(texts: &[Characters<'a>], converted: &'a mut Vec<u8>) -> Option<Vec<&'a [u8]>> {
    let mut ends = Vec::new();
    for text in texts.iter().filter(|text| text.as_utf8().is_none()) {
        text.append_to(converted).ok()?;
        ends.push(converted.len());
    }
    let (converted, mut start, mut ends) = (&converted[..], 0, ends.into_iter());
    let mut next = || {
        let end = ends.next()?;
        Some(&converted[std::mem::replace(&mut start, end)..end])
    };
    texts.iter().map(|text| text.as_utf8().or_else(&mut next)).collect()
}

/// The jobs of a batch, and what came of them: the ids of some texts, where each of them ends, the first
/// offset left out.
struct Parts {
    jobs: usize,
    next: AtomicUsize,
    waiting: Mutex<Waiting>,
}

/// What was not taken yet.
struct Waiting {
    outcomes: Vec<Option<Result<Option<Ragged>>>>,
    taken: usize,
    /// Parts whose memory can be used again.
    used: Vec<Ragged>,
}

impl Parts {
    fn new(jobs: usize) -> Parts {
        let outcomes = (0..jobs).map(|_| None).collect();
        let waiting = Mutex::new(Waiting { outcomes, taken: 0, used: Vec::new() });
        Parts { jobs, next: AtomicUsize::new(0), waiting }
    }

    fn next_job(&self) -> Option<usize> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|&job| job < self.jobs)
    }

    /// No more jobs.
    fn stop(&self) {
        self.next.store(self.jobs, Ordering::Relaxed);
    }

    fn empty(&self) -> Ragged {
        let mut part = locked(&self.waiting).used.pop().unwrap_or_default();
        part.ids.clear();
        part.offsets.clear();
        part
    }

    fn add(&self, job: usize, outcome: Result<Option<Ragged>>) {
        locked(&self.waiting).outcomes[job] = Some(outcome);
    }

    /// Hands over the parts for which nothing is missing, if there are so many. Says false, or the error,
    /// if one of them has no ids.
    fn take(&self, least: usize, take: &mut impl FnMut(&[Ragged])) -> Result<bool> {
        let ready = locked(&self.waiting).ready(least);
        let mut parts = Vec::with_capacity(ready.len());
        for outcome in ready {
            let Some(part) = outcome? else { return Ok(false) };
            parts.push(part);
        }
        if !parts.is_empty() {
            take(&parts);
            locked(&self.waiting).used.append(&mut parts);
        }
        Ok(true)
    }
}

impl Waiting {
    fn ready(&mut self, least: usize) -> Vec<Result<Option<Ragged>>> {
        let rest = &mut self.outcomes[self.taken..];
        let count = rest.iter().take_while(|outcome| outcome.is_some()).count();
        if count < least {
            return Vec::new();
        }
        self.taken += count;
        rest[..count].iter_mut().filter_map(Option::take).collect()
    }
}

/// What a lock guards. Who panicked while it had the lock ends the call in any case.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
