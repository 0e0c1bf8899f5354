/*!
A reorder buffer: worker threads put results in any order, one thread takes them in order.

A worker asks for permission before it starts on a block and waits while the buffer is full, so no more
than `capacity` blocks are between being read and being taken.
*/

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting thread checks whether the run was stopped.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// Results by number, each put by one thread and taken by another.
pub(super) struct ReorderBuffer<T> {
    state: Mutex<ReorderState<T>>,
    changed: Condvar,
    capacity: usize,
}

struct ReorderState<T> {
    /// Results that wait for those before them.
    waiting: BTreeMap<usize, T>,
    /// The number of the result that is taken next.
    next: usize,
    /// How many results are started and not taken yet.
    started: usize,
    /// How many results there are in all, once that is known.
    all: Option<usize>,
    /// Whether every thread is to stop.
    stopped: bool,
}

impl<T> ReorderBuffer<T> {
    pub(super) fn new(capacity: usize) -> ReorderBuffer<T> {
        let state = ReorderState {
            waiting: BTreeMap::new(),
            next: 0,
            started: 0,
            all: None,
            stopped: false,
        };
        ReorderBuffer { state: Mutex::new(state), changed: Condvar::new(), capacity }
    }

    /// Waits until there is room for one more; false if there is no more work.
    pub(super) fn start(&self) -> bool {
        let state = self.lock();
        let full = |state: &mut ReorderState<T>| !state.is_over() && state.started >= self.capacity;
        let waited = self.changed.wait_while(state, full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.started += 1;
        !state.is_over()
    }

    /// Puts the result of a block.
    pub(super) fn put(&self, number: usize, result: T) {
        self.lock().waiting.insert(number, result);
        self.changed.notify_all();
    }

    /// Says that there are `all` results in all.
    pub(super) fn end(&self, all: usize) {
        self.lock().all = Some(all);
        self.changed.notify_all();
    }

    /// The next result; none after the last, or after [`ReorderBuffer::stop`].
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            let next = state.next;
            if state.stopped || state.all == Some(next) {
                return None;
            }
            if let Some(result) = state.waiting.remove(&next) {
                state.next += 1;
                state.started -= 1;
                self.changed.notify_all();
                return Some(result);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes every waiting thread and ends the run.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ReorderState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> ReorderState<T> {
    fn is_over(&self) -> bool {
        self.stopped || self.all.is_some()
    }
}
