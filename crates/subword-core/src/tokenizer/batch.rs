/*!
The ids of many texts.

The calling thread reads the texts, which are objects of Python as a rule, and pushes them to a queue in jobs of
some texts. Other threads encode the first jobs meanwhile. When all texts are read, the calling thread encodes
too, and takes the results in the order of the texts:

```text
calling    read texts                  encode 3   take 0 1 2 3   encode 6   take 4 5   ...   take the rest
another    encode 0   encode 1   encode 2   encode 4   encode 5   encode 7   ...
```

The ids of a job are taken soon after they were written, so they are in the processor's caches as a rule, and
their memory is used again for the next job.
*/

use std::sync::Mutex;

use super::{JOB_BYTES, LEAST_BYTES, TEXT_BYTES, Threads, Tokenizer, how_many};
use crate::encode::{Finders, Ragged, Scratch};
use crate::error::Result;
use crate::parallel::{self, Others, Queue, Reorder, locked};
use crate::special::Allowed;
use crate::utf8::Characters;
use crate::{interrupt, memory};

/// How many results are taken at a time: several, because turning them into Python objects needs the GIL, which has to
/// be waited for each time.
const TAKEN: usize = 8;

/// A text that stays where it is for as long as this is held. It is dropped on the thread that gave it.
pub trait Held: Send + Sync + Sized {
    /// The text.
    fn characters(&self) -> Characters<'_>;
}

impl Held for Characters<'_> {
    fn characters(&self) -> Characters<'_> {
        *self
    }
}

/// Work of the calling thread that needs nothing of the caller, so that the GIL can be released meanwhile;
/// returns whether all texts could be encoded.
pub type Detached<'r> = Box<dyn FnOnce() -> Result<bool> + Send + 'r>;

/// Some texts that are encoded together.
struct Job<T> {
    texts: Vec<T>,
    /// About how many bytes of UTF-8 they are.
    bytes: usize,
}

/// What came of a job.
struct Done<T> {
    /// They go back to the thread that gave them.
    texts: Vec<T>,
    /// The ids, without the first bound; none if a code unit is no character.
    ids: Result<Option<Ragged>>,
}

impl Tokenizer {
    /// The ids of many texts.
    pub fn encode_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Ragged> {
        self.plan.with_finders(allowed, texts, |finders| {
            let texts = texts.iter().map(|text| Some(Characters::Utf8(text)));
            Ok(self.encode_array(texts, finders, threads, |work| work())?.unwrap_or_default())
        })
    }

    /// The ids of many texts that are converted to UTF-8 as they are encoded. None if one of `texts` is none, or
    /// if a code unit is no character. `texts` is read on this thread, and `detach` runs on it what needs
    /// nothing of the caller. Only if [`Tokenizer::takes_units`].
    pub fn encode_batch_units<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        allowed: &Allowed,
        threads: Threads,
        detach: impl FnMut(Detached) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        self.encode_array(texts, self.plan.chosen(allowed)?.get(), threads, detach)
    }

    /// The same without an array of all ids: `take` gets those of some texts at a time, in order, on this
    /// thread. False where the other call returns none; some texts may have been taken then.
    pub fn encode_batch_parts<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        allowed: &Allowed,
        threads: Threads,
        detach: impl FnMut(Detached) -> Result<bool>,
        mut take: impl FnMut(&[Ragged]) -> Result<()> + Send,
    ) -> Result<bool> {
        let chosen = self.plan.chosen(allowed)?;
        let mut reader = JobReader::new(texts);
        let first = reader.first();
        let take = |parts: &[Ragged], _| take(parts);
        self.encode_jobs(first, reader, chosen.get(), threads, detach, take)
    }

    /// Whether nothing in a text can be an error, which would have to say where it is.
    pub fn takes_units(&self, allowed: &Allowed) -> bool {
        self.plan.takes_everything(allowed)
    }

    fn encode_array<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        finders: &Finders,
        threads: Threads,
        detach: impl FnMut(Detached) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        let mut reader = JobReader::new(texts);
        let first = reader.first();
        if how_many(threads, reader.bytes) < 2 {
            return self.encode_alone(first, reader, finders, detach);
        }
        let mut all = Ragged { ids: Vec::new(), bounds: vec![0] };
        let take = |parts: &[Ragged], bytes: usize| {
            if all.ids.is_empty() {
                all.ids = memory::guessed_capacity(most_ids(bytes));
            }
            parts.iter().try_for_each(|part| append(&mut all, part))
        };
        let done = self.encode_jobs(first, reader, finders, threads, detach, take)?;
        Ok(done.then_some(all))
    }

    /// Encodes all texts on this thread, straight into the array.
    fn encode_alone<T: Held>(
        &self,
        mut jobs: Vec<Job<T>>,
        mut reader: JobReader<impl Iterator<Item = Option<T>>>,
        finders: &Finders,
        mut detach: impl FnMut(Detached) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        jobs.extend(&mut reader);
        if reader.is_missing {
            return Ok(None);
        }
        let texts: usize = jobs.iter().map(|job| job.texts.len()).sum();
        let mut all = Ragged {
            ids: memory::guessed_capacity(most_ids(reader.bytes)),
            bounds: memory::with_capacity(texts + 1)?,
        };
        all.bounds.push(0);
        let work = || {
            self.with_scratch(|scratch| {
                for job in &jobs {
                    if !self.encode_job(&job.texts, finders, scratch, &mut all)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        };
        let done = detach(Box::new(work))?;
        Ok(done.then_some(all))
    }

    /// Encodes all texts on several threads. `take` gets the ids in order, and about how many bytes all texts are.
    fn encode_jobs<T: Held>(
        &self,
        first: Vec<Job<T>>,
        mut reader: JobReader<impl Iterator<Item = Option<T>>>,
        finders: &Finders,
        threads: Threads,
        mut detach: impl FnMut(Detached) -> Result<bool>,
        mut take: impl FnMut(&[Ragged], usize) -> Result<()> + Send,
    ) -> Result<bool> {
        let (queue, results) = (Queue::new(usize::MAX), Reorder::new(usize::MAX));
        let spare = Mutex::new(Vec::new());
        let encode = |(number, Job { texts, .. }): (usize, Job<T>), scratch: &mut Scratch| {
            let mut part: Ragged = locked(&spare).pop().unwrap_or_default();
            part.clear();
            let done = self.encode_job(&texts, finders, scratch, &mut part);
            results.put(number, Done { texts, ids: done.map(|done| done.then_some(part)) });
        };
        let work = || {
            self.with_scratch(|scratch| {
                while let Some(job) = queue.pop() {
                    encode(job, scratch);
                }
            });
        };
        // The texts of finished jobs, to be dropped on this thread once it holds the GIL again.
        let mut finished = Vec::new();
        let mut take_ready = |least: usize, bytes: usize| {
            let mut parts = Vec::new();
            for Done { texts, ids } in results.take_ready(least) {
                finished.push(texts);
                let Some(part) = ids? else { return Ok(false) };
                parts.push(part);
            }
            if !parts.is_empty() {
                take(&parts, bytes)?;
                locked(&spare).append(&mut parts);
            }
            Ok(true)
        };
        // How many jobs there are is not known yet: each that is read may start a thread.
        let others = Others::new(how_many(threads, reader.bytes) - 1);
        let done = parallel::scope(|scope| {
            let closing = queue.closing();
            for (number, job) in first.into_iter().chain(&mut reader).enumerate() {
                interrupt::worked(TEXT_BYTES * job.texts.len())?;
                queue.push((number, job));
                others.start(scope, work);
            }
            drop(closing);
            if reader.is_missing {
                queue.abandon();
                return Ok(false);
            }
            let bytes = reader.bytes;
            detach(Box::new(|| {
                let encode_and_take = |scratch: &mut Scratch| {
                    while let Some(job) = queue.pop() {
                        encode(job, scratch);
                        if !take_ready(TAKEN, bytes)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                };
                let encoded = self.with_scratch(encode_and_take);
                if !matches!(encoded, Ok(true)) {
                    queue.abandon();
                }
                others.join()?;
                Ok(encoded? && take_ready(1, bytes)?)
            }))
        });
        drop((queue.abandon(), results, finished));
        done
    }

    /// Appends the ids of some texts; false if a code unit is no character.
    fn encode_job<T: Held>(
        &self,
        texts: &[T],
        finders: &Finders,
        scratch: &mut Scratch,
        part: &mut Ragged,
    ) -> Result<bool> {
        let texts = texts.iter().map(Held::characters);
        if self.plan.packs() && finders.normal.is_empty() {
            return self.plan.encode_packed(texts, finders, scratch, part);
        }
        let mut converted = Vec::new();
        let Some(texts) = as_utf8(texts, &mut converted) else { return Ok(false) };
        if self.plan.encode_by_front(&texts, finders, scratch, part)? {
            return Ok(true);
        }
        for text in texts {
            self.plan.encode_text(text, finders, scratch, &mut part.ids)?;
            memory::extend(&mut part.bounds, &[part.ids.len() as u64])?;
        }
        Ok(true)
    }
}

/// How many ids texts of this many bytes may have; more than most have, because room that is not used costs
/// nothing.
fn most_ids(bytes: usize) -> usize {
    bytes / 2 + 8
}

/// Appends the ids of some texts, and where each ends.
pub(super) fn append(all: &mut Ragged, part: &Ragged) -> Result<()> {
    let base = all.ids.len() as u64;
    memory::reserve(&mut all.bounds, part.bounds.len())?;
    all.bounds.extend(part.bounds.iter().map(|end| base + end));
    memory::extend(&mut all.ids, &part.ids)
}

/// Groups texts into jobs as it reads them. Ends where a text is none.
struct JobReader<I> {
    texts: I,
    /// About how many bytes of UTF-8 were read.
    bytes: usize,
    /// A text was none.
    is_missing: bool,
}

impl<T: Held, I: Iterator<Item = Option<T>>> JobReader<I> {
    fn new(texts: I) -> JobReader<I> {
        JobReader { texts, bytes: 0, is_missing: false }
    }

    /// Reads jobs until there is enough work for a second thread, or no more input.
    fn first(&mut self) -> Vec<Job<T>> {
        let mut first = Vec::new();
        while self.bytes < LEAST_BYTES
            && let Some(job) = self.next()
        {
            first.push(job);
        }
        first
    }
}

impl<T: Held, I: Iterator<Item = Option<T>>> Iterator for JobReader<I> {
    type Item = Job<T>;

    fn next(&mut self) -> Option<Job<T>> {
        let mut job = Job { texts: Vec::new(), bytes: 0 };
        while job.bytes + TEXT_BYTES * job.texts.len() < JOB_BYTES
            && !self.is_missing
            && let Some(text) = self.texts.next()
        {
            match text {
                Some(text) => {
                    job.bytes += size(text.characters());
                    job.texts.push(text);
                }
                None => self.is_missing = true,
            }
        }
        self.bytes += job.bytes;
        Some(job).filter(|job| !job.texts.is_empty())
    }
}

/// About how many bytes a text has as UTF-8.
fn size(text: Characters) -> usize {
    match text {
        Characters::Utf8(text) | Characters::One(text) => text.len(),
        wide => 2 * wide.len(),
    }
}

/// All texts as UTF-8, some of them converted; none if a code unit is no character.
fn as_utf8<'a>(
    texts: impl Iterator<Item = Characters<'a>> + Clone,
    converted: &'a mut Vec<u8>,
) -> Option<Vec<&'a [u8]>> {
    let mut ends = Vec::new();
    for text in texts.clone().filter(|text| text.as_utf8().is_none()) {
        text.append_to(converted).ok()?;
        ends.push(converted.len());
    }
    let (converted, mut start, mut ends) = (&converted[..], 0, ends.into_iter());
    let mut next = || {
        let end = ends.next()?;
        Some(&converted[std::mem::replace(&mut start, end)..end])
    };
    texts.map(|text| text.as_utf8().or_else(&mut next)).collect()
}

#[cfg(test)]
mod tests;
