//! The jobs of a batch: texts as they are looked at, for whoever comes next.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::locked;
use crate::tokenizer::threads::{JOB_BYTES, LEAST_BYTES};
use crate::utf8::Characters;

/// Some texts, and about how many bytes they are.
#[derive(Default)]
pub(super) struct Job<'a> {
    pub(super) texts: Vec<Characters<'a>>,
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

impl<'a, I: Iterator<Item = Option<Characters<'a>>>> Given<I> {
    pub(super) fn new(texts: I) -> Given<I> {
        Given { texts, count: 0, bytes: 0, is_missing: false, usual: 0 }
    }

    /// So many that another thread may pay, or all.
    pub(super) fn first(&mut self) -> Vec<Job<'a>> {
        let mut first = Vec::new();
        while self.bytes < LEAST_BYTES
            && let Some(job) = self.next()
        {
            first.push(job);
        }
        first
    }
}

impl<'a, I: Iterator<Item = Option<Characters<'a>>>> Iterator for Given<I> {
    type Item = Job<'a>;

    fn next(&mut self) -> Option<Job<'a>> {
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
            job.bytes += size(text);
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
pub(super) struct Jobs<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
}

struct State<'a> {
    /// Those that nobody has begun, and the number of the first.
    waiting: VecDeque<Job<'a>>,
    next: usize,
    /// Whether there may be more.
    open: bool,
}

impl<'a> Jobs<'a> {
    pub(super) fn new() -> Jobs<'a> {
        let state = State { waiting: VecDeque::new(), next: 0, open: true };
        Jobs { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Gives all jobs that there are.
    pub(super) fn give_all(&self, jobs: impl Iterator<Item = Job<'a>>) {
        // Whatever happens, nobody waits for ever.
        let _open = Open(self);
        for job in jobs {
            locked(&self.state).waiting.push_back(job);
            self.changed.notify_one();
        }
    }

    /// Nothing more is to be done.
    pub(super) fn stop(&self) {
        locked(&self.state).waiting.clear();
    }

    /// The next job and its number; waits for it if there may be one.
    pub(super) fn next(&self) -> Option<(usize, Job<'a>)> {
        let mut state = locked(&self.state);
        while state.waiting.is_empty() && state.open {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let job = state.waiting.pop_front()?;
        state.next += 1;
        Some((state.next - 1, job))
    }
}

/// That jobs are still being given.
struct Open<'j, 'a>(&'j Jobs<'a>);

impl Drop for Open<'_, '_> {
    fn drop(&mut self) {
        locked(&self.0.state).open = false;
        self.0.changed.notify_all();
    }
}
