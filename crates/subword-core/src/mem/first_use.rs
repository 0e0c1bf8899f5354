/*!
A value that is made when it is first used. Unlike `OnceLock`, it survives `fork`.

A child of `fork` has one thread, the one that forked. If another thread was just making the value,
`OnceLock` would let the child wait for a thread that it does not have. Here the claim to make the value
carries the id of the process, so a child sees that the claim is not its own and makes the value itself:

```text
get       one load of a pointer
first use the pointer is null:
            claim by this process   another thread is making it: sleep, look again
            no claim, or the claim of the process that this one was forked from:
                                    claim it, make the value, publish the pointer, give the claim back
```

The value is published by one store of a pointer, so no moment exists at which a child finds half of it.
What the thread of the parent had made until then is lost memory in the child.

Why not let every thread make a copy and keep the first: the tables of a large vocabulary take tens of
megabytes, and all threads of a call ask for them at the same moment.
*/

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// The claim of nobody: no process has this id that could run this code.
const NOBODY: u32 = 0;

/// How long a thread sleeps before it looks again whether another thread has made the value.
const WAIT: Duration = Duration::from_micros(100);

/// A value that is made when it is first used.
pub struct FirstUse<T> {
    /// INVARIANT: null, or a box that was leaked for this field and that only `drop` takes back.
    value: AtomicPtr<T>,
    /// The id of the process that has a thread which makes the value; [`NOBODY`] if none has.
    maker: AtomicU32,
    owned: PhantomData<T>,
}

impl<T> Default for FirstUse<T> {
    fn default() -> Self {
        FirstUse::new()
    }
}

impl<T> FirstUse<T> {
    /// No value yet.
    pub const fn new() -> Self {
        FirstUse {
            value: AtomicPtr::new(ptr::null_mut()),
            maker: AtomicU32::new(NOBODY),
            owned: PhantomData,
        }
    }
}

impl<T: Send + Sync> FirstUse<T> {
    /// The value, if it is made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: by the invariant the pointer is null or that of a box which lives as long as `self`.
        // It was stored with `Release` after the value was written. Nobody has a `&mut` to the value.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    /// The value, made now if it is not there. One thread makes it, the others of its process wait.
    #[inline]
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        let Ok(value) = self.get_or_try_make(|| Ok::<T, Infallible>(make()));
        value
    }

    /// The same for a value that may not be made: after an error the next caller tries again.
    #[inline]
    pub fn get_or_try_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.get() {
            Some(value) => Ok(value),
            None => self.first(std::process::id(), make),
        }
    }

    /// The same in the process with this id, where the value was not there a moment ago.
    #[cold]
    fn first<E>(&self, process: u32, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        loop {
            let maker = self.maker.load(Ordering::Acquire);
            if let Some(value) = self.get() {
                return Ok(value);
            }
            if maker == process {
                thread::sleep(WAIT);
                continue;
            }
            let claimed =
                self.maker.compare_exchange(maker, process, Ordering::AcqRel, Ordering::Relaxed);
            if claimed.is_ok() {
                break;
            }
        }
        let _claim = Claim(&self.maker);
        // Another thread may have made the value and given its claim back before this one took it.
        if let Some(value) = self.get() {
            return Ok(value);
        }
        make().map(|value| self.publish(value))
    }

    /// Publishes a value, unless there is one.
    fn publish(&self, value: T) -> &T {
        let new = Box::into_raw(Box::new(value));
        let old = ptr::null_mut();
        let published = self.value.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire);
        let kept = published.map_or_else(
            |kept| {
                // SAFETY: `new` came from `Box::into_raw` above and was given to nobody.
                drop(unsafe { Box::from_raw(new) });
                kept
            },
            |_| new,
        );
        // SAFETY: as in `get`: `kept` is what the field holds now, and not null.
        unsafe { &*kept }
    }
}

impl<T> Drop for FirstUse<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: by the invariant it is a box that only this takes back; `&mut self` says that no
            // reference to the value is left.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

/// Gives the claim back, also if making the value panics.
struct Claim<'a>(&'a AtomicU32);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.store(NOBODY, Ordering::Release);
    }
}

impl<T> fmt::Debug for FirstUse<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = !self.value.load(Ordering::Relaxed).is_null();
        f.write_str(if made { "FirstUse(made)" } else { "FirstUse(not made)" })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn the_value_is_made_once_and_dropped_once() {
        let (made, counted) = (AtomicUsize::new(0), Arc::new(()));
        let value = FirstUse::new();
        assert!(value.get().is_none());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    value.get_or_make(|| {
                        made.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(5));
                        counted.clone()
                    });
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
        assert_eq!((value.get().is_some(), Arc::strong_count(&counted)), (true, 2));
        drop(value);
        assert_eq!(Arc::strong_count(&counted), 1);
    }

    /// What a child finds that was forked while a thread of its parent made the value.
    #[test]
    fn the_claim_of_another_process_stops_nobody() {
        let value = FirstUse::new();
        value.maker.store(std::process::id() + 1, Ordering::Relaxed);
        assert_eq!(*value.get_or_make(|| 7), 7);
        assert_eq!(*value.get_or_make(|| 8), 7);
    }

    #[test]
    fn a_second_value_is_dropped_and_the_first_one_stays() {
        let value = FirstUse::new();
        assert_eq!(*value.publish("one".to_owned()), "one");
        assert_eq!(*value.publish("two".to_owned()), "one");
    }

    #[test]
    fn after_a_panic_or_an_error_the_next_thread_makes_it() {
        let value = FirstUse::new();
        let panics = || value.get_or_make(|| panic!("as a test"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert_eq!(value.get_or_try_make(|| Err("no")), Err("no"));
        assert_eq!(*value.get_or_make(|| 7), 7);
    }
}
