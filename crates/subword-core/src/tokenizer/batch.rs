/*!
The ids of many texts.

Threads take the texts by the job, some at a time and in order. The thread that was called looks at the texts
first, which are many objects of Python's as a rule, while the others encode already. Then it encodes too, and
lets go of the texts while the others do what is left:

```text
called     look at texts                         encode 3   encode 4   encode 7   ...   let go of texts
another    encode 0   encode 1   encode 2   encode 5   encode 6   encode 8   ...   encode 198   encode 199
```

What goes into one array each thread puts there itself (`settling`). What becomes Python lists the thread that
was called takes, in order, while the others go on (`parts`). Both use the ids of a job while they are in the
processor's caches, and their memory again, and little is left to do when the last job is done. (All parts
kept, and put together by all threads at the end: 1.0 ms more of 13, 2026-11-15.)
*/

mod jobs;
mod parts;
mod settling;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::encode::Worker;
use super::room::guessed_room_for_ids;
use super::threads::{Threads, how_many};
use super::{Finders, Tokenizer};
use crate::error::Result;
use crate::model::Normalizer;
use crate::parallel::Others;
use crate::special::Allowed;
use crate::types::TokenId;
use crate::utf8::Characters;
use crate::{interrupt, memory};
use jobs::{Given, Job, Jobs};
use parts::Parts;
use settling::{Own, Rooms, Settling};

/// How many parts are taken at a time: a few, so that who needs Python's lock for it asks seldom.
const TAKEN: usize = 8;

/// How long to wait for the last jobs of other threads before falling asleep.
const AWAKE: Duration = Duration::from_micros(500);

/// Letting go of a text takes about as long as encoding so many bytes.
const LET_GO_BYTES: usize = 3;

/// The ids of many texts: those of text i are `ids[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ragged {
    /// All ids.
    pub ids: Vec<TokenId>,
    /// One more than there are texts; starts with 0.
    pub offsets: Vec<u64>,
}

impl Ragged {
    /// Its memory, to be used again.
    fn emptied(mut self) -> Ragged {
        self.ids.clear();
        self.offsets.clear();
        self
    }
}

/// A text that stays where it is for as long as this is held.
pub trait Held: Send + Sync + Sized {
    /// The text.
    fn characters(&self) -> Characters<'_>;

    /// Ends the hold on some texts, on the thread that gave them.
    fn let_go(texts: Vec<Self>) {
        drop(texts);
    }
}

impl Held for Characters<'_> {
    fn characters(&self) -> Characters<'_> {
        *self
    }
}

/// What needs nothing of the caller's; says whether it was done.
pub type Apart<'r> = Box<dyn FnOnce() -> Result<bool> + Send + 'r>;

impl Tokenizer {
    /// The ids of many texts.
    pub fn encode_batch(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        threads: Threads,
    ) -> Result<Ragged> {
        self.with_finders(allowed, texts, |finders| {
            let texts = texts.iter().map(|text| Some(Characters::Utf8(text)));
            Ok(self.encode_jobs(texts, finders, threads, |rest| rest())?.unwrap_or_default())
        })
    }

    /// The ids of many texts that are converted as they are encoded. None if one of them is missing, or if
    /// one of the units is no character. `texts` is asked on this thread, and `apart` runs on it what needs
    /// nothing of the caller's: all that may take long. Only if [`Tokenizer::takes_units`].
    pub fn encode_batch_units<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        allowed: &Allowed,
        threads: Threads,
        apart: impl FnMut(Apart) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        self.encode_jobs(texts, self.chosen(allowed)?.finders(), threads, apart)
    }

    /// The same without an array of all: `take` gets the ids of some texts at a time, in order, on this
    /// thread. False in place of none, perhaps after some texts.
    pub fn encode_batch_parts<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        allowed: &Allowed,
        threads: Threads,
        apart: impl FnMut(Apart) -> Result<bool>,
        mut take: impl FnMut(&[Ragged]) + Send,
    ) -> Result<bool> {
        let chosen = self.chosen(allowed)?;
        let (jobs, parts) = (Jobs::new(), Parts::default());
        let encode = |(number, job): (usize, Job<T>), worker: &mut Worker| {
            let mut part = parts.empty();
            let done = self.encode_job(&job, chosen.finders(), worker, &mut part);
            parts.add(number, done.map(|done| done.then_some(part)));
            jobs.put_back(job);
        };
        let work = || {
            self.with_worker(|worker| {
                while let Some(job) = jobs.next(0) {
                    encode(job, worker);
                }
            });
        };
        let mut encode_and_take = || {
            self.with_worker(|worker| {
                while let Some(job) = jobs.next(0) {
                    encode(job, worker);
                    if !parts.take(TAKEN, &mut take)? {
                        return Ok(false);
                    }
                }
                parts.take(1, &mut take)
            })
        };
        let mut given = Given::new(texts);
        let first = given.first();
        let done = share(&jobs, first, given, threads, work, apart, |_| encode_and_take())?;
        Ok(done && parts.take(1, &mut take)?)
    }

    /// Whether nothing in a text can be an error, which would have to say where it is.
    pub fn takes_units(&self, allowed: &Allowed) -> bool {
        let knows_all = self.plain || self.words.is_some();
        knows_all && self.missing_bytes.is_empty() && *allowed != Allowed::Error
    }

    fn encode_jobs<T: Held>(
        &self,
        texts: impl Iterator<Item = Option<T>>,
        finders: &Finders,
        threads: Threads,
        apart: impl FnMut(Apart) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        let mut given = Given::new(texts);
        let first = given.first();
        if how_many(threads, given.bytes) < 2 {
            return self.encode_alone(first, given, finders, apart);
        }
        let (jobs, rooms) = (Jobs::new(), Rooms::default());
        let settling = Settling::new(&rooms);
        let work = |few| {
            self.with_worker(|worker| {
                let mut own = Own::default();
                while let Some((number, job)) = jobs.next(few) {
                    let mut part = own.empty();
                    match self.encode_job(&job, finders, worker, &mut part) {
                        Ok(true) => settling.settle(number, job.bytes, part, &mut own),
                        failed => {
                            settling.fail(number, failed);
                            jobs.stop();
                        }
                    }
                    jobs.put_back(job);
                }
                settling.leave(own);
            });
        };
        let work_too = |looked: Looked| {
            settling.make_room(looked.texts, looked.bytes)?;
            work(looked.texts * looked.others * LET_GO_BYTES);
            Ok(true)
        };
        if !share(&jobs, first, given, threads, || work(0), apart, work_too)? {
            return Ok(None);
        }
        let left = settling.finish()?;
        left.map_or(Ok(None), |left| rooms.into_ragged(left))
    }

    /// The same on this thread.
    fn encode_alone<T: Held>(
        &self,
        mut jobs: Vec<Job<T>>,
        mut given: Given<impl Iterator<Item = Option<T>>>,
        finders: &Finders,
        mut apart: impl FnMut(Apart) -> Result<bool>,
    ) -> Result<Option<Ragged>> {
        jobs.extend(&mut given);
        // PERF: room that is not used costs nothing; Russian has an id for each letter in vocabularies
        // that were made for English.
        let most = given.bytes / if self.words.is_some() { 2 } else { 4 } + 8;
        let mut all = Ragged {
            ids: guessed_room_for_ids(most),
            offsets: memory::with_capacity(given.count + 1)?,
        };
        all.offsets.push(0);
        let encode = |worker: &mut Worker| {
            for job in &jobs {
                if !self.encode_job(job, finders, worker, &mut all)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let rest = || self.with_worker(encode);
        let done = !given.is_missing && apart(Box::new(rest))?;
        jobs.into_iter().for_each(|job| T::let_go(job.texts));
        Ok(done.then_some(all))
    }

    /// Appends the ids of some texts; false if one of the units is no character.
    fn encode_job<T: Held>(
        &self,
        job: &Job<T>,
        finders: &Finders,
        worker: &mut Worker,
        part: &mut Ragged,
    ) -> Result<bool> {
        let ordinary = finders.raw.is_empty() && finders.normal.is_empty();
        if ordinary && self.only_merges() && self.model.normalizer == Normalizer::None {
            return self.encode_joined(&job.texts, worker, part);
        }
        let mut converted = Vec::new();
        let Some(texts) = as_utf8(&job.texts, &mut converted) else { return Ok(false) };
        if self.encode_plain_texts(&texts, finders, worker, part)? {
            return Ok(true);
        }
        for text in texts {
            self.encode_text(text, finders, worker, &mut part.ids)?;
            memory::extend(&mut part.offsets, &[part.ids.len() as u64])?;
        }
        Ok(true)
    }

    /// The ids of many texts with the model's template around each.
    pub fn surround_all(&self, ragged: Ragged) -> Result<Ragged> {
        let (prefix, suffix) = self.model.template.sides();
        let texts = ragged.offsets.len();
        let more = texts.saturating_sub(1) * (prefix.len() + suffix.len());
        let mut all = Ragged {
            ids: memory::with_capacity(ragged.ids.len() + more)?,
            offsets: memory::with_capacity(texts)?,
        };
        all.offsets.push(0);
        for two in ragged.offsets.windows(2) {
            let ids = &ragged.ids[two[0] as usize..two[1] as usize];
            all.ids.extend_from_slice(&prefix);
            all.ids.extend_from_slice(ids);
            all.ids.extend_from_slice(&suffix);
            all.offsets.push(all.ids.len() as u64);
            interrupt::worked(4 * ids.len())?;
        }
        Ok(all)
    }
}

/// What is known when all texts were looked at.
struct Looked {
    texts: usize,
    bytes: usize,
    /// How many threads work besides this one.
    others: usize,
}

/// Gives all jobs, while other threads work; then does what this thread does about them. False if one is
/// missing, or if this thread says so.
///
/// PERF: texts are let go of while the others do the last jobs. For 47,597 lines of English that takes 0.24 ms,
/// and everything else 10 (2026-11-16).
fn share<T: Held>(
    jobs: &Jobs<T>,
    first: Vec<Job<T>>,
    mut given: Given<impl Iterator<Item = Option<T>>>,
    threads: Threads,
    work: impl Fn() + Copy + Send,
    mut apart: impl FnMut(Apart) -> Result<bool>,
    work_too: impl FnOnce(Looked) -> Result<bool> + Send,
) -> Result<bool> {
    let done = std::thread::scope(|scope| {
        // How many jobs there are is not known yet: each that is given may start a thread.
        let most = how_many(threads, given.bytes) - 1;
        let mut others = Others::new(scope);
        let start = |_: &Job<T>| {
            if others.len() < most {
                others.start(work);
            }
        };
        let all = jobs.give_all(first.into_iter().chain(&mut given).inspect(start));
        if given.is_missing || all.is_err() {
            jobs.stop();
            return all.map(|()| false);
        }
        let looked = Looked { texts: given.count, bytes: given.bytes, others: others.len() };
        let done = apart(Box::new(|| work_too(looked)));
        if !matches!(done, Ok(true)) {
            jobs.stop();
        }
        jobs.let_go();
        wait_for(others, apart)?;
        done
    });
    jobs.let_go();
    done
}

/// Waits for threads that have little left to do; if one panics, so does this.
///
/// PERF: awake for a while. To fall asleep and be woken takes 0.05 to 0.1 ms, as long as a job. WordPiece on two
/// threads at best 10.9 to 10.5 ms, by medians no difference that could be told (2026-11-16).
fn wait_for(
    others: Others<'_, '_, ()>,
    mut apart: impl FnMut(Apart) -> Result<bool>,
) -> Result<()> {
    let start = Instant::now();
    while !others.are_finished() {
        if start.elapsed() > AWAKE {
            return apart(Box::new(|| others.join().map(|_| true))).map(|_| ());
        }
        std::thread::yield_now();
    }
    // The scope, which ends soon, notices a panic of one that was not joined.
    Ok(())
}

/// All texts as UTF-8, those that are not among what was converted; none if a unit is no character.
fn as_utf8<'a>(texts: &'a [impl Held], converted: &'a mut Vec<u8>) -> Option<Vec<&'a [u8]>> {
    let mut ends = Vec::new();
    let texts = texts.iter().map(Held::characters);
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

/// What a lock guards. Who panicked while it had the lock ends the call in any case.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::ThreadId;

    use super::*;
    use crate::tokenizer::threads::LEAST_BYTES;

    /// How often a text was let go of, and the thread that may do it.
    struct Owner {
        thread: ThreadId,
        let_go: AtomicUsize,
    }

    impl Owner {
        fn new() -> Owner {
            Owner { thread: std::thread::current().id(), let_go: AtomicUsize::new(0) }
        }
    }

    struct Text<'a>(&'a Owner, &'a [u8]);

    impl Held for Text<'_> {
        fn characters(&self) -> Characters<'_> {
            Characters::Utf8(self.1)
        }
    }

    impl Drop for Text<'_> {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                assert_eq!(std::thread::current().id(), self.0.thread);
            }
            self.0.let_go.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Shares two texts between this thread, which does nothing, and another, which does `work` to each.
    fn share_with(owner: &Owner, work: impl Fn() + Sync) -> Result<bool> {
        let text = vec![b'a'; LEAST_BYTES];
        let jobs = Jobs::new();
        let texts = [0, 1].map(|_| Some(Text(owner, &text)));
        let mut given = Given::new(texts.into_iter());
        let first = given.first();
        let work = || {
            while let Some((_, job)) = jobs.next(0) {
                work();
                jobs.put_back(job);
            }
        };
        let work_too = |looked: Looked| Ok(looked.texts == 2 && looked.others == 1);
        share(&jobs, first, given, NonZeroUsize::new(2), work, |rest| rest(), work_too)
    }

    #[test]
    fn a_thread_is_waited_for_whenever_it_ends_and_however() {
        for pause in [Duration::ZERO, 2 * AWAKE] {
            let (owner, done) = (Owner::new(), AtomicUsize::new(0));
            let work = || {
                std::thread::sleep(pause);
                done.fetch_add(1, Ordering::Relaxed);
            };
            assert_eq!(share_with(&owner, work), Ok(true));
            assert_eq!((done.into_inner(), owner.let_go.into_inner()), (2, 2));
            let owner = Owner::new();
            let work = || {
                std::thread::sleep(pause);
                panic!("as it should");
            };
            let share = std::panic::AssertUnwindSafe(|| share_with(&owner, work));
            assert!(std::panic::catch_unwind(share).is_err());
            assert_eq!(owner.let_go.into_inner(), 2);
        }
    }

    #[test]
    fn texts_are_let_go_of_where_they_came_from_if_one_is_missing_or_the_caller_gives_up() {
        let text = vec![b'a'; LEAST_BYTES];
        for (count, gives_up) in [(5, false), (5, true), (40, true)] {
            let (owner, jobs) = (Owner::new(), Jobs::new());
            let texts = (0..count).map(|_| Some(Text(&owner, &text)));
            let texts = texts.chain((!gives_up).then_some(None));
            let mut given = Given::new(texts);
            let first = given.first();
            let work = || {
                while let Some((_, job)) = jobs.next(0) {
                    jobs.put_back(job);
                }
            };
            let two = NonZeroUsize::new(2);
            assert_eq!(
                share(&jobs, first, given, two, work, |rest| rest(), |_| Ok(false)),
                Ok(false)
            );
            assert_eq!(owner.let_go.load(Ordering::Relaxed), count);
        }
    }

    #[test]
    fn a_few_bytes_are_left_to_others() {
        let jobs = Jobs::new();
        let text = [b'a'; 10];
        let job = || Job { texts: vec![Characters::Utf8(&text)], bytes: 10 };
        jobs.give_all([job(), job(), job()].into_iter()).unwrap();
        let next = |few| jobs.next(few).map(|(number, _)| number);
        assert_eq!([next(31), next(30), next(21), next(20)], [None, Some(0), None, Some(1)]);
        assert_eq!([next(11), next(0), next(0)], [None, Some(2), None]);
    }
}
