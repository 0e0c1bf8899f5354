/*!
The journal: what makes written work last, in an order that survives a crash at any point.

```text
fsync the files           their bytes are on the disk
fsync their folder        their names are, if they are new
append a line, fsync      the manifest says so
rename, fsync             complete files have their final names
```

This may take long on a slow disk, so a thread of its own does it while the next shard is being written,
one commit at a time. Nobody needs to wait for that thread: an interrupted run takes the manifest away
from it, and the thread ends when the disk is done.
*/

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use super::partial::PartialFile;
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
    /// The line of the manifest.
    line: String,
}

impl Commit {
    pub(super) fn new(line: String) -> Commit {
        Commit { line, ..Commit::default() }
    }

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

/// The manifest, open and locked.
struct Journal {
    file: File,
    path: PathBuf,
}

/// The thread that makes commits, one after the other.
pub(super) struct Syncer {
    commits: SyncSender<Commit>,
    results: Receiver<Result<()>>,
    busy: bool,
    journal: Arc<Mutex<Option<Journal>>>,
}

impl Syncer {
    /// Appends to this manifest.
    pub(super) fn new(manifest: &Path) -> Result<Syncer> {
        let file = OpenOptions::new().append(true).open(manifest).in_file(manifest)?;
        // The caller holds the lock of the output; this one is for versions that knew no other lock.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = "another process is writing these files";
                return Err(Error::corpus(manifest.display(), message));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(manifest, &error)),
        }
        let journal = Arc::new(Mutex::new(Some(Journal { file, path: manifest.to_owned() })));
        let (commits, queue) = sync_channel::<Commit>(1);
        let (done, results) = sync_channel(1);
        let shared = journal.clone();
        let work = move || {
            for commit in queue {
                if done.send(run(&commit, &shared)).is_err() {
                    return;
                }
            }
        };
        parallel::start_unattended(work).in_file(manifest)?;
        Ok(Syncer { commits, results, busy: false, journal })
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
    /// A commit in flight that has not reached the manifest leaves no trace in it.
    fn drop(&mut self) {
        *locked(&self.journal) = None;
    }
}

fn run(commit: &Commit, journal: &Mutex<Option<Journal>>) -> Result<()> {
    for (file, path) in &commit.files {
        file.sync_all().in_file(path)?;
    }
    if commit.names_are_new
        && let Some((_, path)) = commit.files.first()
    {
        sync_directory(directory_of(path)).in_file(path)?;
    }
    let mut journal = locked(journal);
    let Some(journal) = journal.as_mut() else { return Err(Error::Stopped) };
    journal.append(&commit.line)?;
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

impl Journal {
    /// Appends a line. An incomplete one is cut off here, or else by the next reader.
    fn append(&mut self, line: &str) -> Result<()> {
        let before = self.file.metadata().map(|found| found.len());
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_all());
        if written.is_err()
            && let Ok(before) = before
        {
            // The first error is what the caller is told.
            let _ = self.file.set_len(before);
        }
        written.in_file(&self.path)
    }
}
