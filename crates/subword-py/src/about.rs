//! What a tokenizer says about itself, as Python objects.

use crate::arguments::Special;
use crate::engine::{Engine, run};
use crate::errors;
use crate::ids::{self, id_from};
use crate::model::pattern_to_python;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use subword_core::{
    Content, Decoder, Encoder, Merges, RowDefaults, Side, SpecialToken, TemplateSlot, TokenId,
    TruncationStrategy, Units, formats,
};

#[pymethods]
impl Engine {
    #[doc = include_str!("../docs/token_bytes.txt")]
    fn token_bytes<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, id) = (id.py(), id_from(id, 0)?);
        let bytes = self.model().token_bytes(id);
        let unknown = || errors::raise(py, subword_core::Error::unknown_id(id, 0));
        Ok(PyBytes::new(py, bytes.ok_or_else(unknown)?))
    }

    /// The id that the argument `name` of a call stands for: a special token, or an id; None for None.
    #[pyo3(name = "_named_id", signature = (name, token))]
    fn named_id(&self, name: &str, token: Option<Bound<'_, PyAny>>) -> PyResult<Option<TokenId>> {
        token.map(|token| ids::named_id(self, name, &token)).transpose()
    }

    /// The id of a token, or None if there is no such token.
    #[pyo3(name = "_find_token")]
    fn find_token(&self, token: &[u8]) -> Option<TokenId> {
        let model = self.model();
        let special =
            model.special_tokens.iter().find(|special| special.content.as_bytes() == token);
        special.map(|special| special.id).or_else(|| model.vocab.id_of(token))
    }

    #[doc = include_str!("../docs/vocab.txt")]
    #[getter]
    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = self.model();
        let vocab = PyDict::new(py);
        for id in 0..model.id_limit() {
            if let Some(bytes) = model.token_bytes(id) {
                vocab.set_item(id, PyBytes::new(py, bytes))?;
            }
        }
        Ok(vocab)
    }

    #[doc = include_str!("../docs/merges.txt")]
    #[getter]
    fn merges<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let model = self.model();
        let pairs = py.detach(|| formats::merge_list(model));
        let bytes = |id| PyBytes::new(py, model.vocab.bytes_of(id).unwrap_or_default());
        pairs.iter().map(|&(left, right)| (bytes(left), bytes(right))).collect()
    }

    /// The special tokens and their ids, as a new dictionary.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tokens = PyDict::new(py);
        for token in &self.model().special_tokens {
            tokens.set_item(&token.content, token.id)?;
        }
        Ok(tokens)
    }

    /// The special tokens with all that is known of them, by rising id: for each a dictionary with the
    /// keys content, id, special, normalized, single_word, lstrip and rstrip. `special` is false for a word
    /// that is matched in every text.
    #[getter(_added_tokens)]
    fn added_tokens<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let added = |token: &SpecialToken| {
            let entry = PyDict::new(py);
            entry.set_item("content", &token.content)?;
            entry.set_item("id", token.id)?;
            entry.set_item("special", !token.always)?;
            entry.set_item("normalized", token.normalized)?;
            entry.set_item("single_word", token.single_word)?;
            entry.set_item("lstrip", token.lstrip)?;
            entry.set_item("rstrip", token.rstrip)?;
            Ok(entry)
        };
        self.model().special_tokens.iter().map(added).collect()
    }

    /// The number of tokens, special tokens included.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.model().size()
    }

    /// The largest id, or -1 if there are no tokens. Ids may have gaps, so this can be larger than
    /// `vocab_size - 1`.
    #[getter]
    fn max_id(&self) -> i64 {
        i64::from(self.model().id_limit()) - 1
    }

    /// The pattern that cuts a text into pieces: a name, a regular expression, or a list of them that
    /// cut one after the other. `subword.split` shows what it does. "chain" if no pattern describes how
    /// a text is cut: see `kind`.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.model().chain {
            Some(_) => "chain".into_bound_py_any(py),
            None => pattern_to_python(py, &self.model().pattern),
        }
    }

    /// How a piece becomes tokens. "merges": by the list of merges; "ranks": by merging any two
    /// tokens that make a token, the lowest id first; "longest": by the longest tokens anywhere in
    /// it; "fewest": by the fewest tokens; "wordpiece": by the longest token that starts it, then the next; "chain": step by step, as
    /// a tokenizer.json says that no fast path runs.
    #[getter]
    fn kind(&self) -> &'static str {
        let model = self.model();
        match model.merges {
            _ if model.chain.is_some() => "chain",
            _ if model.encoder == Encoder::Longest => "longest",
            _ if model.encoder == Encoder::Fewest => "fewest",
            _ if model.as_word_piece().is_some() => "wordpiece",
            Merges::Ranked => "ranks",
            Merges::Listed(_) => "merges",
        }
    }

    /// How texts are encoded, and why so: the name of the path and a reason.
    #[getter(_path)]
    fn path(&self, py: Python<'_>) -> (&'static str, String) {
        py.detach(|| self.tokenizer().path())
    }

    /// The template for one text or for two: a list of an id, "A" (the first text) or "B" (the
    /// second text), each with its type id.
    #[pyo3(name = "_template_slots", signature = (pair))]
    fn template_slots<'py>(
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

    /// How texts become rows where the caller does not say it, by the names of the arguments of `encode_inputs`; with
    /// pad_id and pad_type. Of what the tokenizer's file does not save there is nothing.
    #[getter(_saved_rows)]
    fn saved_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let RowDefaults { truncation, padding } = &self.model().rows;
        let saved = PyDict::new(py);
        if let Some(truncation) = truncation {
            saved.set_item("max_length", truncation.max_length)?;
            let strategy = match truncation.strategy {
                TruncationStrategy::LongestFirst => "longest_first",
                TruncationStrategy::OnlyFirst => "only_first",
                TruncationStrategy::OnlySecond => "only_second",
            };
            saved.set_item("truncation", strategy)?;
            saved.set_item("truncation_side", side_name(truncation.side))?;
            saved.set_item("stride", truncation.stride)?;
        }
        if let Some(padding) = padding {
            match padding.length {
                Some(length) => saved.set_item("padding", length)?,
                None => saved.set_item("padding", "longest")?,
            }
            saved.set_item("padding_side", side_name(padding.side))?;
            saved.set_item("pad_to_multiple_of", padding.multiple.filter(|&of| of > 0))?;
            saved.set_item("pad_id", padding.id)?;
            saved.set_item("pad_type", padding.type_id)?;
        }
        Ok(saved)
    }

    /// What a piece is cut into before anything is merged: "bytes", or "chars" for characters.
    #[getter]
    fn units(&self) -> &'static str {
        match self.model().start.units {
            _ if self.model().chain.is_some() => "chars",
            Units::Bytes => "bytes",
            Units::Characters => "chars",
        }
    }

    /// The mark that is put after the last unit of every word, like "</w>", or None.
    #[getter]
    fn end_of_word(&self) -> Option<&str> {
        self.model().start.end_of_word.as_ref().map(|end| end.mark.as_str())
    }

    /// The token of what the vocabulary has no token for, like "[UNK]", or None.
    #[getter]
    fn unk_token(&self) -> Option<&str> {
        let model = self.model();
        if let Some(chain) = &model.chain {
            return chain.unk_token(&model.vocab);
        }
        let token = model.start.unk.and_then(|id| model.token_bytes(id));
        token.and_then(|token| std::str::from_utf8(token).ok())
    }

    /// Whether decoding puts spaces between the tokens.
    #[getter(_spaced)]
    fn spaced(&self) -> bool {
        self.model().decoder == Decoder::Spaced
    }

    /// Whether the bytes of the tokens of a text are the text.
    #[getter(_spells)]
    fn spells(&self) -> bool {
        self.tokenizer().spells()
    }

    /// How many bytes of a text, to which more will be appended, can be encoded now without
    /// changing an id.
    #[pyo3(name = "_settled", signature = (text, special))]
    fn settled(&self, py: Python<'_>, text: &[u8], special: Special) -> PyResult<usize> {
        run(py, text.len(), || self.tokenizer().settled(text, &special.0))
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

impl Engine {
    /// How many ids `add_special_tokens` adds to one text.
    pub(crate) fn added_ids(&self) -> usize {
        let (prefix, suffix) = self.model().template.sides();
        prefix.len() + suffix.len()
    }
}
