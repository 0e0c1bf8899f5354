//! The jobs of a batch: texts as they are looked at, for whoever comes next.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::{Held, locked};
use crate::error::Result;
use crate::interrupt;
use crate::tokenizer::threads::{JOB_BYTES, LEAST_BYTES};
use crate::utf8::Characters;

/// Some texts, and about how many bytes they are.
pub(super) struct Job<T> {
    pub(super) texts: Vec<T>,
    pub(super) bytes: usize,
}

/// Texts as they are looked at, some at a time. Ends where one is missing.
pub(super) struct Given<I> {
    texts: I,
    /// How many were given, and about how many bytes they are.
    pub(super) count: usize,
    pub(super) bytes: usize,
    pub(super) is_missing: bool,
    /// How many were in the last job.
    usual: usize,
}

impl<T: Held, I: Iterator<Item = Option<T>>> Given<I> {
    pub(super) fn new(texts: I) -> Given<I> {
        Given { texts, count: 0, bytes: 0, is_missing: false, usual: 0 }
    }

    /// So many that another thread may pay, or all.
    pub(super) fn first(&mut self) -> Vec<Job<T>> {
        let mut first = Vec::new();
        while self.bytes < LEAST_BYTES
            && let Some(job) = self.next()
        {
            first.push(job);
        }
        first
    }
}

impl<T: Held, I: Iterator<Item = Option<T>>> Iterator for Given<I> {
    type Item = Job<T>;

    fn next(&mut self) -> Option<Job<T>> {
        if self.is_missing {
            return None;
        }
        let mut job = Job { texts: Vec::with_capacity(self.usual), bytes: 0 };
        while job.bytes + 64 * job.texts.len() < JOB_BYTES
            && let Some(text) = self.texts.next()
        {
            let Some(text) = text else {
                self.is_missing = true;
                return None;
            };
            job.bytes += size(text.characters());
            job.texts.push(text);
        }
        self.usual = job.texts.len();
        self.count += job.texts.len();
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

/// Jobs that one thread gives and several do.
pub(super) struct Jobs<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// Those that nobody has begun, how many bytes they are, and the number of the first.
    waiting: VecDeque<Job<T>>,
    bytes: usize,
    next: usize,
    /// Whether there may be more, and how many threads wait for one.
    open: bool,
    asleep: usize,
    /// The texts that nobody needs any more.
    done: Vec<Vec<T>>,
}

impl<T: Held> Jobs<T> {
    pub(super) fn new() -> Jobs<T> {
        let (waiting, done) = (VecDeque::new(), Vec::new());
        let state = State { waiting, bytes: 0, next: 0, open: true, asleep: 0, done };
        Jobs { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Gives all jobs that there are; an error if there are to be no more.
    pub(super) fn give_all(&self, jobs: impl Iterator<Item = Job<T>>) -> Result<()> {
        // Whatever happens, nobody waits for ever.
        let _open = Open(self);
        for job in jobs {
            interrupt::worked(64 * job.texts.len())?;
            let mut state = locked(&self.state);
            state.bytes += job.bytes;
            state.waiting.push_back(job);
            // PERF: to wake somebody asks the kernel, even if there is nobody.
            if state.asleep > 0 {
                self.changed.notify_one();
            }
        }
        Ok(())
    }

    /// Nothing more is to be done.
    pub(super) fn stop(&self) {
        let State { waiting, bytes, done, .. } = &mut *locked(&self.state);
        done.extend(waiting.drain(..).map(|job| job.texts));
        *bytes = 0;
    }

    /// The next job and its number; waits for it if there may be one. None as well if those that wait are
    /// less than `few` bytes.
    pub(super) fn next(&self, few: usize) -> Option<(usize, Job<T>)> {
        let mut state = locked(&self.state);
        while state.waiting.is_empty() && state.open {
            state.asleep += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
        if state.bytes < few {
            return None;
        }
        let job = state.waiting.pop_front()?;
        state.bytes -= job.bytes;
        state.next += 1;
        Some((state.next - 1, job))
    }

    /// A job is done: nobody needs its texts any more.
    pub(super) fn put_back(&self, job: Job<T>) {
        locked(&self.state).done.push(job.texts);
    }

    /// Lets go of all texts that nobody needs any more; only for the thread that gave them.
    pub(super) fn let_go(&self) {
        let done = std::mem::take(&mut locked(&self.state).done);
        done.into_iter().for_each(T::let_go);
    }
}

/// That jobs are still being given.
struct Open<'j, T>(&'j Jobs<T>);

impl<T> Drop for Open<'_, T> {
    fn drop(&mut self) {
        locked(&self.0.state).open = false;
        self.0.changed.notify_all();
    }
}
