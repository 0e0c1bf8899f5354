//! What a tokenizer says about itself, as Python objects.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use subword_core::{Content, Encoder, Merges, TemplateSlot, formats};

use crate::engine::Engine;

impl Engine {
    /// All tokens by id, special tokens included.
    pub(crate) fn tokens_by_id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = self.model();
        let vocab = PyDict::new(py);
        for id in 0..model.id_limit() {
            if let Some(bytes) = model.token_bytes(id) {
                vocab.set_item(id, PyBytes::new(py, bytes))?;
            }
        }
        Ok(vocab)
    }

    /// The merges, the lowest rank first.
    pub(crate) fn merged_pairs<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let model = self.model();
        let ranked;
        let pairs = match &model.merges {
            Merges::Listed(pairs) => pairs,
            Merges::Ranked => {
                ranked = py.detach(|| formats::merges_of_ranks(&model.vocab));
                &ranked
            }
        };
        let bytes = |id| PyBytes::new(py, model.vocab.bytes_of(id).unwrap_or_default());
        pairs.iter().map(|&(left, right)| (bytes(left), bytes(right))).collect()
    }

    /// The template for one text or for two: ids, "A" and "B", each with its type id.
    pub(crate) fn slots<'py>(
        &self,
        py: Python<'py>,
        pair: bool,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        let template = &self.model().template;
        let slot = |slot: &TemplateSlot| {
            let content = match slot.content {
                Content::Token(id) => id.into_bound_py_any(py)?,
                Content::First => "A".into_bound_py_any(py)?,
                Content::Second => "B".into_bound_py_any(py)?,
            };
            Ok((content, slot.type_id))
        };
        if pair { &template.pair } else { &template.single }.iter().map(slot).collect()
    }

    /// How many ids `add_special_tokens` adds to one text.
    pub(crate) fn added_ids(&self) -> usize {
        let (prefix, suffix) = self.model().template.sides();
        prefix.len() + suffix.len()
    }
}

/// How a piece becomes tokens, as `Tokenizer.kind` names it.
pub(crate) fn kind_of(model: &subword_core::Model) -> &'static str {
    match model.merges {
        _ if model.encoder == Encoder::Longest => "longest",
        _ if model.as_word_piece().is_some() => "wordpiece",
        Merges::Ranked => "ranks",
        Merges::Listed(_) => "merges",
    }
}
