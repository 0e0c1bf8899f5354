/*!
A table of cache lines: 64 bytes each, aligned to 64, zero at first, on huge pages where there are
any.

A look-up in a large table of small pages costs a walk through the page table besides the memory
access itself. Huge pages (2 MiB) make that walk rare; they must be asked for before the first touch.
(Warm, of English nothing, of Russian a tenth, 2026-11-15.) Nothing is touched here, so a large table
costs only what is used of it.
*/

use std::alloc::{Layout, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};

use super::huge_pages::prefer_huge_pages;
use crate::memory;

/// A cache line, as words.
pub type Line = [u64; 8];

/// A table of cache lines.
pub struct Lines {
    memory: Memory,
}

impl Lines {
    /// `len` lines of zeros. If there is no memory for them, the process ends: whoever asks for many tries
    /// first (`memory::probe`).
    pub fn zeroed(len: usize) -> Lines {
        let mut lines = match Memory::zeroed(len) {
            Some(memory) => Lines { memory },
            None => handle_alloc_error(Layout::new::<Line>()),
        };
        prefer_huge_pages(&mut lines);
        lines
    }

    /// The same for who uses only some of them, and asks for huge pages where it does. If there is no memory
    /// for so many, the sixteenth part of them, and so on: the rest of the memory is for others.
    pub fn room(len: usize) -> Lines {
        let sizes = std::iter::successors(Some(len), |&len| (len > 0).then_some(len / 16));
        let made = |len: usize| Memory::zeroed(len).filter(|_| memory::leaves_some::<Line>(len));
        match sizes.filter_map(made).next() {
            Some(memory) => Lines { memory },
            None => Lines::zeroed(0),
        }
    }
}

impl Deref for Lines {
    type Target = [Line];

    #[inline(always)]
    fn deref(&self) -> &[Line] {
        self.memory.lines()
    }
}

impl DerefMut for Lines {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Line] {
        self.memory.lines_mut()
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lines({})", self.len())
    }
}

#[cfg(target_os = "linux")]
use mapped::Memory;
#[cfg(not(target_os = "linux"))]
use portable::Memory;

/// Pages straight from the kernel.
#[cfg(target_os = "linux")]
mod mapped {
    use std::ptr::{self, NonNull};

    use super::super::huge_pages::HUGE_PAGE;
    use super::{Line, portable};

    pub(super) enum Memory {
        Mapped(Mapped),
        /// A small table, or a kernel that says no.
        Portable(portable::Memory),
    }

    /// INVARIANT: `map` is a private mapping of `map_len` bytes that nothing else knows of; `len` lines
    /// from `first` lie within it, and `first` is aligned to a huge page.
    pub(super) struct Mapped {
        map: NonNull<libc::c_void>,
        map_len: usize,
        first: NonNull<Line>,
        len: usize,
    }

    // SAFETY: the memory belongs to this value alone, as that of a `Vec` does.
    unsafe impl Send for Mapped {}
    // SAFETY: shared references only read.
    unsafe impl Sync for Mapped {}

    impl Memory {
        pub(super) fn zeroed(len: usize) -> Option<Memory> {
            let bytes = len.checked_mul(size_of::<Line>())?;
            let mapped = if bytes < HUGE_PAGE { None } else { Mapped::zeroed(len, bytes) };
            match mapped {
                Some(mapped) => Some(Memory::Mapped(mapped)),
                None => portable::Memory::zeroed(len).map(Memory::Portable),
            }
        }

        #[inline(always)]
        pub(super) fn lines(&self) -> &[Line] {
            match self {
                // SAFETY: by the invariant, `len` lines from `first` are mapped for as long as `self`;
                // all bytes are initialised (by the kernel, to zero) and every bit pattern is a `Line`.
                Memory::Mapped(m) => unsafe { std::slice::from_raw_parts(m.first.as_ptr(), m.len) },
                Memory::Portable(memory) => memory.lines(),
            }
        }

        #[inline(always)]
        pub(super) fn lines_mut(&mut self) -> &mut [Line] {
            match self {
                // SAFETY: as in `lines`, and `&mut self` says that nobody else looks.
                Memory::Mapped(m) => unsafe {
                    std::slice::from_raw_parts_mut(m.first.as_ptr(), m.len)
                },
                Memory::Portable(memory) => memory.lines_mut(),
            }
        }
    }

    impl Mapped {
        fn zeroed(len: usize, bytes: usize) -> Option<Mapped> {
            let map_len = bytes.checked_add(HUGE_PAGE)?;
            let (rights, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new anonymous mapping touches no memory that anybody has.
            let map = unsafe { libc::mmap(ptr::null_mut(), map_len, rights, kind, -1, 0) };
            if map == libc::MAP_FAILED {
                return None;
            }
            let map = NonNull::new(map)?;
            // The mapping is one huge page longer than the lines, so they fit behind its first boundary.
            let skip = map.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
            // SAFETY: `skip` is at most a huge page, so this stays within the mapping.
            let first = unsafe { map.byte_add(skip) };
            Some(Mapped { map, map_len, first: first.cast(), len })
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            // SAFETY: by the invariant the mapping is ours, and after this nobody has it.
            unsafe { libc::munmap(self.map.as_ptr(), self.map_len) };
        }
    }
}

/// Any other system: words from the allocator, aligned by hand.
mod portable {
    use super::Line;
    use crate::memory;

    pub(super) struct Memory {
        words: Vec<u64>,
        /// Where the first aligned line starts.
        skip: usize,
        len: usize,
    }

    impl Memory {
        pub(super) fn zeroed(len: usize) -> Option<Memory> {
            let per_line = size_of::<Line>() / size_of::<u64>();
            let count = if len == 0 { 0 } else { len.checked_add(1)?.checked_mul(per_line)? };
            memory::probe::<u64>(count).ok()?;
            let words = vec![0; count];
            let skip = words.as_ptr().align_offset(size_of::<Line>()).min(per_line);
            Some(Memory { words, skip: if len == 0 { 0 } else { skip }, len })
        }

        #[inline(always)]
        pub(super) fn lines(&self) -> &[Line] {
            &self.words[self.skip..].as_chunks().0[..self.len]
        }

        #[inline(always)]
        pub(super) fn lines_mut(&mut self) -> &mut [Line] {
            &mut self.words[self.skip..].as_chunks_mut().0[..self.len]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_more_lines_than_there_is_memory_is_room_for_fewer() {
        for len in [usize::MAX, usize::MAX / size_of::<Line>(), 1 << 44] {
            let lines = Lines::room(len);
            assert!(lines.len() < len && lines.len().is_power_of_two() || !len.is_power_of_two());
        }
    }

    #[test]
    fn lines_are_zero_aligned_and_ones_own() {
        for len in [0, 1, 2, 1000, 40_000, 100_000] {
            let mut lines = Lines::zeroed(len);
            assert_eq!(lines.len(), len);
            assert!(lines.iter().all(|line| *line == [0; 8]));
            assert!(lines.as_ptr().addr().is_multiple_of(64) || len == 0);
            for (i, line) in lines.iter_mut().enumerate() {
                line[7] = i as u64;
            }
            assert!(lines.iter().enumerate().all(|(i, line)| line[7] == i as u64));
        }
    }
}
