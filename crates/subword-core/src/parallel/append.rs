//! Many parts behind each other in one vector, copied by several threads.

use std::sync::Mutex;

use super::{Jobs, locked, run};
use crate::error::Result;
use crate::mem;
use crate::memory;

/// How many values are worth a thread.
const SHARE: usize = 1 << 19;

/// Appends all parts to a vector, on at most `threads` threads.
///
/// The first touch of new memory is a page fault, which costs more than the copy; so where there is much to
/// append, threads share it.
pub(crate) fn append_all<T: Copy + Send + Sync>(
    all: &mut Vec<T>,
    parts: &[impl AsRef<[T]> + Sync],
    threads: usize,
) -> Result<()> {
    let more = parts.iter().map(|part| part.as_ref().len()).sum();
    memory::reserve(all, more)?;
    mem::prefer_huge_pages(all.spare_capacity_mut());
    let threads = threads.min(more / SHARE);
    if threads < 2 || parts.len() < 2 {
        parts.iter().for_each(|part| all.extend_from_slice(part.as_ref()));
        return Ok(());
    }
    mem::extend_with(all, parts, |copies| {
        let copies: Vec<_> = copies.into_iter().map(|copy| Mutex::new(Some(copy))).collect();
        let work = |jobs: &Jobs| {
            while let Some(job) = jobs.next() {
                let copy = locked(&copies[job]).take();
                copy.into_iter().for_each(mem::Copying::copy);
            }
        };
        run(copies.len(), threads, work).map(|_| ())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_appended_in_order_on_any_number_of_threads() {
        for len in [0, 1, 1000, 120_000] {
            let parts: Vec<Vec<u32>> = (0..20).map(|n| (n..n + len + n % 3).collect()).collect();
            let expected = [vec![7; 3], parts.concat()].concat();
            for threads in [1, 2, 5] {
                let mut all = vec![7; 3];
                append_all(&mut all, &parts, threads).unwrap();
                assert!(all == expected, "{len} {threads}");
            }
        }
    }
}
