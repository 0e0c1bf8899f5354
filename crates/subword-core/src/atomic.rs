/*!
Writes files so that each is either the old one or the new one, never a part of it.

```text
create a temporary file beside the target     in the same directory, so that the rename is atomic
write, fsync                                  the bytes are on the disk before the name is
rename over the target                        old or new, whatever happens here
fsync the directory                           the new name is on the disk
```

Invariants
* Until the rename the old file is untouched; on any error the temporary file is removed.
* A device or a named pipe is refused: the rename would put a file in its place.
* A symbolic link stays one: the file that it points to is replaced.
* A file that existed keeps its permissions, and a new one gets the usual ones. Until the new file has the
  permissions of the old one, only its owner may open it.

Several files are all written before the first is renamed, so that a full disk changes none of them. A file
that is too large for memory is written piece by piece ([`Staged::create`]).
*/

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{InFile, Result};

/// How many symbolic links may follow each other, as on Linux.
const MAX_LINKS: usize = 40;

/// A file that is being written under a temporary name. Dropping it removes it.
pub(crate) struct Staged {
    file: BufWriter<NamedTempFile>,
    target: PathBuf,
}

/// Writes every file.
pub(crate) fn write(files: &[(&Path, &[u8])]) -> Result<()> {
    let stage = |&(path, bytes): &(&Path, &[u8])| {
        let staged = Staged::create(path).and_then(|mut staged| {
            staged.write_all(bytes)?;
            staged.sync()?;
            Ok(staged)
        });
        staged.in_file(path)
    };
    let staged = files.iter().map(stage).collect::<Result<Vec<_>>>()?;
    for (file, (path, _)) in staged.into_iter().zip(files) {
        file.commit().in_file(path)?;
    }
    Ok(())
}

impl Staged {
    /// An empty file that will be at `path`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let target = real_path(path)?;
        if target.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Err(io::Error::other("this is a device or a pipe, which a file would replace"));
        }
        let file = create_beside(&target, old.is_some())?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions())?;
        }
        Ok(Staged { file: BufWriter::with_capacity(1 << 16, file), target })
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().as_file().sync_all()
    }

    /// Syncs the file and gives it its name.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.sync()?;
        let (file, _) = self.file.into_parts();
        file.persist(&self.target)?;
        sync_directory(directory_of(&self.target))
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A new file in the directory of `target`. If it is `private`, only its owner may open it.
fn create_beside(target: &Path, private: bool) -> io::Result<NamedTempFile> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut names = tempfile::Builder::new();
    names.prefix(".subword-").suffix(".tmp");
    names.make_in(directory_of(target), |path| options.open(path))
}

/// The file that `path` names once all symbolic links are followed. It need not exist.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = directory_of(&path).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs a directory, so that renames in it are on the disk. Only Unix can do that, and only for a directory
/// that may be read; elsewhere this does nothing.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(directory) {
        Ok(opened) => opened.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::testing::Folder;

    #[test]
    fn a_file_is_created_and_replaced() {
        let folder = Folder::new();
        let path = folder.path("t.json");
        write(&[(&path, b"one")]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write(&[(&path, b"two")]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(folder.names(), ["t.json"]);
    }

    #[test]
    fn an_error_leaves_the_old_files_and_no_temporary_one() {
        let folder = Folder::new();
        let old = folder.file("old", "old");
        fs::create_dir(folder.path("directory")).unwrap();
        for bad in [folder.path("missing/t"), folder.path("directory")] {
            let error = write(&[(&old, b"new"), (&bad, b"new")]).unwrap_err();
            assert!(matches!(&error, Error::Io { path, .. } if *path == bad.display().to_string()));
            assert_eq!(fs::read(&old).unwrap(), b"old");
            assert_eq!(folder.names(), ["directory", "old"]);
        }
        let error = write(&[(&folder.path("missing/t"), b"new")]).unwrap_err();
        assert!(matches!(error, Error::Io { code: Some(2), .. }), "{error:?}");
    }

    #[test]
    fn what_is_not_committed_is_gone() {
        let folder = Folder::new();
        let path = folder.path("t");
        let mut staged = Staged::create(&path).unwrap();
        staged.write_all(b"half").unwrap();
        drop(staged);
        assert_eq!(folder.names(), [""; 0]);
        let mut staged = Staged::create(&path).unwrap();
        staged.write_all(b"whole").unwrap();
        staged.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(folder.names(), ["t"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let folder = Folder::new();
        let path = folder.path("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = write(&[(&path, b"new")]).unwrap_err().to_string();
        assert!(
            error.ends_with("this is a device or a pipe, which a file would replace"),
            "{error}"
        );
        assert!(fs::metadata(&path).unwrap().file_type().is_socket());
        assert_eq!(folder.names(), ["socket"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_for_its_owner_is_so_while_it_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = Folder::new();
        let file = create_beside(&folder.path("t"), true).unwrap();
        assert_eq!(mode(file.path()), 0o600);
        let plain = folder.file("plain", "");
        let file = create_beside(&folder.path("t"), false).unwrap();
        assert_eq!(mode(file.path()), mode(&plain));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_symbolic_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = Folder::new();
        let file = folder.file("file", "old");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", folder.path("link")).unwrap();
        symlink("link", folder.path("second")).unwrap();
        write(&[(&folder.path("second"), b"new")]).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(mode(&file), 0o640);
        assert_eq!(fs::read_link(folder.path("second")).unwrap(), Path::new("link"));

        symlink("later", folder.path("dangling")).unwrap();
        write(&[(&folder.path("dangling"), b"new")]).unwrap();
        let plain = folder.file("plain", "");
        assert_eq!(mode(&folder.path("later")), mode(&plain));

        symlink("loop", folder.path("loop")).unwrap();
        let error = write(&[(&folder.path("loop"), b"new")]).unwrap_err().to_string();
        assert!(error.ends_with("too many symbolic links"), "{error}");
    }
}
