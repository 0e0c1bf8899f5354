//! A folder of this process for files that are written, read and forgotten.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A new folder, removed when it is dropped. In memory where the system has such a place: saving
/// waits for the disk.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    pub(crate) fn new() -> Temporary {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("subword-fuzz-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a new folder can be made");
        Temporary(path)
    }

    /// Where a file of this name is.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What stays behind is in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
