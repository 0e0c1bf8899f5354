//! Models that differ from another in their special tokens or in their template.

use pyo3::prelude::*;
use subword_core::{Content, SpecialToken, Template, TemplateSlot, TokenId, formats};

use crate::arguments::SpecialTokens;
use crate::engine::Engine;
use crate::errors::OrRaise;
use crate::interrupts::detached;
use crate::model::Model;

/// The model with more special tokens: with the ids that they bring, those of the vocabulary, or the next free ones.
#[pyfunction]
pub(crate) fn with_special_tokens(
    py: Python<'_>,
    engine: &Engine,
    special_tokens: SpecialTokens,
) -> PyResult<Model> {
    let mut model = engine.model().clone();
    let old: Vec<SpecialToken> = model.special_tokens.clone();
    let known = |content: &str| old.iter().position(|token| token.content == content);
    let mut wanted: Vec<_> = old.iter().map(|one| (one.content.clone(), Some(one.id))).collect();
    for (content, id) in special_tokens.0 {
        if let Some(at) = known(&content) {
            wanted[at].1 = id.or(wanted[at].1);
        } else {
            wanted.push((content, id));
        }
    }
    let numbered = formats::special_tokens(&model.vocab, wanted);
    model.special_tokens = numbered.or_raise(py)?;
    for (token, before) in model.special_tokens.iter_mut().zip(old) {
        *token = SpecialToken { id: token.id, ..before };
    }
    detached(py, |_| model.checked()).map(Model::from)
}

/// One place of a template: an id, "A" or "B".
#[derive(FromPyObject)]
pub(crate) enum Slot {
    Token(TokenId),
    Text(String),
}

/// The model with another template.
#[pyfunction]
pub(crate) fn with_template(
    py: Python<'_>,
    engine: &Engine,
    single: Vec<(Slot, u32)>,
    pair: Vec<(Slot, u32)>,
) -> PyResult<Model> {
    let slots = |slots: Vec<(Slot, u32)>| {
        let slot = |(content, type_id)| {
            let content = match content {
                Slot::Token(id) => Content::Token(id),
                Slot::Text(name) if name == "A" => Content::First,
                Slot::Text(_) => Content::Second,
            };
            TemplateSlot { content, type_id }
        };
        slots.into_iter().map(slot).collect()
    };
    let mut model = engine.model().clone();
    model.template = Template { single: slots(single), pair: slots(pair) };
    detached(py, |_| model.checked()).map(Model::from)
}
