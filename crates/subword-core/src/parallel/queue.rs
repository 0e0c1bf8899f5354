/*!
A queue of jobs: one thread pushes, several pop.

The thread that pushes closes the queue when there are no more jobs; a thread that pops then empties it and
gets nothing more. A queue may be bounded, so that a caller who reads faster than the workers work does not
fill the memory: [`Queue::push_within`] waits for room, but not for longer than it is told, because the caller
may have to report progress or hear an interrupt meanwhile.
*/

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::{AtEnd, locked};

/// Jobs that wait for a worker.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    /// Signalled after every change of the state that somebody may wait for.
    changed: Condvar,
    /// How many jobs may wait.
    most: usize,
}

#[derive(Debug)]
struct QueueState<T> {
    waiting: VecDeque<T>,
    /// There will be no more jobs.
    closed: bool,
    /// How many threads wait on the condition variable.
    asleep: usize,
}

impl<T> Queue<T> {
    /// A queue in which at most `most` jobs wait.
    pub(crate) fn new(most: usize) -> Queue<T> {
        let state = QueueState { waiting: VecDeque::new(), closed: false, asleep: 0 };
        Queue { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    /// Adds a job, whatever the bound.
    pub(crate) fn push(&self, job: T) {
        let mut state = locked(&self.state);
        state.waiting.push_back(job);
        // Waking a thread is a system call, also where no thread sleeps.
        if state.asleep > 0 {
            self.changed.notify_one();
        }
    }

    /// Takes the job out of `job` and adds it, unless the queue stays full for this long.
    pub(crate) fn push_within(&self, job: &mut Option<T>, patience: Duration) {
        let mut state = locked(&self.state);
        state.asleep += 1;
        let full = |state: &mut QueueState<T>| state.waiting.len() >= self.most;
        let waited = self.changed.wait_timeout_while(state, patience, full);
        (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        if !full(&mut state) {
            state.waiting.extend(job.take());
            self.changed.notify_all();
        }
    }

    /// The next job. Waits while there may be one; none if the queue is empty and closed.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut state = locked(&self.state);
        loop {
            if let Some(job) = state.waiting.pop_front() {
                if state.asleep > 0 && self.most < usize::MAX {
                    self.changed.notify_all();
                }
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.asleep += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
    }

    /// There will be no more jobs.
    pub(crate) fn close(&self) {
        locked(&self.state).closed = true;
        self.changed.notify_all();
    }

    /// Takes out all jobs that nobody has begun, and closes the queue.
    pub(crate) fn abandon(&self) -> Vec<T> {
        self.close();
        locked(&self.state).waiting.drain(..).collect()
    }

    /// Closes the queue when the value is dropped, so that no worker waits forever if the thread that pushes panics.
    pub(crate) fn closing(&self) -> AtEnd<impl Fn()> {
        AtEnd::always(|| self.close())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_job_is_popped_once_and_the_bound_holds() {
        for most in [1, 3, usize::MAX] {
            let (queue, popped) = (Queue::new(most), AtomicUsize::new(0));
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        while let Some(job) = queue.pop() {
                            assert!(locked(&queue.state).waiting.len() <= most);
                            popped.fetch_add(job, Ordering::Relaxed);
                        }
                    });
                }
                let _closing = queue.closing();
                for job in 1..=1000 {
                    let mut job = Some(job);
                    while job.is_some() {
                        queue.push_within(&mut job, Duration::from_millis(1));
                    }
                }
            });
            assert_eq!(popped.into_inner(), 1000 * 1001 / 2);
        }
    }

    #[test]
    fn an_abandoned_queue_gives_back_its_jobs_and_no_more() {
        let queue = Queue::new(usize::MAX);
        (0..5).for_each(|job| queue.push(job));
        assert_eq!(queue.pop(), Some(0));
        assert_eq!(queue.abandon(), [1, 2, 3, 4]);
        assert_eq!(queue.pop(), None);
    }

    #[test]
    fn a_full_queue_leaves_the_job_to_the_caller() {
        let queue = Queue::new(1);
        queue.push(1);
        let mut job = Some(2);
        queue.push_within(&mut job, Duration::from_millis(1));
        assert_eq!(job, Some(2));
    }
}
