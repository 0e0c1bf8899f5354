/*!
Jobs over threads, with results in order: the one scheduler of the engine.

```text
map       a known number of jobs: results in order                     one large text, counts of many texts
each      values, one for each thread: results in order                training
Queue     jobs that the calling thread pushes while others work        many texts; texts that are counted
Reorder   results in any order, taken in the order of their jobs       many texts; token files
Others    threads that the caller starts, or that start each other     all of the above; files
```

Threads are started for a call and end with it. The calling thread works too, or waits; while it waits it asks
whether the call is to go on (`interrupt`), and the others see the answer.

No more threads are started than there is work for, whatever the caller allows. If the system refuses a thread,
no other is tried: the call goes on with those that there are.
*/

mod queue;
mod reorder;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, Thread};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::interrupt::{self, Shared};

pub(crate) use queue::Queue;
pub(crate) use reorder::Reorder;

/// How often a thread that waits looks whether something has changed, or reports progress.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// How many threads to use at most; none: as many as the process has cores.
pub type Threads = Option<NonZeroUsize>;

/// More threads than this are never started for one call: no machine gains from them.
const MOST: usize = 1024;

/// How many threads a call may use.
pub(crate) fn allowed(threads: Threads) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    threads.map_or_else(cores, NonZeroUsize::get).min(MOST)
}

/// Runs with a scope in which [`Others`] start threads; they end before this returns.
pub(crate) fn scope<'env, R>(run: impl for<'s> FnOnce(&'s Scope<'s, 'env>) -> R) -> R {
    thread::scope(run)
}

/// Rests until another thread has ended, or for some milliseconds.
pub(crate) fn rest() {
    thread::park_timeout(TICK);
}

/// Calls a function when it is dropped: always, or only if its thread is ending with a panic. Threads that wait
/// for the one that panicked are told so, and the scope of all of them can end.
pub(crate) struct AtEnd<F: Fn()> {
    call: F,
    only_on_panic: bool,
}

impl<F: Fn()> AtEnd<F> {
    /// Calls `call` however the thread leaves the scope of this value.
    pub(crate) fn always(call: F) -> AtEnd<F> {
        AtEnd { call, only_on_panic: false }
    }

    /// Calls `call` only if the thread leaves it by a panic.
    pub(crate) fn on_panic(call: F) -> AtEnd<F> {
        AtEnd { call, only_on_panic: true }
    }
}

impl<F: Fn()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        if !self.only_on_panic || thread::panicking() {
            (self.call)();
        }
    }
}

/// Starts a thread that nobody waits for. It may still be busy with a slow disk after the call has ended.
pub(crate) fn start_unattended(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().spawn(work).map(|_| ())
}

/// The error of work that needs another thread and gets none.
pub(crate) fn no_thread() -> Error {
    Error::Argument { message: "no thread could be started".to_owned() }
}

/// What a lock guards. A thread that panicked while it had the lock ends the call in any case.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of the jobs that no thread has begun.
pub(crate) struct Jobs {
    next: AtomicUsize,
    count: usize,
}

impl Jobs {
    /// The number of the next job.
    pub(crate) fn next(&self) -> Option<usize> {
        // The count cannot wrap around: a thread ends at the first number that is too large.
        let job = self.next.fetch_add(1, Ordering::Relaxed);
        (job < self.count).then_some(job)
    }

    /// Runs all jobs that this thread gets, and returns their numbers and results.
    pub(crate) fn map<R>(&self, mut run: impl FnMut(usize) -> R) -> Vec<(usize, R)> {
        std::iter::from_fn(|| self.next()).map(|job| (job, run(job))).collect()
    }
}

/// Runs `jobs` jobs on at most `threads` threads. `work` is called once on each of them and passes what
/// [`Jobs::map`] returns. The results are in order; the first error wins.
pub(crate) fn map<R: Send>(
    jobs: usize,
    threads: usize,
    work: impl Fn(&Jobs) -> Vec<(usize, Result<R>)> + Sync,
) -> Result<Vec<R>> {
    let mut results: Vec<_> = run(jobs, threads, work)?.into_iter().flatten().collect();
    results.sort_unstable_by_key(|(job, _)| *job);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs `work` on each of the parts, on as many threads as there are parts. The results are in order; the first error
/// wins. A single part is no reason for a thread, nor for anything else that takes time.
pub(crate) fn each<P: Send, R: Send>(
    mut parts: Vec<P>,
    work: impl Fn(P) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let count = parts.len();
    if count <= 1 {
        return parts.pop().into_iter().map(work).collect();
    }
    let parts = Mutex::new(parts.into_iter().enumerate());
    map(count, count, |_| {
        let mut made = Vec::new();
        loop {
            let next = locked(&parts).next();
            let Some((number, part)) = next else { return made };
            made.push((number, work(part)));
        }
    })
}

/// Runs `work` on this thread and on others, together at most `threads` and at most one for each of the `jobs`,
/// and gives what each of them made.
pub(crate) fn run<T: Send>(
    jobs: usize,
    threads: usize,
    work: impl Fn(&Jobs) -> T + Sync,
) -> Result<Vec<T>> {
    let jobs = Jobs { next: AtomicUsize::new(0), count: jobs };
    let others = Others::new(threads.min(jobs.count).saturating_sub(1));
    thread::scope(|scope| {
        while others.start(scope, || work(&jobs)) {}
        let own = work(&jobs);
        let mut all = others.join()?;
        all.push(own);
        Ok(all)
    })
}

/// Threads that work for the one that made this value.
pub(crate) struct Others<T> {
    /// How many more may be started; none once the system has refused one.
    left: AtomicUsize,
    running: AtomicUsize,
    /// What those made that have ended.
    made: Mutex<Vec<T>>,
    leader: Thread,
    /// The interrupt of the leader, which they hear too.
    shared: Shared,
}

impl<T: Send> Others<T> {
    /// None yet, and never more than `most`.
    pub(crate) fn new(most: usize) -> Others<T> {
        Others {
            left: AtomicUsize::new(most),
            running: AtomicUsize::new(0),
            made: Mutex::new(Vec::new()),
            leader: thread::current(),
            shared: Shared::current(),
        }
    }

    /// Starts one that does `work`; returns whether there is one more now. A panic of it is one of the scope.
    pub(crate) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> bool {
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_err() {
            return false;
        }
        self.running.fetch_add(1, Ordering::SeqCst);
        // Dropped also if the thread panics or cannot be started, because `join` waits until no thread is running.
        let running = AtEnd::always(|| {
            self.running.fetch_sub(1, Ordering::SeqCst);
            self.leader.unpark();
        });
        let run = move || {
            let _running = running;
            let made = self.shared.clone().enter(work);
            locked(&self.made).push(made);
        };
        let started = thread::Builder::new().spawn_scoped(scope, run).is_ok();
        if !started {
            self.left.store(0, Ordering::SeqCst);
        }
        started
    }

    /// Whether all have ended.
    pub(crate) fn are_finished(&self) -> bool {
        self.running.load(Ordering::SeqCst) == 0
    }

    /// Waits until all have ended, and gives what they made, in any order. If the call is interrupted
    /// meanwhile, an error: they end soon then.
    pub(crate) fn join(&self) -> Result<Vec<T>> {
        let mut going = Ok(());
        while !self.are_finished() {
            thread::park_timeout(interrupt::EVERY / 2);
            going = going.and_then(|()| interrupt::waited());
        }
        going.map(|()| std::mem::take(&mut *locked(&self.made)))
    }
}

impl Others<()> {
    /// Starts the first of a chain of threads: each does `work`, and starts the next when `work` calls its
    /// argument, because it has found something to do. An error if there is none.
    pub(crate) fn start_chain<'scope, W: Fn(&dyn Fn()) + Sync>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        work: &'scope W,
    ) -> Result<()> {
        let one = || work(&|| drop(self.start_chain(scope, work)));
        if self.start(scope, one) { Ok(()) } else { Err(no_thread()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_chain_is_as_long_as_there_is_work() {
        for (jobs, threads) in [(0, 5), (1, 5), (3, usize::MAX), (20, 4)] {
            let (left, started) = (Mutex::new(jobs), AtomicUsize::new(0));
            let chain = Others::new(threads);
            let work = |more: &dyn Fn()| {
                started.fetch_add(1, Ordering::SeqCst);
                let next = || {
                    let mut left = left.lock().unwrap();
                    *left = usize::checked_sub(*left, 1)?;
                    Some(())
                };
                while next().is_some() {
                    more();
                    thread::sleep(Duration::from_millis(1));
                }
            };
            thread::scope(|scope| {
                chain.start_chain(scope, &work).unwrap();
                chain.join().unwrap();
            });
            let started = started.load(Ordering::SeqCst);
            assert_eq!(*left.lock().unwrap(), 0);
            assert!(started <= threads.min(jobs + 1), "{started} threads for {jobs} jobs");
        }
    }

    #[test]
    fn there_are_no_more_threads_than_jobs() {
        for (jobs, threads, expected) in [(0, 5, 1), (1, 5, 1), (3, usize::MAX, 3), (9, 2, 2)] {
            let work = |jobs: &Jobs| std::iter::from_fn(|| jobs.next()).collect::<Vec<_>>();
            let mut made = run(jobs, threads, work).unwrap();
            assert_eq!(made.len(), expected);
            let mut all: Vec<_> = made.drain(..).flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..jobs).collect::<Vec<_>>());
        }
    }

    #[test]
    fn each_part_is_worked_on_once_and_the_first_error_wins() {
        for count in [0, 1, 2, 9] {
            let double = |part: usize| Ok(2 * part);
            let expected: Vec<_> = (0..count).map(|part| 2 * part).collect();
            assert_eq!(each((0..count).collect(), double), Ok(expected));
            let odd = |part: usize| match part % 2 {
                0 => Ok(()),
                _ => Err(Error::training(part.to_string())),
            };
            let expected = if count < 2 { Ok(vec![(); count]) } else { odd(1).map(|()| vec![]) };
            assert_eq!(each((0..count).collect(), odd), expected);
        }
    }

    #[test]
    fn who_waits_hears_the_interrupt_and_so_do_those_who_work() {
        let start = Instant::now();
        let leader = thread::current().id();
        let work = |_: &Jobs| {
            while thread::current().id() != leader && interrupt::worked(1).is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let ended = interrupt::scope(|| Err(Error::Stopped), || run(2, 2, work));
        assert_eq!(ended.map(|_| ()), Err(Error::Stopped));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_panic_of_another_thread_is_one_of_this_thread() {
        let leader = thread::current().id();
        let work = |_: &Jobs| assert_eq!(thread::current().id(), leader, "as it should");
        let run = || run(2, 2, work);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
