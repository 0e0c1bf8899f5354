/*!
A reorder buffer: results come in any order and are taken in the order of their jobs.

```text
put      2  0  1  4  3
take              0 1 2        3 4
```

A buffer may be bounded: [`Reorder::begin`] makes a worker wait while too many jobs are between being begun and
being taken, so that one slow job does not make the memory grow with the results of all jobs after it.
*/

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use super::locked;

/// Results by the number of their job.
#[derive(Debug)]
pub(crate) struct Reorder<T> {
    state: Mutex<ReorderState<T>>,
    /// Signalled after every change of the state.
    changed: Condvar,
    /// How many jobs may be begun and not taken.
    most: usize,
}

#[derive(Debug)]
struct ReorderState<T> {
    waiting: BTreeMap<usize, T>,
    /// The number of the result that is taken next.
    next: usize,
    /// How many jobs are begun and not taken.
    begun: usize,
    /// How many jobs there are in all, once that is known.
    all: Option<usize>,
    stopped: bool,
}

impl<T> Reorder<T> {
    /// A buffer for at most `most` jobs at a time.
    pub(crate) fn new(most: usize) -> Reorder<T> {
        let (waiting, next) = (BTreeMap::new(), 0);
        let state = ReorderState { waiting, next, begun: 0, all: None, stopped: false };
        Reorder { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    /// Waits until one more job may be begun; false if there is none.
    pub(crate) fn begin(&self) -> bool {
        let over = |state: &ReorderState<T>| state.stopped || state.all.is_some();
        let full = |state: &mut ReorderState<T>| !over(state) && state.begun >= self.most;
        let waited = self.changed.wait_while(locked(&self.state), full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.begun += 1;
        !over(&state)
    }

    /// Adds the result of a job.
    pub(crate) fn put(&self, number: usize, result: T) {
        locked(&self.state).waiting.insert(number, result);
        self.changed.notify_all();
    }

    /// Says how many jobs there are in all.
    pub(crate) fn end(&self, all: usize) {
        locked(&self.state).all = Some(all);
        self.changed.notify_all();
    }

    /// The next result in order; waits for it. None after the last one, and after [`Reorder::stop`].
    pub(crate) fn take(&self) -> Option<T> {
        let mut state = locked(&self.state);
        loop {
            if state.stopped || state.all == Some(state.next) {
                return None;
            }
            if let Some(result) = state.pop() {
                self.changed.notify_all();
                return Some(result);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// All results that are next in order and there already, if there are at least `least` of them.
    pub(crate) fn take_ready(&self, least: usize) -> Vec<T> {
        let mut state = locked(&self.state);
        let next = state.next;
        let ready = state.waiting.keys().zip(next..).take_while(|&(&number, at)| number == at);
        let ready = ready.count();
        if ready < least {
            return Vec::new();
        }
        std::iter::from_fn(|| state.pop()).collect()
    }

    /// Ends all waiting: there is nothing more to begin or to take.
    pub(crate) fn stop(&self) {
        locked(&self.state).stopped = true;
        self.changed.notify_all();
    }
}

impl<T> ReorderState<T> {
    fn pop(&mut self) -> Option<T> {
        let result = self.waiting.remove(&self.next)?;
        self.next += 1;
        self.begun = self.begun.saturating_sub(1);
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_taken_in_order_whoever_puts_them() {
        let buffer = Reorder::new(4);
        let jobs = Mutex::new(0..200);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while buffer.begin() {
                        let Some(job) = locked(&jobs).next() else { return buffer.end(200) };
                        buffer.put(job, job);
                        assert!(locked(&buffer.state).waiting.len() <= 4);
                    }
                });
            }
            let taken: Vec<usize> = std::iter::from_fn(|| buffer.take()).collect();
            assert_eq!(taken, (0..200).collect::<Vec<_>>());
        });
    }

    #[test]
    fn what_is_ready_is_taken_without_waiting() {
        let buffer = Reorder::new(usize::MAX);
        [2, 0, 1, 4].into_iter().for_each(|number| buffer.put(number, number));
        assert!(buffer.take_ready(4).is_empty());
        assert_eq!(buffer.take_ready(1), [0, 1, 2]);
        buffer.put(3, 3);
        assert_eq!(buffer.take_ready(2), [3, 4]);
        assert!(buffer.take_ready(0).is_empty());
    }

    #[test]
    fn nobody_waits_after_a_stop() {
        let buffer = Reorder::<()>::new(1);
        assert!(buffer.begin());
        buffer.stop();
        assert!(!buffer.begin());
        assert_eq!(buffer.take(), None);
    }
}
