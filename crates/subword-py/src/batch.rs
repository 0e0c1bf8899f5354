//! Many texts to ids, as arrays and as lists.
//!
//! A text goes to the engine as Python has it, and is converted when its turn comes, by the thread that
//! encodes it. Only where an error may have to be told, or was met on the way, are all texts converted first:
//! then the error is about the first text that has one.

use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::tokenizer::{Ragged, Threads};

use crate::engine::{Engine, run};
use crate::text::{Errors, Objects, Special, Texts};

impl Engine {
    /// Their ids, with the template around each if it is asked for.
    pub(crate) fn ragged_of(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        errors: Errors,
        add_special_tokens: bool,
        threads: Threads,
    ) -> PyResult<Ragged> {
        let ragged = match self.ragged_of_units(py, objects, special, errors, threads)? {
            Some(ragged) => ragged,
            None => {
                let mut texts = Texts::as_utf8(objects, errors)?;
                let texts = texts.slices();
                run(py, usize::MAX, || self.tokenizer().encode_batch(&texts, &special.0, threads))?
            }
        };
        Ok(match add_special_tokens {
            true => py.detach(|| self.tokenizer().surround_all(ragged)),
            false => ragged,
        })
    }

    /// The ids of texts that are converted as they are encoded; none if that does not do.
    fn ragged_of_units(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        errors: Errors,
        threads: Threads,
    ) -> PyResult<Option<Ragged>> {
        if !self.tokenizer().takes_units(&special.0) {
            return Ok(None);
        }
        let mut texts = Texts::as_they_are(objects, errors)?;
        let texts = texts.all();
        run(py, usize::MAX, || self.tokenizer().encode_batch_units(&texts, &special.0, threads))
    }

    /// The same as lists, made here while other threads encode.
    pub(crate) fn lists_of_units(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        errors: Errors,
        threads: Threads,
    ) -> PyResult<Option<Vec<Py<PyList>>>> {
        if !self.tokenizer().takes_units(&special.0) {
            return Ok(None);
        }
        let mut texts = Texts::as_they_are(objects, errors)?;
        let texts = texts.all();
        let (mut lists, mut made) = (Vec::with_capacity(texts.len()), Ok(()));
        let mut append = |parts: &[Ragged]| {
            Python::attach(|py| {
                parts.iter().try_for_each(|Ragged { ids, offsets }| {
                    self.integers.append_lists(py, ids, offsets, &mut lists)
                })
            })
        };
        let done = run(py, usize::MAX, || {
            self.tokenizer().encode_batch_parts(&texts, &special.0, threads, |parts| {
                if made.is_ok() {
                    made = append(parts);
                }
            })
        })?;
        made?;
        Ok(done.then_some(lists))
    }
}
