/*!
The threads of a run: workers encode, one thread writes, and the calling thread watches.

```text
worker   start -> next block of the sources -> its ids -> put into the reorder buffer    repeat
writer   take from the reorder buffer -> shards, commits                                 repeat
caller   every 20 ms: report progress, check for an interrupt
```

The first error in the order of the corpus ends the run. The commit in flight is waited for, so its work
is not lost; what was written since is cut off when the run is resumed.
*/

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::encode_block::{BlockEncoder, EncodedBlock};
use super::read::{Source, SourceReader};
use super::record::{Recorder, Resume, SourcePosition};
use super::shards::ShardWriter;
use super::{TokenFileSettings, Totals};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::parallel::{self, AtEnd, Others, Reorder, locked, no_thread};
use crate::tokenizer::{DocumentEncoder, Tokenizer};

/// How many blocks per thread may wait for the writer.
const AHEAD: usize = 8;

/// What the threads share.
struct Pipeline<'s> {
    settings: &'s TokenFileSettings,
    encoder: DocumentEncoder<'s>,
    reader: Mutex<SourceReader>,
    reorder: Reorder<Result<EncodedBlock>>,
    /// Ends the work of all threads: see `interrupt`.
    stop: &'s AtomicBool,
    /// Whether the writer has its result. INVARIANT: it is set before the writer sets `stop`.
    written: AtomicBool,
    /// How far the writer is.
    progress: Mutex<Totals>,
    /// Buffers of blocks that were written, to be used again.
    spare: Mutex<Vec<Vec<u8>>>,
}

/// Encodes sources to files, from where `resume` says. `recorder` keeps a record of every commit. `watch` is
/// called every few milliseconds with how far the run is. An error that one of them returns ends the run.
pub fn encode_files(
    tokenizer: &Tokenizer,
    sources: Vec<Source>,
    settings: &TokenFileSettings,
    resume: &Resume,
    recorder: Recorder,
    watch: impl FnMut(Totals) -> Result<()>,
) -> Result<Totals> {
    interrupt::own(|stop| run(tokenizer, sources, settings, resume, recorder, stop, watch))
}

fn run(
    tokenizer: &Tokenizer,
    sources: Vec<Source>,
    settings: &TokenFileSettings,
    resume: &Resume,
    recorder: Recorder,
    stop: &AtomicBool,
    mut watch: impl FnMut(Totals) -> Result<()>,
) -> Result<Totals> {
    let threads = parallel::allowed(settings.threads);
    let end = SourcePosition { source: sources.len(), ..SourcePosition::default() };
    let shared = Pipeline {
        settings,
        encoder: tokenizer.document_encoder(&settings.allowed, settings.split.separator())?,
        reader: Mutex::new(SourceReader::new(sources, resume.place, settings.max_document)),
        reorder: Reorder::new(AHEAD * threads),
        stop,
        written: AtomicBool::new(false),
        progress: Mutex::new(resume.totals),
        spare: Mutex::default(),
    };
    let check = &mut || watch(resume.totals);
    let writer = ShardWriter::new(settings, resume, recorder, shared.stop, check)?;
    let (writing, workers) = (Others::new(1), Others::new(threads));
    let encode = |more: &dyn Fn()| shared.encode(more);
    parallel::scope(|scope| {
        let _stop = AtEnd::always(|| shared.stop_all());
        let write = || {
            let _stop = AtEnd::always(|| shared.stop_all());
            let written = shared.write(writer, end);
            shared.written.store(true, Ordering::SeqCst);
            written
        };
        if !writing.start(scope, write) {
            return Err(no_thread());
        }
        workers.start_chain(scope, &encode)?;
        while !writing.are_finished() {
            watch(shared.totals())?;
            // The writer stops the others by the flag that an interrupt sets too: then its result counts.
            if let Err(error) = interrupt::waited()
                && !shared.written.load(Ordering::SeqCst)
            {
                return Err(error);
            }
            parallel::rest();
        }
        let written = writing.join()?.pop().ok_or_else(no_thread)?;
        watch(shared.totals())?;
        written
    })
}

impl Pipeline<'_> {
    /// How far the writer is.
    fn totals(&self) -> Totals {
        *locked(&self.progress)
    }

    /// Stops all threads, so that nobody waits for one that has ended.
    fn stop_all(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.reorder.stop();
    }

    /// The loop of a worker. It calls `more` once it has found work, so that another worker is started.
    fn encode(&self, more: &dyn Fn()) {
        let _stop = AtEnd::on_panic(|| self.stop_all());
        let mut documents = BlockEncoder::new(self.settings, &self.encoder);
        let (mut bytes, mut begun) = (Vec::new(), false);
        while self.reorder.begin() {
            let mut reader = locked(&self.reader);
            let block = match reader.next(std::mem::take(&mut bytes), &self.encoder) {
                Ok(Some(block)) => block,
                Ok(None) => return self.reorder.end(reader.number()),
                Err(error) => {
                    let number = reader.number();
                    reader.give_up();
                    self.reorder.put(number, Err(error));
                    return;
                }
            };
            drop(reader);
            if !std::mem::replace(&mut begun, true) {
                more();
            }
            let spare = locked(&self.spare).pop();
            let part = documents.encode_block(&block, spare.unwrap_or_default());
            if self.stop.load(Ordering::Relaxed) {
                return; // The block may lack ids.
            }
            let failed = part.is_err();
            self.reorder.put(block.number, part);
            if failed {
                return;
            }
            bytes = block.bytes;
        }
    }

    /// The loop of the writer.
    fn write(&self, mut writer: ShardWriter, end: SourcePosition) -> Result<Totals> {
        let mut written = Ok(());
        while written.is_ok()
            && let Some(part) = self.reorder.take()
        {
            written = part.and_then(|part| {
                let written = writer.write_block(&part);
                locked(&self.spare).push(part.bytes);
                *locked(&self.progress) = writer.totals();
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
