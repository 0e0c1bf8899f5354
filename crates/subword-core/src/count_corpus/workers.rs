/*!
The worker threads of a count and what they share: the stages, the progress, and the first error.
*/

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::CountSettings;
use super::feeder::TextBlock;
use super::pieces::{PieceCounter, Stages};
use crate::corpus::{CorpusBlock, FileKind, lines};
use crate::counts::{Counts, Gatherer};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::parallel::{self, AtEnd, Jobs, Others, locked};

/// A part of the corpus, for one worker.
pub(super) enum CountJob {
    /// A block of a file.
    Block(CorpusBlock),
    /// Texts of the caller.
    Texts(TextBlock),
}

/// What the threads share.
pub(super) struct CountWork<'s> {
    pub(super) stages: Stages,
    settings: &'s CountSettings,
    gatherer: Gatherer,
    /// How many bytes were counted.
    done: AtomicU64,
    /// Ends the work of all threads: see `interrupt`.
    stop: &'s AtomicBool,
    /// Whether a worker has failed.
    failed: AtomicBool,
    /// The error that comes first in the corpus, with the number of its block.
    error: Mutex<Option<(usize, Error)>>,
}

impl<'s> CountWork<'s> {
    pub(super) fn new(
        counts: &'s Counts,
        settings: &'s CountSettings,
        threads: usize,
        stop: &'s AtomicBool,
    ) -> Result<CountWork<'s>> {
        Ok(CountWork {
            stages: Stages::new(counts.normalizer(), counts.pattern(), counts.special_tokens())?,
            settings,
            gatherer: Gatherer::new(counts, settings.memory_limit, threads),
            done: AtomicU64::new(0),
            stop,
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
        })
    }

    /// Whether no more blocks are to be counted. After a failure, the blocks that are being counted are
    /// finished, because one of them may hold an error that comes first; after an interrupt they are not.
    pub(super) fn is_stopped(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed)
    }

    /// How many bytes were counted.
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Counts what `next` returns on at most `threads` threads, while `lead` runs on this one. The argument of
    /// `lead` tells whether they have finished.
    pub(super) fn run(
        &self,
        threads: usize,
        next: impl Fn(Vec<u8>) -> Result<Option<CountJob>> + Sync,
        lead: impl FnOnce(&dyn Fn() -> bool) -> Result<()>,
    ) -> Result<()> {
        let workers = Others::new(threads);
        let work = |more: &dyn Fn()| self.work(&next, more);
        let led = parallel::scope(|scope| {
            // The scope can only end when the workers do.
            let _stop = AtEnd::on_panic(|| self.stop.store(true, Ordering::SeqCst));
            let led = workers.start_chain(scope, &work);
            let led = led.and_then(|()| lead(&|| workers.are_finished()));
            if led.is_err() && !self.failed.load(Ordering::SeqCst) {
                self.stop.store(true, Ordering::SeqCst);
            }
            led
        });
        let failed = locked(&self.error).take();
        match (led, failed) {
            (Err(error), None) => Err(error),
            // The leader stopped because of the worker's error.
            (Err(error), Some(_)) if error != Error::Stopped => Err(error),
            (_, Some((_, error))) => Err(error),
            (Ok(()), None) => Ok(()),
        }
    }

    /// Waits for the workers, and reports their progress to `watch`.
    pub(super) fn watch(
        &self,
        finished: &dyn Fn() -> bool,
        watch: &mut impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        while !finished() {
            watch(self.done())?;
            interrupt::waited()?;
            parallel::rest();
        }
        watch(self.done())
    }

    /// The loop of a worker. It calls `more` once it has found work, so that another worker is started.
    fn work(&self, next: &(impl Fn(Vec<u8>) -> Result<Option<CountJob>> + Sync), more: &dyn Fn()) {
        let mut counter = PieceCounter::new(&self.stages, self.gatherer.spill());
        let (mut bytes, mut begun) = (Vec::new(), false);
        while !self.is_stopped() {
            let job = match next(std::mem::take(&mut bytes)) {
                Ok(Some(job)) => job,
                Ok(None) => break,
                // It comes after all blocks that were read.
                Err(error) => return self.fail(usize::MAX, error),
            };
            if !std::mem::replace(&mut begun, true) {
                more();
            }
            let (number, counted) = match &job {
                CountJob::Block(block) => {
                    let counted = self.count_block(block, &mut counter);
                    (block.number, counted.map_err(|error| error.at(&block.path)))
                }
                CountJob::Texts(texts) => (texts.number, self.count_texts(texts, &mut counter)),
            };
            if let Err(error) = counted {
                return self.fail(number, error);
            }
            bytes = match job {
                CountJob::Block(block) => {
                    self.done.fetch_add(block.read, Ordering::Relaxed);
                    block.bytes
                }
                CountJob::Texts(texts) => {
                    self.done.fetch_add(texts.bytes.len() as u64, Ordering::Relaxed);
                    texts.bytes
                }
            };
        }
        counter.finish();
    }

    fn fail(&self, number: usize, error: Error) {
        let mut first = locked(&self.error);
        if first.as_ref().is_none_or(|(other, _)| number < *other) {
            *first = Some((number, error));
        }
        self.failed.store(true, Ordering::SeqCst);
    }

    fn count_block(&self, block: &CorpusBlock, counter: &mut PieceCounter) -> Result<()> {
        let place = || block.path.display().to_string();
        let text = self.checked(&block.bytes, place, block.start)?;
        match block.kind {
            FileKind::Text => counter.text(&text),
            FileKind::Lines => {
                let (field, line) = (&self.settings.field, block.line);
                lines::for_each_text(&text, line, field, |text| counter.text(text.as_bytes()))
            }
        }
    }

    fn count_texts(&self, texts: &TextBlock, counter: &mut PieceCounter) -> Result<()> {
        let (mut start, mut offset) = (0, texts.offset);
        for (at, &end) in texts.ends.iter().enumerate() {
            let place = || format!("text {}", texts.first + at);
            let text = self.checked(&texts.bytes[start..end], place, offset)?;
            counter.text(&text)?;
            (start, offset) = (end, 0);
        }
        Ok(())
    }

    /// The text as UTF-8, with U+FFFD for what is not if the settings say so.
    fn checked<'t>(
        &self,
        text: &'t [u8],
        place: impl FnOnce() -> String,
        start: u64,
    ) -> Result<Cow<'t, [u8]>> {
        let decoded = self.settings.errors.decode(text);
        decoded.map_err(|at| Error::NotUtf8 { place: place(), position: start + at as u64 })
    }

    /// The sum of what all workers counted.
    pub(super) fn finish(self, threads: usize) -> Result<Counts> {
        self.gatherer.finish(|jobs, useful, run| {
            let work = |jobs: &Jobs| {
                while let Some(job) = jobs.next() {
                    run(job)?;
                }
                Ok(())
            };
            parallel::run(jobs, threads.min(useful), work)?.into_iter().collect()
        })
    }
}
