//! The tokenizer: what is hot. `subword.Tokenizer` adds the rest in Python.

use std::path::PathBuf;

use crate::about::kind_of;
use crate::arrays::array_of;
use crate::errors;
use crate::ids::{id_from, ids_from};
use crate::interrupts::detached;
use crate::lists::{Integers, list_of};
use crate::model::{Model, pattern_to_python, special_to_python};
use crate::numbers::{ThreadsArgument, natural};
use crate::one::is_one;
use crate::text::{Errors, Objects, Special, Text, Texts};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use subword_core::formats::{self, Format};
use subword_core::tokenizer::{Decoding, Threads, in_characters};
use subword_core::{Decoder, Result, TokenId, Tokenizer, Units, memory};

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

/// Where each token starts and ends in the text.
type Offsets = Vec<(usize, usize)>;

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

    #[doc = include_str!("../docs/encode.txt")]
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

    #[doc = include_str!("../docs/encode_array.txt")]
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

    #[doc = include_str!("../docs/encode_batch.txt")]
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
            memory::with_capacity(ragged.bounds.len()).map_err(|e| errors::raise(py, e))?;
        self.integers.append_lists(py, &ragged.ids, &ragged.bounds[1..], &mut lists)?;
        list_of(py, lists)
    }

    #[doc = include_str!("../docs/encode_batch_arrays.txt")]
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
        Ok((array_of(py, ragged.ids)?, array_of(py, ragged.bounds)?))
    }

    #[doc = include_str!("../docs/encode_offsets.txt")]
    #[pyo3(
        signature = (text, *, unit="chars", trim=None, special=Special::default(),
            errors=Errors::Strict, add_special_tokens=false),
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
        let encode = || self.tokenizer.encode_offsets(bytes, &special.0, trim);
        let located = run(py, bytes.len(), encode)?;
        let mut offsets = match unit {
            "bytes" => located.places,
            "chars" => run(py, bytes.len(), || in_characters(bytes, located.places))?,
            other => {
                let message = format!("unit must be \"chars\" or \"bytes\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        if !add_special_tokens {
            return Ok((located.ids, offsets));
        }
        // As in Hugging Face's library, a token that the template adds has no place: (0, 0).
        let (prefix, suffix) = self.model().template.sides();
        offsets.splice(0..0, vec![(0, 0); prefix.len()]);
        offsets.resize(offsets.len() + suffix.len(), (0, 0));
        let ids = run(py, 0, || self.tokenizer.surround(located.ids))?;
        Ok((ids, offsets))
    }

    #[doc = include_str!("../docs/count.txt")]
    #[pyo3(
        signature = (text, *, limit=None, special=Special::default(), errors=Errors::Strict,
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
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Option<usize>> {
        let limit = limit.map(|limit| natural("limit", limit)).transpose()?;
        let added = if add_special_tokens { self.added_ids() } else { 0 };
        let room = limit.map(|limit| limit.saturating_sub(added));
        let count = self.count_of(text, &special, errors, room, self::threads(threads))?;
        Ok(count.map(|count| count + added).filter(|&all| limit.is_none_or(|limit| all <= limit)))
    }

    #[doc = include_str!("../docs/count_batch.txt")]
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::Strict,
            add_special_tokens=false, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, threads=None)"
    )]
    fn count_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Option<ThreadsArgument>,
    ) -> PyResult<Vec<usize>> {
        let py = texts.py();
        let objects = Objects::new(texts)?;
        let texts = Texts::new(&objects, errors)?;
        let (texts, threads) = (texts.all(), self::threads(threads));
        let count = || self.tokenizer.count_batch(&texts, &special.0, threads);
        let mut counts = run(py, usize::MAX, count)?;
        if add_special_tokens {
            let added = self.added_ids();
            counts.iter_mut().for_each(|count| *count += added);
        }
        Ok(counts)
    }

    /// How many bytes of a text, to which more will be appended, can be encoded now without
    /// changing an id.
    #[pyo3(name = "_settled", signature = (text, special))]
    fn settled(&self, py: Python<'_>, text: &[u8], special: Special) -> PyResult<usize> {
        run(py, text.len(), || self.tokenizer.settled(text, &special.0))
    }

    #[doc = include_str!("../docs/decode_bytes.txt")]
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

    #[doc = include_str!("../docs/decode.txt")]
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

    #[doc = include_str!("../docs/decode_batch.txt")]
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

    #[doc = include_str!("../docs/token_bytes.txt")]
    fn token_bytes<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, id) = (id.py(), id_from(id, 0)?);
        let bytes = self.tokenizer.model().token_bytes(id);
        let unknown = || errors::raise(py, subword_core::Error::unknown_id(id, 0));
        Ok(PyBytes::new(py, bytes.ok_or_else(unknown)?))
    }

    /// The id of a token, or None if there is no such token.
    #[pyo3(name = "_find_token")]
    fn find_token(&self, token: &[u8]) -> Option<TokenId> {
        let model = self.tokenizer.model();
        let special =
            model.special_tokens.iter().find(|special| special.content.as_bytes() == token);
        special.map(|special| special.id).or_else(|| model.vocab.id_of(token))
    }

    #[doc = include_str!("../docs/vocab.txt")]
    #[getter]
    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.tokens_by_id(py)
    }

    #[doc = include_str!("../docs/merges.txt")]
    #[getter]
    fn merges<'py>(&self, py: Python<'py>) -> Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        self.merged_pairs(py)
    }

    /// The special tokens and their ids, as a new dictionary.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        special_to_python(py, self.tokenizer.model())
    }

    /// The number of tokens, special tokens included.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.tokenizer.model().size()
    }

    /// The largest id, or -1 if there are no tokens. Ids may have gaps, so this can be larger than
    /// `vocab_size - 1`.
    #[getter]
    fn max_id(&self) -> i64 {
        i64::from(self.tokenizer.model().id_limit()) - 1
    }

    /// The pattern that cuts a text into pieces: a name, a regular expression, or a list of them that
    /// cut one after the other. `subword.split` shows what it does.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pattern_to_python(py, &self.tokenizer.model().pattern)
    }

    /// How a piece becomes tokens. "merges": by the list of merges; "ranks": by merging any two
    /// tokens that make a token, the lowest id first; "longest": by the longest tokens anywhere in
    /// it; "wordpiece": by the longest token that starts it, then the next.
    #[getter]
    fn kind(&self) -> &'static str {
        kind_of(self.model())
    }

    /// The template for one text or for two: a list of an id, "A" (the first text) or "B" (the
    /// second text), each with its type id.
    #[pyo3(name = "_template_slots", signature = (pair))]
    fn template_slots<'py>(
        &self,
        py: Python<'py>,
        pair: bool,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        self.slots(py, pair)
    }

    /// What a piece is cut into before anything is merged: "bytes", or "chars" for characters.
    #[getter]
    fn units(&self) -> &'static str {
        match self.tokenizer.model().start.units {
            Units::Bytes => "bytes",
            Units::Characters => "chars",
        }
    }

    /// The mark that is put after the last unit of every word, like "</w>", or None.
    #[getter]
    fn end_of_word(&self) -> Option<&str> {
        self.tokenizer.model().start.end_of_word.as_ref().map(|end| end.mark.as_str())
    }

    /// The token of what the vocabulary has no token for, like "[UNK]", or None.
    #[getter]
    fn unk_token(&self) -> Option<&str> {
        let model = self.tokenizer.model();
        let token = model.start.unk.and_then(|id| model.token_bytes(id));
        token.and_then(|token| std::str::from_utf8(token).ok())
    }

    /// The model that has only the first merges, as many as give it `vocab_size` tokens.
    #[pyo3(name = "_truncated", signature = (vocab_size))]
    fn truncated(&self, py: Python<'_>, vocab_size: i128) -> PyResult<Model> {
        let vocab_size = natural("vocab_size", vocab_size)?;
        detached(py, |_| self.tokenizer.model().truncated(vocab_size)).map(Model::from)
    }

    /// How many bytes the cache of each thread may use.
    #[getter(_cache_bytes)]
    fn cache_bytes(&self) -> usize {
        self.tokenizer.cache_bytes()
    }

    /// Whether WordPiece is encoded in time that is linear in the text.
    #[getter(_linear)]
    fn linear(&self) -> bool {
        self.linear
    }

    /// Whether decoding puts spaces between the tokens.
    #[getter(_spaced)]
    fn spaced(&self) -> bool {
        self.tokenizer.model().decoder == Decoder::Spaced
    }

    #[doc = include_str!("../docs/to_bytes.txt")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| formats::to_bytes(self.tokenizer.model()));
        PyBytes::new(py, &bytes)
    }

    #[doc = include_str!("../docs/save.txt")]
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
