//! The Python door: converts types, frees the GIL, maps errors. It decides nothing.

mod about;
mod arguments;
mod arrays;
mod arrow;
mod counts;
mod decode;
mod encode_many;
mod encode_one;
mod engine;
mod errors;
mod ids;
mod interrupts;
mod lattice;
mod lists;
mod model;
mod reading;
mod session;
mod text;
mod trainer;
mod usage;
mod variants;
mod wordpiece;
mod writing;

use errors::OrRaise;
use pyo3::prelude::*;

/// `gil_used`: reading lists and strings in place (`text.rs`) relies on the GIL, so a free-threaded
/// Python switches it on when it imports this module.
#[pymodule(gil_used = true)]
mod _core {
    use super::errors::OrRaise;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrow::IdColumn;
    #[pymodule_export]
    use super::counts::{Counts, CountsReader, count_files, count_texts};
    #[pymodule_export]
    use super::engine::{Engine, output_of};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::reading::DocumentReader;
    #[pymodule_export]
    use super::session::GrowingText;
    #[pymodule_export]
    use super::split;
    #[pymodule_export]
    use super::trainer::{TrainingLog, train_bpe, train_unigram, train_wordpiece};
    #[pymodule_export]
    use super::usage::{normalizer, pairs_of_tokens, pruned, token_counts};
    #[pymodule_export]
    use super::variants::{with_special_tokens, with_template};
    #[pymodule_export]
    use super::writing::encode_files;
    #[pymodule_export]
    use super::{normalize, pattern_report, patterns, utf8};

    /// How much memory the cache of each thread may use, if the caller does not say.
    #[pymodule_export]
    const DEFAULT_CACHE_BYTES: usize = subword_core::tokenizer::DEFAULT_CACHE_BYTES;

    /// A `SUBWORD_SIMD` that cannot be honoured is an error of the import, not of some later call.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let chosen = subword_core::Level::chosen();
        chosen.map(drop).or_raise(module.py())
    }
}

/// The named patterns and the regular expressions that define them.
#[pyfunction]
fn patterns() -> std::collections::BTreeMap<&'static str, Vec<&'static str>> {
    let named = subword_core::pretok::Named::ALL.into_iter();
    named.map(|named| (named.name(), named.regexes().to_vec())).collect()
}

/// The name of a pattern, the way that it runs, the reason, whether threads share a text, and its rules.
type Report = (Option<&'static str>, &'static str, Option<String>, bool, Vec<String>);

/// How a pattern runs.
#[pyfunction]
fn pattern_report(py: Python<'_>, pattern: arguments::PatternArgument) -> PyResult<Report> {
    let report = subword_core::pretok::PatternReport::new(&pattern.0);
    let report = report.map_err(|error| errors::raise(py, error))?;
    Ok((report.name, report.runs, report.reason, report.shared, report.rules))
}

/// A text as the bytes that are encoded.
#[pyfunction]
fn utf8<'py>(
    text: &Bound<'py, PyAny>,
    errors: arguments::Errors,
) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    Ok(pyo3::types::PyBytes::new(text.py(), text::Text::new(text, errors)?.bytes()))
}

/// A text as a normaliser changes it; unchanged without one.
#[pyfunction]
#[pyo3(signature = (text, normalizer))]
fn normalize<'py>(
    text: &Bound<'py, PyAny>,
    normalizer: Option<arguments::NormalizerArgument>,
) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    let py = text.py();
    let text = text::Text::new(text, arguments::Errors::default())?;
    let text = text.bytes();
    let normalizer = arguments::normalizer_of(normalizer);
    let normal = engine::run(py, text.len(), || normalizer.apply_by_blocks(text))?;
    Ok(pyo3::types::PyBytes::new(py, &normal))
}

/// The pieces of a text.
#[pyfunction]
fn split<'py>(
    text: &Bound<'py, PyAny>,
    pattern: arguments::PatternArgument,
) -> PyResult<Vec<Bound<'py, pyo3::types::PyBytes>>> {
    let py = text.py();
    let text = text::Text::new(text, arguments::Errors::default())?;
    let text = text.bytes();
    let splitter = subword_core::pretok::Splitter::new(&pattern.0).or_raise(py)?;
    let ends = engine::run(py, text.len(), || {
        let mut ends = Vec::new();
        splitter.append_ends(text, 0, &mut ends).map(|()| ends)
    })?;
    let mut start = 0;
    let piece = |end| pyo3::types::PyBytes::new(py, &text[std::mem::replace(&mut start, end)..end]);
    Ok(ends.into_iter().map(piece).collect())
}
