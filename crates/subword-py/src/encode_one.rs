//! One text to ids, and how many they are.

use crate::arguments::{Errors, Special, choice, optional, threads_of};
use crate::arrays::array_of;
use crate::engine::{Engine, run};
use crate::text::{Text, large_units, utf8_of};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::TokenId;
use subword_core::tokenizer::{Threads, in_characters};
use subword_core::utf8::Characters;

/// Where each token starts and ends in the text.
type Offsets = Vec<(usize, usize)>;

#[pymethods]
impl Engine {
    #[doc = include_str!("../docs/encode.txt")]
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, threads=None),
        text_signature = "($self, text, *, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    fn encode<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let threads = threads_of(threads)?;
        let ids = self.ids_of(text, &special, errors, add_special_tokens, threads)?;
        self.integers.list(text.py(), &ids)
    }

    #[doc = include_str!("../docs/encode_array.txt")]
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, threads=None),
        text_signature = "($self, text, *, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    fn encode_array<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
        let threads = threads_of(threads)?;
        let ids = self.ids_of(text, &special, errors, add_special_tokens, threads)?;
        array_of(text.py(), ids)
    }

    #[doc = include_str!("../docs/encode_offsets.txt")]
    #[pyo3(
        signature = (text, *, unit="chars", trim=None, special=Special::default(),
            errors=Errors::default(), add_special_tokens=false),
        text_signature = "($self, text, *, unit='chars', trim=None, special='text', \
            errors='strict', add_special_tokens=False)"
    )]
    fn encode_offsets(
        &self,
        text: &Bound<'_, PyAny>,
        unit: &str,
        trim: Option<bool>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
    ) -> PyResult<(Vec<TokenId>, Offsets)> {
        let py = text.py();
        let text = Text::new(text, errors)?;
        let bytes = text.bytes();
        let encode = || self.tokenizer().encode_offsets(bytes, &special.0, trim);
        let located = run(py, bytes.len(), encode)?;
        let mut offsets = located.places;
        if choice("unit", unit, &[("chars", true), ("bytes", false)])? {
            offsets = run(py, bytes.len(), || in_characters(bytes, offsets))?;
        }
        if !add_special_tokens {
            return Ok((located.ids, offsets));
        }
        // As in Hugging Face's library, a token that the template adds has no place: (0, 0).
        let (prefix, suffix) = self.model().template.sides();
        offsets.splice(0..0, vec![(0, 0); prefix.len()]);
        offsets.resize(offsets.len() + suffix.len(), (0, 0));
        let ids = run(py, 0, || self.tokenizer().surround(located.ids))?;
        Ok((ids, offsets))
    }

    #[doc = include_str!("../docs/count.txt")]
    #[pyo3(
        signature = (text, *, limit=None, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, threads=None),
        text_signature = "($self, text, *, limit=None, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        limit: Option<i128>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<i64>,
    ) -> PyResult<Option<usize>> {
        let limit = optional("limit", limit)?;
        let added = if add_special_tokens { self.added_ids() } else { 0 };
        let room = limit.map(|limit| limit.saturating_sub(added));
        let count = self.count_of(text, &special, errors, room, threads_of(threads)?)?;
        Ok(count.map(|count| count + added).filter(|&all| limit.is_none_or(|limit| all <= limit)))
    }
}

impl Engine {
    /// The ids of a text, with the template around them if `add_special_tokens` is true.
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
