//! Ids as Python lists.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use subword_core::{TokenId, memory};

use crate::errors::OrRaise;
use crate::interrupts::Pauses;

/// About how many bytes a list has, besides its items.
const LIST: usize = 80;

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
        // No waiting: the garbage collector may call us while a list is being made. Then the list gets new
        // objects.
        probe::<*const u8>(py, ids.len())?;
        let Ok(mut kept) = self.0.try_lock() else { return PyList::new(py, ids) };
        kept_list(py, &mut kept, ids)
    }

    /// Appends a list for each text: where each ends among the ids.
    pub(crate) fn append_lists(
        &self,
        py: Python<'_>,
        ids: &[TokenId],
        ends: &[u64],
        lists: &mut Vec<Py<PyList>>,
    ) -> PyResult<()> {
        // Small lists fill the memory as well.
        probe::<u8>(py, size_of::<*const u8>() * ids.len() + LIST * ends.len())?;
        let (mut start, mut pauses) = (0, Pauses::new());
        for &end in ends {
            pauses.item(py)?;
            let end = end as usize;
            lists.push(self.list(py, &ids[start..end])?.unbind());
            start = end;
        }
        Ok(())
    }
}

/// A list of these lists.
pub(crate) fn list_of(py: Python<'_>, objects: Vec<Py<PyList>>) -> PyResult<Bound<'_, PyList>> {
    probe::<*const u8>(py, objects.len())?;
    PyList::new(py, objects)
}

/// A `MemoryError` if there is no memory for `len` values. Python's own functions would panic when an object of
/// that size is made next.
pub(crate) fn probe<T>(py: Python<'_>, len: usize) -> PyResult<()> {
    memory::probe::<T>(len).or_raise(py)
}

fn kept_list<'py>(
    py: Python<'py>,
    kept: &mut Vec<Option<Py<PyInt>>>,
    ids: &[TokenId],
) -> PyResult<Bound<'py, PyList>> {
    let largest = ids.iter().copied().max().map_or(0, |id| id as usize);
    if largest >= kept.len() {
        let more = largest + 1 - kept.len();
        memory::reserve(kept, more).or_raise(py)?;
        kept.resize_with(largest + 1, || None);
    }
    let new = |id: TokenId| {
        let Ok(integer) = id.into_pyobject(py);
        integer.unbind()
    };
    let integer = |&id: &TokenId| kept[id as usize].get_or_insert_with(|| new(id)).clone_ref(py);
    PyList::new(py, ids.iter().map(integer))
}
