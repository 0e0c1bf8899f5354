//! Numbers that a caller passes.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use subword_core::tokenizer::Threads;

/// `threads=`: a positive number, or None for all cores.
pub(crate) struct ThreadsArgument(pub(crate) Threads);

impl<'a, 'py> FromPyObject<'a, 'py> for ThreadsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let number: i64 = object.extract()?;
        let threads = usize::try_from(number).ok().and_then(NonZeroUsize::new);
        let wrong = || PyValueError::new_err(format!("threads must be at least 1, not {number}"));
        Ok(ThreadsArgument(Some(threads.ok_or_else(wrong)?)))
    }
}

/// A number that a caller passes, by the name of its argument. More than there is memory for is no
/// limit at all.
pub(crate) fn natural(name: &str, number: i128) -> PyResult<usize> {
    if number < 0 {
        return Err(PyValueError::new_err(format!("{name} must be at least 0, not {number}")));
    }
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}
