/*!
The threads of a run: some encode, one writes, the one that called watches.
*/

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::encode_block::{BlockEncoder, EncodedBlock};
use super::manifest::{Resume, SourcePosition};
use super::read::{Source, SourceReader};
use super::reorder::{ReorderBuffer, TICK};
use super::shards::ShardWriter;
use super::{TokenFileSettings, Totals};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::parallel::{self, Crew, Others, no_thread};
use crate::tokenizer::{DocumentEncoder, Tokenizer};

/// How many blocks a thread may be ahead of the writer.
const AHEAD: usize = 8;

/// What the threads share.
struct Pipeline<'s> {
    settings: &'s TokenFileSettings,
    encoder: DocumentEncoder<'s>,
    reader: Mutex<SourceReader>,
    turns: ReorderBuffer<Result<EncodedBlock>>,
    /// Ends the work of all threads: see `interrupt`.
    stop: &'s AtomicBool,
    progress: RunProgress,
    /// Memory to be used again.
    spare: Mutex<Vec<Vec<u8>>>,
}

#[derive(Default)]
struct RunProgress {
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
    settings: &TokenFileSettings,
    resume: &Resume,
    watch: impl FnMut(Totals) -> Result<()>,
) -> Result<Totals> {
    interrupt::own(|stop| run(tokenizer, sources, settings, resume, stop, watch))
}

fn run(
    tokenizer: &Tokenizer,
    sources: Vec<Source>,
    settings: &TokenFileSettings,
    resume: &Resume,
    stop: &AtomicBool,
    mut watch: impl FnMut(Totals) -> Result<()>,
) -> Result<Totals> {
    let threads = parallel::allowed(settings.threads);
    let end = SourcePosition { source: sources.len(), ..SourcePosition::default() };
    let shared = Pipeline {
        settings,
        encoder: tokenizer.document_encoder(&settings.allowed, settings.split.separator())?,
        reader: Mutex::new(SourceReader::new(sources, resume.place, settings.max_document)),
        turns: ReorderBuffer::new(AHEAD * threads),
        stop,
        progress: RunProgress::default(),
        spare: Mutex::default(),
    };
    shared.progress.set(resume.totals);
    let check = &mut || watch(resume.totals);
    let writer = ShardWriter::new(settings, resume, shared.stop, check)?;
    let crew = Crew::new(threads, |more: &dyn Fn()| shared.encode(more));
    thread::scope(|scope| {
        let _stop = StopPipeline { pipeline: &shared, only_on_panic: false };
        let write = || {
            let _stop = StopPipeline { pipeline: &shared, only_on_panic: false };
            shared.write(writer, end)
        };
        let mut writing = Others::new(scope);
        writing.start(write);
        if writing.len() == 0 {
            return Err(no_thread());
        }
        crew.start(scope)?;
        while !writing.are_finished() {
            watch(shared.progress.totals())?;
            interrupt::waited()?;
            thread::park_timeout(TICK);
        }
        let written = writing.join()?.pop().ok_or_else(no_thread)?;
        watch(shared.progress.totals())?;
        written
    })
}

impl Pipeline<'_> {
    /// What a thread that encodes does; it asks for one `more` when there is work.
    fn encode(&self, more: &dyn Fn()) {
        let _stop = StopPipeline { pipeline: self, only_on_panic: true };
        let mut documents = BlockEncoder::new(self.settings, &self.encoder);
        let (mut bytes, mut begun) = (Vec::new(), false);
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
            if !std::mem::replace(&mut begun, true) {
                more();
            }
            let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let part = documents.part(&block, spare.unwrap_or_default());
            if self.stop.load(Ordering::Relaxed) {
                return; // it may lack ids
            }
            let failed = part.is_err();
            self.turns.put(block.number, part);
            if failed {
                return;
            }
            bytes = block.bytes;
        }
    }

    /// What the thread that writes does.
    fn write(&self, mut writer: ShardWriter, end: SourcePosition) -> Result<Totals> {
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

impl RunProgress {
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

/// Stops all threads of a pipeline when it is dropped: always, or only if its thread panics, so that
/// nobody waits for it.
struct StopPipeline<'a, 's> {
    pipeline: &'a Pipeline<'s>,
    only_on_panic: bool,
}

impl Drop for StopPipeline<'_, '_> {
    fn drop(&mut self) {
        if !self.only_on_panic || thread::panicking() {
            self.pipeline.stop.store(true, Ordering::SeqCst);
            self.pipeline.turns.stop();
        }
    }
}
