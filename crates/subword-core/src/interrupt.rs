/*!
Work that its caller can interrupt.

A caller may want to stop the engine while it works, for example because the user pressed Ctrl-C. It runs the work in a
[`scope`], with a function `ask` that is called every 50 ms and returns an error when the work is to stop. Loops report
how many bytes they have processed ([`worked`]), and return the error that they get:

```text
scope(ask, || encode(text))
    for each batch of pieces      worked(bytes of the batch)?       a subtraction, as a rule
        after some kilobytes      the clock; has another thread been told to stop?
            after 50 ms           ask(); an error tells all threads of the call to stop
```

The scope belongs to the thread and is not an argument, so the inner loops need no parameter for it. Outside of a scope
`worked` does nothing. All threads of a call share its scope (`Shared`, see `parallel`), but only the thread that
entered it calls `ask`.

Invariants
* Once `ask` has returned an error, every later [`worked`] of every thread of the call returns
  [`Error::Stopped`]: no thread begins new work.
* A slow loop is interrupted as promptly as a fast one. The clock is read after one byte of work, then after two more,
  four more and so on, up to `MOST`. When a reading comes late, the step is one byte again: one match of a regular
  expression takes 100 ns in one text and 100 ms in another.
*/

use std::cell::{Cell, RefCell};
use std::cmp::Ordering as Order;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How often the caller's function is called.
pub(crate) const EVERY: Duration = Duration::from_millis(50);

/// The most work between two readings of the clock, in bytes.
const MOST: usize = 1 << 14;

/// A reading of the clock is late if it comes this long after the one before.
const LATE: Duration = Duration::from_millis(5);

thread_local! {
    /// How many bytes may be processed before the clock is read again.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The scope that this thread is in, if any.
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// The scope that a thread is in.
struct Current {
    /// Whether the work is to stop; shared by all threads of the call.
    stopped: Arc<AtomicBool>,
    /// The function of the caller; only on the thread that entered the scope.
    ask: Option<Rc<dyn Fn() -> Result<()>>>,
    /// When the function was called last.
    asked: Instant,
    /// When the thread read the clock last.
    looked: Instant,
    /// How many bytes are processed between two readings of the clock.
    step: usize,
}

impl Current {
    fn new(stopped: Arc<AtomicBool>, ask: Option<Rc<dyn Fn() -> Result<()>>>) -> Current {
        let now = Instant::now();
        Current { stopped, ask, asked: now, looked: now, step: 1 }
    }

    /// Runs `work` in this scope. Afterwards the thread is in the scope before it again, also after a panic.
    fn enter<R>(self, work: impl FnOnce() -> R) -> R {
        struct Before(Option<Current>);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
                LEFT.set(1);
            }
        }
        let _before = Before(CURRENT.replace(Some(self)));
        LEFT.set(1);
        work()
    }
}

/// Runs `work` in a new scope. `ask` is called every 50 ms or so, on this thread; once it returns an error, the work
/// ends soon, with [`Error::Stopped`].
pub fn scope<R>(ask: impl Fn() -> Result<()> + 'static, work: impl FnOnce() -> R) -> R {
    Current::new(Arc::default(), Some(Rc::new(ask))).enter(work)
}

/// Reports that about this many bytes were read or written since the last call. An error if the work is to end.
#[inline]
pub fn worked(bytes: usize) -> Result<()> {
    // Zero bytes count as one: a loop that processes no bytes may still be slow.
    let (bytes, left) = (bytes | 1, LEFT.get());
    if bytes < left {
        LEFT.set(left - bytes);
        return Ok(());
    }
    look()
}

/// The same for a thread that has waited instead of working: reads the clock in any case.
pub(crate) fn waited() -> Result<()> {
    look()
}

/// Reads the clock, looks whether the work was stopped, and calls the caller's function if it is time.
#[cold]
#[inline(never)]
fn look() -> Result<()> {
    let ask = CURRENT.with_borrow_mut(|current| {
        let Some(current) = current else {
            LEFT.set(usize::MAX);
            return Ok(None);
        };
        // `Acquire`: what the thread that set the flag wrote before must be seen after it.
        if current.stopped.load(Ordering::Acquire) {
            LEFT.set(0);
            return Err(Error::Stopped);
        }
        let now = Instant::now();
        let late = now.duration_since(current.looked) > LATE;
        current.step = if late { 1 } else { MOST.min(2 * current.step) };
        current.looked = now;
        LEFT.set(current.step);
        if now.duration_since(current.asked) < EVERY {
            return Ok(None);
        }
        current.asked = now;
        Ok(current.ask.clone())
    })?;
    let Some(ask) = ask else { return Ok(()) };
    // The function may call the engine itself, so nothing is borrowed while it runs.
    ask().inspect_err(|_| {
        CURRENT.with_borrow(|current| {
            current.iter().for_each(|current| current.stopped.store(true, Ordering::Relaxed));
        });
        LEFT.set(0);
    })
}

/// Runs `work` in a scope within the current one, with the same function of the caller. `work` gets a flag: setting it
/// stops all threads of this scope, for example because one of them has failed.
pub(crate) fn own<R>(work: impl FnOnce(&AtomicBool) -> R) -> R {
    let ask = CURRENT.with_borrow(|current| current.as_ref()?.ask.clone());
    let stopped = Arc::<AtomicBool>::default();
    Current::new(stopped.clone(), ask).enter(|| work(&stopped))
}

/// The most values that are sorted without an interruption.
const SORTED: usize = 1 << 20;

/// Sorts values in parts, so that it can be interrupted: a hundred million values take seconds.
pub(crate) fn sort_by<T>(values: &mut [T], compare: impl Fn(&T, &T) -> Order) -> Result<()> {
    let mut left = vec![values];
    while let Some(values) = left.pop() {
        worked(size_of_val(&*values))?;
        if values.len() <= SORTED || values.is_sorted_by(|a, b| compare(a, b).is_le()) {
            values.sort_unstable_by(&compare);
            continue;
        }
        let middle = values.len() / 2;
        let (before, _, after) = values.select_nth_unstable_by(middle, &compare);
        left.extend([before, after]);
    }
    Ok(())
}

/// The scope of a thread, to be entered by other threads that work for the same call.
#[derive(Debug, Clone)]
pub(crate) struct Shared(Option<Arc<AtomicBool>>);

impl Shared {
    /// The scope of this thread.
    pub(crate) fn current() -> Shared {
        Shared(CURRENT.with_borrow(|current| Some(current.as_ref()?.stopped.clone())))
    }

    /// Runs `work` on another thread, in the same scope.
    pub(crate) fn enter<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            Some(stopped) => Current::new(stopped, None).enter(work),
            None => work(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works until it is stopped, and says how often it was asked.
    fn work_until_stopped(after: usize, bytes: usize, pause: Duration) -> (usize, Duration) {
        let asked = Rc::new(Cell::new(0));
        let count = asked.clone();
        let ask = move || {
            count.set(count.get() + 1);
            if count.get() < after { Ok(()) } else { Err(Error::Stopped) }
        };
        let start = Instant::now();
        scope(ask, || {
            while worked(bytes).is_ok() {
                std::thread::sleep(pause);
            }
            assert_eq!(worked(0), Err(Error::Stopped), "nobody begins something new");
        });
        (asked.get(), start.elapsed())
    }

    #[test]
    fn slow_work_is_interrupted_as_soon_as_fast_work() {
        for (bytes, pause) in [(1, 0), (1000, 0), (0, 1), (1, 20), (1 << 20, 20)] {
            let (asked, took) = work_until_stopped(3, bytes, Duration::from_millis(pause));
            assert_eq!(asked, 3);
            assert!(took >= 3 * EVERY, "asked too often: {took:?}");
            assert!(took < 40 * EVERY, "asked too seldom: {took:?}, {bytes} bytes, {pause} ms");
        }
    }

    #[test]
    fn many_values_are_sorted_in_parts() {
        let mut values: Vec<u64> =
            (0..3 * SORTED as u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let mut expected = values.clone();
        expected.sort_unstable();
        sort_by(&mut values, u64::cmp).unwrap();
        assert!(values == expected);
        sort_by(&mut values, |a, b| b.cmp(a)).unwrap();
        expected.reverse();
        assert!(values == expected);
        let stopped = own(|stop| {
            stop.store(true, Ordering::Relaxed);
            sort_by(&mut values, u64::cmp)
        });
        assert_eq!(stopped, Err(Error::Stopped));
    }

    #[test]
    fn without_a_scope_nobody_stops() {
        assert_eq!(worked(usize::MAX), Ok(()));
        assert_eq!(waited(), Ok(()));
        scope(|| Err(Error::Stopped), || assert_eq!(worked(usize::MAX), Ok(()), "not yet 50 ms"));
        assert_eq!(worked(usize::MAX), Ok(()));
    }

    #[test]
    fn a_scope_within_another_leaves_it_as_it_was() {
        let outer = scope(
            || Err(Error::Stopped),
            || {
                std::thread::sleep(2 * EVERY);
                assert_eq!(scope(|| Ok(()), waited), Ok(()));
                let panics = || scope(|| Ok(()), || panic!("as it should"));
                assert!(std::panic::catch_unwind(panics).is_err());
                waited()
            },
        );
        assert_eq!(outer, Err(Error::Stopped));
    }
}
