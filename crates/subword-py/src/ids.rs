//! Ids that a caller passes: a sequence to decode, and those that a call puts around a text.

use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use subword_core::tokenizer::Ragged;
use subword_core::{TokenId, memory};

use crate::engine::Engine;
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

/// The ids before and after those of a text: `prepend=`, the model's template, `append=`.
pub(crate) struct Sides {
    pub(crate) prefix: Vec<TokenId>,
    pub(crate) suffix: Vec<TokenId>,
}

impl Sides {
    /// What these arguments of a call ask for.
    pub(crate) fn new(
        engine: &Engine,
        add_special_tokens: bool,
        prepend: Option<&Bound<'_, PyAny>>,
        append: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Sides> {
        let (mut prefix, mut suffix) = match add_special_tokens {
            true => engine.model().template.sides(),
            false => (Vec::new(), Vec::new()),
        };
        if let Some(token) = prepend {
            prefix.insert(0, named_id(engine, "prepend", token)?);
        }
        if let Some(token) = append {
            suffix.push(named_id(engine, "append", token)?);
        }
        Ok(Sides { prefix, suffix })
    }

    /// Whether nothing is put around a text.
    pub(crate) fn are_empty(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }

    /// The ids of many texts with these around each.
    pub(crate) fn around_all(&self, ragged: Ragged) -> subword_core::Result<Ragged> {
        if self.are_empty() { Ok(ragged) } else { ragged.surrounded(&self.prefix, &self.suffix) }
    }

    /// The ids of a text with these around them.
    pub(crate) fn around(&self, mut ids: Vec<TokenId>) -> subword_core::Result<Vec<TokenId>> {
        if !self.are_empty() {
            memory::reserve(&mut ids, self.prefix.len() + self.suffix.len())?;
            ids.splice(0..0, self.prefix.iter().copied());
            ids.extend(&self.suffix);
        }
        Ok(ids)
    }
}

/// The id of the argument `name`: a special token, or an id that a token has.
pub(crate) fn named_id(engine: &Engine, name: &str, token: &Bound<'_, PyAny>) -> PyResult<TokenId> {
    let special = &engine.model().special_tokens;
    let Ok(content) = token.cast::<PyString>() else {
        let id = id_from(token, 0)?;
        let known = engine.model().token_bytes(id).is_some();
        let unknown = || errors::raise(token.py(), subword_core::Error::unknown_id(id, 0));
        return if known { Ok(id) } else { Err(unknown()) };
    };
    let content = content.to_str()?;
    if let Some(found) = special.iter().find(|special| special.content == content) {
        return Ok(found.id);
    }
    let names: PyResult<Vec<_>> = special
        .iter()
        .map(|special| Ok(PyString::new(token.py(), &special.content).repr()?.to_string()))
        .collect();
    let names = if special.is_empty() { "none".to_owned() } else { names?.join(", ") };
    let found = token.repr()?;
    let message = format!("{name} must be a special token ({names}) or an id, not {found}");
    Err(errors::argument(name, message))
}
