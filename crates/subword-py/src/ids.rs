//! Ids that a caller passes.

use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::{TokenId, memory};

use crate::errors::{self, OrRaise};
use crate::interrupts::Pauses;
use crate::lists::probe;

/// Ids out of a sequence or an array; one that is no id at all is unknown too.
pub(crate) fn ids_from(ids: &Bound<'_, PyAny>) -> PyResult<Vec<TokenId>> {
    // A list has no buffer, and asking for one costs more than a short list.
    if !ids.is_instance_of::<PyList>()
        && let Some(ids) = ids_from_array(ids)?
    {
        return Ok(ids);
    }
    let items = ids.try_iter().map_err(|_| match ids.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("ids must be integers, not one {found}")),
        Err(error) => error,
    })?;
    let py = ids.py();
    let mut all = memory::with_capacity(ids.len().unwrap_or(0)).or_raise(py)?;
    let mut pauses = Pauses::new();
    for (position, item) in items.enumerate() {
        pauses.item(py)?;
        memory::extend(&mut all, &[id_from(&item?, position)?]).or_raise(py)?;
    }
    Ok(all)
}

/// Ids out of an array of one of the usual types; none if it is something else.
fn ids_from_array(ids: &Bound<'_, PyAny>) -> PyResult<Option<Vec<TokenId>>> {
    let py = ids.py();
    let Ok(buffer) = PyUntypedBuffer::get(ids) else { return Ok(None) };
    if buffer.dimensions() != 1 {
        let found = buffer.dimensions();
        return Err(PyTypeError::new_err(format!(
            "ids must have one dimension, not {found}: decode_batch takes many sequences"
        )));
    }
    // A buffer in the other byte order passes for one in ours below.
    let other_order: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };
    if buffer.format().to_bytes().first().is_some_and(|order| other_order.contains(order)) {
        return Ok(None);
    }
    // Ids and what they are converted from: at most twelve bytes for each.
    probe::<[u32; 3]>(py, buffer.item_count())?;
    if let Ok(buffer) = PyBuffer::<u32>::get(ids) {
        return buffer.to_vec(py).map(Some);
    }
    if let Ok(buffer) = PyBuffer::<u16>::get(ids) {
        return Ok(Some(buffer.to_vec(py)?.into_iter().map(TokenId::from).collect()));
    }
    let Ok(buffer) = PyBuffer::<i64>::get(ids) else { return Ok(None) };
    // PERF: one look at all of them, so that converting is a loop without a way out.
    let all = buffer.to_vec(py)?;
    match all.iter().position(|&id| TokenId::try_from(id).is_err()) {
        Some(position) => {
            let id = all[position];
            Err(errors::raise(py, subword_core::Error::UnknownId { id, position }))
        }
        None => Ok(Some(all.into_iter().map(|id| id as TokenId).collect())),
    }
}

/// An id out of an integer of any size, as Python takes an index.
pub(crate) fn id_from(item: &Bound<'_, PyAny>, position: usize) -> PyResult<TokenId> {
    item.extract().map_err(|error: PyErr| {
        let py = item.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return match item.call_method0("__index__") {
                Ok(id) => errors::new(py, "UnknownIdError", (id, position)),
                Err(error) => error,
            };
        }
        let found = item.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        PyTypeError::new_err(format!("ids must be integers, not {found} (position {position})"))
    })
}
