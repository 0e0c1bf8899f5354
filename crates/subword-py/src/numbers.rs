//! Numbers that a caller passes.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use subword_core::tokenizer::Threads;

use crate::errors;

/// `threads=`: a positive number, or None for all cores.
pub(crate) struct ThreadsArgument(pub(crate) Threads);

impl<'a, 'py> FromPyObject<'a, 'py> for ThreadsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let number: i64 = object.extract()?;
        let threads = usize::try_from(number).ok().and_then(NonZeroUsize::new);
        let message = || format!("threads must be at least 1, not {number}");
        let wrong = || errors::argument("threads", message());
        Ok(ThreadsArgument(Some(threads.ok_or_else(wrong)?)))
    }
}

/// A number that a caller passes, by the name of its argument. A number above `usize::MAX` means no
/// limit.
pub(crate) fn natural(name: &str, number: i128) -> PyResult<usize> {
    if number < 0 {
        let message = format!("{name} must be at least 0, not {number}");
        return Err(errors::argument(name, message));
    }
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}
