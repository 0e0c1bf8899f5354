//! The class that `subword.Tokenizer` inherits from: what it is made from, and how the engine is called.
//!
//! Its methods are in `encode_one`, `encode_many`, `decode` and `about`.

use std::path::{Path, PathBuf};

use crate::arguments::natural;
use crate::errors::OrRaise;
use crate::interrupts::detached;
use crate::lists::Integers;
use crate::model::Model;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use subword_core::formats::{self, Format, Output};
use subword_core::{Result, SpecialToken, Tokenizer};

/// From this many bytes on the GIL is worth giving up.
const DETACH_BYTES: usize = 4096;

/// Encodes, decodes and counts.
#[pyclass(frozen, subclass, module = "subword._core")]
pub(crate) struct Engine {
    tokenizer: Tokenizer,
    linear: bool,
    /// The integer objects of ids, for lists.
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

/// Runs without the GIL if that pays, hears signals then, and raises what went wrong.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl Send + FnOnce() -> Result<R>,
) -> PyResult<R> {
    if bytes < DETACH_BYTES {
        return work().or_raise(py);
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

    /// The model that has only the first merges, as many as give it `vocab_size` tokens.
    #[pyo3(name = "_truncated", signature = (vocab_size))]
    fn truncated(&self, py: Python<'_>, vocab_size: i128) -> PyResult<Model> {
        let vocab_size = natural("vocab_size", vocab_size)?;
        detached(py, |_| self.model().truncated(vocab_size)).map(Model::from)
    }

    /// How many bytes the cache of each thread may use.
    #[getter(_cache_bytes)]
    fn cache_bytes(&self) -> usize {
        self.tokenizer().cache_bytes()
    }

    /// Whether WordPiece is encoded in time that is linear in the text.
    #[getter(_linear)]
    fn linear(&self) -> bool {
        self.linear
    }

    #[doc = include_str!("../docs/to_bytes.txt")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| formats::to_bytes(self.model()));
        PyBytes::new(py, &bytes)
    }

    #[doc = include_str!("../docs/save.txt")]
    #[pyo3(signature = (path, *, format=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let format = format.map(format_named).transpose()?;
        let model = self.model();
        let written = detached(py, |_| formats::save(model, &path, format))?;
        if !matches!(written, Format::Native | Format::HuggingFace) && !model.rows.is_empty() {
            let what = "no place for saved truncation and padding, which are not kept";
            warn(py, format!("{}: {} has {what}", path.display(), written.name()))?;
        }
        if written == Format::Tiktoken && !model.special_tokens.is_empty() {
            return warn_of_special_tokens(py, &path, &model.special_tokens);
        }
        Ok(())
    }
}

/// Where a tokenizer goes that is saved to a path, and in which format; raises what `save` would raise.
#[pyfunction]
#[pyo3(signature = (path, format=None))]
pub(crate) fn output_of(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
) -> PyResult<(PathBuf, &'static str)> {
    let format = format.map(format_named).transpose()?;
    let output = Output::new(&path, format).or_raise(py)?;
    Ok((output.file, output.format.name()))
}

fn format_named(name: &str) -> PyResult<Format> {
    Format::from_name(name).ok_or_else(|| {
        let names = Format::ALL.map(|format| format!("\"{}\"", format.name())).join(", ");
        PyValueError::new_err(format!("format must be one of {names}, not {name:?}"))
    })
}

/// How many special tokens a warning names.
const MOST_NAMED: usize = 3;

/// Says that a `.tiktoken` file has no place for special tokens.
fn warn_of_special_tokens(py: Python<'_>, path: &Path, tokens: &[SpecialToken]) -> PyResult<()> {
    let named = tokens.iter().take(MOST_NAMED).map(|token| format!("{:?}", token.content));
    let mut names = named.collect::<Vec<_>>().join(", ");
    if tokens.len() > MOST_NAMED {
        names += &format!(" and {} more", tokens.len() - MOST_NAMED);
    }
    let place = path.display();
    let message =
        format!("{place}: .tiktoken has no place for special tokens, which are not kept: {names}");
    warn(py, message)
}

/// Warns of what a file does not keep.
fn warn(py: Python<'_>, message: String) -> PyResult<()> {
    let class = py.import("subword._errors")?.getattr("ModelFormatWarning")?;
    let message = std::ffi::CString::new(message)?;
    PyErr::warn(py, &class, &message, 1)
}
