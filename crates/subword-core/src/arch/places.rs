/*!
One vector that several threads fill.

It is given out place by place, from front to back, and whoever has a place fills it:

```text
places      |-- 3 --|---- 5 ----|- 2 -|            one behind the other, none of them twice
filled      3       + 2         + 5                whoever is done first
```

When as much is filled as was given out, there is no gap.
*/

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A vector that is being filled.
#[derive(Debug)]
pub struct Places<T> {
    room: Vec<T>,
    /// Where the room that is not used yet starts.
    start: *mut T,
    len: usize,
    given: AtomicUsize,
    filled: AtomicUsize,
}

// SAFETY: threads that share it write to the room through places alone, of which no two overlap, and the
// vector itself is not touched before `into_vec`, which nobody shares.
unsafe impl<T: Send> Sync for Places<T> {}
// SAFETY: `start` points into memory that `room` owns, which moves with it.
unsafe impl<T: Send> Send for Places<T> {}

/// A part of the vector, to be filled.
#[derive(Debug)]
pub struct Place<'p, T> {
    to: &'p mut [MaybeUninit<T>],
    filled: &'p AtomicUsize,
}

impl<T: Copy> Places<T> {
    /// Fills what `room` has room for, behind what is there.
    pub fn new(mut room: Vec<T>) -> Places<T> {
        let spare = room.spare_capacity_mut();
        let (start, len) = (spare.as_mut_ptr().cast(), spare.len());
        Places { room, start, len, given: AtomicUsize::new(0), filled: AtomicUsize::new(0) }
    }

    /// The next place; none if there is no room for it.
    pub fn next(&self, len: usize) -> Option<Place<'_, T>> {
        let end = |given: usize| given.checked_add(len).filter(|&end| end <= self.len);
        let at = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
        // SAFETY: `at + len` is at most `self.len`, so all of it lies in the spare room of the vector, which
        // lives and is not touched for as long as the place borrows from `self`; what was given out before
        // ends at `at`, what will be starts behind it.
        let to = unsafe { std::slice::from_raw_parts_mut(self.start.add(at).cast(), len) };
        Some(Place { to, filled: &self.filled })
    }

    /// The vector with all that was filled; none if a place was not.
    pub fn into_vec(mut self) -> Option<Vec<T>> {
        let filled = self.filled.into_inner();
        if filled < self.given.into_inner() {
            return None;
        }
        // SAFETY: places lie one behind the other from the end of the vector on, each was filled at most
        // once, and together they have as many values as were given out: so all of these are there.
        unsafe { self.room.set_len(self.room.len() + filled) };
        Some(self.room)
    }
}

impl<T: Copy> Place<'_, T> {
    /// Copies the values, of which there must be as many as the place has room for, or it stays empty.
    pub fn copy(self, values: &[T]) {
        if values.len() == self.to.len() {
            // SAFETY: both have this many values, and nobody else can see those of the place.
            unsafe {
                let to = self.to.as_mut_ptr().cast();
                std::ptr::copy_nonoverlapping(values.as_ptr(), to, values.len());
            }
            self.filled.fetch_add(values.len(), Ordering::Release);
        }
    }

    /// Writes the values, of which there must be as many as the place has room for, or it stays empty.
    pub fn fill(self, values: impl ExactSizeIterator<Item = T>) {
        let mut written = 0;
        for (to, value) in self.to.iter_mut().zip(values) {
            to.write(value);
            written += 1;
        }
        if written == self.to.len() {
            self.filled.fetch_add(written, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(len: usize) -> Vec<u32> {
        let mut room = Vec::with_capacity(len + 1);
        room.push(7);
        room
    }

    #[test]
    fn threads_fill_a_vector_in_any_order() {
        for threads in 1..5 {
            let places = Places::new(room(10 * 45));
            let all: Vec<_> =
                (0..10).flat_map(|_| (0..10).filter_map(|n| places.next(n))).collect();
            assert_eq!(all.len(), 100);
            let mut shares: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
            for (number, place) in all.into_iter().enumerate().rev() {
                shares[number % threads].push((number as u32, place));
            }
            std::thread::scope(|scope| {
                for share in shares {
                    scope.spawn(|| {
                        for (number, place) in share {
                            let values = (0..number as usize % 10).map(|i| 100 * number + i as u32);
                            match number % 2 {
                                0 => place.fill(values),
                                _ => place.copy(&values.collect::<Vec<_>>()),
                            }
                        }
                    });
                }
            });
            let values = (0..100).flat_map(|n| (0..n % 10).map(move |i| 100 * n + i));
            assert_eq!(places.into_vec(), Some([7].into_iter().chain(values).collect()));
        }
    }

    #[test]
    fn a_gap_is_noticed() {
        let places = Places::new(room(5));
        let (_first, second) = (places.next(2).unwrap(), places.next(3).unwrap());
        assert!(places.next(places.len).is_none() && places.next(usize::MAX).is_none());
        second.fill([1, 2, 3].into_iter());
        assert_eq!(places.into_vec(), None);
        let places = Places::new(room(5));
        places.next(2).unwrap().fill([1].into_iter());
        assert_eq!(places.into_vec(), None);
        let places = Places::new(room(5));
        places.next(2).unwrap().copy(&[1, 2, 3]);
        assert_eq!(places.into_vec(), None);
        assert_eq!(Places::new(room(5)).into_vec(), Some(vec![7]));
    }
}
