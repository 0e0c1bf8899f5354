//! Counts of pieces, and how they are counted. `subword.Counts` adds the rest in Python.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use subword_core::count_corpus::{self, CountSettings, Feeder};
use subword_core::counts::SortedPieces;
use subword_core::{Normalizer, Result};

use crate::arguments::{
    Errors, NormalizerArgument, PatternArgument, natural, normalizer_of, optional, threads_of,
};
use crate::arrow::Column;
use crate::errors::OrRaise;
use crate::interrupts::{Raised, detached};
use crate::model::pattern_to_python;
use crate::text::{Objects, Text, Texts, check_several, is_batch};

/// How often each piece occurs.
#[pyclass(frozen, module = "subword._core")]
pub(crate) struct Counts {
    counts: RwLock<subword_core::Counts>,
}

impl From<subword_core::Counts> for Counts {
    fn from(counts: subword_core::Counts) -> Counts {
        Counts { counts: RwLock::new(counts) }
    }
}

impl Counts {
    /// The counts, to be read.
    ///
    /// INVARIANT: a thread never waits for this lock while it holds the GIL, because the thread that holds the
    /// lock may wait for the GIL: training asks Python whether to go on.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, subword_core::Counts> {
        self.counts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, subword_core::Counts> {
        self.counts.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `prepare` makes of them. If they are to be released, they are empty afterwards.
    pub(crate) fn prepare<T>(
        &self,
        release: bool,
        prepare: impl FnOnce(&subword_core::Counts) -> Result<T>,
    ) -> Result<T> {
        let prepared = prepare(&self.read())?;
        if release {
            self.write().clear();
        }
        Ok(prepared)
    }

    /// Looks at them without the GIL.
    fn peek<R: Send>(
        &self,
        py: Python<'_>,
        look: impl Send + FnOnce(&subword_core::Counts) -> R,
    ) -> R {
        py.detach(|| look(&self.read()))
    }
}

/// Runs without the GIL, and raises the engine's error. For what must not be left half done.
fn run<R: Send>(py: Python<'_>, work: impl Send + FnOnce() -> Result<R>) -> PyResult<R> {
    py.detach(work).or_raise(py)
}

/// The same for what changes nothing, and may be interrupted.
fn look<R: Send>(py: Python<'_>, work: impl Send + FnOnce() -> Result<R>) -> PyResult<R> {
    detached(py, |_| work())
}

#[pymethods]
impl Counts {
    #[new]
    #[pyo3(signature = (pattern, special_tokens, normalizer=None))]
    fn new(
        py: Python<'_>,
        pattern: PatternArgument,
        special_tokens: Vec<String>,
        normalizer: Option<NormalizerArgument>,
    ) -> PyResult<Self> {
        let normalizer = normalizer_of(normalizer);
        let settings =
            CountSettings { normalizer, special_tokens, ..CountSettings::new(pattern.0) };
        let counts = settings.counts().or_raise(py)?;
        Ok(Counts::from(counts))
    }

    /// The counts in a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Counts> {
        look(py, || subword_core::Counts::load(&path)).map(Counts::from)
    }

    /// The counts whose file these bytes are.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Counts> {
        look(py, || subword_core::Counts::from_bytes(data)).map(Counts::from)
    }

    /// A copy.
    fn copy(&self, py: Python<'_>) -> PyResult<Counts> {
        run(py, || Ok(self.read().clone())).map(Counts::from)
    }

    /// Writes a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        look(py, || self.read().save(&path))
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &look(py, || self.read().to_bytes())?))
    }

    /// The pattern: a name, a regular expression, or a list of them.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pattern_to_python(py, &self.peek(py, |counts| counts.pattern().clone()))
    }

    /// The name of the normaliser; none if there is none.
    #[getter]
    fn normalizer(&self, py: Python<'_>) -> Option<String> {
        Some(self.peek(py, subword_core::Counts::normalizer))
            .filter(|form| *form != Normalizer::None)
            .map(Normalizer::name)
    }

    /// The special tokens, sorted.
    #[getter]
    fn special_tokens(&self, py: Python<'_>) -> Vec<String> {
        self.peek(py, |counts| counts.special_tokens().to_vec())
    }

    /// The sum of all counts.
    #[getter]
    fn total(&self, py: Python<'_>) -> u64 {
        self.peek(py, subword_core::Counts::total)
    }

    /// Whether the pieces are on disk.
    #[getter]
    fn on_disk(&self, py: Python<'_>) -> bool {
        self.peek(py, subword_core::Counts::is_on_disk)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.peek(py, subword_core::Counts::len)
    }

    /// The count of a piece.
    fn get(&self, py: Python<'_>, piece: &[u8]) -> PyResult<u64> {
        run(py, || self.read().get(piece))
    }

    /// Counts a piece more often.
    fn add_piece(&self, py: Python<'_>, piece: &[u8], count: i128) -> PyResult<()> {
        let count = u64::try_from(count).map_err(|_| {
            PyValueError::new_err(format!("a count is a number from 0 to 2^64 - 1, not {count}"))
        })?;
        run(py, || self.write().add_piece(piece, count))
    }

    /// Adds all of another.
    fn add(&self, py: Python<'_>, other: &Counts) -> PyResult<()> {
        run(py, || {
            if std::ptr::eq(self, other) {
                let copy = self.read().clone();
                return self.write().add(&copy);
            }
            // Always in the same order, so that two that are added to each other do not wait for
            // each other.
            if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
                let mut counts = self.write();
                counts.add(&other.read())
            } else {
                let other = other.read();
                self.write().add(&other)
            }
        })
    }

    /// Forgets the pieces that occur less often.
    fn prune(&self, py: Python<'_>, min_count: i128) -> PyResult<()> {
        let min = natural("min_count", min_count)? as u64;
        run(py, || self.write().prune(min))
    }

    /// Every count times a fraction.
    fn scaled(&self, py: Python<'_>, numerator: u64, denominator: u64) -> PyResult<Counts> {
        look(py, || self.read().scaled(numerator, denominator)).map(Counts::from)
    }

    /// Whether both have the same content.
    fn equals(&self, py: Python<'_>, other: &Counts) -> PyResult<bool> {
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        look(py, || {
            let (one, two) = if std::ptr::from_ref(self) < std::ptr::from_ref(other) {
                (self, other)
            } else {
                (other, self)
            };
            let one = one.read();
            one.is_equal(&two.read())
        })
    }

    /// The pieces that occur most often, the first pieces of equals.
    fn most_common<'py>(
        &self,
        py: Python<'py>,
        n: i128,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, u64)>> {
        let n = natural("n", n)?;
        let most = look(py, || self.read().most_common(n))?;
        Ok(most.iter().map(|(piece, count)| (PyBytes::new(py, piece), *count)).collect())
    }

    /// A walk over the pieces, in the order of their bytes.
    fn sorted(&self, py: Python<'_>) -> PyResult<CountsReader> {
        let sorted = look(py, || self.read().sorted())?;
        Ok(CountsReader { sorted })
    }
}

/// A walk over pieces and their counts.
#[pyclass(module = "subword._core")]
pub(crate) struct CountsReader {
    sorted: SortedPieces,
}

#[pymethods]
impl CountsReader {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyBytes>, u64)>> {
        let next = self.sorted.next_piece().or_raise(py)?;
        Ok(next.map(|(piece, count)| (PyBytes::new(py, piece), count)))
    }
}

/// Counts the pieces of files. `watch` is called with how many bytes of them were read.
#[pyfunction]
#[pyo3(signature = (paths, pattern, special_tokens, *, normalizer, threads, memory_limit, errors,
    field, max_document, watch))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn count_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    pattern: PatternArgument,
    special_tokens: Vec<String>,
    normalizer: Option<NormalizerArgument>,
    threads: Option<i64>,
    memory_limit: Option<i128>,
    errors: Errors,
    field: String,
    max_document: u64,
    watch: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let settings = CountSettings {
        field,
        max_document,
        ..settings(pattern, special_tokens, normalizer, threads, memory_limit, errors)?
    };
    let counts = detached(py, |raised| {
        let watch = |done| tell(raised, watch.as_ref(), done);
        count_corpus::count_files(paths, &settings, watch)
    })?;
    Ok(Counts::from(counts))
}

/// Counts the pieces of texts. `watch` is called with how many bytes of them were counted.
#[pyfunction]
#[pyo3(signature = (texts, pattern, special_tokens, *, normalizer, threads, memory_limit, errors,
    watch))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn count_texts(
    texts: &Bound<'_, PyAny>,
    pattern: PatternArgument,
    special_tokens: Vec<String>,
    normalizer: Option<NormalizerArgument>,
    threads: Option<i64>,
    memory_limit: Option<i128>,
    errors: Errors,
    watch: Option<Py<PyAny>>,
) -> PyResult<Counts> {
    let py = texts.py();
    let settings = settings(pattern, special_tokens, normalizer, threads, memory_limit, errors)?;
    check_several(texts)?;
    let column = Column::new(texts)?;
    let texts = match &column {
        Some(_) => PyList::empty(py).try_iter()?.unbind(),
        None => texts.try_iter()?.unbind(),
    };
    let push = |py: Python<'_>, feeder: &mut Feeder<'_, '_>, bytes: &[u8]| match bytes.len() {
        size if size < feeder.room() => feeder.push(bytes),
        _ => py.detach(|| feeder.push(bytes)),
    };
    let feed = |raised: &Raised, feeder: &mut Feeder<'_, '_>| {
        raised.call(|py| {
            for text in column.iter().flat_map(Column::texts) {
                if let Err(error) = push(py, feeder, text) {
                    return Ok(Err(error));
                }
            }
            for text in texts.bind(py).clone() {
                let text = text?;
                let pushed = if is_batch(&text) {
                    let texts = Texts::new(&Objects::new(&text)?, errors)?;
                    texts.all().into_iter().try_for_each(|text| push(py, feeder, text))
                } else {
                    push(py, feeder, Text::new(&text, errors)?.bytes())
                };
                if let Err(error) = pushed {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    };
    let counts = detached(py, |raised| {
        let watch = |done| tell(raised, watch.as_ref(), done);
        count_corpus::count_texts(&settings, watch, |feeder| feed(raised, feeder))
    })?;
    Ok(Counts::from(counts))
}

fn settings(
    pattern: PatternArgument,
    special_tokens: Vec<String>,
    normalizer: Option<NormalizerArgument>,
    threads: Option<i64>,
    memory_limit: Option<i128>,
    errors: Errors,
) -> PyResult<CountSettings> {
    Ok(CountSettings {
        normalizer: normalizer_of(normalizer),
        special_tokens,
        threads: threads_of(threads)?,
        memory_limit: optional("memory_limit", memory_limit)?,
        errors: errors.0,
        ..CountSettings::new(pattern.0)
    })
}

/// Tells Python how far we are.
fn tell(raised: &Raised, watch: Option<&Py<PyAny>>, done: u64) -> Result<()> {
    watch.map_or(Ok(()), |watch| raised.call(|py| watch.call1(py, (done,)).map(|_| ())))
}
