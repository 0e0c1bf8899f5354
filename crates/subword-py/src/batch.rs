//! Many texts to ids, as arrays and as lists.
//!
//! A text goes to the engine as Python has it, and is converted when its turn comes, by the thread that
//! encodes it. Only where an error may have to be told, or was met on the way, are all texts converted first:
//! then the error is about the first text that has one.

use crate::engine::{Engine, run};
use crate::errors;
use crate::interrupts::attached;
use crate::text::{Errors, Objects, Special, Texts};
use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::memory;
use subword_core::tokenizer::{Ragged, Threads};

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
        if self.tokenizer().takes_units(&special.0) {
            ragged = attached(py, |_| {
                self.tokenizer().encode_batch_units(objects.placed(), &special.0, threads, |rest| {
                    py.detach(rest)
                })
            })?;
        }
        let ragged = match ragged {
            Some(ragged) => ragged,
            None => {
                let texts = Texts::new(objects, errors)?;
                let texts = texts.all();
                run(py, usize::MAX, || self.tokenizer().encode_batch(&texts, &special.0, threads))?
            }
        };
        match add_special_tokens {
            true => run(py, usize::MAX, || self.tokenizer().surround_all(ragged)),
            false => Ok(ragged),
        }
    }

    /// Their ids as lists, made here while other threads encode; none if the texts have to be converted
    /// first.
    pub(crate) fn lists_of_units(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        threads: Threads,
    ) -> PyResult<Option<Vec<Py<PyList>>>> {
        if !self.tokenizer().takes_units(&special.0) {
            return Ok(None);
        }
        let room = memory::with_capacity(objects.len()).map_err(|error| errors::raise(py, error));
        let mut lists = room?;
        let done = attached(py, |raised| {
            let take = |parts: &[Ragged]| {
                raised.call(|py| {
                    parts.iter().try_for_each(|Ragged { ids, bounds }| {
                        self.integers.append_lists(py, ids, bounds, &mut lists)
                    })
                })
            };
            self.tokenizer().encode_batch_parts(
                objects.placed(),
                &special.0,
                threads,
                |rest| py.detach(rest),
                take,
            )
        })?;
        Ok(done.then_some(lists))
    }
}
