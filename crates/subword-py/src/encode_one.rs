//! One text to ids, and how many they are.

use crate::arguments::{Errors, Special, choice, optional, threads_of};
use crate::arrays::array_of;
use crate::engine::{Engine, run};
use crate::ids::Sides;
use crate::text::{Text, with_bytes};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::TokenId;
use subword_core::tokenizer::{Threads, in_characters};

/// Where each token starts and ends in the text.
type Offsets = Vec<(usize, usize)>;

#[pymethods]
impl Engine {
    #[doc = include_str!("../docs/encode.txt")]
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, text, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    fn encode<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let threads = threads_of(threads)?;
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let ids = self.ids_of(text, &special, errors, &sides, threads)?;
        self.integers.list(text.py(), &ids)
    }

    #[doc = include_str!("../docs/encode_array.txt")]
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, text, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    fn encode_array<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
        let threads = threads_of(threads)?;
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let ids = self.ids_of(text, &special, errors, &sides, threads)?;
        array_of(text.py(), ids)
    }

    #[doc = include_str!("../docs/encode_offsets.txt")]
    #[pyo3(
        signature = (text, *, unit="chars", trim=None, special=Special::default(),
            errors=Errors::default(), add_special_tokens=false, prepend=None, append=None),
        text_signature = "($self, text, *, unit='chars', trim=None, special='text', \
            errors='strict', add_special_tokens=False, prepend=None, append=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    fn encode_offsets(
        &self,
        text: &Bound<'_, PyAny>,
        unit: &str,
        trim: Option<bool>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'_, PyAny>>,
        append: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Vec<TokenId>, Offsets)> {
        let py = text.py();
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let text = Text::new(text, errors)?;
        let bytes = text.bytes();
        let encode = || self.tokenizer().encode_offsets(bytes, &special.0, trim);
        let located = run(py, bytes.len(), encode)?;
        let mut offsets = located.places;
        if choice("unit", unit, &[("chars", true), ("bytes", false)])? {
            offsets = run(py, bytes.len(), || in_characters(bytes, offsets))?;
        }
        // As in Hugging Face's library, a token that is put around the text has no place: (0, 0).
        offsets.splice(0..0, vec![(0, 0); sides.prefix.len()]);
        offsets.resize(offsets.len() + sides.suffix.len(), (0, 0));
        let ids = run(py, 0, || sides.around(located.ids))?;
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
        let (py, threads) = (text.py(), threads_of(threads)?);
        let count = with_bytes(text, errors, |bytes| {
            run(py, bytes.len(), || self.tokenizer().count(bytes, &special.0, room, threads))
        })?;
        Ok(count.map(|count| count + added).filter(|&all| limit.is_none_or(|limit| all <= limit)))
    }
}

impl Engine {
    /// The ids of a text, with those around them.
    pub(crate) fn ids_of(
        &self,
        text: &Bound<'_, PyAny>,
        special: &Special,
        errors: Errors,
        sides: &Sides,
        threads: Threads,
    ) -> PyResult<Vec<TokenId>> {
        let (py, tokenizer) = (text.py(), self.tokenizer());
        let ids = with_bytes(text, errors, |bytes| {
            run(py, bytes.len(), || tokenizer.encode(bytes, &special.0, threads))
        })?;
        // PERF: of a short text this is a tenth of the call.
        if sides.are_empty() { Ok(ids) } else { run(py, 0, || sides.around(ids)) }
    }
}
