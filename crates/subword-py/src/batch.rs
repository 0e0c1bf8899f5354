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
        let mut ragged = None;
        if let Some(mut texts) = self.texts_as_they_are(objects, special, errors)? {
            let texts = texts.all();
            ragged = run(py, usize::MAX, || {
                self.tokenizer().encode_batch_units(&texts, &special.0, threads)
            })?;
        }
        let ragged = match ragged {
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

    /// Texts that are converted as they are encoded; none if an error may have to be told.
    fn texts_as_they_are<'a>(
        &self,
        objects: &'a Objects<'_>,
        special: &Special,
        errors: Errors,
    ) -> PyResult<Option<Texts<'a>>> {
        let taken = self.tokenizer().takes_units(&special.0);
        taken.then(|| Texts::as_they_are(objects, errors)).transpose()
    }

    /// Their ids as lists, made here while other threads encode; none if the texts have to be converted
    /// first.
    pub(crate) fn lists_of_units(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        errors: Errors,
        threads: Threads,
    ) -> PyResult<Option<Vec<Py<PyList>>>> {
        let Some(mut texts) = self.texts_as_they_are(objects, special, errors)? else {
            return Ok(None);
        };
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
