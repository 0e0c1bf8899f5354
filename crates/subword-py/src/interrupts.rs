//! Python's signals, heard while the engine works.
//!
//! Python notes a signal when it comes, and raises its exception (Ctrl-C: `KeyboardInterrupt`) when somebody asks.
//! The engine asks every 50 ms (`subword_core::interrupt`), and the call that it ends raises what Python raised.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use subword_core::{Error, Result, interrupt};

use crate::errors;

/// What Python raised while the engine worked.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Calls Python. An exception is kept, and ends the work.
    pub(crate) fn call<R>(&self, call: impl FnOnce(Python<'_>) -> PyResult<R>) -> Result<R> {
        Python::attach(call).map_err(|error| {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Stopped
        })
    }

    /// What came of the work, or what Python raised, or the exception for the engine's error.
    fn finish<R>(self, py: Python<'_>, done: Result<R>) -> PyResult<R> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (done, raised) {
            (Ok(done), _) => Ok(done),
            (Err(Error::Stopped), Some(raised)) => Err(raised),
            (Err(error), _) => Err(errors::raise(py, error)),
        }
    }
}

/// Runs without the GIL, hears signals, and raises what went wrong.
pub(crate) fn detached<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Raised) -> Result<R> + Send,
) -> PyResult<R> {
    let raised = Raised::default();
    let done = py.detach(|| hearing(&raised, || work(&raised)));
    raised.finish(py, done)
}

/// The same for work that needs the GIL at times, and so is called with it.
pub(crate) fn attached<R>(py: Python<'_>, work: impl FnOnce(&Raised) -> Result<R>) -> PyResult<R> {
    let raised = Raised::default();
    let done = hearing(&raised, || work(&raised));
    raised.finish(py, done)
}

/// Pauses of a loop over Python's objects, in which signals are heard and other threads of Python run.
pub(crate) struct Pauses {
    since: Instant,
    items: usize,
}

impl Pauses {
    /// How many items lie between two looks at the clock.
    const ITEMS: usize = 1 << 10;

    /// How much time lies between two pauses. It has to be longer than the 5 ms that a thread of Python
    /// waits before it asks for the GIL: every release in between starts its wait anew, and a loop that
    /// released the GIL more often would take it back each time and let nobody else run for seconds.
    const EVERY: Duration = Duration::from_millis(20);

    pub(crate) fn new() -> Pauses {
        Pauses { since: Instant::now(), items: 0 }
    }

    /// Called for each item.
    #[inline]
    pub(crate) fn item(&mut self, py: Python<'_>) -> PyResult<()> {
        self.items += 1;
        if self.items.is_multiple_of(Pauses::ITEMS) && self.since.elapsed() >= Pauses::EVERY {
            py.detach(|| ());
            self.since = Instant::now();
            py.check_signals()?;
        }
        Ok(())
    }
}

fn hearing<R>(raised: &Raised, work: impl FnOnce() -> R) -> R {
    let raised = raised.clone();
    interrupt::scope(move || raised.call(|py| py.check_signals()), work)
}
