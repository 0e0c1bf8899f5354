//! From a corpus to token files. `subword._corpus.encode_files` adds the rest in Python.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use subword_core::token_files::{
    self, OnError, Resume, RowBlock, RowGroup, RowSource, Source, SourcePosition, Split,
    TokenFileFormat, TokenFileSettings, Totals, Width,
};
use subword_core::{Error, Result, TokenId};

use crate::engine::Engine;
use crate::interrupts::detached;
use crate::numbers::ThreadsArgument;
use crate::text::{Errors, Special};

/// How far a run is: documents, tokens, bytes read, documents left out.
type Counted = (u64, u64, u64, u64);

/// How far a run was: where, what was done, shards, files, groups.
type Taken = (
    (usize, u64, usize, usize, bool),
    Counted,
    usize,
    Vec<(u64, u32)>,
    Vec<(u64, u64, u64, u64, u64)>,
);

/// A path, or a path and what reads its rows.
#[derive(FromPyObject)]
pub(crate) enum SourceArgument {
    Table(PathBuf, Py<PyAny>),
    File(PathBuf),
}

/// Encodes sources to files. `watch` is called with how far it is.
#[pyfunction]
#[pyo3(signature = (engine, sources, *, out, manifest, format, width, shard_bytes, split, field,
    errors, on_error, special, append, threads, max_document, resume, watch))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn encode_files(
    py: Python<'_>,
    engine: &Engine,
    sources: Vec<SourceArgument>,
    out: PathBuf,
    manifest: PathBuf,
    format: &str,
    width: usize,
    shard_bytes: u64,
    split: String,
    field: String,
    errors: Errors,
    on_error: &str,
    special: Special,
    append: Option<TokenId>,
    threads: Option<ThreadsArgument>,
    max_document: u64,
    resume: Option<Taken>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Counted> {
    let settings = TokenFileSettings {
        format: format_named(format)?,
        out,
        manifest,
        width: if width == 2 { Width::Two } else { Width::Four },
        shard_bytes,
        split: match &split[..] {
            "file" => Split::File,
            "line" => Split::Line,
            _ => Split::At(split),
        },
        field,
        errors: errors.into(),
        on_error: match on_error {
            "raise" => OnError::Stop,
            "skip" => OnError::Skip,
            other => {
                let message = format!("on_error must be \"raise\" or \"skip\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        },
        allowed: special.0,
        append,
        threads: threads.and_then(|threads| threads.0),
        max_document,
    };
    let sources = sources.into_iter().map(source).collect();
    let resume = resume.map(taken_up).unwrap_or_default();
    let tokenizer = engine.tokenizer();
    let encoded = detached(py, |raised| {
        let watch = |totals: Totals| {
            let Some(watch) = &watch else { return Ok(()) };
            raised.call(|py| watch.call1(py, counted(totals)).map(|_| ()))
        };
        token_files::encode_files(tokenizer, sources, &settings, &resume, watch)
    })?;
    Ok(counted(encoded))
}

fn format_named(name: &str) -> PyResult<TokenFileFormat> {
    match name {
        "bin" => Ok(TokenFileFormat::Raw),
        "npy" => Ok(TokenFileFormat::Npy),
        "shards" => Ok(TokenFileFormat::Shards),
        "megatron" => Ok(TokenFileFormat::Megatron),
        "parquet" => Ok(TokenFileFormat::Parquet),
        other => Err(PyValueError::new_err(format!("no format is called {other:?}"))),
    }
}

fn counted(totals: Totals) -> Counted {
    (totals.documents, totals.tokens, totals.read, totals.skipped)
}

fn taken_up((place, totals, shards, files, groups): Taken) -> Resume {
    let (source, start, line, documents, open) = place;
    let (written, tokens, read, skipped) = totals;
    let group =
        |(start, bytes, rows, entries, tokens)| RowGroup { start, bytes, rows, entries, tokens };
    Resume {
        place: SourcePosition { source, start, line, documents, open },
        totals: Totals { documents: written, tokens, read, skipped },
        shards,
        files,
        groups: groups.into_iter().map(group).collect(),
    }
}

fn source(argument: SourceArgument) -> Source {
    match argument {
        SourceArgument::File(path) => Source::File(path),
        SourceArgument::Table(path, rows) => Source::Rows(path, Box::new(PythonRows(rows))),
    }
}

/// Rows that Python reads: an object with a method `next`.
struct PythonRows(Py<PyAny>);

impl RowSource for PythonRows {
    fn next(&mut self, row: u64) -> Result<Option<RowBlock>> {
        let read = Python::attach(|py| self.read(py, row));
        read.map_err(|error| Python::attach(|py| engine_error(py, &error)))
    }
}

impl PythonRows {
    fn read(&self, py: Python<'_>, row: u64) -> PyResult<Option<RowBlock>> {
        let found = self.0.call_method1(py, "next", (row,))?;
        if found.is_none(py) {
            return Ok(None);
        }
        type Found<'py> = (PyBuffer<u8>, PyReadonlyArray1<'py, i64>, Vec<usize>, u64);
        let (bytes, ends, missing, read): Found<'_> = found.extract(py)?;
        Ok(Some(RowBlock {
            bytes: bytes.to_vec(py)?,
            ends: ends.as_slice()?.iter().map(|&end| end as usize).collect(),
            missing,
            read,
        }))
    }
}

/// What Python raised while it read rows, as an error of the engine.
fn engine_error(py: Python<'_>, error: &PyErr) -> Error {
    let field =
        |name: &str| -> Option<String> { error.value(py).getattr(name).ok()?.extract().ok() };
    match (field("place"), field("message")) {
        (Some(place), Some(message)) => Error::Corpus { place, message, hint: field("hint") },
        _ => Error::Corpus { place: String::new(), message: error.to_string(), hint: None },
    }
}
