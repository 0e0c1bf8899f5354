//! The documents of a file, as every call that reads a corpus finds them: for Python code that encodes them.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use subword_core::Result;
use subword_core::corpus::{FileKind, Files, lines};

use crate::interrupts::detached;

/// Reads a file: a text whole, or JSON lines some documents at a time; `.gz` and `.zst` are decompressed. Text need
/// not be UTF-8.
#[pyclass(frozen, module = "subword._core")]
pub(crate) struct DocumentReader {
    files: Mutex<Files>,
    field: String,
}

#[pymethods]
impl DocumentReader {
    #[new]
    fn new(path: PathBuf, field: String) -> DocumentReader {
        // A text is held in memory whole, whatever its size: its caller gets it as one object.
        DocumentReader { files: Mutex::new(Files::new(vec![path]).with_limit(u64::MAX)), field }
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let texts = detached(py, |_| self.next_texts())?;
        Ok(texts.map(|texts| texts.iter().map(|text| PyBytes::new(py, text)).collect()))
    }
}

impl DocumentReader {
    /// The documents of the next block; none after the last.
    fn next_texts(&self) -> Result<Option<Vec<Vec<u8>>>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(block) = files.next(Vec::new(), |_, _| 0)? else {
            return Ok(None);
        };
        if block.kind == FileKind::Text {
            return Ok(Some(vec![block.bytes]));
        }
        let mut texts = Vec::new();
        lines::for_each_text(&block.bytes, block.line, &self.field, |text| {
            texts.push(text.as_bytes().to_vec());
            Ok(())
        })
        .map_err(|error| error.at(&block.path))?;
        Ok(Some(texts))
    }
}
