//! Values as numpy arrays, without a copy.

use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An array of these values. An `ImportError` if numpy cannot be imported, where the bindings of numpy would
/// panic: whoever makes an array comes here first.
pub(crate) fn array_of<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
) -> PyResult<Bound<'_, PyArray1<T>>> {
    static NUMPY: PyOnceLock<()> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(|_| ()))?;
    Ok(PyArray1::from_vec(py, values))
}
