//! Ids as Python lists.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use subword_core::TokenId;

/// The integer object of each id that was ever handed out, made once and kept. PERF: an object for every
/// place in a list costs more than to find its id (English, 10 MB as a list: 43 of 75 ms, 2026-11-15).
#[derive(Default)]
pub(crate) struct Integers(Mutex<Vec<Option<Py<PyInt>>>>);

impl Integers {
    /// A list of these ids.
    pub(crate) fn list<'py>(
        &self,
        py: Python<'py>,
        ids: &[TokenId],
    ) -> PyResult<Bound<'py, PyList>> {
        // Nobody waits: who is called while a list is being made, by a collector of garbage, makes new
        // objects.
        let Ok(mut kept) = self.0.try_lock() else { return PyList::new(py, ids) };
        kept_list(py, &mut kept, ids)
    }

    /// A list of lists: where each starts and ends among the ids.
    pub(crate) fn lists<'py>(
        &self,
        py: Python<'py>,
        ids: &[TokenId],
        offsets: &[u64],
    ) -> PyResult<Bound<'py, PyList>> {
        let parts = offsets.windows(2).map(|two| &ids[two[0] as usize..two[1] as usize]);
        PyList::new(py, parts.map(|ids| self.list(py, ids)).collect::<PyResult<Vec<_>>>()?)
    }
}

fn kept_list<'py>(
    py: Python<'py>,
    kept: &mut Vec<Option<Py<PyInt>>>,
    ids: &[TokenId],
) -> PyResult<Bound<'py, PyList>> {
    let largest = ids.iter().copied().max().map_or(0, |id| id as usize);
    if largest >= kept.len() {
        kept.resize_with(largest + 1, || None);
    }
    let new = |id: TokenId| {
        let Ok(integer) = id.into_pyobject(py);
        integer.unbind()
    };
    let integer = |&id: &TokenId| kept[id as usize].get_or_insert_with(|| new(id)).clone_ref(py);
    PyList::new(py, ids.iter().map(integer))
}
