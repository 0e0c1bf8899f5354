//! The lattice of a text, as Python objects.

use crate::arguments::Errors;
use crate::engine::{Engine, run};
use crate::text::Text;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use subword_core::TokenId;

/// A start, an end, an id and a score.
type Edge = (usize, usize, TokenId, f64);

/// A text, the added token that it is, and what may stand in it.
type Piece<'py> = (Bound<'py, PyBytes>, Option<TokenId>, Vec<Edge>);

/// Whether sums have 32 bits, whether what is unk becomes bytes, the id of unk, the pieces.
type Lattice<'py> = (bool, bool, Option<TokenId>, Vec<Piece<'py>>);

#[pymethods]
impl Engine {
    /// Every token that may stand in a text.
    #[pyo3(name = "_lattice", signature = (text, errors), text_signature = "($self, text, errors)")]
    fn lattice<'py>(&self, text: &Bound<'py, PyAny>, errors: Errors) -> PyResult<Lattice<'py>> {
        let py = text.py();
        let text = Text::new(text, errors)?;
        let bytes = text.bytes();
        let lattice = run(py, bytes.len(), || self.tokenizer().lattice(bytes))?;
        let pieces = lattice.pieces.into_iter().map(|piece| {
            let edges = piece.edges.into_iter();
            let edges = edges.map(|edge| (edge.start, edge.end, edge.id, edge.score));
            (PyBytes::new(py, piece.text.as_bytes()), piece.added, edges.collect())
        });
        Ok((lattice.single, lattice.byte_fallback, lattice.unk, pieces.collect()))
    }
}
