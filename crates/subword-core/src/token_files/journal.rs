/*!
The journal: what makes written work last, in an order that survives a crash at any point.

```text
fsync the files           their bytes are on the disk
fsync their folder        their names are, if they are new
hand over the record      the caller keeps it: the manifest says so
rename, fsync             complete files have their final names
```

This may take long on a slow disk, so a thread of its own does it while the next shard is being written,
one commit at a time. Nobody needs to wait for that thread: an interrupted run takes the recorder away
from it, and the thread ends when the disk is done.
*/

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use super::partial::PartialFile;
use super::record::{CommitRecord, Recorder};
use crate::atomic::{directory_of, sync_directory};
use crate::error::{Error, InFile, Result};
use crate::parallel::{self, TICK, locked};

/// What is to be synced, recorded, renamed and removed, in this order.
#[derive(Debug, Default)]
pub(super) struct Commit {
    /// Whether some of the files were created since the commit before.
    pub(super) names_are_new: bool,
    /// The files to sync, with their paths.
    files: Vec<(Arc<File>, PathBuf)>,
    /// Old and new names.
    renames: Vec<(PathBuf, PathBuf)>,
    /// Files that are not needed any more.
    removals: Vec<PathBuf>,
    /// What the caller is told.
    pub(super) record: CommitRecord,
}

impl Commit {
    /// Syncs a file.
    pub(super) fn sync(&mut self, file: &PartialFile) {
        self.files.push((file.file.clone(), file.partial.clone()));
    }

    /// Syncs a complete file and gives it its final name.
    pub(super) fn finish(&mut self, file: &PartialFile) {
        self.sync(file);
        self.renames.push((file.partial.clone(), file.target.clone()));
    }

    /// Removes a file that is not needed any more.
    pub(super) fn remove(&mut self, file: &PartialFile) {
        self.removals.push(file.partial.clone());
    }
}

/// The thread that makes commits, one after the other.
pub(super) struct Syncer {
    commits: SyncSender<Commit>,
    results: Receiver<Result<()>>,
    busy: bool,
    recorder: Arc<Mutex<Option<Recorder>>>,
}

impl Syncer {
    /// Starts the thread; `out` is for its error.
    pub(super) fn new(recorder: Recorder, out: &Path) -> Result<Syncer> {
        let recorder = Arc::new(Mutex::new(Some(recorder)));
        let (commits, queue) = sync_channel::<Commit>(1);
        let (done, results) = sync_channel(1);
        let shared = recorder.clone();
        let work = move || {
            for commit in queue {
                if done.send(run(commit, &shared)).is_err() {
                    return;
                }
            }
        };
        parallel::start_unattended(work).in_file(out)?;
        Ok(Syncer { commits, results, busy: false, recorder })
    }

    /// Starts a commit once the one before is done.
    pub(super) fn commit(&mut self, commit: Commit, stop: &AtomicBool) -> Result<()> {
        self.wait(stop)?;
        self.commits.send(commit).map_err(|_| Error::Stopped)?;
        self.busy = true;
        Ok(())
    }

    /// Waits for the commit in flight.
    pub(super) fn wait(&mut self, stop: &AtomicBool) -> Result<()> {
        while self.busy {
            match self.results.recv_timeout(TICK) {
                Ok(result) => {
                    self.busy = false;
                    result?;
                }
                Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
                Err(_) => return Err(Error::Stopped),
            }
        }
        Ok(())
    }
}

impl Drop for Syncer {
    /// A commit in flight that is not recorded yet never will be.
    fn drop(&mut self) {
        *locked(&self.recorder) = None;
    }
}

fn run(commit: Commit, recorder: &Mutex<Option<Recorder>>) -> Result<()> {
    for (file, path) in &commit.files {
        file.sync_all().in_file(path)?;
    }
    if commit.names_are_new
        && let Some((_, path)) = commit.files.first()
    {
        sync_directory(directory_of(path)).in_file(path)?;
    }
    let mut recorder = locked(recorder);
    let Some(record) = recorder.as_mut() else { return Err(Error::Stopped) };
    record(commit.record)?;
    for (from, to) in &commit.renames {
        fs::rename(from, to).in_file(to)?;
    }
    for path in &commit.removals {
        fs::remove_file(path).in_file(path)?;
    }
    match commit.renames.first() {
        Some((_, to)) => sync_directory(directory_of(to)).in_file(to),
        None => Ok(()),
    }
}
