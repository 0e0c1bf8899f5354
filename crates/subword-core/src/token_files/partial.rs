/*!
A file that is being written: under the name `*.partial`, with its check sum so far.

A resumed run takes up such a file at a length that is known to be on the disk, if it still holds what
was written: its check sum is compared. Symbolic links are not followed: in a folder where others may
write, a link under this name would make us overwrite what it points to.
*/

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;

use super::record::FinishedFile;
use crate::error::{Error, InFile, Result};

/// The ending of the names of files that are not complete.
const PARTIAL: &str = ".partial";

/// How many bytes are read between two calls of a [`CancelCheck`].
const READ: usize = 1 << 20;

/// Called at intervals during long work; an error that it returns ends the work.
pub(super) type CancelCheck<'a> = dyn FnMut() -> Result<()> + 'a;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct PartialFile {
    /// Shared with the thread that syncs it.
    pub(super) file: Arc<File>,
    /// Its name until it is complete.
    pub(super) partial: PathBuf,
    /// Its name when it is complete.
    pub(super) target: PathBuf,
    len: u64,
    /// The check sum of the bytes after the head.
    check: Hasher,
    /// How many bytes at the start are not part of the check sum, because they change at the end.
    head: u64,
}

/// A length that a file can be cut back to.
#[derive(Debug, Clone)]
pub(super) struct PartialMark {
    len: u64,
    check: Hasher,
}

/// The name of a file before it is complete.
pub(super) fn partial(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(PARTIAL);
    name.into()
}

impl PartialFile {
    /// A file that starts with `head`, and will be at `target`.
    pub(super) fn create(target: PathBuf, head: &[u8]) -> Result<PartialFile> {
        let partial = partial(&target);
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io(&partial, &error));
            }
            _ => {}
        }
        let opened = OpenOptions::new().read(true).write(true).create_new(true).open(&partial);
        let written = opened.and_then(|mut file| file.write_all(head).map(|()| file));
        let file = Arc::new(written.in_file(&partial)?);
        let len = head.len() as u64;
        Ok(PartialFile { file, partial, target, len, check: Hasher::new(), head: len })
    }

    /// The file that an earlier run left, cut to a length that it had; its first `head` bytes are its head.
    pub(super) fn resume(
        target: PathBuf,
        head: u64,
        (len, crc): (u64, u32),
        cancel: &mut CancelCheck,
    ) -> Result<PartialFile> {
        let partial = partial(&target);
        let refuse = |message: String| {
            let error = Error::corpus(partial.display(), message);
            Err(error.with_hint("pass overwrite=True to start again"))
        };
        if !fs::symlink_metadata(&partial).in_file(&partial)?.is_file() {
            return refuse("expected a file, found something else, such as a link".to_owned());
        }
        let file = OpenOptions::new().read(true).write(true).open(&partial).in_file(&partial)?;
        let found = file.metadata().in_file(&partial)?.len();
        if len < head || found < len {
            let least = len.max(head);
            return refuse(format!("expected at least {least} bytes, found {found}"));
        }
        let check = check_sum(&file, head..len, cancel, &partial)?;
        let found = check.clone().finalize();
        if found != crc {
            return refuse(format!("expected the check sum {crc:08x}, found {found:08x}"));
        }
        let mut resumed = PartialFile { file: Arc::new(file), partial, target, len, check, head };
        let mark = resumed.mark();
        resumed.back_to(&mark)?;
        Ok(resumed)
    }

    /// Appends.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        (&*self.file).write_all(bytes).in_file(&self.partial)?;
        self.check.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Replaces the head by one of the same length, and makes it part of the check sum.
    pub(super) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        let mut file = &*self.file;
        let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(head));
        let back = written.and_then(|()| file.seek(SeekFrom::Start(self.len)));
        back.in_file(&self.partial)?;
        let mut check = Hasher::new();
        check.update(head);
        check.combine(&self.check);
        (self.check, self.head) = (check, 0);
        Ok(())
    }

    /// How many bytes it has without the head.
    pub(super) fn body(&self) -> u64 {
        self.len - self.head
    }

    /// Length and check sum, with which the file can be resumed.
    pub(super) fn state(&self) -> (u64, u32) {
        (self.len, self.check.clone().finalize())
    }

    pub(super) fn mark(&self) -> PartialMark {
        PartialMark { len: self.len, check: self.check.clone() }
    }

    /// Cuts off what was written since.
    pub(super) fn back_to(&mut self, mark: &PartialMark) -> Result<()> {
        let set = self.file.set_len(mark.len);
        let back = set.and_then(|()| (&*self.file).seek(SeekFrom::Start(mark.len)));
        back.in_file(&self.partial)?;
        (self.len, self.check) = (mark.len, mark.check.clone());
        Ok(())
    }

    /// What a record says about the complete file; `holds` are its ids and documents.
    pub(super) fn finished(&self, holds: Option<(u64, u64)>) -> FinishedFile {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        FinishedFile { name, bytes: self.len, crc: self.check.clone().finalize(), holds }
    }
}

/// The check sum of some bytes of the file at `path`.
fn check_sum(
    mut file: &File,
    bytes: Range<u64>,
    cancel: &mut CancelCheck,
    path: &Path,
) -> Result<Hasher> {
    file.seek(SeekFrom::Start(bytes.start)).in_file(path)?;
    let (mut check, mut left, mut buffer) = (Hasher::new(), bytes.end - bytes.start, vec![0; READ]);
    while left > 0 {
        cancel()?;
        let some = &mut buffer[..usize::try_from(left).unwrap_or(READ).min(READ)];
        file.read_exact(some).in_file(path)?;
        check.update(some);
        left -= some.len() as u64;
    }
    Ok(check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    fn refused(folder: &Folder, head: u64, state: (u64, u32)) -> String {
        PartialFile::resume(folder.path("t"), head, state, &mut || Ok(())).unwrap_err().to_string()
    }

    #[test]
    fn a_file_goes_on_only_if_it_holds_what_was_written() {
        let folder = Folder::new();
        let mut growing = PartialFile::create(folder.path("t"), b"head").unwrap();
        growing.write(b"low lower").unwrap();
        let (len, crc) = growing.state();
        growing.write(b" and more").unwrap();
        drop(growing);
        assert!(refused(&folder, 4, (len, crc ^ 1)).contains("expected the check sum"));
        assert!(refused(&folder, 4, (len + 10, crc)).contains("expected at least 23 bytes"));
        assert!(refused(&folder, 4, (3, 0)).contains("expected at least 4 bytes, found 22"));
        let stopped = &mut || Err(Error::Stopped);
        let resumed = PartialFile::resume(folder.path("t"), 4, (len, crc), stopped);
        assert_eq!(resumed.unwrap_err(), Error::Stopped);
        let mut growing =
            PartialFile::resume(folder.path("t"), 4, (len, crc), &mut || Ok(())).unwrap();
        assert_eq!((growing.state(), growing.body()), ((len, crc), 9));
        growing.write(b" new").unwrap();
        assert_eq!(fs::read(folder.path("t.partial")).unwrap(), b"headlow lower new");
    }
}
