//! Ids to text.

use crate::arguments::threads_of;
use crate::engine::{Engine, run};
use crate::ids::ids_from;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use subword_core::tokenizer::Decoding;

#[pymethods]
impl Engine {
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
        if let Some(plain) = run(py, size, || self.tokenizer().plain_bytes(&ids, decoding))? {
            return PyBytes::new_with(py, plain.len(), |out| run(py, size, || plain.write(out)));
        }
        let bytes = run(py, size, || self.tokenizer().decode_with(&ids, decoding))?;
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
        let bytes = run(py, ids.len() * 4, || self.tokenizer().decode_with(&ids, decoding))?;
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
        threads: Option<i64>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = batch.py();
        let ids = |ids: PyResult<Bound<'py, PyAny>>| ids_from(&ids?);
        let batch = batch.try_iter()?.map(ids).collect::<PyResult<Vec<_>>>()?;
        let threads = threads_of(threads)?;
        let decoding = Decoding { skip_special_tokens, cleanup };
        let texts =
            run(py, usize::MAX, || self.tokenizer().decode_batch(&batch, decoding, threads))?;
        texts.iter().map(|bytes| text_of(py, bytes, errors)).collect()
    }
}

/// Bytes as a string; what is not UTF-8 by Python's own rule for `errors`.
fn text_of<'py>(py: Python<'py>, bytes: &[u8], errors: &str) -> PyResult<Bound<'py, PyAny>> {
    match PyString::from_bytes(py, bytes) {
        Ok(text) => Ok(text.into_any()),
        Err(_) => PyBytes::new(py, bytes).call_method1("decode", ("utf-8", errors)),
    }
}
