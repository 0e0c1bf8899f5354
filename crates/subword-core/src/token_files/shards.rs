/*!
Encoded blocks, in order, to shards: which ids belong to which document, when a shard is full, when to
commit.

```text
for each document that ends in the block
    it is bad: an error, or it is left out, and what is written of it already is rolled back
    the shard is full: it ends here
    enough was written since the last commit: commit
what is left starts or continues a document
```

A commit within a document lets a run resume within a huge one. It cannot be rolled back, so there is
none where bad documents are left out, nor in Parquet files, whose row groups have whole rows. A document
that is longer than two shards goes on in the next one.
*/

use std::sync::atomic::AtomicBool;

use super::encode_block::{BlockTail, EncodedBlock};
use super::journal::{Commit, Syncer};
use super::output::{OutputFiles, OutputMark};
use super::partial::CancelCheck;
use super::record::{CommitRecord, Recorder, Resume, Skipped, SourcePosition};
use super::{OnError, TokenFileFormat, TokenFileSettings, Totals};
use crate::error::{Error, Result};

/// Writes encoded blocks.
pub(super) struct ShardWriter<'s> {
    settings: &'s TokenFileSettings,
    stop: &'s AtomicBool,
    output: OutputFiles<'s>,
    syncer: Syncer,
    totals: Totals,
    /// How many of the next documents the run that is resumed has written.
    before: usize,
    /// Whether the last document goes on in the next block.
    open: bool,
    /// Whether that document is to be left out.
    leaving: bool,
    /// The state before that document started, if it can be rolled back.
    started: Option<(OutputMark, Totals)>,
    /// How many bytes were written since the last commit.
    since: u64,
    /// The documents that were left out since the last commit.
    bad: Vec<Skipped>,
}

/// The ids of a block that are not written yet: `from..to`, and the ends of documents among them.
#[derive(Default)]
struct PendingIds {
    from: usize,
    to: usize,
    ends: Vec<usize>,
}

/// What is complete with a commit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Committed {
    /// A part of the files that are being written.
    Part,
    /// A shard.
    Shard,
    /// The last file, and with it the run.
    Run,
}

impl<'s> ShardWriter<'s> {
    /// Starts where `resume` says. `check` is called while existing files are verified.
    pub(super) fn new(
        settings: &'s TokenFileSettings,
        resume: &Resume,
        recorder: Recorder,
        stop: &'s AtomicBool,
        check: &mut CancelCheck,
    ) -> Result<ShardWriter<'s>> {
        let syncer = Syncer::new(recorder, &settings.out)?;
        Ok(ShardWriter {
            settings,
            stop,
            output: OutputFiles::new(settings, resume, check)?,
            syncer,
            totals: resume.totals,
            before: resume.place.documents,
            open: resume.place.open,
            leaving: false,
            started: None,
            since: 0,
            bad: Vec::new(),
        })
    }

    /// How far the run is.
    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes a block.
    pub(super) fn write_block(&mut self, part: &EncodedBlock) -> Result<()> {
        let mut bad = part.bad.iter().peekable();
        let goes_on = usize::from(self.open && self.settings.prepend.is_some());
        let mut waiting = PendingIds { from: goes_on, to: goes_on, ends: Vec::new() };
        // A block may have fewer: an older version read more rows of a table at a time.
        let before = self.before.min(part.ends.len());
        self.before -= before;
        for (number, &end) in part.ends.iter().enumerate() {
            let error = bad.next_if(|(which, _)| *which == number).map(|(_, error)| error);
            let was_open = std::mem::take(&mut self.open);
            let was_left = std::mem::take(&mut self.leaving);
            if part.tail == BlockTail::Ended && !was_open || number < before {
                waiting = PendingIds { from: end, to: end, ends: Vec::new() };
            } else if was_left || error.is_some() {
                self.flush(part, &mut waiting)?;
                if !was_left {
                    self.leave(was_open, error)?;
                }
                waiting = PendingIds { from: end, to: end, ends: Vec::new() };
            } else {
                waiting.to = end;
                waiting.ends.push(end);
                self.document_ended(part, &mut waiting, number)?;
            }
        }
        self.tail(part, waiting, bad.next().map(|(_, error)| error))?;
        self.totals.read += part.read;
        if self.open
            && self.settings.on_error == OnError::Stop
            && self.settings.format != TokenFileFormat::Parquet
        {
            let next = SourcePosition { open: true, ..part.next };
            if self.settings.format == TokenFileFormat::Shards
                && self.output.bytes() >= self.settings.shard_bytes.saturating_mul(2)
            {
                self.commit(next, Committed::Shard)?;
            } else if self.since >= self.settings.commit_bytes() {
                self.commit(next, Committed::Part)?;
            }
        }
        Ok(())
    }

    /// Handles what comes after the last end of a block.
    fn tail(
        &mut self,
        part: &EncodedBlock,
        mut waiting: PendingIds,
        error: Option<&Error>,
    ) -> Result<()> {
        if part.tail != BlockTail::Open {
            return self.flush(part, &mut waiting);
        }
        let was_open = std::mem::replace(&mut self.open, true);
        if !was_open && self.settings.on_error == OnError::Skip {
            self.flush(part, &mut waiting)?;
            self.started = Some((self.output.mark()?, self.totals));
        }
        if self.leaving {
            return Ok(());
        }
        if error.is_some() {
            self.flush(part, &mut waiting)?;
            self.leaving = true;
            return self.leave(was_open, error);
        }
        waiting.to = part.bytes.len() / self.settings.width.bytes();
        self.flush(part, &mut waiting)
    }

    /// A document ends with the pending ids: starts a new shard or commits, if it is time.
    fn document_ended(
        &mut self,
        part: &EncodedBlock,
        waiting: &mut PendingIds,
        number: usize,
    ) -> Result<()> {
        let width = self.settings.width.bytes();
        let more = ((waiting.to - waiting.from) * width) as u64;
        let full = self.settings.format == TokenFileFormat::Shards
            && self.output.bytes() + more >= self.settings.shard_bytes;
        if full || self.since + more >= self.settings.commit_bytes() {
            self.flush(part, waiting)?;
            let place = SourcePosition { documents: number + 1, ..part.here };
            self.commit(place, if full { Committed::Shard } else { Committed::Part })?;
        }
        Ok(())
    }

    /// Leaves a document out; rolls back what is written of it if it started in a block before.
    fn leave(&mut self, was_open: bool, error: Option<&Error>) -> Result<()> {
        let Some(error) = error.cloned() else { return Ok(()) };
        if self.settings.on_error == OnError::Stop {
            return Err(error);
        }
        if was_open {
            // A run that stops at bad documents may have committed a part of this one.
            let Some((mark, totals)) = self.started.take() else { return Err(error) };
            self.output.back_to(&mark)?;
            let (read, skipped) = (self.totals.read, self.totals.skipped);
            self.totals = Totals { read, skipped, ..totals };
        }
        self.totals.skipped += 1;
        self.bad.push(skipped(error));
        Ok(())
    }

    /// Writes the pending ids.
    fn flush(&mut self, part: &EncodedBlock, waiting: &mut PendingIds) -> Result<()> {
        let PendingIds { from, to, ends } = waiting;
        if from < to || !ends.is_empty() {
            let width = self.settings.width.bytes();
            let ids = &part.bytes[*from * width..*to * width];
            ends.iter_mut().for_each(|end| *end -= *from);
            self.output.write(ids, ends)?;
            self.totals.documents += ends.len() as u64;
            self.totals.tokens += (*to - *from) as u64;
            self.since += ids.len() as u64;
        }
        *waiting = PendingIds { from: *to, to: *to, ends: Vec::new() };
        Ok(())
    }

    /// Commits what is written; a resumed run reads from `place` on.
    fn commit(&mut self, place: SourcePosition, what: Committed) -> Result<()> {
        let (complete, mut commit) = (what == Committed::Run, Commit::default());
        let record =
            CommitRecord { totals: self.totals, place, complete, ..CommitRecord::default() };
        commit.record = record;
        if what == Committed::Part {
            commit.record.group = self.output.end_group()?;
            commit.record.files = self.output.states();
            self.output.sync(&mut commit);
        } else {
            let shards = self.settings.format == TokenFileFormat::Shards;
            if !(complete && shards && self.output.is_empty()) {
                commit.record.finished = self.output.complete()?;
            }
            self.output.close(&mut commit);
        }
        commit.record.skipped = std::mem::take(&mut self.bad);
        self.since = 0;
        self.syncer.commit(commit, self.stop)
    }

    /// Ends the last file and waits until everything is on the disk.
    pub(super) fn finish(mut self, place: SourcePosition) -> Result<Totals> {
        self.commit(place, Committed::Run)?;
        self.syncer.wait(self.stop)?;
        Ok(self.totals)
    }

    /// Waits for the commit in flight after an error, so that its work is not lost.
    pub(super) fn settle(&mut self) {
        // The error that led here is what the caller is told.
        let _ = self.syncer.wait(self.stop);
    }
}

/// What a record says about a document that is left out.
fn skipped(error: Error) -> Skipped {
    match error {
        Error::Corpus { place, message, .. } => Skipped { place, message },
        Error::NotUtf8 { place, position } => {
            Skipped { place, message: format!("not UTF-8 (byte {position})") }
        }
        other => Skipped { place: String::new(), message: other.to_string() },
    }
}
