//! The tokenizer: what is hot. `subword.Tokenizer` adds the rest in Python.

use std::path::PathBuf;

use crate::arrays::{array_of, plain_array_of};
use crate::errors;
use crate::ids::{id_from, ids_from};
use crate::interrupts::detached;
use crate::lists::{Integers, list_of};
use crate::model::{Model, pattern_to_python, special_to_python};
use crate::numbers::{ThreadsArgument, natural};
use crate::one::is_one;
use crate::text::{Errors, Objects, Special, Text, Texts};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use subword_core::formats::{self, Format};
use subword_core::tokenizer::{Decoding, Threads, in_characters};
use subword_core::{
    Content, Decoder, Encoder, Merges, Result, TemplateSlot, TokenId, Tokenizer, Units, memory,
};

/// From this many bytes on the GIL is worth giving up.
const DETACH_BYTES: usize = 4096;

/// Encodes, decodes and counts.
#[pyclass(frozen, subclass, module = "subword._core")]
pub(crate) struct Engine {
    tokenizer: Tokenizer,
    linear: bool,
    /// For lists.
    pub(crate) integers: Integers,
}

impl Engine {
    /// What it was made from.
    pub(crate) fn model(&self) -> &subword_core::Model {
        self.tokenizer.model()
    }

    /// What encodes.
    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}

/// Where each token starts and ends.
type Places = Vec<(usize, usize)>;

fn threads(argument: Option<ThreadsArgument>) -> Threads {
    argument.and_then(|argument| argument.0)
}

/// Runs without the GIL if that pays, hears signals then, and raises what went wrong.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl Send + FnOnce() -> Result<R>,
) -> PyResult<R> {
    if bytes < DETACH_BYTES {
        return work().map_err(|error| errors::raise(py, error));
    }
    detached(py, |_| work())
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (model, cache_bytes, linear=false))]
    fn new(py: Python<'_>, model: &Model, cache_bytes: i128, linear: bool) -> PyResult<Engine> {
        let cache_bytes = natural("cache_bytes", cache_bytes)?;
        let model = model.0.clone();
        let tokenizer = detached(py, |_| match linear {
            true => Tokenizer::linear(model),
            false => Tokenizer::new(model, cache_bytes),
        })?;
        Ok(Engine { tokenizer, linear, integers: Integers::default() })
    }

    /// The ids of a text, as a list.
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::Strict,
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
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Bound<'py, PyList>> {
        let threads = self::threads(threads);
        let ids = self.ids_of(text, &special, errors, add_special_tokens, threads)?;
        self.integers.list(text.py(), &ids)
    }

    /// The ids of a text, as a numpy array of uint32.
    #[pyo3(
        signature = (text, *, special=Special::default(), errors=Errors::Strict,
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
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Bound<'py, PyArray1<TokenId>>> {
        let threads = self::threads(threads);
        let ids = self.ids_of(text, &special, errors, add_special_tokens, threads)?;
        array_of(text.py(), ids)
    }

    /// The ids of many texts, as a list of lists.
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::Strict,
            add_special_tokens=false, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    fn encode_batch<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, threads) = (texts.py(), self::threads(threads));
        let objects = Objects::new(texts)?;
        // PERF: one thread that turns to lists now and then has to fetch its tables anew each time.
        if !add_special_tokens
            && !is_one(threads)
            && let Some(lists) = self.lists_of_units(py, &objects, &special, threads)?
        {
            return list_of(py, lists);
        }
        let ragged = self.ragged_of(py, &objects, &special, errors, add_special_tokens, threads)?;
        let mut lists =
            memory::with_capacity(ragged.offsets.len()).map_err(|e| errors::raise(py, e))?;
        self.integers.append_lists(py, &ragged.ids, &ragged.offsets[1..], &mut lists)?;
        list_of(py, lists)
    }

    /// The ids of many texts, one after the other, and where each text starts and ends among them.
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::Strict,
            add_special_tokens=false, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    #[expect(clippy::type_complexity)]
    fn encode_batch_arrays<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<(Bound<'py, PyArray1<TokenId>>, Bound<'py, PyArray1<u64>>)> {
        let (py, threads) = (texts.py(), self::threads(threads));
        let objects = Objects::new(texts)?;
        let ragged = self.ragged_of(py, &objects, &special, errors, add_special_tokens, threads)?;
        Ok((array_of(py, ragged.ids)?, plain_array_of(py, ragged.offsets)?))
    }

    /// The ids of a text and the bytes or characters that each stands for.
    #[pyo3(
        signature = (text, *, unit="chars", trim=None, special=Special::default(),
            errors=Errors::Strict),
        text_signature = "($self, text, *, unit='chars', trim=None, special='text', \
            errors='strict')"
    )]
    fn encode_offsets(
        &self,
        text: &Bound<'_, PyAny>,
        unit: &str,
        trim: Option<bool>,
        special: Special,
        errors: Errors,
    ) -> PyResult<(Vec<TokenId>, Places)> {
        let py = text.py();
        let text = Text::new(text, errors)?;
        let bytes = text.bytes();
        let encode = || self.tokenizer.encode_offsets(bytes, &special.0, trim);
        let located = run(py, bytes.len(), encode)?;
        let places = match unit {
            "bytes" => located.places,
            "chars" => run(py, bytes.len(), || in_characters(bytes, located.places))?,
            other => {
                let message = format!("unit must be \"chars\" or \"bytes\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        Ok((located.ids, places))
    }

    /// How many ids a text has; None if they are more than `limit`.
    #[pyo3(
        signature = (text, *, limit=None, special=Special::default(), errors=Errors::Strict,
            threads=None),
        text_signature = "($self, text, *, limit=None, special='text', errors='strict', \
            threads=None)"
    )]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        limit: Option<i128>,
        special: Special,
        errors: Errors,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Option<usize>> {
        let limit = limit.map(|limit| natural("limit", limit)).transpose()?;
        self.count_of(text, &special, errors, limit, self::threads(threads))
    }

    /// How many ids each of many texts has.
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::Strict, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', threads=None)"
    )]
    fn count_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        special: Special,
        errors: Errors,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Vec<usize>> {
        let py = texts.py();
        let objects = Objects::new(texts)?;
        let texts = Texts::new(&objects, errors)?;
        let (texts, threads) = (texts.all(), self::threads(threads));
        run(py, usize::MAX, || self.tokenizer.count_batch(&texts, &special.0, threads))
    }

    /// How much of a text that goes on can be encoded now.
    #[pyo3(signature = (text, special))]
    fn settled(&self, py: Python<'_>, text: &[u8], special: Special) -> PyResult<usize> {
        run(py, text.len(), || self.tokenizer.settled(text, &special.0))
    }

    /// The bytes that ids spell.
    #[pyo3(signature = (ids, *, skip_special_tokens=false, cleanup=None))]
    fn decode_bytes<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
        cleanup: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (py, ids) = (ids.py(), ids_from(ids)?);
        let decoding = Decoding { skip_special_tokens, cleanup };
        let size = ids.len() * 4;
        if let Some(plain) = run(py, size, || self.tokenizer.plain_bytes(&ids, decoding))? {
            return PyBytes::new_with(py, plain.len(), |out| run(py, size, || plain.write(out)));
        }
        let bytes = run(py, size, || self.tokenizer.decode_with(&ids, decoding))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The text that ids spell.
    #[pyo3(signature = (ids, *, errors="replace", skip_special_tokens=false, cleanup=None))]
    fn decode<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        errors: &str,
        skip_special_tokens: bool,
        cleanup: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, ids) = (ids.py(), ids_from(ids)?);
        let decoding = Decoding { skip_special_tokens, cleanup };
        let bytes = run(py, ids.len() * 4, || self.tokenizer.decode_with(&ids, decoding))?;
        text_of(py, &bytes, errors)
    }

    /// The text that each of many sequences of ids spells.
    #[pyo3(
        signature = (batch, *, errors="replace", skip_special_tokens=false, cleanup=None, threads=None)
    )]
    fn decode_batch<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        errors: &str,
        skip_special_tokens: bool,
        cleanup: Option<bool>,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = batch.py();
        let ids = |ids: PyResult<Bound<'py, PyAny>>| ids_from(&ids?);
        let batch = batch.try_iter()?.map(ids).collect::<PyResult<Vec<_>>>()?;
        let threads = self::threads(threads);
        let decoding = Decoding { skip_special_tokens, cleanup };
        let texts = run(py, usize::MAX, || self.tokenizer.decode_batch(&batch, decoding, threads))?;
        texts.iter().map(|bytes| text_of(py, bytes, errors)).collect()
    }

    /// The bytes of a token.
    fn token_bytes<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, id) = (id.py(), id_from(id, 0)?);
        let bytes = self.tokenizer.model().token_bytes(id);
        let unknown = || errors::raise(py, subword_core::Error::unknown_id(id, 0));
        Ok(PyBytes::new(py, bytes.ok_or_else(unknown)?))
    }

    /// The id of a token, or None.
    fn find_token(&self, token: &[u8]) -> Option<TokenId> {
        let model = self.tokenizer.model();
        let special =
            model.special_tokens.iter().find(|special| special.content.as_bytes() == token);
        special.map(|special| special.id).or_else(|| model.vocab.id_of(token))
    }

    /// All tokens by id, special tokens included.
    #[getter]
    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = self.tokenizer.model();
        let vocab = PyDict::new(py);
        for id in 0..model.id_limit() {
            if let Some(bytes) = model.token_bytes(id) {
                vocab.set_item(id, PyBytes::new(py, bytes))?;
            }
        }
        Ok(vocab)
    }

    /// The merges, the lowest rank first.
    #[getter]
    fn merges<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
        let model = self.tokenizer.model();
        let ranked;
        let pairs = match &model.merges {
            Merges::Listed(pairs) => pairs,
            Merges::Ranked => {
                ranked = py.detach(|| formats::merges_of_ranks(&model.vocab));
                &ranked
            }
        };
        let bytes = |id| PyBytes::new(py, model.vocab.bytes_of(id).unwrap_or_default());
        Ok(pairs.iter().map(|&(left, right)| (bytes(left), bytes(right))).collect())
    }

    /// The special tokens and their ids.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        special_to_python(py, self.tokenizer.model())
    }

    /// How many tokens there are, special tokens included.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.tokenizer.model().size()
    }

    /// The largest id; -1 if there are no tokens.
    #[getter]
    fn max_id(&self) -> i64 {
        i64::from(self.tokenizer.model().id_limit()) - 1
    }

    /// The pattern: a name, a regular expression, or a list of them.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pattern_to_python(py, &self.tokenizer.model().pattern)
    }

    /// How a piece becomes tokens: by "ranks" or "merges", the two meanings of BPE, by the "longest",
    /// or by "wordpiece".
    #[getter]
    fn kind(&self) -> &'static str {
        let model = self.tokenizer.model();
        match model.merges {
            _ if model.encoder == Encoder::Longest => "longest",
            _ if model.as_word_piece().is_some() => "wordpiece",
            Merges::Ranked => "ranks",
            Merges::Listed(_) => "merges",
        }
    }

    /// What the template puts where, for one text or two: an id, "A" or "B", each with its type.
    #[pyo3(name = "_template_slots", signature = (pair))]
    fn template_slots<'py>(
        &self,
        py: Python<'py>,
        pair: bool,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        let template = &self.tokenizer.model().template;
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

    /// What a piece is cut into before anything is merged: "bytes" or "chars".
    #[getter]
    fn units(&self) -> &'static str {
        match self.tokenizer.model().start.units {
            Units::Bytes => "bytes",
            Units::Characters => "chars",
        }
    }

    /// The mark that ends every word, or None.
    #[getter]
    fn end_of_word(&self) -> Option<&str> {
        self.tokenizer.model().start.end_of_word.as_ref().map(|end| end.mark.as_str())
    }

    /// The token of unknown characters, or None.
    #[getter]
    fn unk_token(&self) -> Option<&str> {
        let model = self.tokenizer.model();
        let token = model.start.unk.and_then(|id| model.token_bytes(id));
        token.and_then(|token| std::str::from_utf8(token).ok())
    }

    /// The model with its first merges only, so many that it has this many tokens.
    #[pyo3(name = "_truncated", signature = (vocab_size))]
    fn truncated(&self, py: Python<'_>, vocab_size: i128) -> PyResult<Model> {
        let vocab_size = natural("vocab_size", vocab_size)?;
        detached(py, |_| self.tokenizer.model().truncated(vocab_size)).map(Model::from)
    }

    /// The bound of the cache of each thread, in bytes.
    #[getter]
    fn cache_bytes(&self) -> usize {
        self.tokenizer.cache_bytes()
    }

    /// Whether WordPiece is encoded by the linear encoder.
    #[getter(_linear)]
    fn linear(&self) -> bool {
        self.linear
    }

    /// Whether the text of ids is the tokens with spaces between them.
    #[getter(_spaced)]
    fn spaced(&self) -> bool {
        self.tokenizer.model().decoder == Decoder::Spaced
    }

    /// The bytes of the native file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| formats::to_bytes(self.tokenizer.model()));
        PyBytes::new(py, &bytes)
    }

    /// Writes a file, in the format of that name or the one that the path asks for.
    #[pyo3(signature = (path, *, format=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let format = match format {
            None => Format::of_path(&path, self.tokenizer.model()),
            Some(name) => Format::from_name(name).ok_or_else(|| {
                let names = Format::ALL.map(|format| format!("\"{}\"", format.name())).join(", ");
                PyValueError::new_err(format!("format must be one of {names}, not {name:?}"))
            })?,
        };
        detached(py, |_| formats::save(self.tokenizer.model(), &path, format))
    }
}

/// Bytes as a string; what is not UTF-8 by Python's own rule for `errors`.
fn text_of<'py>(py: Python<'py>, bytes: &[u8], errors: &str) -> PyResult<Bound<'py, PyAny>> {
    match PyString::from_bytes(py, bytes) {
        Ok(text) => Ok(text.into_any()),
        Err(_) => PyBytes::new(py, bytes).call_method1("decode", ("utf-8", errors)),
    }
}
