/*!
Calls the watcher of a training from time to time, and checks for an interrupt.
*/

use std::time::{Duration, Instant};

use crate::error::Result;
use crate::interrupt;

/// After how many places the clock is read.
const WATCH_EVERY: usize = 1 << 15;

/// The least time between two calls of the watcher.
const WATCH_TIME: Duration = Duration::from_millis(40);

/// The watcher and how far the training is.
pub(super) struct TrainingProgress<'a> {
    call: &'a mut dyn FnMut(usize) -> Result<()>,
    called: Instant,
    work: usize,
    /// How many merges there are.
    pub(super) merges: usize,
}

impl<'a> TrainingProgress<'a> {
    pub(super) fn new(call: &'a mut dyn FnMut(usize) -> Result<()>) -> TrainingProgress<'a> {
        TrainingProgress { call, called: Instant::now(), work: 0, merges: 0 }
    }

    /// Says that `places` places were read.
    #[inline]
    pub(super) fn worked(&mut self, places: usize) -> Result<()> {
        interrupt::worked(places)?;
        self.work += places;
        if self.work < WATCH_EVERY {
            return Ok(());
        }
        self.work = 0;
        let now = Instant::now();
        if now.duration_since(self.called) < WATCH_TIME {
            return Ok(());
        }
        self.called = now;
        (self.call)(self.merges)
    }

    /// Says that the training has ended with `merges` merges.
    pub(super) fn ended(&mut self, merges: usize) -> Result<()> {
        (self.call)(merges)
    }
}
