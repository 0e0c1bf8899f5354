/*!
A file in memory, without a copy: the kernel's own pages of it.

```text
Map::of(file)                the whole file has addresses, nothing is read yet
map.read(start..end)         the kernel reads that part, and we may look at it
map.release(start..end)      the part no longer counts as memory that we use
```

A part of a mapped file that another process has cut off kills whoever looks at it. So nobody looks
before `read`, which asks the kernel for the pages and has an error where they are gone. What is left
is a file that becomes shorter within the millisecond in which a part of it is counted.

A file that cannot be mapped, or a kernel that cannot be asked so (Linux before 5.14, other systems),
gives none: then the caller reads.
*/

use std::fs::File;
use std::io;
use std::ops::Range;

/// A file, mapped.
#[derive(Debug)]
pub struct Map {
    #[cfg(target_os = "linux")]
    first: std::ptr::NonNull<u8>,
    len: usize,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsRawFd;
    use std::ptr::NonNull;

    use super::*;

    /// What addresses that the kernel is told about are multiples of, and a little more where pages
    /// are smaller.
    const PAGE: usize = 1 << 16;

    // SAFETY: the memory is only read, and any thread may unmap it.
    unsafe impl Send for Map {}
    // SAFETY: the memory is only read.
    unsafe impl Sync for Map {}

    impl Map {
        /// The file, if it can be mapped.
        pub fn of(file: &File) -> Option<Map> {
            let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
            let len = usize::try_from(metadata.len()).ok().filter(|&len| len > 0)?;
            // SAFETY: no address is asked for, so no memory that is in use is replaced.
            let first = unsafe {
                let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE);
                libc::mmap(std::ptr::null_mut(), len, access, kind, file.as_raw_fd(), 0)
            };
            if first == libc::MAP_FAILED {
                return None;
            }
            let map = Map { first: NonNull::new(first.cast())?, len };
            // Whether the kernel knows how to be asked.
            map.read(0..1).is_ok().then_some(map)
        }

        /// Part of the file, read now. An error if the file has become shorter than that.
        pub fn read(&self, part: Range<usize>) -> io::Result<&[u8]> {
            self.advise(&part, libc::MADV_POPULATE_READ)?;
            Ok(self.bytes(part))
        }

        /// Part of the file that was read before. (One that was not is read now, without an error.)
        pub fn bytes(&self, part: Range<usize>) -> &[u8] {
            assert!(part.start <= part.end && part.end <= self.len, "a part of the file");
            // SAFETY: the part lies in the mapping, which lives as long as `self`, and any byte is
            // a byte. Nothing in this process writes to it. Another process may: then what is seen
            // is one or the other, which all that reads a corpus can bear, since it trusts no text.
            unsafe { std::slice::from_raw_parts(self.first.as_ptr().add(part.start), part.len()) }
        }

        /// Gives the memory of a part back. It can be read again.
        pub fn release(&self, part: Range<usize>) {
            // It is a hint.
            let _ = self.advise(&part, libc::MADV_DONTNEED);
        }

        fn advise(&self, part: &Range<usize>, advice: i32) -> io::Result<()> {
            if part.start > part.end || part.end > self.len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let start = part.start / PAGE * PAGE;
            // SAFETY: `start..part.end` lies in the mapping, which starts at a page.
            let told = unsafe {
                let first = self.first.as_ptr().add(start);
                libc::madvise(first.cast(), part.end - start, advice)
            };
            match told {
                0 => Ok(()),
                _ => match io::Error::last_os_error() {
                    error if error.raw_os_error() == Some(libc::EFAULT) => {
                        Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"))
                    }
                    error => Err(error),
                },
            }
        }
    }

    impl Drop for Map {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours, and no slice of it outlives `self`.
            unsafe { libc::munmap(self.first.as_ptr().cast(), self.len) };
        }
    }
}

impl Map {
    /// How many bytes the file had; never none.
    #[expect(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }
}

#[cfg(not(target_os = "linux"))]
impl Map {
    /// No file is mapped here.
    pub fn of(_: &File) -> Option<Map> {
        None
    }

    /// There is no map to read from.
    pub fn read(&self, _: Range<usize>) -> io::Result<&[u8]> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There is no map to look at.
    pub fn bytes(&self, _: Range<usize>) -> &[u8] {
        &[]
    }

    /// There is no map to give back.
    pub fn release(&self, _: Range<usize>) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;

    use super::*;

    /// A file without a name.
    fn file(bytes: &[u8]) -> File {
        let name = format!("subword-map-{}-{:p}", std::process::id(), bytes);
        let path = std::env::temp_dir().join(name);
        File::create_new(&path).unwrap().write_all(bytes).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file
    }

    #[test]
    fn every_part_is_what_the_file_has() {
        let bytes: Vec<u8> = (0..300_000u32).map(|i| (i / 7) as u8).collect();
        let Some(map) = Map::of(&file(&bytes)) else { return };
        assert_eq!(map.len(), bytes.len());
        for (start, end) in [(0, 0), (0, 1), (65_535, 65_537), (99_999, 300_000), (0, 300_000)] {
            assert_eq!(map.read(start..end).unwrap(), &bytes[start..end]);
            map.release(start..end);
            assert_eq!(map.bytes(start..end), &bytes[start..end]);
        }
        assert!(map.read(0..300_001).is_err());
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let bytes = vec![b'a'; 1 << 20];
        let path = std::env::temp_dir().join(format!("subword-map-{}", std::process::id()));
        std::fs::write(&path, &bytes).unwrap();
        let map = Map::of(&File::open(&path).unwrap());
        File::options().write(true).open(&path).unwrap().set_len(1 << 19).unwrap();
        std::fs::remove_file(&path).unwrap();
        let Some(map) = map else { return };
        assert_eq!(map.read(0..1 << 19).unwrap(), &bytes[..1 << 19]);
        let error = map.read(1 << 19..1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "the file became shorter");
    }

    #[test]
    fn what_is_no_file_with_content_is_not_mapped() {
        assert!(Map::of(&file(b"")).is_none());
        assert!(Map::of(&File::open("/dev/null").unwrap()).is_none());
        assert!(Map::of(&File::open(std::env::temp_dir()).unwrap()).is_none());
    }
}
