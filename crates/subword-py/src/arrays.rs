/*!
Ids as numpy arrays, without a copy.

The memory of a large array comes back to the engine when Python is done with it, for the next large answer:
who encodes a corpus by large batches pays for its pages once.
*/

use numpy::ndarray::Array1;
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use subword_core::TokenId;
use subword_core::tokenizer::{give_back, is_large};

/// Ids that an array shows.
#[pyclass(frozen)]
struct Shown {
    ids: Array1<TokenId>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        give_back(std::mem::take(&mut self.ids).into_raw_vec_and_offset().0);
    }
}

/// An array of these values. An `ImportError` if numpy cannot be imported, where the bindings of numpy would
/// panic: whoever makes an array comes here first.
pub(crate) fn plain_array_of<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
) -> PyResult<Bound<'_, PyArray1<T>>> {
    static NUMPY: PyOnceLock<()> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(|_| ()))?;
    Ok(PyArray1::from_vec(py, values))
}

/// The same for ids, the memory of which comes back.
#[allow(unsafe_code)]
pub(crate) fn array_of(
    py: Python<'_>,
    ids: Vec<TokenId>,
) -> PyResult<Bound<'_, PyArray1<TokenId>>> {
    if !is_large(&ids) {
        return plain_array_of(py, ids);
    }
    plain_array_of::<TokenId>(py, Vec::new())?;
    let shown = Bound::new(py, Shown { ids: Array1::from_vec(ids) })?;
    // SAFETY: `shown` has the memory for as long as the array refers to it, nobody else sees it, and it is
    // never moved: the class is frozen, and gives it back only when it is dropped.
    Ok(unsafe { PyArray1::borrow_from_array(&shown.get().ids, shown.clone().into_any()) })
}
