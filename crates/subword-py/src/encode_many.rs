//! Many texts to ids, as arrays and as lists.
//!
//! Python's strings go to the engine as they are, and the thread that encodes a text converts it. If a text
//! cannot be converted, or the call may have to report an error, all texts are converted first, so that the
//! error is about the first text that has one.

use crate::arguments::{Errors, Special, choice, threads_of};
use crate::arrays::array_of;
use crate::arrow::IdColumn;
use crate::engine::{Engine, run};
use crate::errors::OrRaise;
use crate::ids::Sides;
use crate::interrupts::attached;
use crate::lists::list_of;
use crate::text::{Objects, Texts};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use subword_core::tokenizer::{Located, Ragged, Threads};
use subword_core::{Result, TokenId, interrupt, memory};

/// Ids, the bounds of the texts among them, where each starts and ends, and the number of its piece.
type LocatedArrays<'py> = (
    Bound<'py, PyArray1<TokenId>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<i64>>,
    Bound<'py, PyArray1<u32>>,
);

#[pymethods]
impl Engine {
    #[doc = include_str!("../docs/encode_batch.txt")]
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    fn encode_batch<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, threads) = (texts.py(), threads_of(threads)?);
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let objects = Objects::new(texts)?;
        // PERF: on one thread, building lists between texts evicts the encoder's tables from the cache.
        if sides.are_empty()
            && threads.is_none_or(|threads| threads.get() > 1)
            && let Some(lists) = self.lists_of_units(py, &objects, &special, threads)?
        {
            return list_of(py, lists);
        }
        let ragged = self.ragged_of(py, &objects, &special, errors, &sides, threads)?;
        let mut lists = memory::with_capacity(ragged.bounds.len()).or_raise(py)?;
        self.integers.append_lists(py, &ragged.ids, &ragged.bounds[1..], &mut lists)?;
        list_of(py, lists)
    }

    #[doc = include_str!("../docs/encode_batch_arrays.txt")]
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    #[expect(clippy::type_complexity)]
    fn encode_batch_arrays<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<(Bound<'py, PyArray1<TokenId>>, Bound<'py, PyArray1<u64>>)> {
        let (py, threads) = (texts.py(), threads_of(threads)?);
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let objects = Objects::new(texts)?;
        let ragged = self.ragged_of(py, &objects, &special, errors, &sides, threads)?;
        Ok((array_of(py, ragged.ids)?, array_of(py, ragged.bounds)?))
    }

    /// The ids of many texts as a column of Arrow, with a null for each null.
    #[pyo3(
        name = "_encode_arrow",
        signature = (texts, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, texts, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of one Python method")]
    fn encode_arrow<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<IdColumn> {
        let (py, threads) = (texts.py(), threads_of(threads)?);
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let (objects, nulls) = Objects::with_nulls(texts)?;
        let ragged = self.ragged_of(py, &objects, &special, errors, &sides, threads)?;
        IdColumn::new(ragged, &nulls).or_raise(py)
    }

    /// The ids of many texts, the bounds of the rows, where each token starts and ends, and the number of its
    /// piece: a word, as a rule; a special token in a text is a piece of its own.
    #[pyo3(
        name = "_encode_batch_offsets",
        signature = (texts, *, unit="chars", trim=None, special=Special::default(),
            errors=Errors::default(), threads=None),
        text_signature = "($self, texts, *, unit='chars', trim=None, special='text', \
            errors='strict', threads=None)"
    )]
    fn encode_batch_offsets<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        unit: &str,
        trim: Option<bool>,
        special: Special,
        errors: Errors,
        threads: Option<i64>,
    ) -> PyResult<LocatedArrays<'py>> {
        let (py, threads) = (texts.py(), threads_of(threads)?);
        let characters = choice("unit", unit, &[("chars", true), ("bytes", false)])?;
        let objects = Objects::new(texts)?;
        let texts = Texts::new(&objects, errors)?;
        let texts = texts.all();
        let locate = || {
            let tokenizer = self.tokenizer();
            let all =
                tokenizer.encode_offsets_batch(&texts, &special.0, trim, characters, threads)?;
            joined(all)
        };
        let (Ragged { ids, bounds }, places, pieces) = run(py, usize::MAX, locate)?;
        let tokens = ids.len();
        let places = array_of(py, places)?.reshape([tokens, 2])?;
        Ok((array_of(py, ids)?, array_of(py, bounds)?, places, array_of(py, pieces)?))
    }

    /// The ids of many texts, without the merges that are left out at random: each with the probability `dropout`.
    #[pyo3(
        name = "_encode_with_dropout",
        signature = (texts, dropout, seed, *, special=Special::default(), errors=Errors::default(),
            add_special_tokens=false, prepend=None, append=None, threads=None),
        text_signature = "($self, texts, dropout, seed, *, special='text', errors='strict', \
            add_special_tokens=False, prepend=None, append=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments)]
    fn encode_with_dropout<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        dropout: f64,
        seed: u64,
        special: Special,
        errors: Errors,
        add_special_tokens: bool,
        prepend: Option<Bound<'py, PyAny>>,
        append: Option<Bound<'py, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, threads, tokenizer) = (texts.py(), threads_of(threads)?, self.tokenizer());
        let sides = Sides::new(self, add_special_tokens, prepend.as_ref(), append.as_ref())?;
        let objects = Objects::new(texts)?;
        let texts = Texts::new(&objects, errors)?;
        let texts = texts.all();
        let ragged = run(py, usize::MAX, || {
            let ragged =
                tokenizer.encode_with_dropout(&texts, &special.0, (dropout, seed), threads)?;
            sides.around_all(ragged)
        })?;
        let mut lists = memory::with_capacity(ragged.bounds.len()).or_raise(py)?;
        self.integers.append_lists(py, &ragged.ids, &ragged.bounds[1..], &mut lists)?;
        list_of(py, lists)
    }

    #[doc = include_str!("../docs/count_batch.txt")]
    #[pyo3(
        signature = (texts, *, special=Special::default(), errors=Errors::default(),
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
        threads: Option<i64>,
    ) -> PyResult<Vec<usize>> {
        let py = texts.py();
        let objects = Objects::new(texts)?;
        let texts = Texts::new(&objects, errors)?;
        let (texts, threads) = (texts.all(), threads_of(threads)?);
        let count = || self.tokenizer().count_batch(&texts, &special.0, threads);
        let mut counts = run(py, usize::MAX, count)?;
        if add_special_tokens {
            let added = self.added_ids();
            counts.iter_mut().for_each(|count| *count += added);
        }
        Ok(counts)
    }
}

impl Engine {
    /// The ids of all texts, with those around each.
    pub(crate) fn ragged_of(
        &self,
        py: Python<'_>,
        objects: &Objects<'_>,
        special: &Special,
        errors: Errors,
        sides: &Sides,
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
        if sides.are_empty() {
            return Ok(ragged);
        }
        run(py, usize::MAX, || sides.around_all(ragged))
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
        let room = memory::with_capacity(objects.len()).or_raise(py);
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

/// The ids of all texts, where they start and end one after the other, and the numbers of their pieces.
fn joined(all: Vec<Located>) -> Result<(Ragged, Vec<i64>, Vec<u32>)> {
    let tokens = all.iter().map(|located| located.ids.len()).sum();
    let mut ragged = Ragged {
        ids: memory::with_capacity(tokens)?,
        bounds: memory::with_capacity(all.len() + 1)?,
    };
    let mut places = memory::with_capacity(2 * tokens)?;
    let mut pieces = memory::with_capacity(tokens)?;
    ragged.bounds.push(0);
    for located in all {
        ragged.ids.extend_from_slice(&located.ids);
        ragged.bounds.push(ragged.ids.len() as u64);
        places.extend(located.places.iter().flat_map(|&(start, end)| [start as i64, end as i64]));
        pieces.extend_from_slice(&located.pieces);
        interrupt::worked(size_of_val(&located.places[..]))?;
    }
    Ok((ragged, places, pieces))
}
