//! One text to ids, and how many they are.

use pyo3::prelude::*;
use subword_core::TokenId;
use subword_core::tokenizer::Threads;
use subword_core::utf8::Characters;

use crate::engine::{Engine, run};
use crate::text::{Errors, Special, Text, large_units, utf8_of};

impl Engine {
    /// The ids of a text, with the template around them if it is asked for.
    pub(crate) fn ids_of(
        &self,
        text: &Bound<'_, PyAny>,
        special: &Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Threads,
    ) -> PyResult<Vec<TokenId>> {
        let (py, tokenizer) = (text.py(), self.tokenizer());
        let whole =
            |bytes: &[u8]| run(py, bytes.len(), || tokenizer.encode(bytes, &special.0, threads));
        let blocks = |units: Characters<'_>| {
            run(py, usize::MAX, || tokenizer.encode_units(units, &special.0))
        };
        let ids = whole_or_by_blocks(text, errors, threads, whole, blocks)?;
        if add_special_tokens { run(py, 0, || tokenizer.surround(ids)) } else { Ok(ids) }
    }

    /// How many ids a text has; none if they are more than `limit`.
    pub(crate) fn count_of(
        &self,
        text: &Bound<'_, PyAny>,
        special: &Special,
        errors: Errors,
        limit: Option<usize>,
        threads: Threads,
    ) -> PyResult<Option<usize>> {
        let (py, tokenizer) = (text.py(), self.tokenizer());
        let whole = |bytes: &[u8]| {
            run(py, bytes.len(), || tokenizer.count(bytes, &special.0, limit, threads))
        };
        let within =
            |count: usize| Some(count).filter(|&count| limit.is_none_or(|most| count <= most));
        let blocks = |units: Characters<'_>| {
            let count = run(py, usize::MAX, || tokenizer.count_units(units, &special.0, limit))?;
            Ok(count.map(within))
        };
        whole_or_by_blocks(text, errors, threads, whole, blocks)
    }
}

/// What `whole` says of the bytes of a text. If it is large, Python does not have it as UTF-8, and one thread is
/// to encode it, what `blocks` says of its characters, if it does.
fn whole_or_by_blocks<R>(
    text: &Bound<'_, PyAny>,
    errors: Errors,
    threads: Threads,
    whole: impl Fn(&[u8]) -> PyResult<R>,
    blocks: impl FnOnce(Characters<'_>) -> PyResult<Option<R>>,
) -> PyResult<R> {
    if let Some(bytes) = utf8_of(text) {
        return whole(bytes);
    }
    if is_one(threads)
        && let Some(units) = large_units(text)
        && let Some(found) = blocks(units)?
    {
        return Ok(found);
    }
    whole(Text::new(text, errors)?.bytes())
}

pub(crate) fn is_one(threads: Threads) -> bool {
    threads.is_some_and(|threads| threads.get() == 1)
}
