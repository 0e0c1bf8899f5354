/*!
A vector that several threads extend at once.

The spare room behind the values is split into one slice for each part, so no two copies overlap. The vector
gets its new length only if every part was copied.
*/

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;

/// A part, and the room that it is to be copied to.
pub(crate) struct Copying<'a, T> {
    from: &'a [T],
    to: &'a mut [MaybeUninit<T>],
    /// How many values of all parts were copied.
    copied: &'a AtomicUsize,
}

impl<T: Copy> Copying<'_, T> {
    /// Copies the part.
    pub(crate) fn copy(self) {
        assert_eq!(self.to.len(), self.from.len());
        // SAFETY: both have as many values, and the room belongs to this copy alone.
        unsafe {
            let to = self.to.as_mut_ptr().cast();
            std::ptr::copy_nonoverlapping(self.from.as_ptr(), to, self.from.len());
        }
        self.copied.fetch_add(self.from.len(), Ordering::Release);
    }
}

/// Appends all parts. `copy` has to call [`Copying::copy`] for each of them, on any thread; the vector stays as it
/// was if it does not, or if it returns an error. There must be room for all of them.
pub(crate) fn extend_with<T: Copy>(
    all: &mut Vec<T>,
    parts: &[impl AsRef<[T]>],
    copy: impl FnOnce(Vec<Copying<'_, T>>) -> Result<()>,
) -> Result<()> {
    let copied = AtomicUsize::new(0);
    let mut room = all.spare_capacity_mut();
    let mut copies = Vec::with_capacity(parts.len());
    let mut more = 0;
    for from in parts.iter().map(AsRef::as_ref) {
        let (to, rest) = std::mem::take(&mut room).split_at_mut(from.len());
        copies.push(Copying { from, to, copied: &copied });
        room = rest;
        more += from.len();
    }
    copy(copies)?;
    assert_eq!(copied.into_inner(), more, "a part was not copied");
    // SAFETY: the slices of the parts lie one behind the other from the end of the vector on. A part can be copied
    // only once, and together they have copied `more` values: so all of these are initialised.
    unsafe { all.set_len(all.len() + more) };
    Ok(())
}
