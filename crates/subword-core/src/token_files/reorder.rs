/*!
What threads make in any order, taken in order.

A thread that starts on a block waits until there is room: no more than so many are between being
read and being taken.
*/

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often whoever waits looks whether all is over.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// Things by number, each given by one thread and taken by another.
pub(super) struct ReorderBuffer<T> {
    state: Mutex<ReorderState<T>>,
    changed: Condvar,
    room: usize,
}

struct ReorderState<T> {
    waiting: BTreeMap<usize, T>,
    /// Which is taken next.
    next: usize,
    /// How many are on their way.
    started: usize,
    /// How many there are in all, once that is known.
    all: Option<usize>,
    stopped: bool,
}

impl<T> ReorderBuffer<T> {
    pub(super) fn new(room: usize) -> ReorderBuffer<T> {
        let state = ReorderState {
            waiting: BTreeMap::new(),
            next: 0,
            started: 0,
            all: None,
            stopped: false,
        };
        ReorderBuffer { state: Mutex::new(state), changed: Condvar::new(), room }
    }

    /// Waits for room; says whether there is work.
    pub(super) fn start(&self) -> bool {
        let state = self.lock();
        let full = |state: &mut ReorderState<T>| !state.is_over() && state.started >= self.room;
        let waited = self.changed.wait_while(state, full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.started += 1;
        !state.is_over()
    }

    /// Gives what was made of a block.
    pub(super) fn put(&self, number: usize, thing: T) {
        self.lock().waiting.insert(number, thing);
        self.changed.notify_all();
    }

    /// Says that there are no more than so many.
    pub(super) fn end(&self, all: usize) {
        self.lock().all = Some(all);
        self.changed.notify_all();
    }

    /// The next one; none after the last, or if all is over.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            let next = state.next;
            if state.stopped || state.all == Some(next) {
                return None;
            }
            if let Some(thing) = state.waiting.remove(&next) {
                state.next += 1;
                state.started -= 1;
                self.changed.notify_all();
                return Some(thing);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes everybody stop.
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
