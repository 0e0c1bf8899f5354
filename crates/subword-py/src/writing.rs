//! From a corpus to token files. `subword._corpus.encode_files` adds the rest in Python.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use subword_core::token_files::{
    self, CommitRecord, OnError, Recorder, Resume, RowBlock, RowGroup, RowSource, Source,
    SourcePosition, Split, TokenFileFormat, TokenFileSettings, Totals, Width,
};
use subword_core::{Error, Result, TokenId};

use crate::arguments::{Errors, Special, choice, threads_of};
use crate::engine::Engine;
use crate::interrupts::{Raised, detached};

/// How far a run is: documents, tokens, bytes read, documents left out.
type Counted = (u64, u64, u64, u64);

/// A place in the sources: the source, the byte or row, its line, documents, whether a document is open.
type Position = (usize, u64, usize, usize, bool);

/// A row group: where it starts, bytes, rows, entries, tokens.
type Group = (u64, u64, u64, u64, u64);

/// How far a run was: where, what was done, shards, files, groups.
type Taken = (Position, Counted, usize, Vec<(u64, u32)>, Vec<Group>);

/// A path, or a path and what reads its rows.
#[derive(FromPyObject)]
pub(crate) enum SourceArgument {
    Table(PathBuf, Py<PyAny>),
    File(PathBuf),
}

/// The names of the formats.
const FORMATS: [(&str, TokenFileFormat); 5] = [
    ("bin", TokenFileFormat::Raw),
    ("npy", TokenFileFormat::Npy),
    ("shards", TokenFileFormat::Shards),
    ("megatron", TokenFileFormat::Megatron),
    ("parquet", TokenFileFormat::Parquet),
];

/// Encodes sources to files. `record` is called with what each commit did, and keeps it; `watch` is called with
/// how far the run is.
#[pyfunction]
#[pyo3(signature = (engine, sources, *, out, format, width, shard_bytes, split, field,
    errors, on_error, special, prepend, append, threads, max_document, resume, record,
    watch))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn encode_files(
    py: Python<'_>,
    engine: &Engine,
    sources: Vec<SourceArgument>,
    out: PathBuf,
    format: &str,
    width: usize,
    shard_bytes: u64,
    split: String,
    field: String,
    errors: Errors,
    on_error: &str,
    special: Special,
    prepend: Option<TokenId>,
    append: Option<TokenId>,
    threads: Option<i64>,
    max_document: u64,
    resume: Option<Taken>,
    record: Py<PyAny>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Counted> {
    let settings = TokenFileSettings {
        format: choice("format", format, &FORMATS)?,
        out,
        width: if width == 2 { Width::Two } else { Width::Four },
        shard_bytes,
        split: match &split[..] {
            "file" => Split::File,
            "line" => Split::Line,
            _ => Split::At(split),
        },
        field,
        errors: errors.0,
        on_error: choice(
            "on_error",
            on_error,
            &[("raise", OnError::Stop), ("skip", OnError::Skip)],
        )?,
        allowed: special.0,
        prepend,
        append,
        threads: threads_of(threads)?,
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
        let recorder = recorder(record, raised.clone());
        token_files::encode_files(tokenizer, sources, &settings, &resume, recorder, watch)
    })?;
    Ok(counted(encoded))
}

fn counted(totals: Totals) -> Counted {
    (totals.documents, totals.tokens, totals.read, totals.skipped)
}

/// Calls Python's `record`, which `Manifest.recording` gives: the manifest has no other writer.
fn recorder(record: Py<PyAny>, raised: Raised) -> Recorder {
    Box::new(move |made: CommitRecord| {
        let SourcePosition { source, start, line, documents, open } = made.place;
        let place: Position = (source, start, line, documents, open);
        let group = |group: RowGroup| -> Group {
            (group.start, group.bytes, group.rows, group.entries, group.tokens)
        };
        let finished = made.finished.into_iter();
        let finished: Vec<_> =
            finished.map(|file| (file.name, file.bytes, file.crc, file.holds)).collect();
        let skipped: Vec<_> =
            made.skipped.into_iter().map(|bad| (bad.place, bad.message)).collect();
        let group = made.group.map(group);
        let done =
            (counted(made.totals), place, made.files, group, finished, skipped, made.complete);
        raised.call(|py| record.call1(py, done).map(|_| ()))
    })
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
