//! A text that grows, trusted parts of a text, and the places where a text may be cut.

use std::ops::Range;

use crate::arguments::{Errors, Special};
use crate::engine::{Engine, run};
use crate::errors;
use crate::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use subword_core::TokenId;
use subword_core::tokenizer::{self, Change, in_characters};

/// What changed: how many ids at the end were dropped, and the ids that came after the others.
type Changed<'py> = (usize, Bound<'py, PyList>);

/// A text that grows, and its ids.
#[pyclass(module = "subword._core")]
pub(crate) struct GrowingText {
    engine: Py<Engine>,
    errors: Errors,
    growing: tokenizer::GrowingText,
}

impl GrowingText {
    fn changed<'py>(&self, py: Python<'py>, change: Change) -> PyResult<Changed<'py>> {
        let ids = self.growing.ids();
        let new = &ids[ids.len() - change.added..];
        Ok((change.dropped, self.engine.get().integers.list(py, new)?))
    }
}

#[pymethods]
impl GrowingText {
    #[new]
    #[pyo3(signature = (tok, special, errors))]
    fn new(tok: Py<Engine>, special: Special, errors: Errors) -> GrowingText {
        GrowingText { engine: tok, errors, growing: tokenizer::GrowingText::new(special.0) }
    }

    /// The ids of the whole text.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.engine.get().integers.list(py, self.growing.ids())
    }

    /// The whole text, as UTF-8.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.growing.text())
    }

    /// How many ids the text has.
    fn __len__(&self) -> usize {
        self.growing.ids().len()
    }

    /// The same text, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> GrowingText {
        let engine = self.engine.clone_ref(py);
        GrowingText { engine, errors: self.errors, growing: self.growing.clone() }
    }

    /// Puts more text at the end.
    fn append<'py>(&mut self, text: &Bound<'py, PyAny>) -> PyResult<Changed<'py>> {
        let py = text.py();
        let text = Text::new(text, self.errors)?;
        let (growing, engine) = (&mut self.growing, self.engine.get());
        let bytes = text.bytes();
        let change = run(py, bytes.len(), || growing.append(engine.tokenizer(), bytes))?;
        self.changed(py, change)
    }

    /// Takes characters away from the end.
    fn rewind<'py>(&mut self, py: Python<'py>, characters: usize) -> PyResult<Changed<'py>> {
        let Some(len) = without_last(self.growing.text(), characters) else {
            let message = format!("the text has fewer than {characters} characters");
            return Err(errors::argument("characters", message));
        };
        let (growing, engine) = (&mut self.growing, self.engine.get());
        let change = growing.truncate(engine.tokenizer(), len);
        let change = change.map_err(|error| errors::raise(py, error))?;
        self.changed(py, change)
    }
}

/// How many bytes are left without the last characters; none if there are not as many. A byte that is not UTF-8 is
/// a character.
fn without_last(text: &[u8], characters: usize) -> Option<usize> {
    let mut len = text.len();
    for _ in 0..characters {
        let end = len.checked_sub(1)?;
        let longest = end.saturating_sub(3)..=end;
        let start = longest.rev().find(|&start| text[start] & 0xC0 != 0x80).unwrap_or(end);
        let is_character = std::str::from_utf8(&text[start..len]).is_ok();
        len = if is_character { start } else { end };
    }
    Some(len)
}

#[pymethods]
impl Engine {
    /// The places where a text may be cut so that all parts encode alone, in characters if it is a `str`.
    #[pyo3(name = "_cut_points", signature = (text, special, errors))]
    fn cut_points(
        &self,
        text: &Bound<'_, PyAny>,
        special: Special,
        errors: Errors,
    ) -> PyResult<Vec<usize>> {
        let py = text.py();
        let is_str = text.is_instance_of::<pyo3::types::PyString>();
        let text = Text::new(text, errors)?;
        let bytes = text.bytes();
        run(py, bytes.len(), || {
            let places = self.tokenizer().cut_points(bytes, &special.0)?;
            if !is_str {
                return Ok(places);
            }
            let places = in_characters(bytes, places.iter().map(|&at| (at, at)).collect())?;
            Ok(places.into_iter().map(|(at, _)| at).collect())
        })
    }

    /// The ids of a text in which special tokens count within the trusted ranges alone.
    #[pyo3(name = "_encode_trusted", signature = (text, trusted))]
    fn encode_trusted<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
        trusted: Vec<(usize, usize)>,
    ) -> PyResult<Bound<'py, PyList>> {
        let trusted: Vec<Range<usize>> =
            trusted.into_iter().map(|(start, end)| start..end).collect();
        let ids: Vec<TokenId> =
            run(py, text.len(), || self.tokenizer().encode_trusted(text, &trusted))?;
        self.integers.list(py, &ids)
    }
}
