/*!
Allocations that may fail.

In Rust a failed allocation ends the process. An allocation whose size depends on a text, a file or an argument is
therefore made here, and the caller gets [`Error::Memory`] if it fails. Allocations of a bounded size, some megabytes
at most (the tables of one batch, a list of names), are made in the usual way; [`SPARE`] bytes are left for them.
*/

use std::hint::black_box;

use crate::error::{Error, Result};
use crate::mem;

/// An allocation of this size or more fails if it would leave less than [`SPARE`].
const LARGE: usize = 1 << 16;

/// How many bytes are left for allocations that must not fail.
const SPARE: usize = 1 << 23;

/// Makes room for `more` values. Like `Vec::reserve` it may make room for some more, so that pushing stays cheap.
#[inline]
pub fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    if values.capacity() - values.len() >= more { Ok(()) } else { grow(values, more) }
}

#[cold]
fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<()> {
    // `try_reserve` asks for twice the memory that there is; exactly what is needed may still be available.
    let tried = values.try_reserve(more).or_else(|_| values.try_reserve_exact(more));
    if tried.is_ok() && leaves_some::<T>(values.capacity()) {
        return Ok(());
    }
    Err(too_much::<T>(values.len().saturating_add(more)))
}

/// An empty vector with room for exactly `len` values.
pub fn with_capacity<T>(len: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    if values.try_reserve_exact(len).is_ok() && leaves_some::<T>(len) {
        return Ok(values);
    }
    Err(too_much::<T>(len))
}

/// An empty vector with room for about `len` values, which is a guess. If there is no memory for them, the vector has
/// no room and grows as it is filled, because perhaps fewer are needed. Room that is not used takes no memory.
///
/// PERF: the vector is on huge pages, which cause fewer page faults: docs/decisions/huge-pages.md.
pub(crate) fn guessed_capacity<T>(len: usize) -> Vec<T> {
    let mut values = with_capacity(len).unwrap_or_default();
    mem::prefer_huge_pages(values.spare_capacity_mut());
    values
}

/// Whether an allocation of `len` values, which has just been made, is small or leaves enough memory for others.
pub(crate) fn leaves_some<T>(len: usize) -> bool {
    let mut spare: Vec<u8> = Vec::new();
    let left = len.saturating_mul(size_of::<T>()) < LARGE || spare.try_reserve_exact(SPARE).is_ok();
    // Otherwise the compiler could remove an allocation that nothing reads.
    black_box(&spare);
    left
}

/// Appends values.
#[inline]
pub fn extend<T: Copy>(values: &mut Vec<T>, more: &[T]) -> Result<()> {
    reserve(values, more.len())?;
    values.extend_from_slice(more);
    Ok(())
}

/// Makes a vector at least `len` long, filled up with `value`.
#[inline]
pub fn fill_up<T: Copy>(values: &mut Vec<T>, len: usize, value: T) -> Result<()> {
    if values.len() < len {
        reserve(values, len - values.len())?;
        values.resize(len, value);
    }
    Ok(())
}

/// An error if there is no memory for `len` values. For code that makes an allocation which must not fail right
/// afterwards, so that only another thread can take the memory in between.
pub fn probe<T>(len: usize) -> Result<()> {
    if len.saturating_mul(size_of::<T>()) < LARGE {
        return Ok(());
    }
    black_box(with_capacity::<T>(len)).map(drop)
}

fn too_much<T>(len: usize) -> Error {
    Error::Memory { bytes: len.saturating_mul(size_of::<T>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_memory_for_is_an_error_and_nothing_is_lost() {
        let most = usize::MAX / 16;
        assert_eq!(with_capacity::<u64>(most), Err(Error::Memory { bytes: most * 8 }));
        assert_eq!(probe::<u8>(usize::MAX), Err(Error::Memory { bytes: usize::MAX }));
        let mut values = vec![1, 2, 3];
        assert!(reserve(&mut values, most).is_err() && fill_up(&mut values, most, 0).is_err());
        assert_eq!(values, [1, 2, 3]);
        fill_up(&mut values, 5, 7).unwrap();
        fill_up(&mut values, 2, 7).unwrap();
        extend(&mut values, &[8]).unwrap();
        assert_eq!(values, [1, 2, 3, 7, 7, 8]);
    }
}
