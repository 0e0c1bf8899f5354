/*!
A file that is being written: under another name, with its check sum so far.

A file that was left behind is taken up at a length that is known to be on the disk.
*/

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;

use super::record::Finished;
use crate::error::{Error, Result};

/// What the names of files that are not complete end with.
const PARTIAL: &str = ".partial";

/// A file that grows.
#[derive(Debug)]
pub(super) struct Growing {
    /// Shared with whoever syncs it.
    pub(super) file: Arc<File>,
    pub(super) partial: PathBuf,
    pub(super) target: PathBuf,
    len: u64,
    check: Hasher,
    /// How many bytes at the start are no part of the check sum, as they change at the end.
    head: u64,
}

/// A length to come back to.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    len: u64,
    check: Hasher,
}

/// The name of a file before it is complete.
pub(super) fn partial(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(PARTIAL);
    name.into()
}

impl Growing {
    /// A file that starts with `head`, and will be at `target`.
    pub(super) fn create(target: PathBuf, head: &[u8]) -> Result<Growing> {
        let partial = partial(&target);
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(true).open(&partial);
        let written = opened.and_then(|mut file| file.write_all(head).map(|()| file));
        let file = Arc::new(written.map_err(|error| Error::io(&partial, &error))?);
        let len = head.len() as u64;
        Ok(Growing { file, partial, target, len, check: Hasher::new(), head: len })
    }

    /// The file that was left behind, up to a length that it had; with a head of so many bytes.
    pub(super) fn resume(target: PathBuf, head: u64, len: u64, crc: u32) -> Result<Growing> {
        let partial = partial(&target);
        let opened = OpenOptions::new().read(true).write(true).open(&partial);
        let file = opened.map_err(|error| Error::io(&partial, &error))?;
        let found = file.metadata().map_err(|error| Error::io(&partial, &error))?.len();
        if found < len {
            return Err(Error::Corpus {
                place: partial.display().to_string(),
                message: format!("expected at least {len} bytes, found {found}"),
                hint: Some("pass overwrite=True to start again".to_owned()),
            });
        }
        let check = Hasher::new_with_initial_len(crc, len - head);
        let mut growing = Growing { file: Arc::new(file), partial, target, len, check, head };
        let mark = growing.mark();
        growing.back_to(&mark)?;
        Ok(growing)
    }

    /// Appends.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        (&*self.file).write_all(bytes).map_err(|error| self.io(&error))?;
        self.check.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Replaces what the file starts with, which is as long, and makes it part of the check sum.
    pub(super) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        let mut file = &*self.file;
        let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(head));
        let back = written.and_then(|()| file.seek(SeekFrom::Start(self.len)));
        back.map_err(|error| self.io(&error))?;
        let mut check = Hasher::new();
        check.update(head);
        check.combine(&self.check);
        (self.check, self.head) = (check, 0);
        Ok(())
    }

    /// How many bytes it has, the head not counted.
    pub(super) fn body(&self) -> u64 {
        self.len - self.head
    }

    /// Length and check sum, to be taken up again.
    pub(super) fn state(&self) -> (u64, u32) {
        (self.len, self.check.clone().finalize())
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { len: self.len, check: self.check.clone() }
    }

    /// Forgets what was written since.
    pub(super) fn back_to(&mut self, mark: &Mark) -> Result<()> {
        let set = self.file.set_len(mark.len);
        let back = set.and_then(|()| (&*self.file).seek(SeekFrom::Start(mark.len)));
        back.map_err(|error| self.io(&error))?;
        (self.len, self.check) = (mark.len, mark.check.clone());
        Ok(())
    }

    /// What the manifest says about it once it is complete.
    pub(super) fn finished(&self, holds: Option<(u64, u64)>) -> Finished {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Finished { name, bytes: self.len, crc: self.check.clone().finalize(), holds }
    }

    fn io(&self, error: &std::io::Error) -> Error {
        Error::io(&self.partial, error)
    }
}
