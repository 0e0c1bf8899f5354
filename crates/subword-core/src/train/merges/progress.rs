//! Tells the caller from time to time how far the training is, and hears an interrupt.
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::interrupt;
/// How often the clock is read, in places.
const WATCH_EVERY: usize = 1 << 15;

/// How often `watch` is called.
const WATCH_TIME: Duration = Duration::from_millis(40);

/// Whoever watches, and how far the training is.
pub(super) struct TrainingProgress<'a> {
    call: &'a mut dyn FnMut(usize) -> Result<()>,
    called: Instant,
    work: usize,
    pub(super) merges: usize,
}

impl<'a> TrainingProgress<'a> {
    pub(super) fn new(call: &'a mut dyn FnMut(usize) -> Result<()>) -> TrainingProgress<'a> {
        TrainingProgress { call, called: Instant::now(), work: 0, merges: 0 }
    }

    /// Says that so many places were read.
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

    /// Says that there are so many merges, and will be no more.
    pub(super) fn ended(&mut self, merges: usize) -> Result<()> {
        (self.call)(merges)
    }
}
