/*!
Jobs over threads, with results in order: the one scheduler of the engine.

```text
map       a known number of jobs: results in order                     one large text, counts of many texts
Queue     jobs that the calling thread pushes while others work        many texts; texts that are counted
Reorder   results in any order, taken in the order of their jobs       many texts; token files
Crew      threads that start each other as long as there is work       files that are counted or encoded
```

Threads are started for a call and end with it. The calling thread works too, or waits; while it waits it asks
whether the call is to go on (`interrupt`), and the others see the answer.

No more threads are started than there is work for, whatever the caller allows. If the system refuses a thread,
no other is tried: the call goes on with those that there are.
*/

mod append;
mod queue;
mod reorder;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle, Thread};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::interrupt::{self, Shared};

pub(crate) use append::append_all;
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

/// Runs with a scope in which [`Others`] and [`Crew`] start threads; they end before this returns.
pub(crate) fn scope<'env, R>(run: impl for<'s> FnOnce(&'s Scope<'s, 'env>) -> R) -> R {
    thread::scope(run)
}

/// Rests until another thread has ended, or for some milliseconds.
pub(crate) fn rest() {
    thread::park_timeout(TICK);
}

/// Whether this thread is ending with a panic.
pub(crate) fn is_panicking() -> bool {
    thread::panicking()
}

/// Starts a thread that nobody waits for: it may be held up by a slow disk after its call has ended.
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

/// Runs `work` on this thread and on others, together at most `threads` and at most one for each of the `jobs`,
/// and gives what each of them made.
pub(crate) fn run<T: Send>(
    jobs: usize,
    threads: usize,
    work: impl Fn(&Jobs) -> T + Sync,
) -> Result<Vec<T>> {
    let jobs = Jobs { next: AtomicUsize::new(0), count: jobs };
    let work_too = || work(&jobs);
    let others = threads.min(jobs.count).saturating_sub(1);
    if others == 0 {
        return Ok(vec![work_too()]);
    }
    thread::scope(|scope| {
        let mut started = Others::new(scope);
        started.start_all(others, &work_too);
        let own = work_too();
        let mut all = started.join()?;
        all.push(own);
        Ok(all)
    })
}

/// Threads that work for the one that started them.
pub(crate) struct Others<'scope, 'env, T> {
    scope: &'scope Scope<'scope, 'env>,
    handles: Vec<ScopedJoinHandle<'scope, T>>,
    running: Arc<AtomicUsize>,
    /// The system has said no.
    refused: bool,
}

impl<'scope, 'env, T: Send + 'scope> Others<'scope, 'env, T> {
    /// None yet.
    pub(crate) fn new(scope: &'scope Scope<'scope, 'env>) -> Self {
        Others { scope, handles: Vec::new(), running: Arc::default(), refused: false }
    }

    /// Starts one more that does `work`, in the scope of this one's interrupt. If the system refuses it, or has
    /// refused one before, there are no more than there are.
    pub(crate) fn start(&mut self, work: impl FnOnce() -> T + Send + 'scope) {
        if self.refused {
            return;
        }
        self.running.fetch_add(1, Ordering::SeqCst);
        let ended = Ended { running: self.running.clone(), leader: thread::current() };
        let shared = Shared::current();
        let run = move || {
            // Also if it panics: nobody must wait for it for ever.
            let _ended = ended;
            shared.enter(work)
        };
        // A thread that is not started drops `run`, and with it `ended`.
        let started = thread::Builder::new().spawn_scoped(self.scope, run);
        self.refused = started.is_err();
        self.handles.extend(started);
    }

    /// Starts so many that do the same.
    pub(crate) fn start_all(
        &mut self,
        count: usize,
        work: impl FnOnce() -> T + Copy + Send + 'scope,
    ) {
        for _ in 0..count {
            if self.refused {
                break;
            }
            self.start(work);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether all have ended.
    pub(crate) fn are_finished(&self) -> bool {
        self.running.load(Ordering::SeqCst) == 0
    }

    /// Waits until all have ended, and gives what they made. If the call is interrupted meanwhile, an error:
    /// they end soon then. If one panics, so does this.
    pub(crate) fn join(self) -> Result<Vec<T>> {
        let mut going = Ok(());
        while !self.are_finished() {
            thread::park_timeout(interrupt::EVERY / 2);
            going = going.and_then(|()| interrupt::waited());
        }
        let join = |handle: ScopedJoinHandle<'_, T>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let made = self.handles.into_iter().map(join).collect();
        going.map(|()| made)
    }
}

/// Says that a thread has ended.
struct Ended {
    running: Arc<AtomicUsize>,
    leader: Thread,
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
        self.leader.unpark();
    }
}

/// Threads that start each other, as long as there is work: `work` is called on each of them, with a function
/// that it calls when it has found some.
pub(crate) struct Crew<W> {
    work: W,
    /// How many more may be started.
    left: AtomicUsize,
    running: AtomicUsize,
    leader: Thread,
    shared: Shared,
}

impl<W: Fn(&dyn Fn()) + Sync> Crew<W> {
    /// At most so many, none of which is started yet.
    pub(crate) fn new(threads: usize, work: W) -> Crew<W> {
        let (left, running) = (AtomicUsize::new(threads), AtomicUsize::new(0));
        Crew { work, left, running, leader: thread::current(), shared: Shared::current() }
    }

    /// Starts the first, or the next. An error if it is the first, and there is none.
    pub(crate) fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> Result<()> {
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_err() {
            return Ok(());
        }
        let one = One::new(self);
        let run = move || {
            // Also if it panics: nobody must wait for it for ever.
            let one = one;
            let more = || {
                // Without another this one does all.
                let _ = one.0.start(scope);
            };
            one.0.shared.clone().enter(|| (one.0.work)(&more));
        };
        // A thread that is not started drops `run`, and with it `one`.
        if thread::Builder::new().spawn_scoped(scope, run).is_err() {
            self.left.store(0, Ordering::SeqCst);
            return Err(no_thread());
        }
        Ok(())
    }

    /// Whether all have ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.running.load(Ordering::SeqCst) == 0
    }
}

/// One thread of a crew.
struct One<'c, W>(&'c Crew<W>);

impl<W> One<'_, W> {
    fn new(crew: &Crew<W>) -> One<'_, W> {
        crew.running.fetch_add(1, Ordering::SeqCst);
        One(crew)
    }
}

impl<W> Drop for One<'_, W> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.leader.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_crew_is_as_large_as_there_is_work() {
        for (jobs, threads) in [(0, 5), (1, 5), (3, usize::MAX), (20, 4)] {
            let (left, started) = (Mutex::new(jobs), AtomicUsize::new(0));
            let crew = Crew::new(threads, |more: &dyn Fn()| {
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
            });
            thread::scope(|scope| {
                crew.start(scope).unwrap();
                while !crew.is_finished() {
                    thread::park_timeout(Duration::from_millis(20));
                }
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
