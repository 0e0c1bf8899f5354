/*!
The threads of a run: some encode, one writes, the one that called watches.
*/

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::encode::{Documents, Part};
use super::read::{Reader, Source};
use super::record::{Place, Resume};
use super::turns::{TICK, Turns};
use super::write::Writer;
use super::{Settings, Totals};
use crate::error::{Error, Result};
use crate::tokenizer::{DocumentEncoder, Tokenizer};

/// How many blocks a thread may be ahead of the writer.
const AHEAD: usize = 8;

/// What the threads share.
struct Shared<'s> {
    settings: &'s Settings,
    encoder: DocumentEncoder<'s>,
    reader: Mutex<Reader>,
    turns: Turns<Result<Part>>,
    stop: AtomicBool,
    progress: Progress,
    /// Memory to be used again.
    spare: Mutex<Vec<Vec<u8>>>,
}

#[derive(Default)]
struct Progress {
    documents: AtomicU64,
    tokens: AtomicU64,
    read: AtomicU64,
    skipped: AtomicU64,
}

/// Encodes sources to files; goes on where a run has ended. `watch` is told how far it is, every few
/// milliseconds, and an error that it returns ends the run.
pub fn encode_files(
    tokenizer: &Tokenizer,
    sources: Vec<Source>,
    settings: &Settings,
    resume: &Resume,
    mut watch: impl FnMut(Totals) -> Result<()>,
) -> Result<Totals> {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = settings.threads.map_or_else(cores, NonZeroUsize::get);
    let end = Place { source: sources.len(), ..Place::default() };
    let shared = Shared {
        settings,
        encoder: tokenizer.document_encoder(&settings.allowed, settings.split.separator())?,
        reader: Mutex::new(Reader::new(sources, resume.place)),
        turns: Turns::new(AHEAD * threads),
        stop: AtomicBool::new(false),
        progress: Progress::default(),
        spare: Mutex::default(),
    };
    shared.progress.set(resume.totals);
    let writer = Writer::new(settings, resume, &shared.stop)?;
    let leader = thread::current();
    thread::scope(|scope| {
        let _stop = StopWhenLeft(&shared);
        let spawn =
            |_: &usize| thread::Builder::new().spawn_scoped(scope, || shared.encode()).is_ok();
        if (0..threads).filter(spawn).count() == 0 {
            return Err(Error::Argument { message: "no thread could be started".to_owned() });
        }
        let write = || {
            let _stop = StopWhenLeft(&shared);
            let written = shared.write(writer, end);
            leader.unpark();
            written
        };
        let writing = thread::Builder::new().spawn_scoped(scope, write).map_err(|error| {
            Error::Argument { message: format!("no thread could be started: {error}") }
        })?;
        while !writing.is_finished() {
            watch(shared.progress.totals())?;
            thread::park_timeout(TICK);
        }
        let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        watch(shared.progress.totals())?;
        written
    })
}

impl Shared<'_> {
    /// What a thread that encodes does.
    fn encode(&self) {
        let _stop = StopOnPanic(self);
        let mut documents = Documents::new(self.settings, &self.encoder, &self.stop);
        let mut bytes = Vec::new();
        while self.turns.start() {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            let block = match reader.next(std::mem::take(&mut bytes), &self.encoder) {
                Ok(Some(block)) => block,
                Ok(None) => return self.turns.end(reader.number()),
                Err(error) => {
                    let number = reader.number();
                    reader.give_up();
                    self.turns.put(number, Err(error));
                    return;
                }
            };
            drop(reader);
            let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let part = documents.part(&block, spare.unwrap_or_default());
            if self.stop.load(Ordering::Relaxed) {
                return; // it may lack ids
            }
            self.turns.put(block.number, Ok(part));
            bytes = block.bytes;
        }
    }

    /// What the thread that writes does.
    fn write(&self, mut writer: Writer, end: Place) -> Result<Totals> {
        let mut written = Ok(());
        while written.is_ok()
            && let Some(part) = self.turns.take()
        {
            written = part.and_then(|part| {
                let written = writer.part(&part);
                self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(part.bytes);
                self.progress.set(writer.totals());
                written
            });
        }
        if written.is_ok() && self.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        match written {
            Ok(()) => writer.finish(end),
            Err(error) => {
                writer.settle();
                Err(error)
            }
        }
    }
}

impl Progress {
    fn set(&self, totals: Totals) {
        self.documents.store(totals.documents, Ordering::Relaxed);
        self.tokens.store(totals.tokens, Ordering::Relaxed);
        self.read.store(totals.read, Ordering::Relaxed);
        self.skipped.store(totals.skipped, Ordering::Relaxed);
    }

    fn totals(&self) -> Totals {
        Totals {
            documents: self.documents.load(Ordering::Relaxed),
            tokens: self.tokens.load(Ordering::Relaxed),
            read: self.read.load(Ordering::Relaxed),
            skipped: self.skipped.load(Ordering::Relaxed),
        }
    }
}

/// Ends the work of all when it is dropped.
struct StopWhenLeft<'a, 's>(&'a Shared<'s>);

impl Drop for StopWhenLeft<'_, '_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::SeqCst);
        self.0.turns.stop();
    }
}

/// The same if a thread panics, so that nobody waits for it.
struct StopOnPanic<'a, 's>(&'a Shared<'s>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            drop(StopWhenLeft(self.0));
        }
    }
}
